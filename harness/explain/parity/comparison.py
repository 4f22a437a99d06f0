"""Comparing two recorded selections field by field: exactly, without tolerance or reordering.

A new field is one more entry of `COMPARED`: who says it, and where two selections part in it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from harness.model import Json

from .recorded import RecordedSelection, RecordedSequence, ShownItem, TextByHash

TEXT_SHOWN = 60
"""Characters of a text that are shown from the first one that differs."""


@dataclass(frozen=True, slots=True)
class SelectionPart:
    """Where two selections first differ in one field.

    `place`: the place in the sequence or the walk (`in_sequence`), of an item, or of a range, an
    excerpt or a quote within the item at place `item` (quote 0 is the head's, 1 the first
    excerpt's). `character`: the position in the text. All from 0. `left` and `right`: what stands
    there; None where nothing does.
    """

    field: str
    left: Json
    right: Json
    item: int | None = None
    place: int | None = None
    character: int | None = None
    in_sequence: bool = False


@dataclass(frozen=True, slots=True)
class ComparedField:
    """A field with who says it, and where two selections that both say it part (None: nowhere)."""

    name: str
    said_by: Callable[[RecordedSelection], bool]
    part: Callable[[RecordedSelection, RecordedSelection], SelectionPart | None]


def _part_heads(left: RecordedSelection, right: RecordedSelection) -> SelectionPart | None:
    """Compare heads, except where a run lacks the name of a head that it does not quote: it may be
    any."""
    heads = [item.head for item in left.items]
    other_heads = [item.head for item in right.items]
    for place in range(max(len(heads), len(other_heads))):
        in_both = place < len(heads) and place < len(other_heads)
        if not in_both or (
            heads[place] != other_heads[place] and None not in (heads[place], other_heads[place])
        ):
            return SelectionPart("items", _at(heads, place), _at(other_heads, place), place=place)
    return None


def _part_ranges(left: RecordedSelection, right: RecordedSelection) -> SelectionPart | None:
    return _part_within_items("ranges", left, right, lambda item: item.ranges)


def _part_excerpts(left: RecordedSelection, right: RecordedSelection) -> SelectionPart | None:
    def excerpts(item: ShownItem) -> list[dict[str, Any]]:
        return [{"record_id": one.record_id, "ranges": one.ranges} for one in item.excerpts]

    return _part_within_items("excerpts", left, right, excerpts)


def _part_contents(left: RecordedSelection, right: RecordedSelection) -> SelectionPart | None:
    part = _part_within_items("content", left, right, _contents)
    if part is None:
        return None
    return _part_texts("content", part.left, part.right, item=part.item, place=part.place)


def _part_contexts(left: RecordedSelection, right: RecordedSelection) -> SelectionPart | None:
    return _part_texts("context", left.context, right.context)


def _part_sequences(left: RecordedSelection, right: RecordedSelection) -> SelectionPart | None:
    return _part_columns("sequence", left, right, lambda sequence: sequence.passages)


def _part_cosine_ranks(left: RecordedSelection, right: RecordedSelection) -> SelectionPart | None:
    return _part_columns("cosine_ranks", left, right, lambda sequence: sequence.cosine_ranks)


def _part_parts(left: RecordedSelection, right: RecordedSelection) -> SelectionPart | None:
    return _part_columns("parts", left, right, lambda sequence: sequence.parts)


def _part_taken(left: RecordedSelection, right: RecordedSelection) -> SelectionPart | None:
    one, other = _sequence(left), _sequence(right)
    if one.taken is None or other.taken is None or one.taken == other.taken:
        return None
    return _parting_at("taken", one, other, min(one.taken, other.taken))


def _part_candidates(left: RecordedSelection, right: RecordedSelection) -> SelectionPart | None:
    one, other = left.candidates or (), right.candidates or ()
    place = _first_difference(one, other)
    if place is None:
        return None
    return SelectionPart(
        "candidates", _at(one, place), _at(other, place), place=place, in_sequence=True
    )


def _part_expansions(left: RecordedSelection, right: RecordedSelection) -> SelectionPart | None:
    """Return what differs of the two; of their lists, the first entries that differ."""
    one, other = left.expansion or {}, right.expansion or {}
    for key in dict.fromkeys([*one, *other]):
        here, there, place = one.get(key), other.get(key), None
        if here == there:
            continue
        if isinstance(here, list) and isinstance(there, list):
            place = _first_difference(here, there) or 0
            here, there = _at(here, place), _at(there, place)
        return SelectionPart("expansion", {key: here}, {key: there}, place=place)
    return None


def _values(
    name: str, value: Callable[[RecordedSelection], Json]
) -> Callable[[RecordedSelection, RecordedSelection], SelectionPart | None]:
    def part(left: RecordedSelection, right: RecordedSelection) -> SelectionPart | None:
        one, other = value(left), value(right)
        return None if one == other else SelectionPart(name, one, other)

    return part


def _budget(selection: RecordedSelection) -> Json:
    return None if selection.budget is None else asdict(selection.budget)


def _omitted(selection: RecordedSelection) -> Json:
    return None if selection.omitted is None else asdict(selection.omitted)


def _says_contents(selection: RecordedSelection) -> bool:
    return all(content is not None for item in selection.items for content in _contents(item))


def _sequence_says(column: Callable[[RecordedSequence], Any]) -> Callable[..., bool]:
    def said(selection: RecordedSelection) -> bool:
        return selection.sequence is not None and column(selection.sequence) is not None

    return said


def _always(_: RecordedSelection) -> bool:
    return True


COMPARED = (
    ComparedField("items", _always, _part_heads),
    ComparedField("ranges", _always, _part_ranges),
    ComparedField("excerpts", _always, _part_excerpts),
    ComparedField("content", _says_contents, _part_contents),
    ComparedField("used", _always, _values("used", lambda selection: selection.used)),
    ComparedField("sequence", _sequence_says(lambda one: one.passages), _part_sequences),
    ComparedField("cosine_ranks", _sequence_says(lambda one: one.cosine_ranks), _part_cosine_ranks),
    ComparedField("parts", _sequence_says(lambda one: one.parts), _part_parts),
    ComparedField("taken", _sequence_says(lambda one: one.taken), _part_taken),
    ComparedField("budget", lambda one: one.budget is not None, _values("budget", _budget)),
    ComparedField("omitted", lambda one: one.omitted is not None, _values("omitted", _omitted)),
    ComparedField("candidates", lambda one: one.candidates is not None, _part_candidates),
    ComparedField("expansion", lambda one: one.expansion is not None, _part_expansions),
    ComparedField("context", lambda one: one.context is not None, _part_contexts),
)


def _contents(item: ShownItem) -> list[TextByHash | None]:
    """Return the contents of the head, then of the excerpts."""
    return [item.content, *(excerpt.content for excerpt in item.excerpts)]


def _part_within_items(
    name: str,
    left: RecordedSelection,
    right: RecordedSelection,
    entries: Callable[[ShownItem], Sequence[Any]],
) -> SelectionPart | None:
    """Return the first item, and in it the first entry, that differ."""
    for item in range(max(len(left.items), len(right.items))):
        one = entries(left.items[item]) if item < len(left.items) else ()
        other = entries(right.items[item]) if item < len(right.items) else ()
        place = _first_difference(one, other)
        if place is not None:
            return SelectionPart(name, _at(one, place), _at(other, place), item, place)
    return None


def _part_texts(
    name: str,
    left: TextByHash | None,
    right: TextByHash | None,
    *,
    item: int | None = None,
    place: int | None = None,
) -> SelectionPart | None:
    """Say where the texts differ; if one is known only by its hash, that they do."""
    if left == right:
        return None
    if left is None or right is None or left.text is None or right.text is None:
        return SelectionPart(name, _shown(left), _shown(right), item, place)
    character = _first_difference(left.text, right.text) or 0
    end = character + TEXT_SHOWN
    shown, other = left.text[character:end], right.text[character:end]
    return SelectionPart(name, shown, other, item, place, character)


def _shown(content: TextByHash | None) -> str | None:
    if content is None:
        return None
    return f"sha256 {content.sha256}" if content.text is None else content.text[:TEXT_SHOWN]


def _part_columns(
    name: str,
    left: RecordedSelection,
    right: RecordedSelection,
    column: Callable[[RecordedSequence], Sequence[Any] | None],
) -> SelectionPart | None:
    one, other = _sequence(left), _sequence(right)
    place = _first_difference(column(one) or (), column(other) or ())
    return None if place is None else _parting_at(name, one, other, place)


def _parting_at(
    name: str, left: RecordedSequence, right: RecordedSequence, place: int
) -> SelectionPart:
    one, other = passage_object(left, place), passage_object(right, place)
    return SelectionPart(name, one, other, place=place, in_sequence=True)


def passage_object(sequence: RecordedSequence, place: int) -> dict[str, Any] | None:
    """Return what a sequence has at a place, as JSON; None beyond its end."""
    if place >= len(sequence.passages):
        return None
    passage = sequence.passages[place]
    ranks: dict[str, Any] = {"record": passage.record_rank, "inside": passage.inside_rank}
    if sequence.cosine_ranks is not None:
        ranks["cosine"] = sequence.cosine_ranks[place]
    value: dict[str, Any] = {
        "record_id": passage.record_id,
        "span": [passage.start, passage.end],
        "ranks": ranks,
    }
    if sequence.parts is not None:
        value["parts"] = list(sequence.parts[place])
    if sequence.taken is not None:
        value["taken"] = place < sequence.taken
    return value


def _sequence(selection: RecordedSelection) -> RecordedSequence:
    return selection.sequence or RecordedSequence(())


def _first_difference(left: Sequence[Any], right: Sequence[Any]) -> int | None:
    """Compute the first place at which the two differ; where one is the start of the other, its
    end."""
    if left == right:
        return None
    for place, (one, other) in enumerate(zip(left, right, strict=False)):
        if one != other:
            return place
    return None if len(left) == len(right) else min(len(left), len(right))


def _at(entries: Sequence[Any], place: int) -> Any:
    return entries[place] if place < len(entries) else None


FIELDS = tuple(field.name for field in COMPARED)
"""Every field that can be compared, in the order in which differences are listed."""


@dataclass(frozen=True, slots=True)
class SelectionDiff:
    """Which fields both sides say (`compared`), and where they part, in the order of `FIELDS`."""

    compared: tuple[str, ...]
    partings: tuple[SelectionPart, ...]

    @property
    def same(self) -> bool:
        return not self.partings

    @property
    def differing(self) -> tuple[str, ...]:
        """Fields that differ."""
        return tuple(parting.field for parting in self.partings)

    @property
    def first(self) -> SelectionPart | None:
        """First difference of the two sequences, since what is shown follows from them; without
        one, the first field that differs."""
        in_sequence = [parting for parting in self.partings if parting.in_sequence]
        if in_sequence:
            return min(in_sequence, key=lambda parting: parting.place or 0)
        return self.partings[0] if self.partings else None


def compare(
    left: RecordedSelection, right: RecordedSelection, *, leave_out: Collection[str] = ()
) -> SelectionDiff:
    """Compare every field that both sides say, but for those named in `leave_out`."""
    compared: list[str] = []
    partings: list[SelectionPart] = []
    for field in COMPARED:
        if field.name in leave_out or not (field.said_by(left) and field.said_by(right)):
            continue
        compared.append(field.name)
        parting = field.part(left, right)
        if parting is not None:
            partings.append(parting)
    return SelectionDiff(tuple(compared), tuple(partings))
