"""`harness parity`."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest

from harness.cli.main import run

from ..make.selections import expected_lines, made_case, write_case, write_lines

ITEMS, EVIDENCE, WHOLE = expected_lines()
SWAPPED = {**WHOLE, "sequence_taken": WHOLE["sequence_taken"][::-1]}
REWORDED: dict[str, Any] = {
    **ITEMS,
    "used": 25,
    "items": [ITEMS["items"][0], {**ITEMS["items"][1], "content": "Tea! "}],
}


@pytest.fixture
def cases(tmp_path: Path) -> str:
    return write_case(tmp_path / "cases.jsonl", made_case())


def expected(folder: Path, *lines: Any) -> str:
    return write_lines(folder / "expected.jsonl", *lines)


def test_all_the_same(cases: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["parity", cases, expected(tmp_path, ITEMS, EVIDENCE)]) == 0
    written = capsys.readouterr()
    assert written.err == ""
    assert (
        written.out
        == """\
arm       field           compared    same    different    left out
--------  ------------  ----------  ------  -----------  ----------
items     whole line             1       1            0           0
items     items                  1       1            0           0
items     ranges                 1       1            0           0
items     excerpts               1       1            0           0
items     content                1       1            0           0
items     used                   1       1            0           0
evidence  whole line             1       1            0           0
evidence  items                  1       1            0           0
evidence  ranges                 1       1            0           0
evidence  excerpts               1       1            0           0
evidence  content                1       1            0           0
evidence  used                   1       1            0           0
evidence  sequence               1       1            0           0
evidence  cosine_ranks           1       1            0           0

No difference in 2 recorded selections.
"""
    )


def test_differences_are_shown(
    cases: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["parity", cases, expected(tmp_path, SWAPPED, REWORDED, EVIDENCE)]) == 1
    shown = capsys.readouterr().out.split("\n\n", 1)[1]
    assert (
        shown
        == """\
Different: 2 of 3 recorded selections.

line 1, case first, whole(budget=800): differs in sequence
  first at place 0 of the sequence (sequence)
    here      tea [0:12]  ranks record 0, inside 0, cosine –
    recorded  long [0:5]  ranks record 1, inside 0, cosine –

line 2, case first, items(budget=800): differs in content and used
  first at item 1, quote 0, character 3
    here      "? "
    recorded  "! "
"""
    )


def test_as_json(cases: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["parity", cases, expected(tmp_path, SWAPPED, EVIDENCE), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["lines"], found["same"], found["different"]) == (2, 1, 1)
    assert found["counts"][0] == {
        "arm": "whole",
        "field": "whole line",
        "compared": 1,
        "same": 0,
        "different": 1,
        "left_out": 0,
    }
    (difference,) = found["differences"]
    ranks = {"record": 0, "inside": 0, "cosine": None}
    parting = {
        "field": "sequence",
        "place": 0,
        "here": {"record_id": "tea", "span": [0, 12], "ranks": ranks},
        "recorded": {"record_id": "long", "span": [0, 5], "ranks": {**ranks, "record": 1}},
    }
    assert difference == {
        "line": 1,
        "case_id": "first",
        "point": "whole(budget=800)",
        "differing": ["sequence"],
        "first": parting,
        "partings": [parting],
    }


def test_as_csv(cases: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["parity", cases, expected(tmp_path, REWORDED), "--csv"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "arm,field,compared,same,different,left_out"
    assert lines[1] == "items,whole line,1,0,1,0"
    assert len(lines) == 7


def test_the_list_is_bounded(
    cases: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [{**EVIDENCE, "budget": 800 + extra, "used": 1} for extra in range(12)]
    source = expected(tmp_path, *lines)
    assert run(["parity", cases, source]) == 1
    shown = capsys.readouterr().out
    assert shown.count("\nline ") == 10
    assert shown.endswith("\n… and 2 more; --all lists them.\n")
    assert run(["parity", cases, source, "--all"]) == 1
    assert capsys.readouterr().out.count("\nline ") == 12


def test_packed_files_and_standard_input(
    cases: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    packed = tmp_path / "expected.jsonl.gz"
    packed.write_bytes(gzip.compress(Path(expected(tmp_path, ITEMS)).read_bytes()))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(Path(cases).read_bytes())))
    assert run(["parity", "-", str(packed), "-q"]) == 0
    assert "No difference in 1 recorded selection." in capsys.readouterr().out
    assert run(["parity", "-", "-"]) == 2
    assert "both standard input" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({**EVIDENCE, "case_id": "frist"}, "line 1: no case 'frist' in"),
        ({**EVIDENCE, "arm": "evidnce"}, "line 1: arm: no arm 'evidnce' is installed"),
        ("[", "line 1: is not JSON"),
    ],
)
def test_bad_input(
    cases: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], line: Any, message: str
) -> None:
    source = expected(tmp_path, line)
    assert run(["parity", cases, source]) == 2
    written = capsys.readouterr()
    assert written.out == ""
    assert written.err.startswith(f"error: {source}: 1 fault\n")
    assert message in written.err


@pytest.mark.shared
@pytest.mark.parametrize(("recall", "lines"), [("deep", 581), ("default", 582)])
def test_the_published_package(
    shared: Path, capsys: pytest.CaptureFixture[str], recall: str, lines: int
) -> None:
    folder = shared / "golden" / "cpersona"
    files = [str(folder / f"{name}.{recall}.jsonl.gz") for name in ("cases", "expected")]
    assert run(["parity", *files, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["lines"], found["same"], found["differences"]) == (lines, lines, [])
