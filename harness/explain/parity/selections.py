"""Reading selections: `harness.selection/1`, and its looser form, what another system answered.

`harness select` prints the first. A line of the looser form is known by case, arm and budget:
`case_id`, `arm`, `budget`, `used`, `items` (`head`, `ranges`, `content`, `excerpts` of `record_id`,
`range`, `content`), `sequence_taken` (the taken passages: `record_id`, `span`, `ranks` of `record`,
`inside`, `cosine`; null for an arm without a sequence) and `left_out`, which says what the line
does not: null, `cosine_ranks` (no `cosine` in `ranks`) or `sequence` (`sequence_taken` is null).
`content_sha256` may stand in place of a `content`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, Protocol

from harness.decode import (
    STANDARD_INPUT,
    Count,
    FieldError,
    Format,
    PathFault,
    Sha256,
    SourceLines,
    decode_lines,
    typed,
)
from harness.errors import InputError, UsageError, nearest
from harness.model import Omitted, Range
from harness.points import Point, arm_names, parse_point
from harness.points.arms import is_arm
from harness.replay.run import Run
from harness.replay.selection_writer import SELECTION_SCHEMA

from .recorded import (
    Budget,
    RankedPassage,
    RecordedSelection,
    RecordedSequence,
    ShownExcerpt,
    ShownItem,
    TextByHash,
)
from .run_selections import RunSelections, SelectionLine

COSINE_RANKS, SEQUENCE = "cosine_ranks", "sequence"
LEFT_OUT = {COSINE_RANKS: (COSINE_RANKS,), SEQUENCE: (SEQUENCE, COSINE_RANKS)}
"""What a line may leave out, and which fields that takes from the comparison."""

_NOT_SAID = -1
"""Stands for a rank that a line does not say; null says that there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Excerpt:
    record_id: str
    range: Range
    content: str
    ranges: tuple[Range, ...] = ()

    def shown(self) -> ShownExcerpt:
        ranges = self.ranges or (self.range,)
        return ShownExcerpt(self.record_id, ranges, TextByHash.of(self.content))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Item:
    head: str
    content: str
    ranges: tuple[Range, ...]
    excerpts: tuple[_Excerpt, ...]

    def shown(self) -> ShownItem:
        excerpts = tuple(excerpt.shown() for excerpt in self.excerpts)
        return ShownItem(self.head, self.ranges, TextByHash.of(self.content), excerpts)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ranks:
    record: int
    inside: int
    cosine: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Passage:
    record_id: str
    span: Range
    ranks: _Ranks
    parts: tuple[Count, ...]
    taken: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Selection:
    """A line of `harness.selection/1`."""

    case_id: str
    point: str
    items: tuple[_Item, ...]
    sequence: tuple[_Passage, ...]
    budget: int | None
    used: int
    budget_unit: str | None
    omitted: Omitted
    context: str
    parts: tuple[str, ...] = ()
    candidates: tuple[dict[str, Any], ...] | None = None
    expansion: dict[str, Any] | None = None

    def __post_init__(self) -> None:
        unknown = {
            part for passage in self.sequence for part in passage.parts if part >= len(self.parts)
        }
        if unknown:
            raise FieldError(
                "sequence", f"names part {min(unknown)}, but parts has {len(self.parts)}"
            )
        for place, (passage, following) in enumerate(pairwise(self.sequence), start=1):
            if following.taken and not passage.taken:
                path = ("sequence", place, "taken")
                raise FieldError(faults=[(path, "is true after one that is not taken")])

    def line(self) -> SelectionLine:
        passages = self.sequence
        parts = tuple(tuple(self.parts[part] for part in passage.parts) for passage in passages)
        sequence = RecordedSequence(
            passages=tuple(map(_ranked, passages)),
            cosine_ranks=tuple(passage.ranks.cosine for passage in passages),
            parts=parts if self.parts else None,
            taken=sum(passage.taken for passage in passages),
        )
        selection = RecordedSelection(
            items=tuple(item.shown() for item in self.items),
            used=self.used,
            sequence=sequence,
            budget=Budget(self.budget, self.budget_unit),
            omitted=self.omitted,
            context=TextByHash.of(self.context),
            candidates=self.candidates,
            expansion=self.expansion,
        )
        return SelectionLine(self.case_id, self.point, selection)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Quoted:
    """A text or its hash, of which exactly one must be there."""

    content: str | None = None
    content_sha256: Sha256 | None = None

    def __post_init__(self) -> None:
        if (self.content is None) == (self.content_sha256 is None):
            both = "no content" if self.content is None else "both content and content_sha256"
            raise FieldError("", f"has {both}; give content, or content_sha256 in its place")

    def text(self) -> TextByHash:
        if self.content is not None:
            return TextByHash.of(self.content)
        return TextByHash(self.content_sha256 or "")


@dataclass(frozen=True, slots=True, kw_only=True)
class _ExpectedExcerpt(_Quoted):
    record_id: str
    range: Range


@dataclass(frozen=True, slots=True, kw_only=True)
class _ExpectedItem(_Quoted):
    head: str
    ranges: tuple[Range, ...]
    excerpts: tuple[_ExpectedExcerpt, ...] = ()

    def shown(self) -> ShownItem:
        excerpts = tuple(
            ShownExcerpt(excerpt.record_id, (excerpt.range,), excerpt.text())
            for excerpt in self.excerpts
        )
        return ShownItem(self.head, self.ranges, self.text(), excerpts)


@dataclass(frozen=True, slots=True, kw_only=True)
class _ExpectedRanks:
    record: int
    inside: int
    cosine: Count | None = _NOT_SAID


@dataclass(frozen=True, slots=True, kw_only=True)
class _ExpectedPassage:
    record_id: str
    span: Range
    ranks: _ExpectedRanks


@dataclass(frozen=True, slots=True, kw_only=True)
class _Expected:
    """A line of what another system answered."""

    case_id: str
    arm: str
    budget: int
    used: int
    items: tuple[_ExpectedItem, ...]
    sequence_taken: tuple[_ExpectedPassage, ...] | None
    left_out: Literal["cosine_ranks", "sequence"] | None = None

    def __post_init__(self) -> None:
        faults = [*self._point_faults(), *self._sequence_faults()]
        if faults:
            raise FieldError(faults=faults)

    @property
    def point(self) -> Point:
        return _parsed(f"{self.arm}(budget={self.budget})")

    def _point_faults(self) -> Iterator[PathFault]:
        if not is_arm(self.arm):
            near = nearest(self.arm, arm_names())
            yield (), f"arm: no arm {self.arm!r} is installed{near}"
            return
        try:
            _ = self.point
        except UsageError as error:
            yield (), " ".join(f"{error.message}. {error.hint}".split())

    def _sequence_faults(self) -> Iterator[PathFault]:
        path, passages = ("sequence_taken",), self.sequence_taken
        if self.left_out == SEQUENCE and passages is not None:
            yield path, "is a list, but left_out says that it is left out; give null"
        if self.left_out == COSINE_RANKS and passages is None:
            yield path, "is null, but left_out says that only its cosine ranks are"
        for place, passage in enumerate(passages or ()):
            said = passage.ranks.cosine != _NOT_SAID
            if said == (self.left_out == COSINE_RANKS):
                wrong = "is there, but left_out says that it is left out" if said else "is missing"
                yield (*path, place, "ranks", "cosine"), wrong
                return

    def selection(self) -> RecordedSelection:
        items = tuple(item.shown() for item in self.items)
        if self.sequence_taken is None:
            return RecordedSelection(items, self.used, None)
        cosines = tuple(passage.ranks.cosine for passage in self.sequence_taken)
        sequence = RecordedSequence(
            passages=tuple(map(_ranked, self.sequence_taken)),
            cosine_ranks=None if _NOT_SAID in cosines else cosines,
        )
        return RecordedSelection(items, self.used, sequence)


def _ranked(passage: _Passage | _ExpectedPassage) -> RankedPassage:
    ranks = passage.ranks
    return RankedPassage(passage.record_id, *passage.span, ranks.record, ranks.inside)


@cache
def _parsed(spelling: str) -> Point:
    return parse_point(spelling)


_SELECTION = Format(
    SELECTION_SCHEMA,
    _Selection,
    hint=f"A file of selections has one {SELECTION_SCHEMA} object per line: docs/file-formats.md.",
)
_EXPECTED = Format(
    "expected selection",
    _Expected,
    hint="docs/parity.md describes a line of recorded selections.",
)


def read_selection(value: Mapping[str, Any]) -> SelectionLine:
    """Return the selection of an object of `harness.selection/1`; raises `InputError`."""
    return typed(_SELECTION, value, at="the selection").line()


class SelectionFile:
    """The selections of a file or of standard input (`-`), one at a time."""

    def __init__(self, source: str) -> None:
        self._lines = SourceLines(source)

    @property
    def name(self) -> str:
        """Source, as messages name it."""
        return self._lines.name

    def selections(self, points: Collection[str] | None) -> Iterator[SelectionLine]:
        """Yield the selections at `points` (by canonical spelling; None: all), in the file's order.

        Raises `InputError` naming every faulty line, and for a point that no line has.
        """
        known: dict[str, None] = {}
        for _, selection in decode_lines(
            _SELECTION,
            self._lines,
            identity=lambda line: f"case {line.case_id!r} at {line.point}",
            needed="line",
        ):
            known[selection.point] = None
            if points is None or selection.point in points:
                yield selection.line()
        missing = [point for point in points or () if point not in known]
        if missing:
            raise InputError(
                f"{self.name} has no selection at {missing[0]}{nearest(missing[0], known)}",
                f"It has {', '.join(known)}.",
            )


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
        """Fields that the line leaves out."""
        return () if self.left_out is None else LEFT_OUT[self.left_out]


class ExpectedFile:
    """The expected selections of a file or of standard input (`-`), one at a time, each checked.

    Raises `InputError` naming every faulty line: one that is not as described above, that names an
    arm which is not installed or a budget which the arm refuses, or that says again what another
    line says.
    """

    def __init__(self, source: str) -> None:
        self._lines = SourceLines(source)

    @property
    def name(self) -> str:
        """Source, as messages name it."""
        return self._lines.name

    def __iter__(self) -> Iterator[ExpectedSelection]:
        for number, line in decode_lines(
            _EXPECTED,
            self._lines,
            identity=lambda line: f"case {line.case_id!r} at {line.point}",
            needed="line",
        ):
            selection = line.selection()
            yield ExpectedSelection(number, line.case_id, line.point, selection, line.left_out)


class SelectionSource(Protocol):
    """A file of selections or a run."""

    @property
    def name(self) -> str:
        """Source, as messages name it."""
        ...

    def selections(self, points: Collection[str] | None) -> Iterator[SelectionLine]:
        """Yield the selections at `points` (by canonical spelling; None: all), one at a time; a
        point that the source does not have is refused."""
        ...


def open_source(path: str) -> SelectionSource:
    """Return the run in a folder, verified by hash; else a file of selections, or `-`."""
    if path != STANDARD_INPUT and Path(path).is_dir():
        return RunSelections(Run.open(Path(path)))
    return SelectionFile(path)
