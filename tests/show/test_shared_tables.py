"""What stands both on a terminal and on a page is the same text; CSV and JSON hold the same value.

Over every table that the pages of a run of questions, of a run of lookups, and of a trial have, and
every table that verbs print of the same runs.
"""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import harness.cli.output
import harness.show.pages
from harness.cli.main import run as call
from harness.replay.run import Run
from harness.show.printing import (
    DOUBTFUL,
    OutputFormat,
    cell_text,
    print_as,
    table_csv,
    table_json,
    table_markdown,
    table_text,
)
from harness.show.report import ReportRequest, page_of_file, report_pages
from harness.show.table import Table, row_values
from harness.words import Kind, plain_of

FIXTURES = Path(__file__).parent.parent / "fixtures" / "f76bb23"
BEFORE = "lookup-before(budget_tokens=400)"


@pytest.fixture(scope="module")
def earlier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shutil.copytree(FIXTURES, tmp_path_factory.mktemp("shared") / "files")


def of_pages(make: Callable[[], object]) -> list[Table]:
    """Every table that pages print while `make` runs."""
    tables: list[Table] = []

    def printed(table: Table) -> str:
        tables.append(table)
        return table_markdown(table)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(harness.show.pages, "table_markdown", printed)
        make()
    return tables


def of_verb(*arguments: str) -> list[Table]:
    """Every table that a verb prints."""
    tables: list[Table] = []

    def printed(table: Table, form: OutputFormat) -> str:
        tables.append(table)
        return print_as(table, form)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(harness.cli.output, "print_as", printed)
        assert call(list(arguments)) == 0
    return tables


@pytest.fixture(scope="module")
def questions(run: Run) -> list[Table]:
    return of_pages(lambda: report_pages(run, ReportRequest(against="items")))


@pytest.fixture(scope="module")
def lookups(earlier: Path) -> Iterator[list[Table]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(earlier)
        yield of_pages(lambda: report_pages(Run.open(Path("runs/lookups")), ReportRequest()))


@pytest.fixture(scope="module")
def trial(earlier: Path) -> list[Table]:
    files = [
        path
        for path in sorted(earlier.rglob("*.json"))
        if re.search(r'"schema": ?"harness\.(registration|verdict)/', path.read_text("utf-8"))
    ]
    assert len(files) >= 2
    return of_pages(lambda: [page_of_file(path) for path in files])


@pytest.fixture(scope="module")
def verbs(run: Run, earlier: Path) -> Mapping[str, list[Table]]:
    folder = str(run.folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(earlier)
        return {
            "evidence": of_verb("evidence", folder),
            "differences": of_verb("evidence", folder, "--against", "items"),
            "curves": of_verb("instrument", "curves", folder, "--curve", "count-curve"),
            "shown": of_verb("instrument", "evidence", folder),
            "losses": of_verb("instrument", "loss", folder, "--against", "items"),
            "ranks": of_verb("instrument", "rank", folder),
            "lookups": of_verb("lookups", "runs/lookups", "--against", BEFORE),
            "by category": of_verb("lookups", "runs/lookups", "--by", "category"),
            "ablation": of_verb("ablate", "recordings/lookups", "--point", "lookup-budgeted"),
        }


@pytest.fixture(scope="module")
def every(
    questions: list[Table],
    lookups: list[Table],
    trial: list[Table],
    verbs: Mapping[str, list[Table]],
) -> list[Table]:
    return [*questions, *lookups, *trial, *(table for part in verbs.values() for table in part)]


def test_every_cell_is_the_same_text_on_a_terminal_and_on_a_page(every: list[Table]) -> None:
    compared = 0
    for table in every:
        page, terminal = cells_of_page(table), cells_of_terminal(table)
        assert len(page) == len(terminal)
        for of_page, of_terminal in zip(page, terminal, strict=True):
            for column, written, printed in zip(table.columns, of_page, of_terminal, strict=True):
                if column.kind is Kind.HASH and printed.endswith("…"):
                    assert written.startswith(printed[:-1])
                else:
                    assert written == printed
                    compared += 1
    assert len(every) > 100
    assert compared > 3000


def test_csv_and_json_hold_the_same_values(every: list[Table]) -> None:
    numbers = 0
    for table in every:
        if not table.rows or not all(map(is_flat, table.rows)):
            continue  # rows of a page alone, which hold cells
        held = json.loads(table_json(table))
        read = list(csv.DictReader(io.StringIO(table_csv(table))))
        for by_json, by_csv in zip(held, read, strict=True):
            for key, value in by_json.items():
                if isinstance(value, float | int) and not isinstance(value, bool):
                    assert by_csv[key] == repr(value)
                    numbers += 1
                elif value is None:
                    assert by_csv[key] == ""
                elif isinstance(value, list | dict):
                    assert json.loads(by_csv[key]) == value
                else:
                    assert by_csv[key] in (str(value), f"'{value}")
    assert numbers > 2000


@pytest.mark.parametrize(
    ("verb", "least"),
    [("evidence", 90), ("losses", 50), ("ranks", 50), ("shown", 100), ("curves", 15)],
)
def test_a_verb_says_of_a_point_what_the_pages_say(
    questions: list[Table], verbs: Mapping[str, list[Table]], verb: str, least: int
) -> None:
    assert in_common(verbs[verb], questions) >= least


@pytest.mark.parametrize(("verb", "least"), [("lookups", 40), ("by category", 8), ("ablation", 60)])
def test_a_verb_of_lookups_says_what_the_page_says(
    lookups: list[Table], verbs: Mapping[str, list[Table]], verb: str, least: int
) -> None:
    assert in_common(verbs[verb], lookups) >= least


def test_lookups_print_the_mean_next_to_the_difference_and_the_sum_apart(
    verbs: Mapping[str, list[Table]],
) -> None:
    table, *_ = verbs["lookups"]
    titles = {column.key: column.title for column in table.columns}
    assert titles["result_tokens_estimated_per_lookup"] == "est. tokens per lookup"
    assert titles["result_tokens_estimated"] == "est. tokens, sum"
    assert titles["tokens"] == "difference, est. tokens per lookup"
    base = next(row for row in table.rows if row["point"] == BEFORE)
    for row in table.rows:
        mean = row["result_tokens_estimated_per_lookup"]
        assert mean == row["result_tokens_estimated"] / row["lookups"]
        if row["tokens"] is not None:
            difference = mean - base["result_tokens_estimated_per_lookup"]
            assert row["tokens"].difference == pytest.approx(difference)


def test_no_number_of_a_table_has_a_hyphen(every: list[Table]) -> None:
    for table in every:
        for row in table.cells:
            for column, value in zip(table.columns, row, strict=True):
                if column.kind.numeric and not isinstance(value, str):
                    assert not re.search(r"-\d", plain_of(cell_text(value, column.kind)))


def is_flat(row: Any) -> bool:
    """Whether a row is what CSV and JSON print, and not made for a page alone."""
    return not any(
        type(value).__module__ == "harness.show.table" for value in row_values(row).values()
    )


def in_common(printed: list[Table], pages: list[Table]) -> int:
    """How many cells both have: of the same keys and kind, and the same words before them. All of
    them are the same text."""
    written: dict[tuple[object, ...], set[str]] = {}
    for table in pages:
        for key, text in spelled(table):
            written.setdefault(key, set()).add(text)
    common = 0
    for table in printed:
        for key, text in spelled(table):
            if key in written:
                assert text in written[key], key
                common += 1
    return common


def spelled(table: Table) -> Iterator[tuple[tuple[object, ...], str]]:
    """Every number by its row's words, and its column's key and title."""
    words = [column for column in table.columns if not column.kind.numeric]
    heads = [column for column in words if column.key in ("point", "category", "setting")]
    for row in table.rows:
        of = tuple(plain_of(cell_text(column.of(row), column.kind)) for column in heads)
        for column in table.columns:
            if column.kind.numeric:
                text = plain_of(cell_text(column.of(row), column.kind))
                yield (*of, column.key, column.title), text.removesuffix(f" {DOUBTFUL}")


def cells_of_page(table: Table) -> list[list[str]]:
    lines = table_markdown(table).split("\n")[2:]
    return [[plain(cell) for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


def plain(cell: str) -> str:
    """A cell of Markdown without its marks."""
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", cell.strip().replace("\\|", "|"))
    text = re.sub(r"\*\*(.+?)\*\*", r"\1", text)
    text = re.sub(r"^\*(.+)\*$", r"\1", text)
    return " ".join(text.replace("`", "").split())


def cells_of_terminal(table: Table) -> list[list[str]]:
    """The cells below the rule, whose dashes say where columns are."""
    whole = replace(table, columns=[replace(column, width=None) for column in table.columns])
    lines = table_text(whole).split("\n")
    if lines == ["(none)"]:
        return []
    start = next(place for place, line in enumerate(lines) if re.fullmatch(r"[- ]*--[- ]*", line))
    spans = [match.span() for match in re.finditer("-+", lines[start])]
    body = lines[start + 1 : start + 1 + len(table.cells)]
    return [
        [" ".join(line[first:last].replace("`", "").split()) for first, last in spans]
        for line in body
    ]
