"""What a policy chose for a case.

Everything is in positions and character ranges; the quoted text follows from them and is made in
one place (`Quote.text`).
"""

from __future__ import annotations

from dataclasses import dataclass, field

Range = tuple[int, int]
"""Code points of one record: start, end (exclusive)."""

PASSAGE_SEPARATOR = " … "
"""Stands between two ranges of one record that do not touch."""


@dataclass(frozen=True, slots=True)
class Quote:
    """Ranges of one record in text order; ranges that touch are already one."""

    record: int
    ranges: tuple[Range, ...]

    def text(self, record_text: str) -> str:
        """The ranges of `record_text`, joined by `PASSAGE_SEPARATOR`."""
        return PASSAGE_SEPARATOR.join([record_text[start:end] for start, end in self.ranges])

    @property
    def length(self) -> int:
        """Code points of the quoted text, separators included."""
        if not self.ranges:
            return 0
        quoted = sum(end - start for start, end in self.ranges)
        return quoted + len(PASSAGE_SEPARATOR) * (len(self.ranges) - 1)


@dataclass(frozen=True, slots=True)
class ItemQuote:
    """What is shown of the window's item at place `item` (0-based): its head, then excerpts."""

    item: int
    head: Quote
    excerpts: tuple[Quote, ...] = ()


@dataclass(frozen=True, slots=True)
class Ranks:
    """Ranks from 0 (best): of the record, inside the record, and by cosine (None without one)."""

    record: int
    inside: int
    cosine: int | None


@dataclass(frozen=True, slots=True)
class Passage:
    """A range of the record at position `record`, offered for the item at place `item`.

    `parts` are indexes into the sequence's parts that the passage's own text holds.
    """

    item: int
    record: int
    start: int
    end: int
    ranks: Ranks
    parts: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class PassageSequence:
    """A total order of passages that does not depend on a budget, and the parts they may cover."""

    passages: tuple[Passage, ...] = ()
    parts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Omitted:
    """Counts of what was left out: window items not shown, passages, excerpts of shown items."""

    items: int = 0
    passages: int = 0
    excerpts: int = 0


@dataclass(frozen=True, slots=True)
class Selection:
    """What is shown, in item order, and how it came about.

    `used` and `budget` count `budget_unit`; `budget` is None for a policy without one.
    The taken passages are the first `taken` of `sequence`. `context` replaces the reference's
    rendering for a policy that renders its own text; None means the reference's rendering.
    """

    items: tuple[ItemQuote, ...] = ()
    used: int = 0
    budget: int | None = None
    budget_unit: str | None = None
    omitted: Omitted = field(default_factory=Omitted)
    sequence: PassageSequence = field(default_factory=PassageSequence)
    taken: int = 0
    context: str | None = None
