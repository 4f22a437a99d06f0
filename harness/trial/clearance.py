"""What must be there before test questions are graded: a registration that git shows to be older,
or the word that they are exploratory."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from harness.datasets.split import Split
from harness.errors import InputError, UsageError
from harness.points import Point
from harness.storage.git import ask_git, hidden_history

from .grade import Clearance, RegistrationReference
from .registration import Registration

_CHOICES = "Use --part dev, or --registration FILE (committed in git)"
_OTHERWISE = "or give --exploratory"
_OR_EXPLORATORY = "or --exploratory, which stays\n  with the grades and stamps a verdict on them"

NO_CHECKOUT = "it is in no git checkout"


@dataclass(frozen=True, slots=True)
class FirstCommit:
    """`commit`: the first commit, in the history of what is checked out, that has the file.
    `modified`: whether the file now differs from what that commit has."""

    commit: str
    modified: bool


def no_order(path: Path) -> str | None:
    """Say why git cannot show in what order the file came; None where it can.

    A clone that has only a part of the history shows no more than no checkout does.
    """
    if ask_git(path.parent, "rev-parse", "--is-inside-work-tree") != "true":
        return NO_CHECKOUT
    return hidden_history(path.parent)


def committed(path: Path) -> FirstCommit | None:
    """Find the commit that added the file; None outside a git checkout, and for a file that is not
    in the history: ignored, untracked, or only staged.

    A file that was taken away and added again counts from its first commit, so that doing so
    cannot make an edited file an unmodified one.
    """
    path = path.resolve()
    added = ask_git(
        path.parent,
        "log",
        "--full-history",
        "--diff-filter=A",
        "--format=%H",
        "--",
        f"./{path.name}",
    )
    if not added:
        return None
    first = added.splitlines()[-1]
    then = ask_git(path.parent, "rev-parse", "--verify", f"{first}:./{path.name}")
    now = ask_git(path.parent, "hash-object", f"./{path.name}")
    return FirstCommit(first, modified=then is None or then != now)


def cleared(
    part: str,
    point: Point,
    split: Split,
    *,
    registration: Path | None,
    exploratory: bool | None,
) -> Clearance:
    """Clear grades of that part, or answers; `exploratory` is None where there is no such option.

    Raises `UsageError` where test questions have none or the options do not go together, and
    `InputError` for a registration that is damaged, is of another point or split, is not committed,
    or was changed since.
    """
    if registration is not None and exploratory:
        raise UsageError("--registration and --exploratory exclude each other", "Use one of them.")
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
            f"--part {part} holds test questions, which need a registration",
            _hint(_CHOICES, _OR_EXPLORATORY, exploratory),
        )
    return Clearance(_reference(registration, point, split, exploratory))


def _hint(choices: str, other: str, exploratory: bool | None) -> str:
    """Return what to do, with the way out of `exploratory` where there is that option."""
    return f"{choices}." if exploratory is None else f"{choices}, {other}."


def _reference(
    path: Path, point: Point, split: Split, exploratory: bool | None
) -> RegistrationReference:
    registered = Registration.read(path)
    plan = registered.plan
    if point not in plan.points:
        raise InputError(
            f"{path} registers {', '.join(map(str, plan.points))}, not {point}",
            _hint("Use a point that it names", _OTHERWISE, exploratory),
        )
    if plan.split.sha256 != split.sha256:
        raise InputError(
            f"{path} registers another split (sha256 {plan.split.sha256}, this one has "
            f"{split.sha256})",
            f"Use --split {plan.split.file}",
        )
    return RegistrationReference(path.as_posix(), registered.sha256, _commit_of(path, exploratory))


def _commit_of(path: Path, exploratory: bool | None) -> str | None:
    """Find the commit that added the registration, which must be unchanged since.

    None where git cannot show an order of acts; a verdict says so.
    """
    if no_order(path) is not None:
        return None
    commitment = committed(path)
    if commitment is None:
        raise InputError(
            f"{path} is not committed in git",
            _hint(
                f"Commit it before any test grade exists: git add {path} && git commit",
                _OTHERWISE,
                exploratory,
            ),
        )
    if commitment.modified:
        raise InputError(
            f"{path} was changed after commit {commitment.commit[:12]}, which added it",
            _hint("Register again under another name", _OTHERWISE, exploratory),
        )
    return commitment.commit
