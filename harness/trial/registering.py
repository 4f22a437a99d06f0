"""Making a registration of a plan: everything that it depends on is pinned."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from harness.datasets.register import Register
from harness.errors import Faults, UsageError
from harness.storage.hashing import sha256_of_file
from harness.words import counted

from .choice import Choice
from .development import DevOutcomes, read_dev_grades
from .grades import Grades
from .pins import excluded_ids, recorded_path
from .plan import Plan
from .plan_file import read_plan
from .plan_warnings import plan_warnings
from .power import planned_power
from .registration import (
    FIRST_SCHEMA,
    SCHEMA,
    Development,
    PinnedFile,
    RegisteredQuestions,
    Registration,
)


def accepted_registration(
    plan_path: Path,
    register: Register,
    *,
    dev_grades: Sequence[Path] = (),
    choice: Path | None = None,
    accept: Collection[str] = (),
) -> Registration:
    """Make the registration of the plan as `prepare_registration` does, with the warnings of which
    the names are in `accept`; `UsageError` has every other one."""
    registration, grades = _prepared(plan_path, register, dev_grades, choice)
    found = plan_warnings(registration, grades)
    left = {warning: found[warning] for warning in found if warning.value not in accept}
    if left:
        lines = [f"  {warning.value}: {line}" for warning in left for line in left[warning]]
        options = " ".join(f"--accept-warning {warning.value}" for warning in left)
        raise UsageError(
            "\n".join([f"{plan_path}: {counted(len(lines), 'warning')}", *lines]),
            f"Change the plan, or accept what is meant, which the registration records: {options}",
        )
    if not found:
        return registration
    names = tuple(warning.value for warning in found)
    return replace(registration, accepted_warnings=names)


def prepare_registration(
    plan_path: Path,
    register: Register,
    *,
    dev_grades: Sequence[Path] = (),
    choice: Path | None = None,
) -> Registration:
    """Make the registration of the plan, whatever it is warned of; no outcome of a test question is
    read.

    `dev_grades`: folders of grades of the plan's points on the dev part. `choice`: the file that
    `harness choose --out` wrote. Raises `InputError` naming every fault of the plan by its key, and
    `UsageError` for an absolute path.
    """
    return _prepared(plan_path, register, dev_grades, choice)[0]


def _prepared(
    plan_path: Path, register: Register, dev_grades: Sequence[Path], choice: Path | None
) -> tuple[Registration, Mapping[str, Grades]]:
    """Return the registration, and the pinned grades by folder."""
    checked = read_plan(plan_path, register)
    plan = checked.plan
    outcomes = read_dev_grades(dev_grades, plan)
    chosen = None if choice is None else _choice(choice, plan)
    # what a rule excludes is taken from ids, or from the controls' grades
    known = {
        rule: frozenset().union(*(excluded_ids(grades, rule) for grades in checked.grades.values()))
        for rule in plan.cohort.exclude
        if checked.grades
    }
    questions = RegisteredQuestions.of(checked.test_ids, plan.cohort.exclude, known)
    if not questions.cohort.ids:
        raise UsageError(
            f"{plan_path}: cohort.exclude leaves none of the {questions.test_questions} test "
            "questions",
            "Exclude less.",
        )
    registration = Registration(
        schema=SCHEMA if plan.is_corrected else FIRST_SCHEMA,
        plan_file=PinnedFile(recorded_path(plan_path), checked.sha256),
        plan=plan,
        pinned=_pinned(plan, outcomes.values(), choice),
        cohort=questions,
        development=Development(
            questions=len(checked.split.dev),
            grades=tuple(graded.grades for graded in outcomes.values()),
            choice=chosen,
        ),
        power=planned_power(plan, questions, outcomes),
    )
    return registration, checked.grades


def _choice(path: Path, plan: Plan) -> Choice:
    """Read the choice that led to the plan's point."""
    choice = Choice.read(path)
    faults = Faults()
    chosen = next(row for row in choice.table if row.point == choice.chosen)
    if str(plan.point.spec) not in (chosen.point, *chosen.aliases):
        faults.add(f"it chose {choice.chosen}, the plan's point.spec is {plan.point.spec}")
    if plan.split.sha256 not in choice.splits:
        made_on = " and ".join(sorted(choice.splits))
        faults.add(f"it was made on the split of sha256 {made_on}, not on the plan's")
    faults.raise_if_any(str(path), "Register the point that was chosen, or choose again.")
    return choice


def _pinned(
    plan: Plan, outcomes: Iterable[DevOutcomes], choice: Path | None
) -> tuple[PinnedFile, ...]:
    """Return every file and folder that was named, once each, in the order in which they are
    named."""
    pinned = {plan.split.file: plan.split.sha256}
    for control in plan.controls:
        if control.grades is not None and control.grades_sha256 is not None:
            pinned[control.grades] = control.grades_sha256
    for graded in outcomes:
        pinned[graded.grades.path] = graded.grades.sha256
    if choice is not None:
        pinned[recorded_path(choice)] = sha256_of_file(choice)
    return tuple(PinnedFile(path, sha256) for path, sha256 in pinned.items())
