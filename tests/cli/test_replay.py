"""`harness replay` as a verb; what it makes is tested with the runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.cli.main import run
from harness.replay.run import Run

from ..make.questions import SESSIONS, question
from ..make.recordings import recording_of_questions


@pytest.fixture(scope="module")
def recording() -> Path:
    made = [question("q1", SESSIONS), question("q2", [])]
    made[1] |= {"haystack_sessions": [[]], "haystack_session_ids": ["s"]}
    made[1] |= {"haystack_dates": ["2023/05/01 10:00"]}
    return recording_of_questions(made)


def replay(recording: Path, out: Path, *more: str) -> int:
    return run(["replay", str(recording), "--out", str(out), *more])


def test_it_says_what_it_did_and_what_comes_next(
    recording: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    assert replay(recording, out, "--point", "count-curve", "--point", "count-curve(k=4)") == 0
    following = f"Next: harness evidence {out}, or harness report {out} --out {out}-report\n"
    captured = capsys.readouterr()
    assert captured.err == f"{out}: 9 points of 2 cases replayed\n{following}"
    assert captured.out == ""
    assert replay(recording, out, "--point", "count-curve(k=full)") == 0
    assert capsys.readouterr().err == f"{out}: holds these points already\n{following}"
    assert replay(recording, out, "--point", "items", "-q") == 0
    assert capsys.readouterr().err == ""


def test_every_default_point_without_points(recording: Path, tmp_path: Path) -> None:
    assert replay(recording, tmp_path / "run", "-q") == 0
    assert len(Run.open(tmp_path / "run").points) == 43


def test_an_empty_window_is_an_empty_context(recording: Path, tmp_path: Path) -> None:
    assert replay(recording, tmp_path / "run", "-q") == 0
    rows = [
        row
        for row in Run.open(tmp_path / "run").table("selections").to_pylist()
        if row["case_id"] == "q2"
    ]
    assert len(rows) == 41
    for row in rows:
        assert (row["items"], row["used"], row["context_characters"]) == (0, 0, 0)
        assert row["context_tokens"] == 0
        assert row["prompt_tokens_estimated"] > 50


def test_the_manifest_has_what_was_given_and_what_it_meant(recording: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    assert replay(recording, out, "--point", "items", "--jobs", "2", "--no-tokens") == 0
    arguments = Run.open(out).manifest.arguments
    assert arguments["verb"] == "replay"
    assert arguments["given"] == {
        "recording": str(recording),
        "points": ["items"],
        "no_tokens": True,
    }
    assert arguments["resolved"]["tokens"] is None


def test_a_template_of_ones_own_is_counted(recording: Path, tmp_path: Path) -> None:
    template = tmp_path / "template.txt"
    template.write_text("{context}{question}", encoding="utf-8")
    more = ("--point", "items", "-q")
    assert replay(recording, tmp_path / "plain", *more) == 0
    assert replay(recording, tmp_path / "own", *more, "--prompt-template", str(template)) == 0
    plain, own = (
        Run.open(tmp_path / name).table("selections").to_pylist() for name in ("plain", "own")
    )
    for before, after in zip(plain, own, strict=True):
        assert before["context_tokens"] == after["context_tokens"]
        assert before["prompt_tokens_estimated"] > after["prompt_tokens_estimated"] + 50


@pytest.mark.parametrize(
    ("points", "messages"),
    [
        (["evidnce"], ["there is no arm 'evidnce'", "Did you mean 'evidence'?"]),
        (["whole(budget=799)"], ["budget takes a whole number from 800 to 20,000", "not 799"]),
        (["whole(budget=many)"], ["budget takes a whole number", "not 'many'"]),
        (["whole(budgt=900)"], ["whole has no setting 'budgt'"]),
        (["whole()"], ["whole needs budget"]),
        (["items(k=3)", "nothing", "items"], ["items has no setting 'k'", "no arm 'nothing'"]),
    ],
)
def test_bad_points_are_refused_all_together(
    recording: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    points: list[str],
    messages: list[str],
) -> None:
    given = [part for point in points for part in ("--point", point)]
    assert replay(recording, tmp_path / "run", *given) == 2
    error = capsys.readouterr().err
    for message in messages:
        assert message in error
    assert not (tmp_path / "run").exists()


def test_files_of_others_are_left_alone(
    recording: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    assert replay(recording, tmp_path, "--force") == 2
    assert "holds files that the harness did not write" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]
