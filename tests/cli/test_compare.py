"""`harness compare`, and marking reports with `harness ledger`."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from harness.cli.main import run

from ..make.attempts import SPEED, attempt, block, lookup, right_wheel, write_attempts, write_mill
from ..make.reports import BEFORE, HASH, report, sha, write

AFTER = {"a": [(90, True), (110, True)], "b": [(150, True), (350, False)], "c": [(80, True)] * 2}
TEXT = """\
State: inconclusive (interval)

- Tokens per correct answer: 156.0 → 172.0 (+10.3 %)
- Regressed tasks: none
- Regressed categories: none
- Changed binaries: mcp
- Tool schemas: unknown (before and after without their hash)

measure                             before    after    difference """
MARKDOWN = """\
**State: inconclusive (interval)**

- Tokens per correct answer: 156.0 → 172.0 (+10.3 %)
- Regressed tasks: none
- Regressed categories: none
- Changed binaries: mcp
- Tool schemas: unknown (before and after without their hash)

| measure | before | after | difference | interval |
| --- | ---: | ---: | ---: | ---: |
| tokens per correct answer | 156.0 | 172.0 | +16.0 | """


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    after = report(AFTER)
    after["implementation_hashes"]["mcp"] = sha("5")
    write(tmp_path / "before.json", report(BEFORE))
    write(tmp_path / "after.json", after)
    write(tmp_path / "lost.json", report({**BEFORE, "a": [(100, True), (120, False)]}))
    return tmp_path


def test_the_text(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compare", "before.json", "after.json", "--only", "mcp"]) == 0
    out, notes = capsys.readouterr()
    assert out.startswith(TEXT)
    assert "\na           2 → 2  220 → 200\nb           1 → 1  380 → 500\n" in out
    assert "seed 20261003; a draw of a task takes all its repeats in both arms." in out
    assert notes == ""


def test_markdown(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compare", "before.json", "after.json", "--markdown"]) == 0
    out = capsys.readouterr().out
    assert out.startswith(MARKDOWN)
    assert "\n| b | 1 → 1 | 380 → 500 |  |\n" in out
    assert "\n- before: before.json (6 attempts at 3 tasks)\n" in out


def test_json_has_everything(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compare", "before.json", "after.json", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["state"] == "inconclusive (interval)"
    assert (found["tokens_per_correct_before"], found["tokens_per_correct_after"]) == (156, 172)
    assert found["change_percent"] == pytest.approx(100 * (172 / 156 - 1))
    assert found["changed_components"] == ["mcp"]
    assert found["resampling"] == {
        "tasks": 3,
        "level": 0.95,
        "resamples": 10000,
        "seed": 20261003,
    }
    assert [task["tokens_after"] for task in found["tasks"]] == [200, 500, 160]
    assert [row["measure"] for row in found["measures"]][:2] == [
        "tokens_per_correct_answer",
        "correct",
    ]
    assert not any("shown" in key for row in found["measures"] for key in row)


def test_csv_has_the_measures(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compare", "before.json", "after.json", "--csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert rows[0]["measure"] == "tokens_per_correct_answer"
    assert float(rows[0]["difference"]) == 16


@pytest.mark.parametrize(
    ("after", "options", "code"),
    [
        ("after.json", ["--exit-code"], 0),
        ("lost.json", ["--exit-code"], 1),
        ("lost.json", [], 0),
        ("before.json", ["--exit-code"], 0),
        ("before.json", ["--only", "mcp"], 2),
        ("before.json", ["--policies"], 2),
    ],
)
def test_exit_codes(folder: Path, after: str, options: list[str], code: int) -> None:
    assert run(["compare", "before.json", after, *options]) == code


@pytest.mark.parametrize("form", [[], ["--json"], ["--markdown"], ["--csv"]])
def test_incomparable_in_every_form(
    folder: Path, capsys: pytest.CaptureFixture[str], form: list[str]
) -> None:
    other = report(BEFORE)
    other["spec"]["scoring_version"] = "independent-evidence-v3"
    write(folder / "other.json", other)
    assert run(["compare", "before.json", "other.json", *form]) == 2
    captured = capsys.readouterr()
    assert (
        "spec.scoring_version differs: independent-evidence-v2 → independent-evidence-v3"
        in captured.out + captured.err
    )


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        (["--only", "mpc"], "--only mpc: no such component; did you mean 'mcp'?"),
        (["--only", "mcp", "--policies"], "--only and --policies exclude each other"),
        (["--markdown", "--json"], "--markdown excludes --json and --csv"),
        (["--schemas", "a", "b"], "--schemas is part of a preflight"),
        (["--preflight", "mill", "--only", "mcp"], "--only compares reports"),
    ],
)
def test_options_that_do_not_go_together(
    folder: Path, capsys: pytest.CaptureFixture[str], options: list[str], fault: str
) -> None:
    assert run(["compare", "before.json", "after.json", *options]) == 2
    assert fault in capsys.readouterr().err


def test_attempts_must_be_scored_first(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = attempt("wheel", right_wheel())
    write_attempts(folder / "a.jsonl", made, attempt("wheel", right_wheel(), repeat=2))
    assert run(["compare", "a.jsonl", "after.json"]) == 2
    assert "harness score WORLD a.jsonl --out REPORT" in capsys.readouterr().err


def test_a_superseded_report(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mark = ["ledger", "--supersede", "after.json", "--reason", "unpinned blocks"]
    assert run(mark) == 0
    assert capsys.readouterr().err == "superseded.jsonl, line 1: after.json is marked\n"
    assert run(["compare", "before.json", "after.json"]) == 2
    assert "after.json is superseded: unpinned blocks" in capsys.readouterr().err
    assert run(mark) == 0  # done already
    assert run([*mark[:-1], "another"]) == 2
    assert "is superseded already" in capsys.readouterr().err
    assert run(["ledger", "superseded.jsonl", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["report"], row["reason"]) == ("after.json", "unpinned blocks")
    assert run(["ledger", "superseded.jsonl", "--verify"]) == 0
    text = Path("superseded.jsonl").read_text("utf-8")
    Path("superseded.jsonl").write_text(text.replace("unpinned", "pinned"), "utf-8")
    capsys.readouterr()
    assert run(["ledger", "superseded.jsonl", "--verify"]) == 1
    assert capsys.readouterr().out.startswith("broken: superseded.jsonl, line 1: was edited")
    assert run(["compare", "before.json", "after.json"]) == 2


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        (["--supersede", "after.json"], "--reason TEXT is missing"),
        (["--reason", "x"], "--supersede REPORT is missing"),
        (["--supersede", "none.json", "--reason", "x"], "none.json is not a file"),
        (["--supersede", "after.json", "--reason", ""], "--reason is empty"),
        (["x.jsonl", "--supersede", "after.json", "--reason", "x"], "takes neither FILE nor"),
    ],
)
def test_a_mark_that_is_refused_leaves_nothing(
    folder: Path, capsys: pytest.CaptureFixture[str], options: list[str], fault: str
) -> None:
    assert run(["ledger", *options]) == 2
    assert fault in capsys.readouterr().err
    assert not (folder / "superseded.jsonl").exists()


@pytest.fixture
def arms(folder: Path) -> Path:
    """Traces of two arms in a mill, and the tool lists of both servers."""
    write_mill(folder / "mill")
    pinned = lookup(block("/mill/wheel.md/v2#speed", f"## Speed\n\n{SPEED}"))
    suffixed = lookup(block("/mill/wheel.md/v2#speed (hop)", f"## Speed\n\n{SPEED}"))
    write_attempts(folder / "before.jsonl", attempt("wheel", "", pinned))
    write_attempts(folder / "after.jsonl", attempt("wheel", "", suffixed))
    tool: dict[str, Any] = {"name": "mark_lookup", "description": "Look up."}
    write(folder / "tools.json", {"tools": [tool]})
    write(folder / "changed.json", {"tools": [{**tool, "description": "Look up!"}]})
    return folder


def test_a_preflight_that_passes(arms: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["compare", "before.jsonl", "before.jsonl", "--preflight", "mill"]
    assert run([*arguments, "--schemas", "tools.json", "tools.json"]) == 0
    assert capsys.readouterr().out.endswith("Every check passed.\n")
    assert run(arguments) == 0
    assert capsys.readouterr().out.endswith("No check failed; 1 was not made.\n")


def test_a_preflight_that_fails(arms: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["compare", "before.jsonl", "after.jsonl", "--preflight", "mill"]
    assert run([*arguments, "--schemas", "tools.json", "changed.json"]) == 1
    out = capsys.readouterr().out
    assert '  mark_lookup.description: "Look up." → "Look up!"\n' in out
    assert "after, wheel#1: '/mill/wheel.md/v2#speed (hop)' reads as no location\n" in out
    assert "  wheel#1: rounds was citable\n" in out
    assert out.endswith("3 of 4 checks failed: do not pay for this arm.\n")
    assert run([*arguments, "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert [check["passed"] for check in found["checks"]] == [None, True, False, False]


def test_a_preflight_of_runs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_mill(folder / "mill")
    assert run(["record", "lookups", "mill", "--out", "rec", "--match", "body", "-q"]) == 0
    points = ["lookup-before(budget_tokens=1000)", "lookup-budgeted(budget_tokens=1000)"]
    both = [option for point in points for option in ("--point", point)]
    assert run(["replay", "rec", "--out", "run", "-q", *both]) == 0
    capsys.readouterr()
    arguments = ["compare", "run", "run", "--preflight", "mill"]
    assert run(arguments) == 2
    assert "run has 2 points; one of each side is compared" in capsys.readouterr().err
    assert run([*arguments, "--json", "--points", *points]) == 1  # a stub, and a section twice
    found = json.loads(capsys.readouterr().out)
    counted = {}
    assert run(["lookups", "run", "--json"]) == 0
    for row in json.loads(capsys.readouterr().out):
        counted[row["point"]] = f"{row['fields_citable']} of {row['fields']}"
    citable = found["checks"][3]
    assert [citable["before"], citable["after"]] == [counted[point] for point in points]


def test_a_rescored_report_beside_one_that_is_not(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rescored = report(
        BEFORE,
        rescored_from_sha256=HASH,
        rescored_at="2026-01-02",
        scorer_implementation_sha256=HASH,
    )
    write(folder / "rescored.json", rescored)
    assert run(["compare", "rescored.json", "before.json"]) == 2
    assert "rescored_from_sha256: before alone was rescored" in capsys.readouterr().out
