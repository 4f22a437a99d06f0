"""A selection for people: what is shown of each item, and what the reader would be given."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from harness.words import count, counted

from .output import shown_or

if TYPE_CHECKING:
    from harness.model import Case, ItemQuote, Positions, Quote, Selection

_RANGES_SHOWN = 4


def selection_lines(
    case: Case, records: Positions, point: str, selection: Selection, context: str
) -> Iterator[str]:
    """Yield the lines of what `point` chose for `case`, ending with an empty one."""
    yield f"case      {case.case_id}  ({shown_or(case.category, 'no category')})"
    yield f"question  {case.query.text}"
    yield f"point     {point}"
    unit = (selection.budget_unit or "").replace("_", " ")
    budget = "" if selection.budget is None else f" of {count(selection.budget)}"
    yield f"used      {count(selection.used)}{budget} {unit}".rstrip()
    yield f"left out  {_left_out(selection)}"
    for item in selection.items:
        yield from _item_lines(item, records)
    yield ""
    yield f"context, {counted(len(context), 'character')}:"
    yield from (f"  | {line}" for line in context.splitlines())
    yield ""


def _left_out(selection: Selection) -> str:
    omitted = selection.omitted
    counts = ((omitted.items, "item"), (omitted.passages, "passage"), (omitted.excerpts, "excerpt"))
    return ", ".join(counted(number, noun) for number, noun in counts if number) or "nothing"


def _item_lines(item: ItemQuote, records: Positions) -> Iterator[str]:
    yield f"{item.item + 1:>3}. {_quoted(item.head, records)}"
    yield from (f"     claim {_quoted(excerpt, records)}" for excerpt in item.excerpts)


def _quoted(quote: Quote, records: Positions) -> str:
    record = records[quote.record]
    characters = sum(end - start for start, end in quote.ranges)
    ranges = [f"{start}–{end}" for start, end in quote.ranges[:_RANGES_SHOWN]]
    more = len(quote.ranges) - len(ranges)
    where = ", ".join([*ranges, *([f"+{more} more"] if more else [])])
    of = f"{count(characters)} of {counted(len(record.text), 'character')}"
    return f"{record.record_id}  {shown_or(record.timestamp, 'undated')}  {of}: {where}"
