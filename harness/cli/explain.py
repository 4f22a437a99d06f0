"""`harness explain`: why a point took, or did not take, each thing of one case."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from harness.show.printing import OutputFormat, table_text
from harness.show.table import Column, Table
from harness.words import Kind

from .options import PATH, table_options
from .output import chosen_format, note, print_table

if TYPE_CHECKING:
    from harness.explain import Explanation
    from harness.model import Case

_AFTER_CUT = 5
_TEXT_SHOWN = 44
_RANGES_SHOWN = 4


@click.command()
@click.argument("recording", metavar="REC", type=PATH)
@click.argument("case_id", metavar="CASE")
@click.option("-p", "--point", "spec", required=True, metavar="SPEC", help="The point to explain.")
@click.option("--all", "show_all", is_flag=True, help="Print every passage after the cut too.")
@table_options
def explain(
    recording: Path, case_id: str, spec: str, show_all: bool, as_json: bool, as_csv: bool
) -> None:
    """Print why a point did or did not take each candidate of a case.

    REC is a recording, or a file of cases (.jsonl, .gz, .xz); CASE the id of one case. The
    candidates depend on the arm: the passages of its sequence, with the cut and what the first that
    did not fit would have cost; its scored candidates, with signal × weight, every reason that
    held, and the score that would be enough; the records of the items; or the rows of a lookup and
    what they printed. What is evidence, by the labels of the case, is marked. Items are counted
    from 1. Of a long sequence the first passages after the cut are shown; --all, --json and --csv
    show all.

    \b
    Example:
      harness explain datasets/sample/recording 8d8f9974 --point '2.6.5a1(budget=2800)'
      harness explain datasets/sample/recording 8d8f9974 --point 'sea(limit=3)'
      harness explain datasets/fixtures/selection/cases.jsonl tied-scores --point sea
    """
    from harness.explain import explain_case
    from harness.points import parse_point
    from harness.recording.absent import absences_in
    from harness.words import plain_of

    form = chosen_format(as_json, as_csv)
    point = parse_point(spec)
    case = _case(recording, case_id)
    explanation = explain_case(case, point)
    for absence in absences_in(case, point.arm):
        note(plain_of(absence.sentence()))
    if form is OutputFormat.JSON:
        import json

        click.echo(json.dumps(_object(explanation), ensure_ascii=False, indent=1))
    elif form is OutputFormat.CSV:
        rows = [_flat(row) for row in _rows(explanation)]
        print_table(Table(_columns(explanation), rows), form)
    else:
        click.echo(
            "\n".join(_lines(explanation, show_all=show_all, has_labels=case.gold is not None))
        )


def _case(source: Path, case_id: str) -> Case:
    from harness.errors import InputError, nearest
    from harness.recording.case_lines import CaseLines
    from harness.recording.recording import Recording

    if source.is_dir():
        recording = Recording.open(source)
        return next(recording.cases([recording.number_of(case_id)]))
    seen = []
    for case in CaseLines(str(source)):
        if case.case_id == case_id:
            return case
        seen.append(case.case_id)
    raise InputError(f"{source} has no case {case_id!r}{nearest(case_id, seen)}")


def _rows(explanation: Explanation) -> list[dict[str, Any]]:
    return [asdict(reason) for reason in explanation.reasons]


def _object(explanation: Explanation) -> dict[str, Any]:
    """Return the explanation as JSON, every row in full."""
    value = {**asdict(explanation), "kind": explanation.kind.value}
    if explanation.kind.value == "candidates":
        for row in value["reasons"]:
            row["score"] = _finite(row["score"])
            row["contributions"] = {
                name: _finite(product) for name, product in row["contributions"].items()
            }
    return value


def _finite(value: float | None) -> float | None:
    """Replace NaN and infinity, which JSON does not have, by null."""
    return value if value is not None and math.isfinite(value) else None


def _flat(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row with a column for each signal."""
    flat = {key: value for key, value in row.items() if key != "contributions"}
    return {**flat, **row.get("contributions", {})}


def _lines(explanation: Explanation, *, show_all: bool, has_labels: bool) -> list[str]:
    lines = [
        f"case      {explanation.case_id}",
        f"question  {explanation.question}",
        f"point     {explanation.point}",
        f"used      {_used(explanation)}",
        "",
        *explanation.facts,
        "",
    ]
    rows = [_flat(row) for row in _rows(explanation)]
    shown = rows if show_all else _up_to_the_cut(explanation, rows)
    lines.append(table_text(Table(_with_marks(_columns(explanation), has_labels), shown)))
    if len(shown) < len(rows):
        lines.append(f"… and {len(rows) - len(shown):,} more after the cut: --all shows them.")
    if explanation.excerpts:
        lines += ["", "Records without a passage of their own, as excerpts:"]
        excerpts = [asdict(reason) for reason in explanation.excerpts]
        lines.append(table_text(Table(_with_marks(_RECORD_COLUMNS, has_labels), excerpts)))
    if has_labels:
        marks = {row["evidence"] for row in rows} - {None}
        lines += ["", _MARKS if marks else "Nothing here is evidence, by the labels of the case."]
    return lines


def _with_marks(columns: Sequence[Column], has_labels: bool) -> Sequence[Column]:
    """Add the column of evidence after the first one."""
    return (columns[0], _EVIDENCE, *columns[1:]) if has_labels else columns


def _used(explanation: Explanation) -> str:
    unit = (explanation.budget_unit or "").replace("_", " ")
    budget = "" if explanation.budget is None else f" of {explanation.budget:,}"
    return f"{explanation.used:,}{budget} {unit}".rstrip()


def _up_to_the_cut(
    explanation: Explanation, rows: Sequence[dict[str, Any]]
) -> Sequence[dict[str, Any]]:
    if explanation.kind.value != "passages":
        return rows
    taken = sum(row["taken"] for row in rows)
    return rows[: taken + _AFTER_CUT]


def _columns(explanation: Explanation) -> tuple[Column, ...]:
    kind = explanation.kind.value
    if kind == "candidates":
        signals = _signals(explanation)
        products = tuple(Column(name, name.replace("_", " "), Kind.SCORE) for name in signals)
        return (*_CANDIDATE_COLUMNS, *products)
    return {"passages": _PASSAGE_COLUMNS, "records": _RECORD_COLUMNS, "rows": _ROW_COLUMNS}[kind]


def _signals(explanation: Explanation) -> Iterable[str]:
    rows = _rows(explanation)
    return rows[0]["contributions"] if rows else ()


def _enough(row: dict[str, Any]) -> str | None:
    """Return the score that is enough to get in, which may differ from the own one in the sixth
    place."""
    enough = row["score_enough"]
    return None if enough is None else f"≥ {enough:.6f}"


def _ranges(row: dict[str, Any]) -> tuple[str, ...]:
    ranges = row["ranges"]
    words = [f"{start}–{end}" for start, end in ranges[:_RANGES_SHOWN]]
    more = len(ranges) - len(words)
    return (*words, *([f"+{more} more"] if more else []))


def _excerpt(row: dict[str, Any]) -> str:
    line = " ".join(row["text"].split())
    return line if len(line) <= _TEXT_SHOWN else f"{line[:_TEXT_SHOWN]}…"


_MARKS = (
    "Evidence, by the labels of the case: turn, a part of a labelled turn; session, of an answer "
    "session otherwise; document, one that an answer must cite."
)
_EVIDENCE = Column("evidence", "evidence", cell=lambda row: row["evidence"] or "")
_TAKEN = Column("taken", "taken")
_REASON = Column("reason", "why")
_ITEM = Column("item", "item", Kind.COUNT)
_RECORD = Column("record_id", "record")
_PASSAGE_COLUMNS = (
    Column("place", "place", Kind.COUNT),
    _TAKEN,
    _ITEM,
    _RECORD,
    Column("start", "start", Kind.COUNT),
    Column("end", "end", Kind.COUNT),
    Column("record_rank", "rank of record", Kind.COUNT, optional=True),
    Column("inside_rank", "inside", Kind.COUNT, optional=True),
    Column("cosine_rank", "by cosine", Kind.COUNT, optional=True),
    Column("together", "together", Kind.COUNT, optional=True),
    _REASON,
    Column("text", "text", cell=_excerpt),
)
_CANDIDATE_COLUMNS = (
    Column("place", "place", Kind.COUNT),
    _ITEM,
    _RECORD,
    Column("score", "score", Kind.SCORE),
    _REASON,
    Column("score_enough", "enough", Kind.SCORE, cell=_enough),
    Column("cost", "cost", Kind.COUNT),
    Column("cluster", "cluster", Kind.COUNT, optional=True),
)
_RECORD_COLUMNS = (
    _ITEM,
    Column("part", "part", optional=True),
    _RECORD,
    _TAKEN,
    Column("quoted", "quoted", Kind.COUNT),
    Column("characters", "of characters", Kind.COUNT),
    _REASON,
    Column("ranges", "ranges", cell=_ranges),
)
_ROW_COLUMNS = (
    Column("row", "row", Kind.COUNT),
    Column("location", "location"),
    _TAKEN,
    Column("form", "form"),
    Column("size", "bytes", Kind.COUNT),
    _REASON,
)
