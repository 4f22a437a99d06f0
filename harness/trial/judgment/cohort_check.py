"""The judged questions: exactly the registered ones, graded once at the point and every control."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from harness.datasets.split import Part, Split
from harness.errors import Faults
from harness.trial.grades import Grade, Status
from harness.trial.registration import RegisteredCohort, ids_sha256
from harness.trial.registration.pins import excluded_ids

from .entrants import Entrant
from .verdict import JudgedCohort

_NAMED = 10


@dataclass(frozen=True, slots=True)
class Judged:
    """`ids`: the questions that are judged, in code point order; `cohort` counts the others."""

    ids: tuple[str, ...]
    cohort: JudgedCohort


def judged_questions(registered: RegisteredCohort, entrants: Iterable[Entrant]) -> Judged:
    """The test questions less what the plan excludes by rule.

    What the registration could not know (`no-answer-in-evidence` without pinned grades) is excluded
    where the grades of any entrant say so: a question's labels do not depend on the point.
    """
    remaining = dict.fromkeys(registered.test_ids)
    counts: dict[str, int] = {}
    for excluded in registered.excluded:
        found = excluded.question_ids
        names = set(found) if found is not None else set()
        if found is None:
            for entrant in entrants:
                names |= excluded_ids(entrant.grades, excluded.rule)
        gone = [name for name in remaining if name in names]
        counts[excluded.rule.value] = len(gone)
        for name in gone:
            del remaining[name]
    ids = tuple(sorted(remaining))
    cohort = JudgedCohort(len(registered.test_ids), counts, len(ids), ids_sha256(ids))
    return Judged(ids, cohort)


def check_cohort(
    entrant: Entrant, judged: Judged, registered: RegisteredCohort, split: Split, faults: Faults
) -> None:
    """Every judged question graded exactly once in the judged pass, and no question from elsewhere;
    each that is not is named."""
    grades = entrant.grades
    where = f"{grades.folder} ({entrant})"
    if grades.split_sha256 != split.sha256:
        faults.add(
            f"{where}: its grades are of the split with sha256 {grades.split_sha256}, the "
            f"registration's has {split.sha256}"
        )
    if grades.part == Part.DEV.value:
        faults.add(f"{where}: its grades are of the dev part; the test part is judged")
        return
    rows = entrant.judged.rows()
    for problem, ids in _problems(rows, judged, registered, split).items():
        if ids:
            count = f"{len(ids)} question{'s' if len(ids) > 1 else ''}"
            faults.add(f"{where}: {count} {problem}: {named(ids)}")


def named(ids: Sequence[str]) -> str:
    """The first ids, and how many more there are."""
    more = len(ids) - _NAMED
    return ", ".join(ids[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def _problems(
    rows: Sequence[Grade], judged: Judged, registered: RegisteredCohort, split: Split
) -> dict[str, list[str]]:
    """The ids that have each problem, in code point order."""
    wanted = set(judged.ids)
    counted = Counter(row.question_id for row in rows)
    of_status: dict[Status, list[str]] = {status: [] for status in Status}
    for row in rows:
        if row.question_id in wanted:
            of_status[row.status].append(row.question_id)
    there = set(registered.test_ids) | set(split.dev_ids)
    missing = [name for name in judged.ids if name not in counted]
    return {
        "missing": sorted({*missing, *of_status[Status.MISSING]}),
        "graded more than once": sorted(
            {*of_status[Status.DUPLICATE], *(name for name in counted if counted[name] > 1)}
        ),
        "without a usable grade (error)": sorted(set(of_status[Status.ERROR])),
        "excluded by a rule that the registration does not have": sorted(
            set(of_status[Status.EXCLUDED])
        ),
        "that the registration's test part does not have": sorted(set(counted) - there),
    }
