"""The least score at which the walk would have selected a rejected candidate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from .identifier import id_order
from .selection import DUPLICATE, EXCEPTION_SCORE, Candidate, Walk, select
from .single import in_total_order, total_order

_LEAST, _EXCEPTION, _LARGEST = total_order(np.array([0, EXCEPTION_SCORE, 1], np.float32)).tolist()


def admitting_scores(
    candidates: Iterable[Candidate], *, max_tokens: int, max_records: int, per_cluster_limit: int
) -> list[float | None]:
    """Return, for each candidate, in the order of the walk of `select`, the least float32 from 0 to
    1 that would have got it in, the others unchanged; any higher one does too.

    None for one that was selected, and where no such score would do. None also for a duplicate: it
    is its first hit once more, whose score it would have.
    """
    offered = list(candidates)
    choice = select(
        offered,
        max_tokens=max_tokens,
        max_records=max_records,
        per_cluster_limit=per_cluster_limit,
    )
    walk = Walk(max_tokens, max_records, per_cluster_limit)
    before: list[_Selected] = []
    scores: list[float | None] = []
    for step in choice.walk:
        if step.selected:
            before.append(_Selected(step.place, walk.copy()))
            walk.step(step.place, offered[step.place])
        refused = not step.selected and step.reasons != (DUPLICATE,)
        scores.append(_least(offered, step.place, before, walk) if refused else None)
    return scores


@dataclass(frozen=True, slots=True)
class _Selected:
    """The place of a selected candidate in the caller's order, and the walk that met it."""

    place: int
    walk: Walk


def _least(
    offered: Sequence[Candidate], place: int, before: Sequence[_Selected], walk: Walk
) -> float | None:
    """Return the least score that gets in the candidate at `place`, which `walk` met after those
    selected `before` it.

    A candidate that is rejected uses nothing up, so only to come before a selected one changes what
    is used up.
    """
    candidate = offered[place]
    enough = [
        score
        for score, met in _met(offered, place, before, walk)
        if score <= _LARGEST and met.would_take(replace(candidate, score=in_total_order(score)))
    ]
    return float(in_total_order(min(enough))) if enough else None


def _met(
    offered: Sequence[Candidate], place: int, before: Sequence[_Selected], walk: Walk
) -> Iterator[tuple[int, Walk]]:
    """Yield scores, as places in the total order, each with a walk that the candidate would then
    meet, or one in which more is used up.

    Each walk is there twice: with the least score that meets it, and with the least that also lifts
    the cluster cap.
    """
    yield _EXCEPTION, walk
    for other in before:
        score = max(_score_before(offered, place, other.place), _LEAST)
        yield score, other.walk
        yield max(score, _EXCEPTION), other.walk


def _score_before(offered: Sequence[Candidate], place: int, other: int) -> int:
    """Compute the least score with which the candidate at `place` is met before that at `other`."""
    (score,) = total_order(np.array([offered[other].score], np.float32)).tolist()
    wins_ties = (id_order(offered[place].id), place) < (id_order(offered[other].id), other)
    return int(score) + (not wins_ties)
