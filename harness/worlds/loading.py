"""Loading a world to work with it: one that is not what it says is refused."""

from __future__ import annotations

from pathlib import Path

from harness.errors import Faults, InputError

from .identity import CheckResult, identity_checks
from .lint import findings
from .model import World
from .opening import open_world


def load_world(folder: Path, *, bodies: bool = True) -> World:
    """Load the world in `folder`.

    Raises `InputError` naming every fault: in its files, in its quotes and answers, and against the
    hashes that it records; and, where `bodies` are needed, for a world that comes without.
    """
    opened = open_world(folder)
    faults = Faults()
    for check in identity_checks(opened):
        if check.verdict is CheckResult.DIFFERENT:
            faults.add(f"{check.what}: {check.detail}")
    for finding in findings(opened):
        faults.add(finding)
    faults.raise_if_any(str(folder), f"All of it: harness world verify {folder}")
    if bodies:
        require_bodies(opened.world)
    return opened.world


def require_bodies(world: World) -> None:
    """Raise `InputError` for a world without its documents."""
    if world.documents is None:
        raise InputError(
            f"{world.folder} holds no document bodies: the archive that its manifest names is not "
            "beside it",
            "Put the archive there, or use a world with bodies.",
        )
