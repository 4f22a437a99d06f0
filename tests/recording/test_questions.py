"""Questions of one's own: those of a recording, or of a file of cases."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from harness.datasets.question_list import ListedQuestion, question_hash
from harness.errors import InputError
from harness.recording.questions import questions_of
from harness.storage.content import content_size_and_sha256

from ..make.recordings import DATASET_SHA256, long_recording, small_recording


def test_they_are_listed_in_order_with_types_and_texts() -> None:
    own = questions_of(small_recording())
    assert own.questions == (
        ListedQuestion("q1", "single"),
        ListedQuestion("q2", "multi"),
        ListedQuestion("q3", "without a type"),
    )
    assert own.questions[0].question_sha256 == question_hash("Where do I live?")


def test_what_they_share_is_labelled() -> None:
    own = questions_of(small_recording())
    # q1 and q2 have the session of LYON as an answer; every window has other records
    first, second = own.answer_sessions["q1"], own.answer_sessions["q2"]
    assert first < second
    assert own.answer_sessions["q3"] == frozenset()
    assert len(frozenset().union(*own.windows.values())) == 3


@pytest.mark.parametrize("recording", [small_recording, long_recording])
def test_a_file_has_the_questions_of_its_recording(recording: object, tmp_path: Path) -> None:
    folder = recording()  # type: ignore[operator]
    source = folder.parent / "cases.jsonl"
    packed = tmp_path / "cases.jsonl.gz"
    packed.write_bytes(gzip.compress(source.read_bytes()))
    here, there = questions_of(folder), questions_of(packed)
    assert here.questions == there.questions
    assert here.dataset_sha256 == there.dataset_sha256
    for labels, others in (
        (here.answer_sessions, there.answer_sessions),
        (here.windows, there.windows),
    ):
        shared = {(one, other) for one in labels for other in labels if labels[one] & labels[other]}
        assert shared == {
            (one, other) for one in others for other in others if others[one] & others[other]
        }


def test_the_dataset_is_known_or_the_cases_stand_for_it() -> None:
    assert questions_of(long_recording()).dataset_sha256 == DATASET_SHA256
    source = small_recording().parent / "cases.jsonl"
    assert questions_of(small_recording()).dataset_sha256 == content_size_and_sha256(source)[1]


def test_what_is_neither_is_refused(tmp_path: Path) -> None:
    (tmp_path / "cases.jsonl").write_text(json.dumps({"schema": "harness.case/1"}))
    with pytest.raises(InputError, match="case_id is missing"):
        questions_of(tmp_path / "cases.jsonl")
    with pytest.raises(InputError):
        questions_of(tmp_path)
