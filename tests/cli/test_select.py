"""`harness select`."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.cli.main import run
from harness.model import Case, Item, Query, Record
from harness.recording.case_lines import CasesHeader, write_cases

from ..make.cases import made_record

TIME = "2023-05-20T02:21:00+00:00"


def made_cases() -> list[Case]:
    """Two cases; of the first, everything can be counted by hand."""
    records = (
        Record("head", "猫 is here.", timestamp=TIME),
        made_record("long", "Tea is hot. ", "x" * 400 + ". ", "y" * 400 + ". "),
        Record("claim", "Coffee."),
    )
    items = (Item("head", ("claim",)), Item("long"))
    return [
        Case("first", Query("Tea?"), records, items),
        Case("second", Query("?"), (Record("r", "Text."),), (Item("r"),)),
    ]


def text_of(cases: list[Case]) -> str:
    stream = io.StringIO()
    write_cases(stream, iter(cases), CasesHeader())
    return stream.getvalue()


@pytest.fixture
def cases_file(tmp_path: Path) -> Path:
    path = tmp_path / "cases.jsonl"
    path.write_text(text_of(made_cases()), encoding="utf-8")
    return path


def selections(capsys: pytest.CaptureFixture[str], *arguments: object) -> list[dict[str, Any]]:
    assert run(["select", *map(str, arguments)]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_a_selection_by_hand(cases_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, _ = selections(capsys, cases_file, "--point", "2.6.5a1(budget=800)")
    assert first == {
        "schema": "harness.selection/1",
        "case_id": "first",
        "point": "2.6.5a1(budget=800)",
        "items": [
            {
                "head": "head",
                "content": "猫 is here.",
                "ranges": [[0, 10]],
                "excerpts": [{"record_id": "claim", "range": [0, 7], "content": "Coffee."}],
            },
            {
                "head": "long",
                "content": "Tea is hot. " + "x" * 400 + ". ",
                "ranges": [[0, 414]],
                "excerpts": [],
            },
        ],
        "sequence": [
            _passage("head", 0, 10, 0, 0),
            _passage("claim", 0, 7, 0, 0),
            _passage("long", 0, 12, 1, 0),
            _passage("long", 12, 414, 1, 1),
            _passage("long", 414, 816, 1, 2, taken=False),
        ],
        "budget": 800,
        "used": 431,
        "budget_unit": "characters",
        "omitted": {"items": 0, "passages": 1, "excerpts": 0},
        "context": (
            f"Conversation memories:\n\n[{TIME}]\n猫 is here.\n…\nCoffee.\n\n"
            f"[undated]\nTea is hot. {'x' * 400}. \n"
        ),
    }


def _passage(
    record: str, start: int, end: int, rank: int, inside: int, *, taken: bool = True
) -> dict[str, Any]:
    ranks = {"record": rank, "inside": inside, "cosine": None}
    return {
        "record_id": record,
        "span": [start, end],
        "ranks": ranks,
        "parts": [],
        "taken": taken,
    }


def test_one_line_a_case_and_point(cases_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = selections(capsys, cases_file, "-p", "quote-curve", "-p", "items", "-p", "items")
    points = [f"quote-curve(head={h}, tail={t})" for h, t in ((320, 160), (500, 250), (800, 400))]
    assert [(line["case_id"], line["point"]) for line in found] == [
        (case, point) for case in ("first", "second") for point in [*points, "items"]
    ]


def test_the_words_that_coverage_looks_for_are_named(
    cases_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, _ = selections(capsys, cases_file, "-p", "2.6.5a2(budget=800)")
    assert first["parts"] == ["tea"]
    assert [step["parts"] for step in first["sequence"] if step["span"] == [0, 12]] == [[0]]


def test_chosen_cases(cases_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (found,) = selections(capsys, cases_file, "-p", "items", "--case", "second")
    assert found["case_id"] == "second"
    both = selections(capsys, cases_file, "-p", "items", "--case", "second", "--case", "first")
    assert [line["case_id"] for line in both] == ["first", "second"]


def test_an_unknown_case(cases_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["select", str(cases_file), "-p", "items", "--case", "secnd"]) == 2
    message = capsys.readouterr().err
    assert "no case has the id 'secnd'; did you mean 'second'?" in message
    assert "has 2 cases" in message


def test_standard_input(
    cases_file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from_file = selections(capsys, cases_file, "-p", "items")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(cases_file.read_bytes())))
    assert selections(capsys, "-", "-p", "items") == from_file


def test_a_file_is_written_whole(
    cases_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "selections.jsonl"
    assert selections(capsys, cases_file, "-p", "items", "--out", out) == []
    lines = out.read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == selections(capsys, cases_file, "-p", "items")


def test_a_file_that_exists_is_kept(
    cases_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "selections.jsonl"
    out.write_text("mine", encoding="utf-8")
    arguments = ["select", str(cases_file), "-p", "items", "--out", str(out)]
    assert run(arguments) == 2
    said = capsys.readouterr().err
    assert "holds something else\n  Choose another --out, or replace it with --force." in said
    assert out.read_text(encoding="utf-8") == "mine"
    assert run([*arguments, "--force"]) == 0
    assert "2 selections" in capsys.readouterr().err
    assert run(arguments) == 0  # the same again
    assert len(out.read_text(encoding="utf-8").splitlines()) == 2


def test_a_faulty_line_leaves_no_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_text(text_of(made_cases()) + "{\n", encoding="utf-8")
    out = tmp_path / "selections.jsonl"
    assert run(["select", str(bad), "-p", "items", "--out", str(out), "-q"]) == 2
    assert "line 4: is not JSON" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["bad.jsonl"]


def test_what_was_checked_is_answered_before_a_fault_is_met(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    header, first, second = text_of(made_cases()).splitlines()
    bad = tmp_path / "bad.jsonl"
    bad.write_text(f"{header}\n{first}\nnull\n{second}\n", encoding="utf-8")
    assert run(["select", str(bad), "-p", "items"]) == 2
    written = capsys.readouterr()
    assert [json.loads(line)["case_id"] for line in written.out.splitlines()] == ["first"]
    assert "line 3: is null" in written.err


@pytest.mark.parametrize(
    ("points", "message"),
    [
        ([], "no point was given\n  Add --point SPEC"),
        (["2.6.5a1(bugdet=700)"], "Did you mean '2.6.5a1(budget=800)'?"),
        (["items(budget=799)"], "budget takes a whole number from 800 to 20,000"),
        (["nosuch"], "point 'nosuch': there is no arm 'nosuch'"),
    ],
)
def test_bad_points_are_refused_before_anything_is_read(
    capsys: pytest.CaptureFixture[str], points: list[str], message: str
) -> None:
    options = [option for point in points for option in ("--point", point)]
    assert run(["select", "no-such-file.jsonl", *options]) == 2
    assert message in capsys.readouterr().err


def test_a_reader_that_closes_the_pipe_sees_no_error(tmp_path: Path) -> None:
    template = made_cases()[0]
    cases = [replace(template, case_id=f"case {number}") for number in range(200)]
    path = tmp_path / "many.jsonl"
    path.write_text(text_of(cases), encoding="utf-8")
    command = [sys.executable, "-m", "harness.cli.main", "select", str(path), "-p", "items"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert json.loads(process.stdout.readline())["case_id"] == "case 0"
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode != 2


def test_a_terminal_shows_text_and_a_pipe_gets_lines(
    cases_file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    call = ["select", str(cases_file), "-p", "items", "--case", "second"]
    assert run(call) == 0
    piped = capsys.readouterr().out
    assert json.loads(piped)["case_id"] == "second"
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert run(call) == 0
    shown = capsys.readouterr().out
    assert shown.splitlines() == [
        "case      second  (no category)",
        "question  ?",
        "point     items",
        "used      5 of 6,000 characters",
        "left out  nothing",
        "  1. r  undated  5 of 5 characters: 0–5",
        "",
        "context, 40 characters:",
        "  | Conversation memories:",
        "  | ",
        "  | [undated]",
        "  | Text.",
        "",
    ]
    assert run([*call, "--json"]) == 0
    assert capsys.readouterr().out == piped
    assert "\x1b" not in shown  # no colour, whatever NO_COLOR says


def test_text_names_claims_and_what_is_left_out(
    cases_file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert run(["select", str(cases_file), "-p", "count-curve(k=1)", "--case", "first"]) == 0
    shown = capsys.readouterr().out
    assert f"  1. head  {TIME}  10 of 10 characters: 0–10\n" in shown
    assert "     claim claim  undated  7 of 7 characters: 0–7\n" in shown
    assert "left out  1 item\n" in shown
