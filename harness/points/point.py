"""A point: an immutable value whose canonical spelling is its identity.

`2.6.5a1(budget=2800)`: the arm's name, then the settings that differ from the defaults, in declared
order, joined by `, `. It parses back to an equal point, and is a column header, a key in files and
what `--point` takes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from harness.errors import Faults, UsageError
from harness.model import Arm, Parameter, ParameterError, Policy, Settings, Value, spell

from .arms import comes_with_harness, load_arm, load_arms


@dataclass(frozen=True)
class Point:
    """An arm's name with the settings that differ from its defaults, in declared order.

    Made by `make_point` or `parse_point`, which keep to that.
    """

    arm: str
    changed: tuple[tuple[str, Value], ...] = ()

    @cached_property
    def spelling(self) -> str:
        if not self.changed:
            return self.arm
        inside = ", ".join(f"{name}={spell(value)}" for name, value in self.changed)
        return f"{self.arm}({inside})"

    def __str__(self) -> str:
        return self.spelling

    @cached_property
    def settings(self) -> Settings:
        """Every parameter with its value, in declared order."""
        changed = dict(self.changed)
        parameters = load_arm(self.arm).parameters
        return {
            parameter.name: _value_of(parameter, changed.get(parameter.name))
            for parameter in parameters
        }

    @property
    def recorded_settings(self) -> dict[str, Value]:
        """Settings as a run lists them: without those of later parameters that are at the default,
        which are not among the changed ones."""
        changed = dict(self.changed)
        later = {each.name for each in load_arm(self.arm).parameters if each.later}
        return {
            name: value
            for name, value in self.settings.items()
            if name in changed or name not in later
        }

    @cached_property
    def policy(self) -> Policy:
        arm = load_arm(self.arm)
        if comes_with_harness(self.arm):
            return arm.policy(self.settings)
        from .promises import kept

        return kept(self.spelling, self.arm, lambda: arm.policy(self.settings))


def make_point(arm: Arm, settings: Mapping[str, Value]) -> Point:
    """Build the point of `arm` with these settings; raises `UsageError` naming every fault."""
    faults = Faults()
    changed = []
    by_name = {parameter.name: parameter for parameter in arm.parameters}
    for name in settings:
        if name not in by_name:
            faults.add(unknown_setting(arm, name))
    for name, parameter in by_name.items():
        if name not in settings:
            if parameter.default is None:
                faults.add(missing_setting(arm, parameter))
            continue
        try:
            value = parameter.check(settings[name])
        except ParameterError as error:
            faults.add(str(error))
        else:
            if value != parameter.default:
                changed.append((name, value))
    if len(faults):
        raise UsageError("; ".join(faults), example_of(arm))
    return Point(arm.name, tuple(changed))


def default_points(arms: Iterable[Arm] | None = None, kind: str | None = None) -> list[Point]:
    """Return the default points of `arms`, or of every installed arm; with a kind of case, only of
    arms that run on it."""
    return [
        make_point(arm, settings)
        for arm in (load_arms() if arms is None else arms)
        if kind is None or kind in arm.accepts
        for settings in arm.default_points
    ]


def unknown_setting(arm: Arm, name: str) -> str:
    """Describe a setting that `arm` does not have."""
    names = [parameter.name for parameter in arm.parameters]
    return f"{arm.name} has no setting {name!r} (it has {', '.join(names) or 'none'})"


def missing_setting(arm: Arm, parameter: Parameter) -> str:
    """Describe a setting that is missing and has no default."""
    return f"{arm.name} needs {parameter.name}: {parameter.accepted}"


def example_of(arm: Arm) -> str:
    """Return a hint with one of the arm's default points."""
    points = default_points([arm])
    example = f"For example {points[(len(points) - 1) // 2]}; " if points else ""
    return f"{example}`harness arms {arm.name}` explains it."


def group_by_policy(points: Iterable[Point]) -> list[tuple[Point, ...]]:
    """Group the points whose policies are equal, however they are spelled: groups by first point,
    points in their order."""
    groups: dict[Policy, list[Point]] = {}
    for point in dict.fromkeys(points):
        groups.setdefault(point.policy, []).append(point)
    return [tuple(group) for group in groups.values()]


def _value_of(parameter: Parameter, chosen: Value | None) -> Value:
    value = parameter.default if chosen is None else chosen
    if value is None:
        raise UsageError(f"{parameter.name} has no default and no value", "Set it to a value.")
    return value
