"""Finding arms: every installed package may offer some under the entry point `harness.arms`."""

from __future__ import annotations

from collections.abc import Iterator

from harness.errors import listed
from harness.model import KINDS, Arm, Parameter, ParameterError, Roles, Signal
from harness.registry import Registry

from .external import EXTERNAL


def _fault(loaded: object) -> str:
    """Say what keeps an object from being used as an arm, down to its default points."""
    if not isinstance(loaded, Arm):
        return f"is {type(loaded).__name__}, not an arm"
    texts = ("name", "summary", "explanation", "source")
    for name in texts:
        if not isinstance(getattr(loaded, name), str):
            return f"has a {name} that is not a text"
    if not isinstance(loaded.place, int) or not callable(loaded.policy):
        return "has a place that is not a whole number, or a policy that cannot be called"
    if not all(isinstance(parameter, Parameter) for parameter in loaded.parameters):
        return "has parameters that are not all a harness.model.Parameter"
    if not isinstance(loaded.roles, Roles) or not set(loaded.accepts) <= set(KINDS):
        return f"has roles that are not Roles, or accepts other kinds than {listed(KINDS)}"
    if not all(isinstance(signal, Signal) for signal in loaded.reads):
        return "has reads that are not all a harness.model.Signal"
    return next(_setting_faults(loaded), "")


def _setting_faults(arm: Arm) -> Iterator[str]:
    by_name = {parameter.name: parameter for parameter in arm.parameters}
    for settings in (*arm.default_points, *arm.roles.points.values()):
        for name, value in settings.items():
            if name not in by_name:
                yield f"has a point with the setting {name!r}, which it does not declare"
                continue
            try:
                by_name[name].check(value)
            except ParameterError as error:
                yield f"has a point that it does not admit: {error}"
        for name, parameter in by_name.items():
            if parameter.default is None and name not in settings:
                yield f"has a point without {name}, which has no default"


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


def load_arms(*, bundled: bool = False) -> list[Arm]:
    """Load all installed arms, by their declared place, then by name.

    One that cannot be loaded is left out with a warning. `bundled`: only those that come with the
    harness, whatever else is installed.
    """
    names = [name for name in ARMS.names() if not bundled or comes_with_harness(name)]
    return sorted(ARMS.load_usable(names), key=lambda arm: (arm.place, arm.name))


def comes_with_harness(name: str) -> bool:
    """Tell whether the arm is one of the harness's own package; `external` is."""
    return ARMS.is_own(name)


def is_arm(name: str) -> bool:
    """Tell whether an arm of that name is installed; none is loaded."""
    return name in ARMS
