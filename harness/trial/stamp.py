"""What a verdict is stamped with, decided before an outcome is read and fixed by the opening."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from .checks import CONTEXTS_EXTERNAL, Preparation, run_rows
from .entrants import Entrant
from .exposure import Exposure, lost, of_openings, of_verdict, same_policy
from .history import openings_elsewhere, verdicts_in_checkout
from .ledger import Opening, OpeningLine
from .verdict import (
    CONFIRMATORY,
    DEMONSTRATION,
    EXPLORATORY,
    REGISTERED,
    REGISTERED_EXTERNAL,
)

RUN_NOT_FIXED = (
    "what the opening fixed: its line is of the ledger's first version, which names no contexts "
    "and no run"
)
_DEMONSTRATED = "the bundled sample was graded without a reader, to show how a verdict is made"


def stamped(
    prepared: Preparation,
    request: OpeningLine,
    openings: Sequence[Opening],
    resumed: Opening | None = None,
) -> OpeningLine:
    """Return the line with its stamp. `openings` are the ledger's; `resumed` is the one of them
    that has no stamp yet, since its line is of the first version."""
    if prepared.inputs.demonstration:
        return replace(request, stamp=DEMONSTRATION, stamp_reasons=(_DEMONSTRATED,))
    inputs = prepared.inputs
    elsewhere = openings_elsewhere(inputs.ledger, inputs.registration)
    elsewhere = [other for other in elsewhere if other.line_sha256 not in _lines_of(openings)]
    before = [other for other in openings if resumed is None or other.number < resumed.number]
    beside = inputs.ledger.parent / str(request.verdict)
    verdicts = list(verdicts_in_checkout(inputs.ledger, inputs.registration, beside))
    shown = of_openings([*before, *elsewhere], verdicts)
    gone = list(lost([*openings, *elsewhere], verdicts))
    shown += [of_verdict(file) for file in gone]
    reasons = [*prepared.order.exploratory, *_seen(prepared, shown)]
    unchecked = [*prepared.not_checked, *(() if resumed is None else (RUN_NOT_FIXED,))]
    unchecked += [
        f"the history of the ledger: no ledger has the line that {file.path.name} names"
        for file in gone
    ]
    unchecked = list(dict.fromkeys(unchecked))
    return replace(
        request,
        stamp=_stamp(reasons, unchecked),
        not_checked=tuple(unchecked),
        stamp_reasons=tuple(dict.fromkeys(reasons)),
        seen_elsewhere=_seen_at_other_points(prepared, shown),
    )


def _stamp(reasons: Sequence[str], not_checked: Sequence[str]) -> str:
    if reasons:
        return EXPLORATORY
    if list(not_checked) == [CONTEXTS_EXTERNAL]:
        return REGISTERED_EXTERNAL
    return REGISTERED if not_checked else CONFIRMATORY


def _lines_of(openings: Iterable[Opening]) -> set[str]:
    return {opening.line_sha256 for opening in openings}


def _seen(prepared: Preparation, shown: Sequence[Exposure]) -> Iterator[str]:
    """Yield where answers of the point or of a control were opened before: whoever registered then
    could know them. Pinned controls may have been seen."""
    for entrant in prepared.entrants:
        if _is_pinned(entrant):
            continue
        for exposure in shown:
            questions = exposure.seen(
                prepared.plan.dataset.sha256, prepared.judged.ids, entrant.point
            )
            if questions:
                yield (
                    f"the answers of the {entrant} were opened before, for {exposure.where}: "
                    f"{questions} of the {len(prepared.judged.ids)} judged questions"
                )


def _is_pinned(entrant: Entrant) -> bool:
    return entrant.control is not None and entrant.control.grades_sha256 is not None


def _seen_at_other_points(prepared: Preparation, shown: Sequence[Exposure]) -> int | None:
    """Count the judged questions whose context at the point is that of another point whose answers
    were opened before; None without a run that has the point."""
    run, rows = prepared.run, prepared.rows.get(prepared.plan.point.spec)
    if run is None or rows is None:
        return None
    seen: set[str] = set()
    for point in run.points:
        if same_policy(prepared.plan.point.spec, point):
            continue
        for exposure in shown:
            if not any(same_policy(point, other) for other in exposure.points):
                continue
            others = run_rows(run, point) or {}
            asked = exposure.of_questions(prepared.plan.dataset.sha256, prepared.judged.ids)
            seen |= {
                name
                for name in asked
                if name in others
                and name in rows
                and others[name].context_sha256 == rows[name].context_sha256
            }
    return len(seen)
