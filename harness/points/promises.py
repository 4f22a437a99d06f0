"""What `docs/adding-an-arm.md` promises of a selection, checked for arms of other packages.

The policy of such an arm is wrapped when its point gives it out, so that nothing which asks a
policy can forget the check. The arms of the harness keep these promises in the tests, on every case
of the sample.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

import numpy as np

from harness.errors import HarnessError, exception_line, traceback_note
from harness.model import (
    AdmittingPolicy,
    CandidateTrace,
    CaseView,
    Expansion,
    ItemQuote,
    Omitted,
    Ordering,
    PassageSequence,
    Policy,
    Quote,
    Selection,
    SequencePolicy,
    case_id_of,
)
from harness.words import counted

Given = TypeVar("Given")

LARGEST = 2**31 - 1
"""Counts and places are stored in 32 bits."""
_FIRST_TIMES, _EVERY = 2, 16
"""The first cases that a policy sees are asked for again, then one in so many."""
_REPEATS = 3
_BYTES_PER_TOKEN = 4
_STUB = "stub"


class ArmError(HarnessError):
    """An arm of another package that raised, or did not keep a promise."""


class _BrokenPromiseError(Exception):
    """What a selection does not keep; the message names the promise."""


def kept(point: str, arm: str, make: Callable[[], object]) -> Policy:
    """Return the policy that `make` makes, with every result checked; equal for equal policies."""
    source = _Source(point, arm)
    policy = source.call(lambda: _a_policy(make()), None)
    if isinstance(policy, SequencePolicy):
        ordering = _Ordering(policy.ordering, source)
        if isinstance(policy, AdmittingPolicy):
            return _AdmittingSequence(policy, source, ordering)
        return _Sequence(policy, source, ordering)
    if isinstance(policy, AdmittingPolicy):
        return _Admitting(policy, source)
    return _Kept(policy, source)


def _a_policy(found: object) -> Policy:
    if not isinstance(found, Policy):
        raise _BrokenPromiseError(f"a policy has the method select; this is {_kind(found)}")
    hash(found)  # raises what its type raises: equal policies are computed once
    if isinstance(found, SequencePolicy) and not isinstance(found.ordering, Ordering):
        raise _BrokenPromiseError("an ordering has the method order; this policy's has none")
    return found


@dataclass(frozen=True, slots=True)
class _Source:
    point: str
    arm: str

    def call(self, function: Callable[[], Given], case: CaseView | None) -> Given:
        try:
            return function()
        except HarnessError:
            raise
        except _BrokenPromiseError as broken:
            raise ArmError(
                f"{self._where(case)}: {broken}",
                "docs/adding-an-arm.md says what a selection keeps to; fix the arm.",
            ) from broken
        except Exception as error:
            raise ArmError(
                f"{self._where(case)}: the arm raised {exception_line(error)}",
                f"{traceback_note(error)} Fix the arm, or leave it out.",
            ) from error

    def _where(self, case: CaseView | None) -> str:
        of_case = "" if case is None else f", case {case_id_of(case)!r}"
        return f"arm {self.arm!r}, point {self.point}{of_case}"


@dataclass(frozen=True)
class _Ordering:
    inner: Ordering
    source: _Source = field(compare=False)

    def order(self, case: CaseView) -> PassageSequence:
        return self.source.call(lambda: self._ordered(case), case)

    def _ordered(self, case: CaseView) -> PassageSequence:
        sequence = self.inner.order(case)
        _raise_first(sequence_faults(sequence, case))
        return sequence


@dataclass(frozen=True)
class _Kept:
    """A policy whose selections are checked."""

    inner: Policy
    source: _Source = field(compare=False)
    _seen: list[int] = field(default_factory=lambda: [0], compare=False, init=False)

    def select(self, case: CaseView) -> Selection:
        return self._checked(self.inner.select, case)

    def _checked(self, choose: Callable[[CaseView], Selection], case: CaseView) -> Selection:
        return self.source.call(lambda: self._chosen(choose, case), case)

    def _chosen(self, choose: Callable[[CaseView], Selection], case: CaseView) -> Selection:
        selection = choose(case)
        _raise_first(selection_faults(selection, case))
        self._seen[0] += 1
        if self._seen[0] <= _FIRST_TIMES or self._seen[0] % _EVERY == 0:
            for _ in range(_REPEATS):
                _raise_first(_differences(selection, choose(case)))
        return selection


@dataclass(frozen=True)
class _Sequence(_Kept):
    ordering: _Ordering

    def cut(self, case: CaseView, sequence: PassageSequence) -> Selection:
        policy = self.inner
        assert isinstance(policy, SequencePolicy)  # noqa: S101 - `kept` looked
        return self._checked(lambda asked: policy.cut(asked, sequence), case)


@dataclass(frozen=True)
class _Admitting(_Kept):
    def admitting_scores(self, case: CaseView) -> Sequence[float | None]:
        policy = self.inner
        assert isinstance(policy, AdmittingPolicy)  # noqa: S101 - `kept` looked
        return self.source.call(lambda: policy.admitting_scores(case), case)


@dataclass(frozen=True)
class _AdmittingSequence(_Sequence, _Admitting):
    pass


def _raise_first(faults: Iterator[str]) -> None:
    fault = next(faults, None)
    if fault is not None:
        raise _BrokenPromiseError(fault)


def selection_faults(selection: object, case: CaseView) -> Iterator[str]:
    """Yield what a selection of the case does not keep; each names the promise.

    After a fault the rest may be without meaning.
    """
    if not isinstance(selection, Selection):
        yield f"select must return a harness.model.Selection; it returned {_kind(selection)}"
        return
    yield from _type_faults(selection)
    yield from _item_faults(selection, case)
    for quoted in selection.items:
        for quote in (quoted.head, *quoted.excerpts):
            yield from _range_faults(quoted.item, quote, case)
    yield from sequence_faults(selection.sequence, case)
    if not 0 <= selection.taken <= len(selection.sequence):
        yield (
            f"taken is {selection.taken} of a sequence of "
            f"{counted(len(selection.sequence), 'passage')}"
        )
    yield from _used_faults(selection, case)
    yield from _context_faults(selection, case)
    if selection.expansion is not None:
        yield from _expansion_faults(selection, selection.expansion, case)
    if selection.candidates is not None:
        yield from _candidate_faults(selection.candidates, case)


def _type_faults(selection: Selection) -> Iterator[str]:
    for name, holds, wanted in _FIELDS:
        yield from _wrong(name, getattr(selection, name), holds, wanted)
    omitted = selection.omitted
    for name in ("items", "passages", "excerpts"):
        yield from _wrong(f"omitted.{name}", getattr(omitted, name), _is_count, "a count")
    for quoted in selection.items:
        if not isinstance(quoted, ItemQuote) or not isinstance(quoted.excerpts, tuple):
            yield "items must be a tuple of ItemQuote, with a tuple of excerpts"
            continue
        for quote in (quoted.head, *quoted.excerpts):
            if not isinstance(quote, Quote) or not isinstance(quote.ranges, tuple):
                yield "a head and an excerpt must be a Quote with a tuple of ranges"


def _item_faults(selection: Selection, case: CaseView) -> Iterator[str]:
    """Check that places of the window are in its order, once each, with their own records.

    Of an expansion, an item is a document: its place and its head are the document's position.
    """
    documents = 0 if case.lookup is None else len(case.lookup.documents)
    expanded = selection.expansion is not None
    before = -1
    for quoted in selection.items:
        place = quoted.item
        if not _is_count(place) or place >= (documents if expanded else len(case.items)):
            of = (
                counted(documents, "document")
                if expanded
                else f"a window of {counted(len(case.items), 'item')}"
            )
            yield f"items are places of the window; {place!r} is not one of {of}"
            return
        if place == before:
            yield f"an item is shown once; item {place} stands twice"
        elif place < before:
            yield f"items are in window order; item {place} comes after item {before}"
        before = max(before, place)
        head = quoted.head.record
        own = place if expanded else case.items[place].head
        if head != own:
            yield (
                f"an item has its own head; item {place} quotes the record at {head!r}, its own "
                f"is at {own}"
            )
        records = len(case.records) if case.lookup is None else max(documents, len(case.records))
        for excerpt in quoted.excerpts:
            if not _is_count(excerpt.record) or excerpt.record >= records:
                yield (
                    f"a quote names a record of the case; item {place} quotes the one at "
                    f"{excerpt.record!r} of {records}"
                )
            elif not expanded and excerpt.record not in case.items[place].claims:
                yield (
                    f"an item's excerpts are of its own claims; item {place} quotes the record "
                    f"at {excerpt.record}"
                )
        excerpts = [excerpt.record for excerpt in quoted.excerpts]
        if len(set(excerpts)) < len(excerpts):
            yield f"a record is quoted once per item; item {place} has two excerpts of one"


def _range_faults(item: int, quote: Quote, case: CaseView) -> Iterator[str]:
    where = f"item {item}, record {quote.record}"
    length = len(_text_of(case, quote.record))
    before: int | None = None
    for found in quote.ranges:
        if not (isinstance(found, tuple) and len(found) == 2 and all(map(_is_whole, found))):
            yield f"a range is a pair of whole numbers; {where} has {found!r}"
            return
        start, end = found
        if end < start:
            yield f"a range ends after it starts; {where} has {found}"
        elif start < 0 or end > length:
            yield (
                f"a range is inside its text; {where} has {found} in {counted(length, 'character')}"
            )
        elif before is not None and start <= before:
            yield f"ranges are in text order and do not touch; in {where}, {found} follows {before}"
        before = end


def sequence_faults(sequence: object, case: CaseView) -> Iterator[str]:
    """Yield what a sequence of passages does not keep: its places and ranges exist."""
    if not isinstance(sequence, PassageSequence):
        yield f"order must return a harness.model.PassageSequence; it returned {_kind(sequence)}"
        return
    columns = {entry.name: getattr(sequence, entry.name) for entry in fields(sequence)[:7]}
    shapes = {name: getattr(column, "shape", None) for name, column in columns.items()}
    if set(shapes.values()) != {(len(sequence.item),)}:
        yield "the columns of a sequence are arrays of one length"
        return
    if not len(sequence):
        return
    if any(column.dtype.kind != "i" for column in columns.values()):
        yield "the columns of a sequence are of whole numbers"
        return
    records = len(case.records)
    if sequence.item.min() < 0 or sequence.item.max() >= len(case.items):
        yield "a passage is offered for an item of the window; a place in the sequence is not one"
    elif sequence.record.min() < 0 or sequence.record.max() >= records:
        yield "a passage is of a record of the case; a position in the sequence is not one"
    else:
        lengths = np.array([len(record.text) for record in case.records])[sequence.record]
        wrong = (sequence.start < 0) | (sequence.end < sequence.start) | (sequence.end > lengths)
        if wrong.any():
            place = int(np.flatnonzero(wrong)[0])
            found = int(sequence.start[place]), int(sequence.end[place])
            yield f"a range is inside its text; passage {place} of the sequence has {found}"


def _used_faults(selection: Selection, case: CaseView) -> Iterator[str]:
    if selection.expansion is not None:
        yield from _used_by_expansion(selection, selection.expansion, case)
    elif selection.budget_unit in (None, "characters"):
        quoted = sum(
            quote.length for item in selection.items for quote in (item.head, *item.excerpts)
        )
        if selection.used != quoted:
            yield (
                f"used is the length of all that is quoted; it is {selection.used}, and "
                f"{counted(quoted, 'character')} are quoted"
            )


def _used_by_expansion(selection: Selection, expansion: Expansion, case: CaseView) -> Iterator[str]:
    """Check that `used` is of what was printed, with the table or without."""
    table = 0 if case.lookup is None else case.lookup.spent_bytes
    printed, context = expansion.text, selection.context or ""
    in_bytes = {_size(printed), _size(context), table + _size(printed)}
    admitted = {
        "bytes": in_bytes,
        "characters": {len(printed), len(context)},
        "estimated_tokens": {
            tokens
            for count in in_bytes
            for tokens in (count // _BYTES_PER_TOKEN, -(-count // _BYTES_PER_TOKEN))
        },
    }.get(selection.budget_unit or "bytes")
    if admitted is not None and selection.used not in admitted:
        yield (
            f"used is the size of what was printed; it is {selection.used} "
            f"{selection.budget_unit or 'bytes'}, and {counted(_size(printed), 'byte')} "
            f"were printed"
        )


def _context_faults(selection: Selection, case: CaseView) -> Iterator[str]:
    """Check that what an arm prints instead of the harness holds each text that it says it shows.

    White space aside: an arm may indent or join what it quotes.
    """
    if selection.context is None:
        return
    context = _without_space(selection.context)
    for item in selection.items:
        for quote in (item.head, *item.excerpts):
            text = _text_of(case, quote.record)
            for start, end in quote.ranges:
                if _without_space(text[start:end]) not in context:
                    yield (
                        "a context holds every quoted text; it lacks characters "
                        f"{start} to {end} of record {quote.record}, of item {item.item}"
                    )
                    return


def _expansion_faults(selection: Selection, expansion: Expansion, case: CaseView) -> Iterator[str]:
    """Check that an expansion is what was printed: its text, its blocks in that order, its bytes
    by part."""
    if selection.context is None or expansion.text not in selection.context:
        yield "a context holds the text of its expansion"
    place = 0
    documents = () if case.lookup is None else case.lookup.documents
    for block in expansion.blocks:
        if not _is_count(block.record) or block.record >= len(documents):
            yield f"a block is of a document; the one at {block.record!r} is not there"
            return
        length = len(documents[block.record].body)
        if not 0 <= block.start <= block.end <= length:
            yield (
                f"a block covers a range of its document; {block.location} covers "
                f"({block.start}, {block.end}) of {counted(length, 'character')}"
            )
        header = expansion.text.find(block.location, place)
        if header < 0:
            yield f"a block is printed under its header, in order; {block.location} is not"
            return
        place = header + len(block.location)
    for name, stubs in (("block_bytes", False), ("stub_bytes", True)):
        total = sum(block.size for block in expansion.blocks if (block.form == _STUB) is stubs)
        if getattr(expansion, name) != total:
            found = getattr(expansion, name)
            yield f"{name} is the size of what was printed; it is {found}, the blocks have {total}"
    parts = expansion.block_bytes + expansion.stub_bytes
    parts += expansion.relation_bytes + expansion.note_bytes
    if parts != _size(expansion.text):
        yield (
            f"the bytes of an expansion add up to its text; the parts have {parts:,}, the text "
            f"has {_size(expansion.text):,}"
        )


def _candidate_faults(trace: CandidateTrace, case: CaseView) -> Iterator[str]:
    count = len(trace.item)
    columns = ("item", "score", "cost", "cluster", "selected", "rendered")
    if any(np.shape(getattr(trace, name)) != (count,) for name in columns):
        yield "the columns of a candidate trace are arrays of one length"
        return
    names = len(trace.signal_names)
    if np.shape(trace.signals) != (count, names) or np.shape(trace.weights) != (names,):
        yield "a candidate trace has a column and a weight per signal name"
    elif len(trace.reasons) != count:
        yield "a candidate trace has reasons per candidate"
    elif count and (trace.item.min() < 0 or trace.item.max() >= len(case.items)):
        yield "a candidate is an item of the window"


def _differences(first: Selection, again: object) -> Iterator[str]:
    names = ("items", "used", "budget", "budget_unit", "omitted", "taken", "context", "expansion")
    for name in names:
        if getattr(first, name) != getattr(again, name, None):
            yield f"the same case gives the same selection; asked again, {name} differs"
    if not isinstance(again, Selection):
        return
    for name in ("sequence", "candidates"):
        one, other = getattr(first, name), getattr(again, name)
        if not _same_columns(one, other):
            yield f"the same case gives the same selection; asked again, {name} differs"


def _same_columns(one: Any, other: Any) -> bool:
    if one is None or other is None:
        return one is other
    return all(
        np.array_equal(value, getattr(other, entry.name), equal_nan=_is_float(value))
        if isinstance(value := getattr(one, entry.name), np.ndarray)
        else value == getattr(other, entry.name)
        for entry in fields(one)
    )


def _text_of(case: CaseView, record: int) -> str:
    """Return the text of a record; after the window's come the documents of a lookup."""
    if record < len(case.records):
        return case.records[record].text
    return case.lookup.documents[record].body if case.lookup is not None else ""


def _without_space(text: str) -> str:
    return "".join(text.split())


def _size(text: str) -> int:
    return len(text.encode("utf-8"))


def _wrong(name: str, value: object, holds: Callable[[object], bool], wanted: str) -> Iterator[str]:
    if not holds(value):
        yield f"{name} must be {wanted}; it is {value!r:.60}"


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_count(value: object) -> bool:
    return _is_whole(value) and 0 <= value <= LARGEST  # type: ignore[operator]


def _is_text(value: object) -> bool:
    if not isinstance(value, str):
        return False
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _is_float(value: Any) -> bool:
    return bool(value.dtype.kind == "f")


def _kind(value: object) -> str:
    return "None" if value is None else type(value).__name__


def _or_none(holds: Callable[[object], bool]) -> Callable[[object], bool]:
    return lambda value: value is None or holds(value)


def _is(kind: type) -> Callable[[object], bool]:
    return lambda value: isinstance(value, kind)


_FIELDS: tuple[tuple[str, Callable[[object], bool], str], ...] = (
    ("used", _is_count, "a count"),
    ("taken", _is_count, "a count"),
    ("budget", _or_none(_is_count), "a count or None"),
    ("budget_unit", _or_none(_is_text), "a text or None"),
    ("context", _or_none(_is_text), "Unicode text or None"),
    ("omitted", _is(Omitted), "Omitted"),
    ("sequence", _is(PassageSequence), "a PassageSequence"),
    ("expansion", _or_none(_is(Expansion)), "an Expansion or None"),
    ("candidates", _or_none(_is(CandidateTrace)), "a CandidateTrace or None"),
    ("items", _is(tuple), "a tuple"),
)
