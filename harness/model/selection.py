"""What a policy chose for a case.

Everything is in positions and character ranges; the quoted text follows from them and is made in
one place (`Quote.text`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from .lookup import Expansion
from .trace import CandidateTrace

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
        """Return the ranges of `record_text`, joined by `PASSAGE_SEPARATOR`."""
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


NO_RANK = -1
"""Stands for an absent rank in `PassageSequence.cosine_rank`."""

Column = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class PassageSequence:
    """A total order of passages that does not depend on a budget, kept by column.

    Every column is int32 of shape (n,); `cosine_rank` is `NO_RANK` where a passage has none.
    `parts` are the words that passages may cover, `held` the indexes into them that each passage's
    own text holds (empty for a policy without parts). `cumulative`, int64, is for the policy that
    cuts the sequence: what the first passages cost together.
    """

    item: Column
    record: Column
    start: Column
    end: Column
    record_rank: Column
    inside_rank: Column
    cosine_rank: Column
    parts: tuple[str, ...] = ()
    held: tuple[tuple[int, ...], ...] = ()
    cumulative: NDArray[np.int64] | None = None

    @classmethod
    def of(cls, passages: Sequence[Passage], parts: tuple[str, ...] = ()) -> PassageSequence:
        """Build the sequence of `passages`, in their order."""
        rows = [
            (
                passage.item,
                passage.record,
                passage.start,
                passage.end,
                passage.ranks.record,
                passage.ranks.inside,
                NO_RANK if passage.ranks.cosine is None else passage.ranks.cosine,
            )
            for passage in passages
        ]
        table = np.array(rows, dtype=np.int32).reshape(len(rows), 7)
        item, record, start, end, *ranks = np.ascontiguousarray(table.T)
        held = tuple(passage.parts for passage in passages) if parts else ()
        return cls(item, record, start, end, ranks[0], ranks[1], ranks[2], parts, held)

    def rearranged(self, order: NDArray[np.int64]) -> PassageSequence:
        """Return the passages at `places`, in that order; nothing else is carried over."""
        return PassageSequence(
            self.item[order],
            self.record[order],
            self.start[order],
            self.end[order],
            self.record_rank[order],
            self.inside_rank[order],
            self.cosine_rank[order],
        )

    def __len__(self) -> int:
        return len(self.item)

    def __iter__(self) -> Iterator[Passage]:
        columns = (self.item, self.record, self.start, self.end)
        ranks = (self.record_rank, self.inside_rank, self.cosine_rank)
        rows = zip(*[column.tolist() for column in (*columns, *ranks)], strict=True)
        for index, (item, record, start, end, by_record, inside, cosine) in enumerate(rows):
            held = self.held[index] if self.held else ()
            ranks_of = Ranks(by_record, inside, None if cosine == NO_RANK else cosine)
            yield Passage(item, record, start, end, ranks_of, held)


EMPTY_SEQUENCE = PassageSequence.of(())


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
    `candidates` says how a policy that scores candidates one by one chose; `expansion` what a
    lookup printed after its table, for a policy of lookups.
    """

    items: tuple[ItemQuote, ...] = ()
    used: int = 0
    budget: int | None = None
    budget_unit: str | None = None
    omitted: Omitted = field(default_factory=Omitted)
    sequence: PassageSequence = EMPTY_SEQUENCE
    taken: int = 0
    context: str | None = None
    candidates: CandidateTrace | None = None
    expansion: Expansion | None = None
