"""Finding arms: every installed package may offer some under the entry point `harness.arms`."""

from __future__ import annotations

from harness.model import Arm
from harness.registry import Registry

from .external import EXTERNAL


def _fault(loaded: object) -> str:
    return "" if isinstance(loaded, Arm) else f"is {type(loaded).__name__}, not an arm"


ARMS: Registry[Arm] = Registry(
    "harness.arms",
    _fault,
    "arm",
    wanted="a harness.model.Arm",
    reserved={EXTERNAL.name: EXTERNAL},
)


def arm_names() -> list[str]:
    """List the names of all installed arms, in the order of `load_arms`."""
    return [arm.name for arm in load_arms()]


def names_in_points() -> list[str]:
    """List what a point may begin with: every installed arm, and `external`."""
    return [*arm_names(), EXTERNAL.name]


def load_arm(name: str) -> Arm:
    """Load the arm of that name, `external` too; raises `UsageError` with the nearest name."""
    return ARMS.load(name)


def load_arms() -> list[Arm]:
    """Load all installed arms, by their declared place, then by name."""
    return sorted(map(ARMS.load, ARMS.names()), key=lambda arm: (arm.place, arm.name))


def is_arm(name: str) -> bool:
    """Tell whether an arm of that name is installed; none is loaded."""
    return name in ARMS
