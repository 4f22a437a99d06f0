"""The passages of a sequence: those of the prefix, the one that ended it, and those after it.

An arm that has no sequence and no candidates is explained record by record.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate

from harness.model import Passage, Quote, Selection
from harness.words import counted

from .explanation import PassageReason, RecordReason
from .subject import ExplainedSelection, LargerSettings, quotes_by_place


def explain_records(
    subject: ExplainedSelection,
) -> tuple[tuple[str, ...], tuple[RecordReason, ...]]:
    """Return a row for each record of each item, heads first."""
    quoted = quotes_by_place(subject.selection)
    larger = LargerSettings(subject)
    reasons = tuple(
        reason_of(subject, place, record, quoted, larger)
        for place, item in enumerate(subject.view.items)
        for record in item.records
    )
    shown = sum(bool(item.head.ranges or item.excerpts) for item in subject.selection.items)
    return (f"{shown:,} of {counted(len(subject.view.items), 'item')} are shown.",), reasons


def reason_of(
    subject: ExplainedSelection,
    place: int,
    record: int,
    quoted: Mapping[tuple[int, int], Quote],
    larger: LargerSettings,
) -> RecordReason:
    """Return why the record at position `record` is or is not quoted for the item at `place`."""
    quote = quoted.get((place, record))
    ranges = () if quote is None else quote.ranges
    characters = subject.length(record)
    count = sum(end - start for start, end in ranges)
    shown = any(item.item == place for item in subject.selection.items)
    if quote is None:
        reason = _left_out(place, record, larger, item_is_shown=shown)
    else:
        reason = "whole" if count == characters else "in part"
    return RecordReason(
        item=place + 1,
        part="head" if record == subject.view.items[place].head else "claim",
        record_id=subject.record_id(record),
        characters=characters,
        quoted=count,
        ranges=ranges,
        taken=quote is not None,
        reason=reason,
    )


def _left_out(place: int, record: int, larger: LargerSettings, *, item_is_shown: bool) -> str:
    def shows(selection: Selection) -> bool:
        return (place, record) in quotes_by_place(selection)

    base = "no room was left for it" if item_is_shown else "its item is not shown"
    settings = larger.that_show(shows)
    return f"{base}; shown from {' or '.join(settings)}" if settings else base


_FIRST = 0


def explain_passages(
    subject: ExplainedSelection,
) -> tuple[tuple[str, ...], tuple[PassageReason, ...]]:
    """Return a row for each passage, in the order of the sequence."""
    selection = subject.selection
    costs = _costs(subject)
    reasons = tuple(
        _reason(subject, place, passage, costs[place] if place < len(costs) else (None, None))
        for place, passage in enumerate(selection.sequence)
    )
    return _facts(subject, reasons), reasons


def explain_excerpts(subject: ExplainedSelection) -> tuple[RecordReason, ...]:
    """Return a row for each record of an item that the sequence has no passage of."""
    sequence = subject.selection.sequence
    offered = set(zip(sequence.item.tolist(), sequence.record.tolist(), strict=True))
    quoted = quotes_by_place(subject.selection)
    larger = LargerSettings(subject)
    return tuple(
        reason_of(subject, place, record, quoted, larger)
        for place, item in enumerate(subject.view.items)
        for record in item.records
        if (place, record) not in offered
    )


_Cost = tuple[int | None, int | None]


def _costs(subject: ExplainedSelection) -> list[_Cost]:
    """Return, for each passage what it costs with all before it, and the smallest budget that takes
    it.

    The first passage is taken whatever it costs, so it does not count for the later ones.
    """
    cumulative = subject.selection.sequence.cumulative
    if cumulative is None or not len(cumulative):
        return []
    together: list[int] = cumulative.tolist()
    return [(together[0], 0), *zip(together[1:], accumulate(together[1:], max), strict=True)]


def _reason(
    subject: ExplainedSelection, place: int, passage: Passage, cost: _Cost
) -> PassageReason:
    together, needed = cost
    text = subject.records[passage.record].text[passage.start : passage.end]
    return PassageReason(
        place=place + 1,
        item=passage.item + 1,
        record_id=subject.record_id(passage.record),
        start=passage.start,
        end=passage.end,
        record_rank=passage.ranks.record,
        inside_rank=passage.ranks.inside,
        cosine_rank=passage.ranks.cosine,
        together=together,
        needed=needed,
        taken=place < subject.selection.taken,
        reason=_words(subject, place, together, needed),
        text=text,
    )


def _words(
    subject: ExplainedSelection, place: int, together: int | None, needed: int | None
) -> str:
    taken, budget = subject.selection.taken, subject.selection.budget
    if place < taken:
        over = together is not None and budget is not None and together > budget
        return "the first passage is always taken" if over and place == _FIRST else "fits"
    wanted = "" if needed is None else f"; taken from a budget of {needed:,}"
    if place > taken:
        return f"after the cut{wanted}"
    if together is None or budget is None:
        return "the first that was not taken"
    return f"the first that does not fit: {together:,} of {budget:,} {subject.unit}"


def _facts(subject: ExplainedSelection, reasons: tuple[PassageReason, ...]) -> tuple[str, ...]:
    taken = subject.selection.taken
    if not reasons:
        return ("The sequence has no passage.",)
    facts = [
        f"{taken:,} of {counted(len(reasons), 'passage')} are taken, the first of the sequence."
    ]
    if taken < len(reasons):
        facts.append(_cut(subject, reasons[taken - 1] if taken else None, reasons[taken]))
    lost = _never_offered(subject)
    if lost:
        facts.append(
            f"No passage has {counted(lost, 'character')} of the records that passages are of: no "
            "budget shows them as one."
        )
    return tuple(facts)


def _cut(subject: ExplainedSelection, last: PassageReason | None, first: PassageReason) -> str:
    where = f"passage {first.place:,}, {first.record_id} {first.start:,} to {first.end:,}"
    budget = subject.selection.budget
    if first.together is None or budget is None:
        return f"The cut is before {where}."
    before = 0 if last is None or last.together is None else last.together
    return (
        f"The cut is before {where}: it would have cost {first.together - before:,} "
        f"{subject.unit} more, {first.together:,} in all, and the budget is {budget:,}."
    )


def _never_offered(subject: ExplainedSelection) -> int:
    """Return characters, of records with a passage, that are in none."""
    by_record: dict[int, list[tuple[int, int]]] = {}
    for passage in subject.selection.sequence:
        by_record.setdefault(passage.record, []).append((passage.start, passage.end))
    lost = 0
    for record, ranges in by_record.items():
        reach = 0
        for start, end in sorted(ranges):
            lost += max(0, start - reach)
            reach = max(reach, end)
        lost += subject.length(record) - reach
    return lost
