"""The sections of a registration's page on development and on the test."""

from __future__ import annotations

from collections.abc import Iterator

from harness.trial.choice import Choice
from harness.trial.plan import Plan
from harness.trial.registration import Registration
from harness.words import code

from .markdown import Table

MEASURES = {
    "context_tokens": "tokens of the context text alone, `cl100k_base`",
    "prompt_tokens_api": "tokens of the reader's whole prompt, as its API reported them",
    "prompt_tokens_estimated": "tokens of the reader's whole prompt, estimated",
}
"""What each measure of cost is, a question."""


def development_lines(registration: Registration) -> Iterator[str]:
    """The dev questions, the grades on them, and how the point was chosen."""
    development = registration.development
    yield (
        f"The split has {development.questions:,} dev questions. Nothing in this section looks at "
        "a test question."
    )
    if development.grades:
        rows = [
            (
                code(grades.point),
                code(grades.path),
                f"{grades.correct:,} of {grades.graded:,}",
                f"{100 * grades.correct / grades.graded:.2f}" if grades.graded else "–",
            )
            for grades in development.grades
        ]
        yield str(Table(("point", "dev grades", "right", "accuracy %"), tuple(rows), left=2))
    else:
        yield "No dev grades were given."
    if development.choice is None:
        yield "How the point was chosen was not recorded."
    else:
        yield from _choice_lines(development.choice)


def _choice_lines(choice: Choice) -> Iterator[str]:
    yield (
        f"The point was chosen on {choice.questions:,} dev questions by the rule "
        f"{code(choice.rule)}: {choice.sentence}. It chose {code(choice.chosen)} from these:"
    )
    headings = ["point", f"mean {choice.cost}"]
    headings += ["distance"] if choice.to is not None else ["affordable"]
    headings += [choice.metric] if choice.metric is not None else []
    rows = []
    for row in choice.table:
        name = code(row.point)
        cells = [f"**{name}**" if row.point == choice.chosen else name, f"{row.mean_cost:,.1f}"]
        cells.append(f"{row.distance:,.1f}" if row.distance is not None else _yes(row.affordable))
        if choice.metric is not None:
            cells.append("–" if row.metric is None else f"{row.metric:.4f}")
        rows.append(tuple(cells))
    yield str(Table(tuple(headings), tuple(rows)))
    yield f"Run: {code(choice.run_sha256)}."


def judged_lines(registration: Registration) -> Iterator[str]:
    """What is judged: data, cohort, points, models, measures, and what was seen of it before."""
    plan = registration.plan
    yield "\n".join(
        [
            f"- Dataset {code(plan.dataset.name)}, sha256 {code(plan.dataset.sha256)}",
            f"- Split {code(plan.split.file)}, sha256 {code(plan.split.sha256)}",
            f"- {_cohort(registration)}",
            f"- Recording {_pinned(plan.recording.sha256)}",
            f"- Reader {_pinned(plan.reader.model)}; judge {_pinned(plan.judge.model)}",
        ]
    )
    yield _points(plan)
    yield _seen(plan)
    yield from _measures(plan)


def _cohort(registration: Registration) -> str:
    cohort = registration.cohort
    words = f"The test part, {len(cohort.test_ids):,} questions (ids sha256 {code(cohort.sha256)})"
    if not cohort.excluded:
        return f"{words}, none excluded"
    left = ", ".join(
        f"{code(excluded.rule.value)} "
        + ("not known before the grades" if excluded.count is None else f"{excluded.count:,}")
        for excluded in cohort.excluded
    )
    judged = f": {cohort.judged_questions:,} are judged" if cohort.is_exact else ""
    return f"{words}; excluded by rule: {left}{judged}"


def _points(plan: Plan) -> str:
    rows = [(code(plan.point.spec), "point", "given to `judge`", "–")]
    for control in plan.controls:
        if control.grades is None:
            rows.append((code(control.spec), "control", "given to `judge`", "–"))
        else:
            pin = code(control.grades_sha256)
            rows.append((code(control.spec), "control", code(control.grades), pin))
    return str(Table(("point", "role", "grades", "sha256"), tuple(rows), left=4))


def _seen(plan: Plan) -> str:
    older = [code(control.spec) for control in plan.controls if control.grades is not None]
    if not older:
        return "No test grades were there when this was registered, as far as the plan says."
    return (
        f"Seen of the test questions before: the grades of {', '.join(older)} were there when this "
        "was registered. They are pinned by hash and are not answered again."
    )


def _measures(plan: Plan) -> Iterator[str]:
    named = {rule.cost.measure for rule in plan.rules if rule.cost is not None}
    if plan.same_cost is not None:
        named.add(plan.same_cost.measure)
        share = f"{100 * float(plan.same_cost.tolerance):g} %"
        yield (
            f"Same cost: the point's mean {code(plan.same_cost.measure)} within {share} of a "
            "control's."
        )
    yield (
        "Accuracy: the share of the judged questions that were answered right, in the first pass."
    )
    for measure in sorted(named):
        yield f"{code(measure)}: {MEASURES[measure]}, mean over the judged questions."


def _pinned(text: str | None) -> str:
    return "not pinned" if text is None else code(text)


def _yes(value: bool | None) -> str:
    return "yes" if value else "no"
