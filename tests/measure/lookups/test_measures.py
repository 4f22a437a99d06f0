"""Ablation, the budget needed, and sums of a run, beside plain recomputations."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from harness.cli.main import run as call
from harness.measure.ablation import ablate
from harness.measure.lookup_rows import paired
from harness.measure.needed_budget import needed_budgets
from harness.model import view_of
from harness.points import parse_point
from harness.recording.recording import Recording
from harness.worlds.citable import citable_fields

from ...make.worlds import write_world

PARTS_OFF = {
    "whole_result": False,
    "coalesce": False,
    "pin": False,
    "hop": "none",
    "omissions": False,
}
FULL = "lookup-budgeted(budget_tokens=130)"


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("measures")
    world, out = write_world(folder / "world"), folder / "lookups"
    queries = folder / "queries.jsonl"
    queries.write_text(
        '{"case_id": "t1", "query": "firing the kiln", "scope": "/"}\n'
        '{"case_id": "t2", "query": "glaze", "match": "body"}\n'
    )
    given = ["record", "lookups", str(world), "--queries", str(queries), "--out", str(out), "-q"]
    assert call(given) == 0
    return out


@pytest.fixture(scope="module")
def run(recording: Path) -> Path:
    out = recording.parent / "run"
    points = ["--point", "lookup-before", "--point", "lookup-budgeted", "--point", FULL]
    assert call(["replay", str(recording), "--out", str(out), *points, "-q"]) == 0
    return out


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    assert call([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_each_part_is_switched_alone(recording: Path) -> None:
    rows = ablate(Recording.open(recording), parse_point(FULL), counted=False)
    assert [row.part for row in rows] == [None, *PARTS_OFF, None, *PARTS_OFF]
    full, none = rows[0], rows[6]
    assert str(full.point) == FULL
    off = "whole_result=no, coalesce=no, pin=no, hop=none, omissions=no"
    assert str(none.point) == f"lookup-budgeted(budget_tokens=130, {off})"
    for row in rows[1:6]:
        own, whole = dict(row.point.settings), dict(full.point.settings)
        changed = {key: value for key, value in own.items() if value != whole[key]}
        assert changed == {row.part: PARTS_OFF[str(row.part)]}
        assert row.base == full.point
    for row in rows[7:]:
        assert row.base == none.point
        assert dict(row.point.settings)[str(row.part)] == dict(full.point.settings)[str(row.part)]


def test_what_an_ablation_counts(recording: Path) -> None:
    rows = ablate(Recording.open(recording), parse_point(FULL), counted=True)
    opened = Recording.open(recording)
    for row in rows:
        texts = {}
        for case in opened.cases():
            view, _ = view_of(case)
            texts[case.case_id] = row.point.policy.select(view)
        assert row.lookups == len(texts) == 2
        contexts = [str(selection.context) for selection in texts.values()]
        assert row.result_tokens_estimated == sum(len(each.encode()) // 4 for each in contexts)
        if row.base is not None:
            differing = 0
            for case in opened.cases():
                view, _ = view_of(case)
                base = row.base.policy.select(view).context
                differing += base != texts[case.case_id].context
            assert row.exercised == differing
            assert row.tokens is not None
            other = next(each for each in rows if each.point == row.base)
            mean = (row.result_tokens_estimated - other.result_tokens_estimated) / 2
            assert row.tokens.difference == pytest.approx(mean)


@pytest.mark.parametrize(
    "spec", ["lookup-before()", "lookup-budgeted()", "lookup-budgeted(hop=every-row)"]
)
def test_the_budget_needed_is_the_first_of_all_that_serve(recording: Path, spec: str) -> None:
    opened = Recording.open(recording)
    found = {
        (each.case_id, each.field): each.budget_tokens
        for each in needed_budgets(opened, parse_point(spec))
    }
    expected: dict[tuple[str, str], int | None] = {}
    arm = spec.partition("(")[0]
    hop = ", hop=every-row" if "hop" in spec else ""
    for case in opened.cases():
        assert case.lookup is not None
        assert case.lookup_gold is not None
        for name in case.lookup_gold.evidence:
            expected[case.case_id, name] = None
        view, _ = view_of(case)
        for budget in range(1, 600):
            policy = parse_point(f"{arm}(budget_tokens={budget}{hop})").policy
            expansion = policy.select(view).expansion
            assert expansion is not None
            for name in citable_fields(case.lookup_gold, expansion.blocks, case.lookup.documents):
                if expected[case.case_id, name] is None:
                    expected[case.case_id, name] = budget
    assert found == expected


def test_sums_of_a_run(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = {row["point"]: row for row in printed(capsys, "lookups", str(run), "--point", FULL)}
    row = rows[FULL]
    parts = ("table_bytes", "block_bytes", "relation_bytes", "note_bytes", "stub_bytes")
    assert row["lookups"] == 2
    # each lookup rounds its own bytes down
    assert 0 <= sum(row[part] for part in parts) - 4 * row["result_tokens_estimated"] < 8
    assert row["relation_bytes"] > 0
    by_category = printed(capsys, "lookups", str(run), "--point", FULL, "--by", "category")
    assert [each["category"] for each in by_category] == ["absent", "direct"]
    for key in ("result_tokens", "block_bytes", "fields", "hop_exercised"):
        assert sum(each[key] for each in by_category) == row[key]


def test_differences_of_a_run(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = printed(capsys, "lookups", str(run), "--against", "lookup-before()")
    found = {row["point"]: row for row in rows}
    assert found["lookup-before"]["tokens"] is None
    before, after = found["lookup-before"], found["lookup-budgeted"]
    mean = (after["result_tokens_estimated"] - before["result_tokens_estimated"]) / 2
    assert after["tokens"]["difference"] == pytest.approx(mean)
    assert after["tokens"]["lower"] <= mean <= after["tokens"]["upper"]
    assert after["tokens"]["warnings"] == ["fewer than 10 pairs differ", "fewer than 20 clusters"]
    assert call(["lookups", str(run), "--against", "lookup-before()"]) == 0
    text = capsys.readouterr().out
    assert f"{mean:+,.1f} †" in text.replace("\N{MINUS SIGN}", "-")
    (note,) = (line for line in text.splitlines() if line.startswith("† No interval is shown"))
    assert "fewer than 10 pairs differ (" in note
    assert "fewer than 20 clusters (" in note


def test_tables_at_the_terminal(
    recording: Path, run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(["ablate", str(recording), "--point", FULL, "--csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["setting"] for row in rows[:2]] == ["all parts on", "without whole_result"]
    assert call(["lookups", str(run), "--needed"]) == 0
    shown = capsys.readouterr()
    assert "budget needed" in shown.out
    assert "A stub does not count" in shown.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["ablate", "REC", "--point", "lookup-table()"], "has no budget_tokens"),
        (["ablate", "REC", "--point", "lookup-before()"], "lookup-before has no part to switch"),
        (["ablate", "SAMPLE"], "holds memory cases, not lookups"),
        (["lookups", "REC", "--needed", "--point", "items()"], "items has no budget_tokens"),
    ],
)
def test_what_is_refused(
    recording: Path,
    checkout: Path,
    arguments: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    places = {"REC": str(recording), "SAMPLE": str(checkout / "datasets/sample/recording")}
    assert call([places.get(each, each) for each in arguments]) == 2
    assert message in capsys.readouterr().err


def test_one_lookup_on_screen(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    world = str(recording.parent / "world")
    assert call(["expand", world, "t1", "--point", "lookup-budgeted()", "-q"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("status: ok\n")
    assert ">>> /kiln/firing.md/v2#firing\n" in out
    both = ["expand", world, "kiln", "--point", "lookup-budgeted()", "--against", "lookup-table()"]
    assert call(both) == 0
    shown = capsys.readouterr()
    heading = shown.out.splitlines()[0]
    assert heading.startswith("lookup-budgeted")
    assert heading.endswith("│ lookup-table")
    assert "lookup-table: " in shown.err
    assert call(["expand", world, "kiln", "--point", "items()"]) == 0
    assert capsys.readouterr().out.startswith("Conversation memories:")


def test_an_attempt_repeated_tells_nothing_new() -> None:
    left = [{"case_id": f"t{n}", "x": n * n % 7} for n in range(20)]
    right = [{"case_id": f"t{n}", "x": n % 3} for n in range(20)]
    once = paired(left, right, "x")

    def twice(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [{**row, "case_id": f"{row['case_id']}#{n}"} for row in rows for n in (1, 2)]

    assert paired(twice(left), twice(right), "x") == once
    assert once.pairs == 20
