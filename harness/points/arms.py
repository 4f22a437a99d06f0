"""Finding arms: every installed package may offer some under the entry point `harness.arms`."""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points

from harness.errors import HarnessError, UsageError, nearest
from harness.model import Arm

from .external import EXTERNAL

ENTRY_POINT_GROUP = "harness.arms"


def arm_names() -> list[str]:
    """Names of all installed arms, in the order of `load_arms`."""
    return [arm.name for arm in load_arms()]


def names_in_points() -> list[str]:
    """What a point may begin with: every installed arm, and `external`."""
    return [*arm_names(), EXTERNAL.name]


def load_arm(name: str) -> Arm:
    """The arm of that name, `external` too; raises `UsageError` with the nearest name."""
    if name == EXTERNAL.name:
        return EXTERNAL
    entry = _entries().get(name)
    if entry is None:
        known = arm_names()
        raise UsageError(
            f"no arm {name!r}{nearest(name, known)}", f"Arms: {', '.join(known)} (harness arms)."
        )
    return _loaded(name)


def load_arms() -> list[Arm]:
    """All installed arms, by their declared place, then by name."""
    return sorted(map(_loaded, _entries()), key=lambda arm: (arm.place, arm.name))


def is_arm(name: str) -> bool:
    """Whether an arm of that name is installed; none is loaded."""
    return name in _entries()


@cache
def _entries() -> dict[str, EntryPoint]:
    found: dict[str, EntryPoint] = {}
    for entry in entry_points(group=ENTRY_POINT_GROUP):
        if entry.name == EXTERNAL.name:
            raise HarnessError(
                f"the arm {entry.name!r} of {entry.value} has the name of recorded answers",
                "Uninstall its package, or have it rename its arm.",
            )
        other = found.get(entry.name)
        if other is not None and other.value != entry.value:
            raise HarnessError(
                f"two installed packages offer the arm {entry.name!r}: "
                f"{other.value} and {entry.value}",
                "Uninstall one of them, or have it rename its arm.",
            )
        found[entry.name] = entry
    return found


@cache
def _loaded(name: str) -> Arm:
    entry = _entries()[name]
    try:
        arm = entry.load()
    except (ImportError, AttributeError) as error:
        raise HarnessError(
            f"the arm {name!r} cannot be loaded from {entry.value}: {error}",
            "Reinstall the package that offers it.",
        ) from error
    if not isinstance(arm, Arm):
        raise HarnessError(f"{entry.value} is no harness.model.Arm", "Mend the entry point.")
    if arm.name != name:
        raise HarnessError(
            f"{entry.value} is named {arm.name!r}, but its entry point says {name!r}",
            "Give both the same name.",
        )
    return arm
