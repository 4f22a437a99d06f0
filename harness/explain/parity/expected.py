"""Reading what another system answered: one selection a line, known by case, arm and budget.

A line: `case_id`, `arm`, `budget`, `used`, `items` (`head`, `ranges`, `content`, `excerpts` of
`record_id`, `range`, `content`), `sequence_taken` (the taken passages: `record_id`, `span`, `ranks`
of `record`, `inside`, `cosine`; null for an arm without a sequence) and `left_out`, which says what
the line does not: null, `cosine_ranks` (no `cosine` in `ranks`) or `sequence` (`sequence_taken` is
null). `content_sha256` may stand in place of a `content`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any

import msgspec

from harness.decode.fields import kind_of
from harness.decode.json_lines import JsonLines
from harness.errors import Faults, HarnessError, UsageError, nearest
from harness.model import Range
from harness.points import Point, arm_names, parse_point
from harness.points.arms import is_arm

from .recorded import (
    RankedPassage,
    RecordedSelection,
    RecordedSequence,
    ShownExcerpt,
    ShownItem,
    TextByHash,
)
from .typed_lines import checked_lines, typed

COSINE_RANKS, SEQUENCE = "cosine_ranks", "sequence"
LEFT_OUT = {COSINE_RANKS: (COSINE_RANKS,), SEQUENCE: (SEQUENCE, COSINE_RANKS)}
"""What a line may leave out, and which fields that takes from the comparison."""

_HINT = "docs/parity.md describes a line of recorded selections."

_Sha256 = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]


class _Line(msgspec.Struct, forbid_unknown_fields=True):
    """Base of every object of a line."""


class _Quoted(_Line):
    content: str | msgspec.UnsetType = msgspec.UNSET
    content_sha256: _Sha256 | msgspec.UnsetType = msgspec.UNSET


class _Excerpt(_Quoted, kw_only=True):
    record_id: str
    range: Range


class _Item(_Quoted, kw_only=True):
    head: str
    ranges: tuple[Range, ...]
    excerpts: tuple[_Excerpt, ...] = ()


class _Ranks(_Line):
    record: int
    inside: int
    cosine: int | msgspec.UnsetType | None = msgspec.UNSET


class _Passage(_Line):
    record_id: str
    span: Range
    ranks: _Ranks


class _Expected(_Line):
    case_id: str
    arm: str
    budget: int
    used: int
    items: tuple[_Item, ...]
    sequence_taken: tuple[_Passage, ...] | None
    left_out: str | None = None


@dataclass(frozen=True, slots=True)
class ExpectedSelection:
    """What line `line` says of the selection for a case at a point; see `LEFT_OUT`."""

    line: int
    case_id: str
    point: Point
    selection: RecordedSelection
    left_out: str | None = None

    @property
    def fields_left_out(self) -> tuple[str, ...]:
        """The fields that the line leaves out."""
        return () if self.left_out is None else LEFT_OUT[self.left_out]


class ExpectedFile:
    """The expected selections of a file or of standard input (`-`), one at a time, each checked.

    Raises `InputError` naming every faulty line: one that is not as described above, that names an
    arm which is not installed or a budget which the arm refuses, or that says again what another
    line says.
    """

    def __init__(self, source: str) -> None:
        self._lines = JsonLines(source)

    @property
    def name(self) -> str:
        """The source, as messages name it."""
        return self._lines.name

    def __iter__(self) -> Iterator[ExpectedSelection]:
        return checked_lines(self._lines, _read, _identity, _HINT)


def _identity(expected: ExpectedSelection) -> str:
    return f"case {expected.case_id!r} at {expected.point}"


def _read(value: Any, number: int, faults: Faults) -> ExpectedSelection | None:
    line = typed(value, _Expected, faults)
    if line is None:
        return None
    point = _point(line, faults)
    items = tuple(_item(item, f"items[{place}]", faults) for place, item in enumerate(line.items))
    _check_left_out(line, faults)
    if point is None or len(faults):
        return None
    selection = RecordedSelection(items, line.used, _sequence(line.sequence_taken))
    return ExpectedSelection(number, line.case_id, point, selection, line.left_out)


def _point(line: _Expected, faults: Faults) -> Point | None:
    if not is_arm(line.arm):
        faults.add(f"arm: no arm {line.arm!r} is installed{nearest(line.arm, arm_names())}")
        return None
    try:
        return _parsed(f"{line.arm}(budget={line.budget})")
    except UsageError as error:
        faults.add(_on_one_line(error))
        return None


@cache
def _parsed(spelling: str) -> Point:
    return parse_point(spelling)


def _on_one_line(error: HarnessError) -> str:
    return " ".join(f"{error.message}. {error.hint}".split())


def _check_left_out(line: _Expected, faults: Faults) -> None:
    left_out, passages = line.left_out, line.sequence_taken
    if left_out is not None and left_out not in LEFT_OUT:
        faults.add(
            f"left_out is {kind_of(left_out)}, expected null, {' or '.join(map(repr, LEFT_OUT))}"
        )
        return
    if left_out == SEQUENCE and passages is not None:
        faults.add("sequence_taken is a list, but left_out says that it is left out; give null")
    if left_out == COSINE_RANKS and passages is None:
        faults.add("sequence_taken is null, but left_out says that only its cosine ranks are")
    for place, passage in enumerate(passages or ()):
        there = passage.ranks.cosine is not msgspec.UNSET
        if there == (left_out == COSINE_RANKS):
            wrong = "is there, but left_out says that it is left out" if there else "is missing"
            faults.add(f"sequence_taken[{place}].ranks.cosine {wrong}")
            return


def _item(item: _Item, where: str, faults: Faults) -> ShownItem:
    excerpts = tuple(
        ShownExcerpt(
            one.record_id, (one.range,), _content(one, f"{where}.excerpts[{place}]", faults)
        )
        for place, one in enumerate(item.excerpts)
    )
    return ShownItem(item.head, item.ranges, _content(item, where, faults), excerpts)


def _content(quoted: _Quoted, where: str, faults: Faults) -> TextByHash:
    """The text or its hash, of which exactly one must be there."""
    text, sha256 = quoted.content, quoted.content_sha256
    if isinstance(text, str) == isinstance(sha256, str):
        both = "both content and content_sha256" if isinstance(text, str) else "no content"
        faults.add(f"{where} has {both}; give content, or content_sha256 in its place")
    if isinstance(text, str):
        return TextByHash.of(text)
    return TextByHash(sha256 if isinstance(sha256, str) else "")


def _sequence(passages: tuple[_Passage, ...] | None) -> RecordedSequence | None:
    if passages is None:
        return None
    cosines = [passage.ranks.cosine for passage in passages]
    said = [cosine for cosine in cosines if not isinstance(cosine, msgspec.UnsetType)]
    return RecordedSequence(
        passages=tuple(
            RankedPassage(one.record_id, *one.span, one.ranks.record, one.ranks.inside)
            for one in passages
        ),
        cosine_ranks=tuple(said) if len(said) == len(passages) else None,
    )
