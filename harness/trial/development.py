"""What the dev questions say of the plan's points: their grades, pair by pair.

Only grades of the dev part are taken, so no outcome of a test question is read here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.datasets.layout import is_abstention
from harness.datasets.split import Part
from harness.errors import Faults, HarnessError
from harness.points import Point
from harness.words import counted

from .grades import Grades
from .pins import excluded_ids, one_line, recorded_path
from .plan import ExclusionRule, Plan
from .registration import DevGrades, DevPairs


@dataclass(frozen=True, slots=True)
class DevOutcomes:
    """The first pass of one point's grades on the dev questions, those left out by rule aside."""

    grades: DevGrades
    correct: Mapping[str, bool]


def read_dev_grades(folders: Sequence[Path], plan: Plan) -> dict[Point, DevOutcomes]:
    """Read the dev outcomes by point; raises `InputError` naming every folder that does not fit."""
    faults = Faults()
    opened: dict[Path, Grades] = {}
    for folder in folders:
        try:
            grades = Grades.open(folder)
        except HarnessError as error:
            faults.add(one_line(error))
            continue
        messages = _faults(grades, plan, [other.point for other in opened.values()])
        for message in messages:
            faults.add(f"{folder}: {message}")
        if not messages:
            opened[folder] = grades
    faults.raise_if_any("--dev-grades", _HINT)
    left_out = _left_out(plan, opened.values())
    outcomes = {
        grades.point: _outcomes(grades, folder, left_out) for folder, grades in opened.items()
    }
    for message in _unequal(list(outcomes.values())):
        faults.add(message)
    faults.raise_if_any("--dev-grades", _HINT)
    return outcomes


_HINT = "Import the grades of dev questions: harness grades import … --part dev"


def dev_pairs(
    outcomes: Mapping[Point, DevOutcomes], point: Point, against: Point
) -> DevPairs | None:
    """Count the pairs of two points; None unless both were graded on dev."""
    if point not in outcomes or against not in outcomes:
        return None
    left, right = outcomes[point].correct, outcomes[against].correct
    wins = sum(left[name] and not right[name] for name in left)
    losses = sum(right[name] and not left[name] for name in left)
    return DevPairs(len(left), wins, losses) if left else None


def _faults(grades: Grades, plan: Plan, earlier: Collection[Point]) -> list[str]:
    messages = []
    if grades.part != Part.DEV.value:
        # their outcomes are not read: they may be of test questions
        messages.append(f"has the grades of part {grades.part!r}, not of dev alone")
    if grades.split_sha256 != plan.split.sha256:
        messages.append(f"is of the split of sha256 {grades.split_sha256}, not of the plan's")
    if grades.point not in plan.points:
        points = ", ".join(map(str, plan.points))
        messages.append(f"is of {grades.point}, which is not a point of the plan ({points})")
    elif grades.point in earlier:
        messages.append(f"is of {grades.point}, which has dev grades already")
    if not grades.counts.complete:
        counts = grades.counts
        lacking = counts.expected - counts.graded - counts.excluded
        messages.append(f"lacks {lacking} of {counted(counts.expected, 'grade')}")
    return messages


def _outcomes(grades: Grades, folder: Path, left_out: Collection[str]) -> DevOutcomes:
    correct = {
        outcome.question_id: outcome.correct
        for outcome in grades.outcomes()
        if outcome.pass_number == grades.passes[0] and outcome.question_id not in left_out
    }
    summary = DevGrades(
        point=str(grades.point),
        path=recorded_path(folder),
        sha256=grades.sha256,
        graded=len(correct),
        correct=sum(correct.values()),
    )
    return DevOutcomes(summary, correct)


def _left_out(plan: Plan, folders: Iterable[Grades]) -> frozenset[str]:
    """Return the dev questions that the plan's rules exclude, by their ids or as any of the grades
    say."""
    left_out: set[str] = set()
    for grades in folders:
        for rule in plan.cohort.exclude:
            left_out |= excluded_ids(grades, rule)
        if ExclusionRule.ABSTENTION in plan.cohort.exclude:
            left_out.update(filter(is_abstention, grades.expected_ids))
    return frozenset(left_out)


def _unequal(points: Sequence[DevOutcomes]) -> list[str]:
    """Describe points that were not graded on the same questions: an error, never a smaller n."""
    messages = []
    for other in points[1:]:
        differing = points[0].correct.keys() ^ other.correct.keys()
        if differing:
            messages.append(
                f"{other.grades.path} and {points[0].grades.path} are not of the same questions: "
                f"{len(differing)} are graded in one alone (the first is {min(differing)!r})"
            )
    return messages
