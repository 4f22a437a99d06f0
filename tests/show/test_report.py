"""The pages of a report: their numbers, their bytes, and what must not be on them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from harness.evidence import METRICS, evidence_table
from harness.replay.run import Run
from harness.show.growth import Growth
from harness.show.index_page import arm_folder, growth_table
from harness.show.printing import table_markdown
from harness.show.report import ReportRequest, report_pages, write_report
from harness.words import Kind, kind_of_unit, number

from ..make.once import copied
from ..make.recordings import LONG_POINTS, long_recording, long_run, replayed
from .snapshots_of import SNAPSHOTS, snapshots_of

Rows = dict[str, dict[str, str]]
"""By the first cell, then by heading."""


def table_under(page: str, title: str) -> Rows:
    """The first table below a heading."""
    lines = page.split(f"\n{title}\n", 1)[1].split("\n")
    start = next(place for place, line in enumerate(lines) if line.startswith("|"))
    cells = [
        [cell.strip() for cell in line.strip("|").split(" | ")]
        for line in lines[start : lines.index("", start)]
    ]
    return {row[0].strip("`"): dict(zip(cells[0], row, strict=True)) for row in cells[2:]}


KINDS = {metric.name: kind_of_unit(metric.unit) for metric in METRICS}


def column_of(name: str, row: Mapping[str, str]) -> str:
    return next(row[heading] for heading in row if heading.split(" (")[0].replace(" ", "_") == name)


def test_every_file_is_as_its_snapshot(run: Run, tmp_path: Path) -> None:
    expected = {
        path.relative_to(SNAPSHOTS).as_posix(): path.read_text(encoding="utf-8")
        for path in SNAPSHOTS.rglob("*")
        if path.is_file()
    }
    found = snapshots_of(run, tmp_path)
    assert sorted(found) == sorted(expected)
    for name, text in found.items():
        assert text == expected[name], f"{name}; see snapshots_of.py"


def test_the_values_are_those_of_the_evidence_table(run: Run, pages: Mapping[str, str]) -> None:
    table = table_under(pages["README.md"], "## All points")
    assert list(table)[1:] == list(LONG_POINTS)
    for row in evidence_table(run.evidence_rows(run.points), LONG_POINTS):
        for metric in METRICS:
            shown = column_of(metric.name, table[row["point"]])
            scored = row["denominators"][metric.name]["scored"]
            assert shown.split(" (n=")[0] == number(row[metric.name], KINDS[metric.name])
            numbered = column_of(metric.name, table["*questions scored*"])
            if numbered == "n of 8":
                assert shown.endswith(f"(n={scored})")
            else:
                assert numbered == f"{scored} of 8"


def test_the_differences_are_those_of_the_evidence_table(run: Run) -> None:
    page = report_pages(run, ReportRequest(against="count-curve(k=2)"))["README.md"]
    table = table_under(page, "## Paired differences")
    assert set(table) == {"*questions scored*", *LONG_POINTS} - {"count-curve(k=2)"}
    rows = evidence_table(run.evidence_rows(run.points), LONG_POINTS, against="count-curve(k=2)")
    for row in rows:
        for name, difference in row["differences"].items():
            if name not in ("answer_sessions_shown", "context_tokens"):
                continue
            kind = KINDS[name].of_change
            assert difference["warnings"]  # of eight questions none can have an interval
            expected = f"{number(difference['difference'], kind)} †"
            assert column_of(name, table[row["point"]]) == expected


def test_the_types_of_an_arm_page_are_those_of_the_evidence_table(
    run: Run, pages: Mapping[str, str]
) -> None:
    table = table_under(pages["evidence/README.md"], "### evidence turn chars macro (%)")
    rows = evidence_table(run.evidence_rows(run.points), LONG_POINTS, by_category=True)
    for row in rows:
        if row["point"].startswith("evidence"):
            column = row["category"] or "no type"
            expected = number(row["evidence_turn_chars_macro"], Kind.SHARE)
            assert table[row["point"]][column] == expected


def test_the_same_run_gives_the_same_bytes(run: Run, tmp_path: Path) -> None:
    first, second, third = tmp_path / "first", tmp_path / "second", tmp_path / "third"
    write_report(run, first, ReportRequest())
    write_report(run, second, ReportRequest())
    write_report(
        Run.open(replayed(long_recording(), tmp_path / "elsewhere", LONG_POINTS)),
        third,
        ReportRequest(),
    )
    names = [path.relative_to(first) for path in sorted(first.rglob("*")) if path.is_file()]
    assert len(names) == 11
    for name in names:
        content = (first / name).read_bytes()
        assert (second / name).read_bytes() == content
        assert (third / name).read_bytes() == content


def test_what_changes_from_machine_to_machine_is_not_there(
    run: Run, pages: Mapping[str, str]
) -> None:
    manifest = run.manifest
    names = ("python", "implementation", "platform", "numpy", "pandas", "pyarrow", "scipy")
    foreign = [str(run.folder.parent), *(manifest.environment[name] for name in names)]
    foreign += [str(manifest.code["version"]), str(manifest.code["commit"])]
    for text in pages.values():
        assert [value for value in foreign if value in text] == []
        assert re.search(r"\b20\d\d-\d\d-\d\d|\d\d:\d\d", text) is None
        assert not re.search(r"(?<![.\w])/\w+/", text.replace("http://www.w3.org/2000/svg", ""))
    assert "harness replay recording --out RUN --point items" in pages["README.md"]


def test_nothing_of_the_questions_but_ids_is_there(pages: Mapping[str, str]) -> None:
    text = "".join(pages.values())
    assert "question 3" in text
    assert [word for word in ("crowns", "lighthouse", "spring", "What did") if word in text] == []


def test_it_says_that_nothing_was_answered(pages: Mapping[str, str]) -> None:
    assert "**These are retrieval figures.**" in pages["README.md"]
    assert "No model has answered anything here" in pages["README.md"]


def test_every_item_is_compared_question_by_question(run: Run, pages: Mapping[str, str]) -> None:
    rows = run.evidence_rows(run.points).to_pylist()
    shown = {
        (row["point"], row["case_id"]): (
            row["answer_sessions_shown"],
            row["evidence_turns_touched"],
        )
        for row in rows
    }
    ids = sorted({case_id for _, case_id in shown})
    table = table_under(pages["evidence/README.md"], "## Lost against every item")
    for point in ("evidence(budget=800)", "evidence(budget=1000)", "evidence(budget=1200)"):
        pairs = [(shown[point, case_id], shown["items", case_id]) for case_id in ids]
        expected = [
            str(sum(sign * (ours[place] - base[place]) > 0 for ours, base in pairs))
            for place in (0, 1)
            for sign in (-1, 1)
        ]
        assert list(table[point].values())[1:] == expected
    lost = [name for name in ids if shown["evidence(budget=800)", name] < shown["items", name]]
    listed = ", ".join(f"`{name}`" for name in lost)
    assert (
        f"- `evidence(budget=800)`, fewer answer sessions: {listed}\n"
        in (pages["evidence/README.md"])
    )


def test_losses_of_growth_are_counted(run: Run, pages: Mapping[str, str]) -> None:
    losses = run.table("losses").to_pylist()
    cases = len({row["case_id"] for row in losses})
    row = table_under(pages["README.md"], "## Invariant 9: more budget never takes anything away")[
        "evidence"
    ]
    assert losses
    assert list(row.values())[1:] == ["no", "`budget`", "16", str(len(losses)), str(cases)]
    pairs = table_under(pages["evidence/README.md"], "## Growth")
    assert sum(int(pair["excerpt"]) for pair in pairs.values()) == len(losses)
    assert "\nNo promise was broken.\n" in pages["README.md"]


def test_a_broken_promise_is_not_kept() -> None:
    growth = Growth("a", True, ("budget",), 10, 2, 1, ())
    assert not growth.kept
    assert replace(growth, promised=False).kept
    assert table_markdown(growth_table([replace(growth, parameters=())])).endswith(
        "| `a` | nothing to raise | – | 10 | 2 | 1 |"
    )


def test_tokens_that_are_off(tmp_path: Path) -> None:
    points = ("items", "2.6.5a1(budget=800)")
    without = report_pages(long_run("--no-tokens", points=points), ReportRequest())
    assert sorted(without) == [
        "2.6.5a1/README.md",
        "README.md",
        "instruments/evidence.md",
        "instruments/losses.md",
        "instruments/ranks.md",
        "items/README.md",
    ]
    page = without["README.md"]
    assert "Tokens are off: this run was replayed with `--no-tokens`" in page
    assert "| tokens | off |" in page
    assert "harness replay recording --out RUN --no-tokens" in page.replace(
        " --point items --point '2.6.5a1(budget=800)'", ""
    )
    table = table_under(page, "## All points")
    assert column_of("context_tokens", table["items"]) == "–"
    assert column_of("context_tokens", table["*questions scored*"]) == "0 of 8"


def test_a_single_point(tmp_path: Path) -> None:
    alone = report_pages(long_run(points=("2.6.5a1(budget=800)",)), ReportRequest())
    assert "The run has one point only." in alone["README.md"]
    page = alone["2.6.5a1/README.md"]
    assert "The run has no point that shows every item." in page
    assert "The arm has no other point than the one that is compared with." in page


def test_a_relative_recording_is_shown_as_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from harness.cli.main import run as call

    copied(long_recording(), tmp_path / "recording")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "deep").mkdir()
    monkeypatch.chdir(tmp_path / "deep")
    assert call(["replay", "../recording", "--out", "run", "--point", "items", "-q"]) == 0
    page = report_pages(Run.open(Path("run")), ReportRequest())["README.md"]
    assert "| recording | `../recording` |" in page
    assert "\nharness replay ../recording --out RUN --point items\n" in page


@pytest.mark.parametrize(
    ("arm", "folder"),
    [("2.6.5a1", "2.6.5a1"), ("a/b", "a%2Fb"), ("..", "%2E%2E"), ("日本", "%E6%97%A5%E6%9C%AC")],
)
def test_an_arm_folder_is_one_plain_name(arm: str, folder: str) -> None:
    assert arm_folder(arm) == folder
