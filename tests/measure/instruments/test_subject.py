"""Which questions are looked at, and where their recording is."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from harness.cli.main import run as call
from harness.datasets.split import read_split
from harness.errors import InputError, UsageError
from harness.measure.subject import (
    MeasuredRun,
    is_recording,
    opened_subject,
    subject_of,
)
from harness.points import parse_point
from harness.replay.run import Run

from ...make.recordings import long_recording
from ...make.splits import LONG_DEV, LONG_IDS, long_split


def test_the_parts_of_a_split(run: Run, tmp_path: Path) -> None:
    split = read_split(long_split(tmp_path))
    parts = {part: subject_of(run, split, part).case_ids for part in ("all", "dev", "test")}
    assert parts["all"] == LONG_IDS
    assert set(parts["dev"]) == set(LONG_DEV)
    assert set(parts["test"]) == set(LONG_IDS) - set(LONG_DEV)
    assert subject_of(run, split, "dev").cohort(run.points[:1]).case_ids == tuple(sorted(LONG_DEV))
    with pytest.raises(UsageError, match="--part dev needs to know the split"):
        subject_of(run, None, "dev")


def test_a_run_of_dev_questions_has_no_test_part(run: Run, tmp_path: Path) -> None:
    split = long_split(tmp_path)
    recording = run.folder.parent / "recording"
    arguments = ["--split", str(split), "--part", "dev", "--point", "items", "-q"]
    assert call(["replay", str(recording), "--out", str(tmp_path / "dev"), *arguments]) == 0
    opened = Run.open(tmp_path / "dev")
    assert subject_of(opened).part == "dev"
    with pytest.raises(UsageError, match="has no question of the part 'test'"):
        subject_of(opened, read_split(split), "test")


def test_the_recording_is_the_one_that_was_replayed(subject: MeasuredRun, tmp_path: Path) -> None:
    moved = shutil.copytree(subject.recording, tmp_path / "moved")
    assert subject_of(subject.run, recording=moved).open_recording().case_ids == LONG_IDS
    missing = subject_of(subject.run, recording=tmp_path / "nowhere")
    with pytest.raises(InputError, match=r"is not at .*nowhere\n  Name it with --recording DIR"):
        missing.open_recording()
    other = long_recording()
    with pytest.raises(InputError, match="is another recording"):
        subject_of(subject.run, recording=other).open_recording()


def test_a_recording_is_replayed_for_as_long_as_it_is_looked_at(
    subject: MeasuredRun, tmp_path: Path
) -> None:
    assert is_recording(subject.recording)
    assert not is_recording(subject.run.folder)
    assert not is_recording(tmp_path)
    split = read_split(long_split(tmp_path))
    points = [parse_point("items")]
    with opened_subject(subject.recording, points, split=split, part="dev") as opened:
        folder = opened.run.folder
        assert set(opened.case_ids) == set(LONG_DEV)
        ours = opened.cohort(points)
    assert not folder.exists()
    theirs = subject_of(subject.run, split, "dev").cohort(points)
    for name in ("evidence_turns_touched", "quoted_chars_raw", "answer_sessions_shown"):
        assert ours.counts[name].tolist() == theirs.counts[name].tolist()
