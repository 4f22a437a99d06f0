"""The bounded greedy choice among scored candidates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from .identifier import IdOrder, id_order
from .single import total_order
from .vocabulary import KINDS

EXCEPTION_SCORE = np.float32(0.92)
"""From this score on, the cap for one cluster does not hold; nor for NaN, which is not below it."""

LAST_CLUSTER = len(KINDS) - 1
LARGEST_TOKENS = 2**64 - 1

NOTHING_TO_SELECT = "no candidates to select from"
ALL_SELECTED = "all candidates selected"
BUDGET_LIMITED = "budget-limited"

CLUSTER_CAP = "cluster cap"
RECORD_CAP = "record cap"
TOKEN_BUDGET = "token budget"  # noqa: S105 (not a secret)
DUPLICATE = "duplicate"
EXCEPTION_USED = "exception used"


@dataclass(frozen=True, slots=True)
class Candidate:
    """What may be selected: `tokens` is its cost; clusters from 8 on count as one."""

    id: str
    cluster: int
    tokens: int
    score: float | np.float32


@dataclass(frozen=True, slots=True)
class Step:
    """What the walk did at the candidate at `place` of the caller's order.

    `reasons` are all for which it was rejected; `DUPLICATE` alone for one that was skipped, and
    `EXCEPTION_USED` for one that was selected although its cluster was full.
    """

    place: int
    selected: bool
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SeaSelection:
    """What was selected and rejected, ids in the order of the walk, and `reason` for it all.

    `walk` has every candidate, duplicates included, which are in neither list.
    """

    selected: list[str]
    rejected: list[str]
    total_tokens: int
    reason: str
    walk: tuple[Step, ...] = ()


def select(
    candidates: Iterable[Candidate], *, max_tokens: int, max_records: int, per_cluster_limit: int
) -> SeaSelection:
    """Walk from the highest score to the lowest, ids breaking ties, and take whatever still fits.

    A rejection does not end the walk, so a later and cheaper candidate may enter. An id that was
    seen before is skipped, even if it was rejected.
    """
    offered = list(candidates)
    orders = [id_order(candidate.id) for candidate in offered]
    walk = Walk(max_tokens, max_records, per_cluster_limit)
    seen: set[IdOrder] = set()
    steps = []
    for place in _by_score(offered, orders):
        if orders[place] in seen:
            steps.append(Step(place, selected=False, reasons=(DUPLICATE,)))
            continue
        seen.add(orders[place])
        steps.append(walk.step(place, offered[place]))
    selected = [offered[step.place].id for step in steps if step.selected]
    rejected = [
        offered[step.place].id
        for step in steps
        if not step.selected and step.reasons != (DUPLICATE,)
    ]
    reason = BUDGET_LIMITED if rejected else ALL_SELECTED
    return SeaSelection(
        selected, rejected, walk.used, reason if offered else NOTHING_TO_SELECT, tuple(steps)
    )


def _by_score(candidates: Sequence[Candidate], orders: Sequence[IdOrder]) -> list[int]:
    """Compute places by descending score in the total order, then by id, then as given."""
    scores = np.array([candidate.score for candidate in candidates], np.float32)
    by_score = total_order(scores).tolist()
    return sorted(range(len(candidates)), key=lambda place: (-by_score[place], orders[place]))


class Walk:
    """The caps of a walk, and what is used up so far."""

    def __init__(self, max_tokens: int, max_records: int, per_cluster_limit: int) -> None:
        self._max_tokens = max_tokens
        self._max_records = max_records
        self._per_cluster_limit = per_cluster_limit
        self._records = 0
        self._in_cluster = [0] * (LAST_CLUSTER + 1)
        self.used = 0

    def copy(self) -> Walk:
        copied = Walk(self._max_tokens, self._max_records, self._per_cluster_limit)
        copied._records = self._records
        copied._in_cluster = list(self._in_cluster)
        copied.used = self.used
        return copied

    def step(self, place: int, candidate: Candidate) -> Step:
        """Meet `candidate`, which is at `place` of the caller's order, and take it if it fits."""
        reasons, excepted = self._failures(candidate)
        if reasons:
            return Step(place, selected=False, reasons=reasons)
        self.used = self._used_with(candidate)
        self._records += 1
        self._in_cluster[min(candidate.cluster, LAST_CLUSTER)] += 1
        return Step(place, selected=True, reasons=(EXCEPTION_USED,) if excepted else ())

    def would_take(self, candidate: Candidate) -> bool:
        """Return whether `step` would select `candidate`; takes nothing."""
        reasons, _ = self._failures(candidate)
        return not reasons

    def _failures(self, candidate: Candidate) -> tuple[tuple[str, ...], bool]:
        """Return every reason to reject `candidate`, and whether the exception lifts its cluster's
        cap."""
        full = self._in_cluster[min(candidate.cluster, LAST_CLUSTER)] >= self._per_cluster_limit
        # `not <` rather than `>=`: NaN lifts the cap too, as in the original
        excepted = full and not np.float32(candidate.score) < EXCEPTION_SCORE
        failures = (
            (CLUSTER_CAP, full and not excepted),
            (RECORD_CAP, self._records >= self._max_records),
            (TOKEN_BUDGET, self._used_with(candidate) > self._max_tokens),
        )
        return tuple(reason for reason, holds in failures if holds), excepted

    def _used_with(self, candidate: Candidate) -> int:
        # the original's sum saturates in unsigned 64 bits
        return min(self.used + candidate.tokens, LARGEST_TOKENS)
