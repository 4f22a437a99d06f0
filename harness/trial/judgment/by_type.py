"""A comparison by question type. Descriptive: no rule is applied to a part of the questions."""

from __future__ import annotations

from collections.abc import Mapping

from .outcomes import EntrantOutcomes, counts_of
from .verdict import TypeRow


def type_rows(
    point: EntrantOutcomes,
    control: EntrantOutcomes,
    pairs: Mapping[str, int],
    types: Mapping[str, str | None] | None,
) -> tuple[TypeRow, ...]:
    """One row a type, by name, questions without one last; none where types are not known."""
    if types is None:
        return ()
    names = sorted({types[name] for name in pairs}, key=lambda name: (name is None, name or ""))
    return tuple(_row(name, point, control, pairs, types) for name in names)


def _row(
    name: str | None,
    point: EntrantOutcomes,
    control: EntrantOutcomes,
    pairs: Mapping[str, int],
    types: Mapping[str, str | None],
) -> TypeRow:
    members = [question for question in pairs if types[question] == name]
    counts = counts_of({question: pairs[question] for question in members})
    return TypeRow(
        question_type=name,
        n=counts.n,
        wins=counts.wins,
        losses=counts.losses,
        ties=counts.ties,
        accuracy=sum(point.correct[question] for question in members) / counts.n,
        control_accuracy=sum(control.correct[question] for question in members) / counts.n,
        difference=float(counts.difference),
    )
