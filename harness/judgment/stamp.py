"""What a verdict is stamped with: `confirmatory`, or what keeps it from being that, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .ledger import Opening, openings_of
from .preparation import Prepared
from .verdict import CONFIRMATORY, EXPLORATORY, ORDER_NOT_SHOWN, REPEAT


@dataclass(frozen=True, slots=True)
class Stamp:
    """The stamp and its reasons, which a confirmatory verdict has none of."""

    text: str
    reasons: tuple[str, ...]


def stamp_of(prepared: Prepared, opening: Opening) -> Stamp:
    """The stamp of what was prepared and opened."""
    reasons = list(prepared.order.exploratory)
    stamps = [EXPLORATORY] if reasons else []
    if not prepared.order.shown:
        stamps.append(ORDER_NOT_SHOWN)
        reasons.append(prepared.order.committed.statement)
    if opening.repeat is not None:
        stamps.append(REPEAT)
        reasons.append(
            f"the test was judged before by this registration; why again: {opening.repeat}"
        )
    return Stamp(", ".join(stamps) or CONFIRMATORY, tuple(reasons))


def read_before(prepared: Prepared, opening: Opening, before: Sequence[Opening]) -> list[str]:
    """What to say where the point's answers were read for another registration: which came first,
    that opening or this registration, is not in the ledger."""
    same = openings_of(before, opening.asked)
    spec = prepared.point.spec
    sources = set(opening.asked.sources[spec])
    found = [
        f"The answers of the {prepared.point} were opened before, for "
        f"{other.asked.registration}; that this registration came before that was not checked."
        for other in before
        if other not in same and sources & set(other.asked.sources.get(spec, ()))
    ]
    return list(dict.fromkeys(found))
