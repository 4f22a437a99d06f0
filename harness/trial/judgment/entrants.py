"""Who is judged: the point and its controls, each with the grades that were given for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.datasets.split import Part
from harness.errors import Faults, nearest
from harness.trial.grades import Grade, Grades
from harness.trial.registration import Plan
from harness.trial.registration.plan import Control

POINT = "point"
CONTROL = "control"
DEV = Part.DEV.value


@dataclass(frozen=True, slots=True)
class Pass:
    """One pass of one folder of grades."""

    grades: Grades
    number: int

    @property
    def name(self) -> str:
        return f"pass {self.number} of {self.grades.folder.name}"

    def rows(self) -> tuple[Grade, ...]:
        """The pass's questions, in the order of the folder."""
        return tuple(row for row in self.grades.rows() if row.pass_number == self.number)


@dataclass(frozen=True, slots=True)
class Entrant:
    """The point or a control. The first pass of the folder given first is judged; `others` are its
    further passes, which are described and compared with it."""

    spec: str
    role: str
    judged: Pass
    others: tuple[Pass, ...]
    control: Control | None = None

    @property
    def grades(self) -> Grades:
        """The folder of the judged pass."""
        return self.judged.grades

    @property
    def folders(self) -> tuple[Grades, ...]:
        """Every folder, the judged one first."""
        found = {entry.grades.sha256: entry.grades for entry in (self.judged, *self.others)}
        return tuple(found.values())

    def __str__(self) -> str:
        return f"{self.role} {self.spec}"


def gather_entrants(plan: Plan, folders: Sequence[Path], faults: Faults) -> tuple[Entrant, ...]:
    """The point, then the controls in the plan's order, from the given folders and those that the
    plan names. One that has no grades is a fault, and left out."""
    given = [Grades.open(folder) for folder in dict.fromkeys(folders)]
    wanted = [plan.point, *(control.spec for control in plan.controls)]
    for grades in given:
        if str(grades.point) not in wanted:
            faults.add(
                f"{grades.folder} has the grades of {grades.point}, which the registration does "
                f"not name{nearest(str(grades.point), wanted)}"
            )
        if grades.part == DEV:
            faults.add(
                f"{grades.folder} has grades of dev questions, and a test is judged on its own: "
                "leave it out"
            )
    given = [grades for grades in given if grades.part != DEV]
    entrants = [_entrant(plan.point, POINT, None, given, faults)]
    entrants += [
        _entrant(control.spec, CONTROL, control, given, faults) for control in plan.controls
    ]
    return tuple(entrant for entrant in entrants if entrant is not None)


def _entrant(
    spec: str, role: str, control: Control | None, given: Sequence[Grades], faults: Faults
) -> Entrant | None:
    folders = [grades for grades in given if str(grades.point) == spec]
    named = None if control is None or control.grades is None else Path(control.grades)
    if not folders and named is not None and named.exists():
        folders = [Grades.open(named)]
    if not folders:
        where = "" if named is None else f"; the plan names {named}, which is not there"
        faults.add(f"no grades of the {role} {spec}{where}: give them with --grades")
        return None
    repeated = {grades.sha256 for grades in folders}
    if len(repeated) < len(folders):
        faults.add(f"the same grades of the {role} {spec} were given twice")
    pinned = None if control is None else control.grades_sha256
    # the pinned folder is the one that was registered, so it judges wherever it stands
    folders.sort(key=lambda grades: pinned is not None and grades.sha256 != pinned)
    passes = [Pass(grades, number) for grades in folders for number in grades.passes]
    return Entrant(spec, role, passes[0], tuple(passes[1:]), control)
