"""The sweep: what is replayed, from one recording and from several."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from harness.cli.main import run as call
from harness.errors import UsageError
from harness.measure.sweep import SCHEMA, recording_names
from harness.replay.run import Run
from harness.replay.workers import Shard, ShardWork, run_shard
from harness.storage.manifest import read_manifest

from ...make.cases import long_cases
from ...make.questions import contents_of
from ...make.recordings import worst_first, write_recording
from ...make.splits import LONG_DEV, long_split

GRID = "2.6.5a1(budget=[800..1000:100])"
POINTS = ["2.6.5a1(budget=800)", "2.6.5a1(budget=900)", "2.6.5a1(budget=1000)"]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`best/recording`, `worst/recording` and `split.json`."""
    folder = tmp_path_factory.mktemp("swept")
    long_split(folder)
    write_recording(folder / "best", long_cases())
    write_recording(folder / "worst", worst_first())
    return folder


def sweep(made: Path, out: Path, *more: str, names: tuple[str, ...] = ("best",)) -> int:
    recordings = [str(made / name / "recording") for name in names]
    split = str(made / "split.json")
    points = () if "--point" in more else ("--point", GRID)
    return call(["sweep", *recordings, "--split", split, "--out", str(out), "-q", *points, *more])


def both(made: Path, out: Path, *more: str) -> int:
    return sweep(made, out, *more, names=("best", "worst"))


def test_dev_cases_alone_are_replayed(made: Path, tmp_path: Path) -> None:
    assert sweep(made, tmp_path / "run") == 0
    run = Run.open(tmp_path / "run")
    assert run.manifest.work["part"] == "dev"
    assert run.cases().column("case_id").to_pylist() == list(LONG_DEV)
    assert {*run.table("evidence").column("case_id").to_pylist()} == {*LONG_DEV}
    assert [str(point) for point in run.points] == POINTS


def test_the_run_is_that_of_a_replay(made: Path, tmp_path: Path) -> None:
    assert sweep(made, tmp_path / "swept") == 0
    replayed = ["replay", str(made / "best" / "recording"), "--out", str(tmp_path / "replayed")]
    split = ["--split", str(made / "split.json"), "--part", "dev"]
    points = [part for point in POINTS for part in ("--point", point)]
    assert call([*replayed, *points, *split, "-q"]) == 0
    swept, expected = (contents_of(tmp_path / name) for name in ("swept", "replayed"))
    arguments = [Run.open(tmp_path / name).manifest.arguments for name in ("swept", "replayed")]
    assert arguments[0] == arguments[1]
    for files in (swept, expected):
        del files["manifest.json"]  # in which the arguments stand in another order
    assert swept == expected


def test_a_larger_grid_adds_to_the_run(made: Path, tmp_path: Path) -> None:
    assert sweep(made, tmp_path / "run") == 0
    before = contents_of(tmp_path / "run")
    assert sweep(made, tmp_path / "run") == 0
    assert contents_of(tmp_path / "run") == before
    assert sweep(made, tmp_path / "run", "--point", "2.6.5a1(budget=[900..1200:100])") == 0
    assert len(Run.open(tmp_path / "run").points) == 5


def test_several_recordings_have_a_run_each(made: Path, tmp_path: Path) -> None:
    assert both(made, tmp_path / "runs") == 0
    manifest = read_manifest(tmp_path / "runs", SCHEMA)
    names = ["best-recording", "worst-recording"]
    assert list(manifest.content["runs"]) == names
    for name in names:
        run = Run.open(tmp_path / "runs" / name)
        assert manifest.content["runs"][name] == run.manifest.content_sha256
        assert {*run.cases().column("case_id").to_pylist()} == {*LONG_DEV}
    assert sweep(made, tmp_path / "alone") == 0
    alone = Run.open(tmp_path / "alone").manifest.content_sha256
    assert manifest.content["runs"]["best-recording"] == alone


def test_an_interrupted_sweep_continues_to_the_same_bytes(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []

    def interrupted(work: ShardWork, shard: Shard) -> int:
        calls.append(shard)
        if len(calls) == 2:  # in the second recording
            raise KeyboardInterrupt
        return run_shard(work, shard)

    with monkeypatch.context() as patch:
        patch.setattr("harness.replay.engine.run_shard", interrupted)
        assert both(made, tmp_path / "runs") == 130
    assert not (tmp_path / "runs" / "manifest.json").exists()
    assert (tmp_path / "runs" / "best-recording" / "manifest.json").exists()
    assert both(made, tmp_path / "runs") == 0
    assert both(made, tmp_path / "uninterrupted") == 0
    assert contents_of(tmp_path / "runs") == contents_of(tmp_path / "uninterrupted")


def test_a_folder_of_other_recordings_is_refused_or_replaced(
    made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = tmp_path / "runs"
    assert both(made, runs) == 0
    write_recording(tmp_path / "third", reversed(worst_first()))
    third = (str(tmp_path / "third" / "recording"),)
    before = contents_of(runs)
    assert both(made, runs, *third) == 2
    assert "holds a sweep of other recordings" in capsys.readouterr().err
    assert contents_of(runs) == before
    assert sweep(made, runs, *third, "--force") == 0
    assert sorted(path.name for path in runs.iterdir()) == [
        "best-recording",
        "manifest.json",
        "third-recording",
    ]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("lacking", "is in best-recording and not in other-recording"),
        ("reworded", "has another text in other-recording than in best-recording"),
        ("same", "other-recording and best-recording are the same recording"),
    ],
)
def test_recordings_of_other_questions_are_refused(
    made: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    change: str,
    message: str,
) -> None:
    cases = list(long_cases())
    if change == "lacking":
        cases = [each for each in cases if each.case_id != LONG_DEV[1]]
    if change == "reworded":
        cases = [replace(each, query=replace(each.query, text="Why?")) for each in cases]
    other = write_recording(tmp_path / "other", cases)
    if change == "same":
        shutil.rmtree(other)
        shutil.copytree(made / "best" / "recording", other)
    assert sweep(made, tmp_path / "runs", str(other)) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "runs").exists()


def test_an_arm_of_other_cases_is_refused(
    made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert sweep(made, tmp_path / "run", "--point", "lookup-table", "--point", "items") == 2
    assert "lookup-table does not run on memory cases" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_names_tell_recordings_apart() -> None:
    assert recording_names([Path("a/bm25"), Path("b/hybrid")]) == ["bm25", "hybrid"]
    assert recording_names([Path("a/recording"), Path("b/recording")]) == [
        "a-recording",
        "b-recording",
    ]
    with pytest.raises(UsageError, match="a recording is given twice"):
        recording_names([Path("a/recording"), Path("a/../a/recording")])
