"""An explanation of one selection: a row for everything that could have been taken.

Places in the window are counted from 1, as `harness show` prints them. `evidence` of a row says
what it is by the labels of the case (`evidence`); None: no evidence, or no labels.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from harness.model import Range


class RowKind(Enum):
    """What the rows of an explanation are."""

    PASSAGES = "passages"
    CANDIDATES = "candidates"
    RECORDS = "records"
    ROWS = "rows"


@dataclass(frozen=True, slots=True)
class PassageReason:
    """A passage of a sequence, at `place` of it, from 1.

    The ranks are those of the sequence, from 0. `together`: what it costs with all before it, in
    the budget's unit. `needed`: the smallest budget that takes it. Both are None where the arm does
    not tell.
    """

    place: int
    item: int
    record_id: str
    start: int
    end: int
    record_rank: int
    inside_rank: int
    cosine_rank: int | None
    together: int | None
    needed: int | None
    taken: bool
    reason: str
    text: str
    evidence: str | None = None


@dataclass(frozen=True, slots=True)
class CandidateReason:
    """A scored candidate, at `place` of the walk, from 1.

    `contributions`: signal × weight by signal, None for a signal that is absent in this case.
    `score_enough`: a score with which it would have been taken, all others as they are, the least
    such where the policy tells it; None for one that was taken, and where no such score is known.
    `score_above`: the float32 just below, from which every higher score does.
    `reasons` are the arm's own words.
    """

    place: int
    item: int
    record_id: str
    score: float
    taken: bool
    printed: bool
    cost: int
    cluster: int
    reasons: tuple[str, ...]
    reason: str
    score_enough: float | None
    score_above: float | None
    contributions: Mapping[str, float | None]
    evidence: str | None = None


@dataclass(frozen=True, slots=True)
class RecordReason:
    """A record of an item, `head` or `claim`, and what is quoted of its `characters`."""

    item: int
    part: str
    record_id: str
    characters: int
    quoted: int
    ranges: tuple[Range, ...]
    taken: bool
    reason: str
    evidence: str | None = None


@dataclass(frozen=True, slots=True)
class RowReason:
    """What a lookup printed, or did not print, for a row of its table or for a relation.

    `row` counts the table's rows from 1, and is None for what no row asked for. `size`: UTF-8 bytes
    with the frame, None for what was not printed.
    """

    row: int | None
    location: str
    form: str | None
    size: int | None
    taken: bool
    reason: str
    evidence: str | None = None


Reasons = (
    tuple[PassageReason, ...]
    | tuple[CandidateReason, ...]
    | tuple[RecordReason, ...]
    | tuple[RowReason, ...]
)


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why `point` shows what it shows of a case.

    `facts` are sentences about the whole choice. `reasons` has a row for everything that could have
    been taken; of a sequence, `excerpts` has one for each record that no passage is of.
    """

    case_id: str
    question: str
    point: str
    kind: RowKind
    budget: int | None
    used: int
    budget_unit: str | None
    facts: tuple[str, ...]
    reasons: Reasons
    excerpts: tuple[RecordReason, ...] = ()
