"""What must be there before test questions are graded: a committed registration, or the word that
it is exploratory."""

from __future__ import annotations

from pathlib import Path

from harness.datasets.split import Split
from harness.errors import InputError, UsageError
from harness.points import Point

from .commitment import committed, in_checkout
from .grade import Clearance, RegistrationReference

_CHOICES = (
    "Give --part dev, or --registration FILE (committed in git), or --exploratory, which stays\n"
    "  with the grades and stamps a verdict on them."
)


def cleared(
    part: str, point: Point, split: Split, *, registration: Path | None, exploratory: bool
) -> Clearance:
    """The clearance of grades of that part.

    Raises `UsageError` where test questions have none or the options do not go together, and
    `InputError` for a registration that is damaged, is of another point or split, is not committed,
    or was changed since.
    """
    if registration is not None and exploratory:
        raise UsageError("--registration and --exploratory exclude each other", "Give one of them.")
    if part == "dev":
        if registration is not None or exploratory:
            option = "--exploratory" if exploratory else "--registration"
            raise UsageError(
                f"{option} is about test questions, and --part dev has none", "Leave it out."
            )
        return Clearance()
    if exploratory:
        return Clearance(exploratory=True)
    if registration is None:
        raise UsageError(
            f"--part {part} holds test questions, which are graded under a registration", _CHOICES
        )
    return Clearance(_reference(registration, point, split))


def _reference(path: Path, point: Point, split: Split) -> RegistrationReference:
    from harness.trial.registration import Registration

    registered = Registration.read(path)
    plan = registered.plan
    points = [plan.point, *(control.spec for control in plan.controls)]
    if str(point) not in points:
        raise InputError(
            f"{path} registers {', '.join(points)}, not {point}",
            "Grade a point that it names, or give --exploratory.",
        )
    if plan.split.sha256 != split.sha256:
        raise InputError(
            f"{path} registers another split (sha256 {plan.split.sha256}, this one has "
            f"{split.sha256})",
            f"Give --split {plan.split.file}",
        )
    return RegistrationReference(path.as_posix(), registered.sha256, _commit_of(path))


def _commit_of(path: Path) -> str | None:
    """The commit that added the registration, which must be unchanged since.

    None outside a git checkout, where no order of acts can be shown; a verdict says so.
    """
    if not in_checkout(path):
        return None
    commitment = committed(path)
    if commitment is None:
        raise InputError(
            f"{path} is not committed in git",
            f"Commit it before the test grades are there: git add {path} && git commit; or give "
            "--exploratory.",
        )
    if commitment.modified:
        raise InputError(
            f"{path} was changed after commit {commitment.commit[:12]}, which added it",
            "Register anew under another name, or give --exploratory.",
        )
    return commitment.commit
