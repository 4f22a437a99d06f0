"""What a verdict is stamped with, decided before an outcome is read and fixed by the opening."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from .checks import CONTEXTS_EXTERNAL, Preparation, run_rows
from .entrants import Entrant
from .exposure import Exposure, lost, of_openings, of_verdict, opened_contexts, same_policy
from .history import grades_in_checkout, openings_elsewhere, verdicts_in_checkout
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
        seen_elsewhere=_seen_at_other_points(prepared, shown, [*before, *elsewhere]),
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


def _seen_at_other_points(
    prepared: Preparation, shown: Sequence[Exposure], openings: Sequence[Opening]
) -> int | None:
    """Count the judged questions whose context at the point is that of another point whose answers
    were opened before; None where the contexts of the point are not known.

    Contexts of the other points are those of the run, and those that opened grades name which lie
    in the checkout.
    """
    own = _contexts(prepared)
    if not own:
        return None
    point, dataset = prepared.plan.point.spec, prepared.plan.dataset.sha256
    seen: set[str] = set()
    for other in () if prepared.run is None else prepared.run.points:
        exposed = [exposure for exposure in shown if exposure.has(other)]
        if same_policy(point, other) or not exposed or prepared.run is None:
            continue
        rows = run_rows(prepared.run, other) or {}
        asked = frozenset[str]().union(
            *(exposure.of_questions(dataset, own.keys()) for exposure in exposed)
        )
        seen |= {name for name in asked & rows.keys() if rows[name].context_sha256 == own[name]}
    for grades in grades_in_checkout(prepared.inputs.ledger):
        if not same_policy(point, grades.point):
            opened = opened_contexts(grades, openings, dataset)
            seen |= {name for name, context in opened if own.get(name) == context}
    return len(seen)


def _contexts(prepared: Preparation) -> dict[str, str]:
    """Return the context of each judged question at the point: that of the run, else the one that
    the grades name."""
    rows = prepared.rows.get(prepared.plan.point.spec)
    if rows is not None:
        return {name: rows[name].context_sha256 for name in prepared.judged.ids if name in rows}
    named = {row.question_id: row.context_sha256 for row in prepared.entrants[0].judged.rows()}
    return {name: known for name in prepared.judged.ids if (known := named.get(name)) is not None}
