"""Who is judged: the point and its controls, each with the grades that were given for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.datasets.split import Part
from harness.errors import Faults, nearest
from harness.points import Point

from .grade import Grade
from .grades import Grades
from .plan import Control, Plan

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
        """Select the pass's questions, in the order of the folder."""
        return tuple(row for row in self.grades.rows() if row.pass_number == self.number)


@dataclass(frozen=True, slots=True)
class Entrant:
    """The point or a control. The first pass of the folder given first is judged; `others` are its
    further passes, which are described and compared with it."""

    point: Point
    judged: Pass
    others: tuple[Pass, ...]
    control: Control | None = None

    @property
    def role(self) -> str:
        return POINT if self.control is None else CONTROL

    @property
    def grades(self) -> Grades:
        """Folder of the judged pass."""
        return self.judged.grades

    @property
    def folders(self) -> tuple[Grades, ...]:
        """Every folder, the judged one first."""
        folders = {entry.grades.sha256: entry.grades for entry in (self.judged, *self.others)}
        return tuple(folders.values())

    @property
    def where(self) -> str:
        """How messages name the grades."""
        return f"{self.grades.folder} ({self})"

    def __str__(self) -> str:
        return f"{self.role} {self.point}"


def gather_entrants(plan: Plan, folders: Sequence[Path], faults: Faults) -> tuple[Entrant, ...]:
    """Gather the point, then the controls in the plan's order, from the given folders and those
    that the plan names. One that has no grades is a fault, and left out."""
    opened = [Grades.open(folder) for folder in dict.fromkeys(folders)]
    for grades in opened:
        if grades.point not in plan.points:
            faults.add(
                f"{grades.folder} has the grades of {grades.point}, which the registration does "
                f"not name{nearest(str(grades.point), map(str, plan.points))}"
            )
        if grades.part == DEV:
            faults.add(
                f"{grades.folder} has grades of dev questions, and a test is judged on its own: "
                "leave it out"
            )
    of_test = [grades for grades in opened if grades.part != DEV]
    entrants = [_entrant(plan.point.spec, None, of_test, faults)]
    entrants += [_entrant(control.spec, control, of_test, faults) for control in plan.controls]
    return tuple(entrant for entrant in entrants if entrant is not None)


def _entrant(
    point: Point, control: Control | None, opened: Sequence[Grades], faults: Faults
) -> Entrant | None:
    name = f"{POINT if control is None else CONTROL} {point}"
    folders = [grades for grades in opened if grades.point == point]
    named = None if control is None or control.grades is None else Path(control.grades)
    if not folders and named is not None and named.exists():
        folders = [Grades.open(named)]
    if not folders:
        where = "" if named is None else f"; the plan names {named}, which is not there"
        faults.add(f"no grades of the {name}{where}: give them with --grades")
        return None
    if len({grades.sha256 for grades in folders}) < len(folders):
        faults.add(f"the same grades of the {name} were given twice")
    pinned = None if control is None else control.grades_sha256
    # the pinned folder is the one that was registered, so it judges wherever it stands
    folders.sort(key=lambda grades: pinned is not None and grades.sha256 != pinned)
    passes = [Pass(grades, number) for grades in folders for number in grades.passes]
    return Entrant(point, passes[0], tuple(passes[1:]), control)
