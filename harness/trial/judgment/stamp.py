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


def stamp_of(
    prepared: Prepared, opening: Opening, before: Sequence[Opening], elsewhere: Sequence[Opening]
) -> Stamp:
    """The stamp of what was prepared and opened.

    `before` are the earlier openings of this ledger, `elsewhere` those of others.
    """
    read = _read_before(prepared, opening, before, elsewhere)
    reasons = [*prepared.order.exploratory, *read]
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


def _read_before(
    prepared: Prepared, opening: Opening, before: Sequence[Opening], elsewhere: Sequence[Opening]
) -> list[str]:
    """Where the point's answers were read already: whoever registered then could know them.

    Openings of this registration that this ledger knows are repeats and have their own stamp.
    """
    repeats = openings_of(before, opening.asked)
    spec = prepared.point.spec
    sources = set(opening.asked.sources[spec])
    found = [
        f"the answers of the {prepared.point} were opened before, for "
        f"{other.asked.registration} (sha256 {other.asked.registration_sha256[:12]}…)"
        for other in [*(known for known in before if known not in repeats), *elsewhere]
        if sources & set(other.asked.sources.get(spec, ()))
    ]
    return list(dict.fromkeys(found))
