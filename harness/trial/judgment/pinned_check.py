"""Whether the files that a registration pins are still what they were."""

from __future__ import annotations

from pathlib import Path

from harness.datasets.split import Split, read_split
from harness.errors import Faults, InputError
from harness.storage.hashing import sha256_of_file
from harness.trial.grades import Grades
from harness.trial.registration import Plan, Registration


def registered_split(plan: Plan, faults: Faults) -> Split | None:
    """The split that was registered; one that is missing or other is a fault."""
    try:
        split = read_split(Path(plan.split.file))
    except InputError as error:
        faults.add(
            f"the registered split: {error.message}; paths are relative to the directory "
            "in which the plan was registered, so run judge there"
        )
        return None
    if split.sha256 != plan.split.sha256:
        faults.add(_differs(plan.split.file, str(split.sha256), plan.split.sha256))
        return None
    return split


def check_pinned(registration: Registration, faults: Faults, notes: list[str]) -> None:
    """Every other pinned file and folder that is there. One that is not is noted: dev grades need
    not be kept, and a control's grades may be given from elsewhere, by the same hash."""
    plan = registration.plan
    controls = {control.grades for control in plan.controls}
    for pinned in registration.pinned:
        path = Path(pinned.path)
        if pinned.path == plan.split.file or pinned.path in controls:
            continue
        if not path.exists():
            notes.append(f"{pinned.path}, which the registration pins, is not here to be checked.")
            continue
        found = Grades.open(path).sha256 if path.is_dir() else sha256_of_file(path)
        if found != pinned.sha256:
            faults.add(_differs(pinned.path, found, pinned.sha256))


def plan_departure(registration: Registration) -> str | None:
    """What to say of a plan file that was edited after it was registered."""
    pinned = registration.plan_file
    path = Path(pinned.path)
    if not path.is_file() or sha256_of_file(path) == pinned.sha256:
        return None
    return (
        f"The plan {pinned.path} was edited after it was registered. The registration was judged "
        "as it stands."
    )


def _differs(path: str, found: str, wanted: str) -> str:
    return f"{path}: sha256 is {found}, the registration pins {wanted}"
