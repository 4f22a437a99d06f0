"""A point: an immutable value whose canonical spelling is its identity.

`2.6.5a1(budget=2800)`: the arm's name, then the settings that differ from the defaults, in declared
order, joined by `, `. It parses back to an equal point, and is a column header, a key in files and
what `--point` takes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property

from harness.errors import Faults, UsageError, nearest
from harness.model import Arm, ParameterError, Policy, Settings, Value, spell

from .arms import arm_names, load_arm, load_arms

_SPELLING = re.compile(r"\s*(?P<arm>[^\s()]+)\s*(?:\((?P<settings>[^()]*)\))?\s*")
_SETTING = re.compile(r"\s*(?P<name>[^\s=]+)\s*=\s*(?P<value>[^\s=]+)\s*")
HINT = "A point is spelled like 2.6.5a1(budget=2800); `harness arms` lists the arms."


@dataclass(frozen=True)
class Point:
    """An arm's name with the settings that differ from its defaults, in declared order."""

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
        given = dict(self.changed)
        parameters = load_arm(self.arm).parameters
        return {
            parameter.name: _value_of(parameter.default, given.get(parameter.name))
            for parameter in parameters
        }

    @cached_property
    def policy(self) -> Policy:
        return load_arm(self.arm).policy(self.settings)


def make_point(arm: Arm, given: Mapping[str, Value]) -> Point:
    """The point of `arm` with the given settings; raises `UsageError` naming every fault."""
    faults = Faults()
    changed = []
    by_name = {parameter.name: parameter for parameter in arm.parameters}
    for name in given:
        if name not in by_name:
            faults.add(f"{arm.name} has no setting {name!r}{_known(name, by_name)}")
    for name, parameter in by_name.items():
        if name not in given:
            if parameter.default is None:
                faults.add(f"{arm.name} needs {name}: {parameter.accepted}")
            continue
        try:
            value = parameter.check(given[name])
        except ParameterError as error:
            faults.add(str(error))
        else:
            if value != parameter.default:
                changed.append((name, value))
    if len(faults):
        raise UsageError("; ".join(faults), _example(arm))
    return Point(arm.name, tuple(changed))


def parse_point(text: str) -> Point:
    """The point that `text` spells; raises `UsageError` with the nearest valid spelling."""
    arm, given, faults = _parse(text)
    try:
        point = make_point(arm, given)
    except UsageError as error:
        faults.append(error.message)
        point = None
    if faults or point is None:
        raise UsageError(f"point {text.strip()!r}: {'; '.join(faults)}", _example(arm))
    return point


def parse_points(texts: Iterable[str]) -> list[Point]:
    """The points that the texts spell, in order, once each; a bare arm name means its defaults.

    All faults are reported together.
    """
    points: dict[Point, None] = {}
    messages: list[str] = []
    hints: dict[str, None] = {}
    for text in texts:
        try:
            found = _default_or_single(text)
        except UsageError as error:
            messages.append(error.message)
            hints[error.hint] = None
        else:
            points.update(dict.fromkeys(found))
    if messages:
        raise UsageError("\n  ".join(messages), "\n  ".join(hints))
    return list(points)


def default_points(arms: Iterable[Arm] | None = None) -> list[Point]:
    """The default points of the given arms, or of every installed arm."""
    return [
        make_point(arm, settings)
        for arm in (load_arms() if arms is None else arms)
        for settings in arm.default_points
    ]


def _default_or_single(text: str) -> list[Point]:
    name = text.strip()
    if name in arm_names():
        return default_points([load_arm(name)])
    return [parse_point(text)]


def _parse(text: str) -> tuple[Arm, dict[str, Value], list[str]]:
    match = _SPELLING.fullmatch(text)
    if match is None:
        raise UsageError(f"point {text.strip()!r} is not spelled as a point{_nearest(text)}", HINT)
    try:
        arm = load_arm(match["arm"])
    except UsageError as error:
        raise UsageError(f"point {text.strip()!r}: {error.message}", error.hint) from error
    given: dict[str, Value] = {}
    faults = []
    by_name = {parameter.name: parameter for parameter in arm.parameters}
    for setting in (match["settings"] or "").split(","):
        if not setting.strip():
            continue
        found = _SETTING.fullmatch(setting)
        if found is None:
            faults.append(f"{setting.strip()!r} is not spelled name=value")
        elif found["name"] not in by_name:
            known = _known(found["name"], by_name)
            faults.append(f"{arm.name} has no setting {found['name']!r}{known}")
        elif found["name"] in given:
            faults.append(f"{found['name']} is set twice")
        else:
            try:
                given[found["name"]] = by_name[found["name"]].parse(found["value"])
            except ParameterError as error:
                faults.append(str(error))
    bad = [name for name in by_name if any(fault.startswith(f"{name} ") for fault in faults)]
    for name in bad:  # a setting that was given wrongly is not also missing
        given.setdefault(name, _stand_in(arm, name))
    return arm, given, faults


def _stand_in(arm: Arm, name: str) -> Value:
    """Any admitted value of a setting, to look for further faults."""
    parameter = next(parameter for parameter in arm.parameters if parameter.name == name)
    if parameter.default is not None:
        return parameter.default
    return next(settings[name] for settings in arm.default_points if name in settings)


def _value_of(default: Value | None, given: Value | None) -> Value:
    value = default if given is None else given
    if value is None:
        raise UsageError("a setting without a default was not given", HINT)
    return value


def _known(name: str, known: Iterable[str]) -> str:
    names = list(known)
    return nearest(name, names) or (f" (it has {', '.join(names)})" if names else " (it has none)")


def _example(arm: Arm) -> str:
    spellings = [str(Point(arm.name, tuple(settings.items()))) for settings in arm.default_points]
    return f"For example {spellings[len(spellings) // 2]}; `harness arms {arm.name}` explains it."


def _nearest(text: str) -> str:
    spellings = [str(point) for point in default_points()]
    matches = get_close_matches(text.strip(), spellings, n=1, cutoff=0.5)
    return f"; did you mean {matches[0]!r}?" if matches else ""
