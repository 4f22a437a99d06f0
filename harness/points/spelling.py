"""Reading points from what people type.

White space and the order of settings do not matter. What is not a point is refused with every fault
and, if one is near, the nearest valid spelling.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from difflib import get_close_matches

from harness.errors import UsageError
from harness.model import Arm, ParameterError, Value

from .arms import arm_names, is_arm, load_arm, load_arms, names_in_points
from .external import EXTERNAL, GRADES_ONLY, HOW_TO_GRADE
from .mending import mended_arm, mended_point
from .point import Point, default_points, example_of, make_point, missing_setting, unknown_setting

_SPELLING = re.compile(r"\s*(?P<arm>[^\s()]+)\s*(?:\((?P<settings>[^()]*)\)\s*)?")
_SETTING = re.compile(r"\s*(?P<name>[^\s=]+)\s*=\s*(?P<value>[^\s=]+)\s*")


def parse_point(text: str) -> Point:
    """Parse the point that `text` spells; raises `UsageError` with the nearest valid spelling."""
    where = f"point {text.strip()!r}"
    match = _SPELLING.fullmatch(text)
    if match is None:
        raise UsageError(f"{where} is not spelled arm(setting=value, …)", _hint(text, None))
    if match["arm"] not in names_in_points():
        raise UsageError(f"{where}: there is no arm {match['arm']!r}", _hint(text, None))
    arm = load_arm(match["arm"])
    faults: list[str] = []
    settings = _settings(arm, match["settings"] or "", faults)
    if faults:
        raise UsageError(f"{where}: {'; '.join(faults)}", _hint(text, arm))
    return make_point(arm, settings)


def parse_points(texts: Iterable[str]) -> list[Point]:
    """Parse the points to compute that the texts spell, in order, once each.

    A bare arm name means its default points. An `external` point is refused, since nothing computes
    it. All faults are reported together.
    """
    points = points_of_each(texts, _default_or_single)
    load_arms()  # warns of what is installed and broken, whichever points were asked for
    return points


def points_of_each(
    texts: Iterable[str], points_of: Callable[[str], Iterable[Point]]
) -> list[Point]:
    """Return the points that `points_of` reads from each text, in order, once each; the faults of
    all texts are reported together."""
    points: dict[Point, None] = {}
    messages: list[str] = []
    hints: dict[str, None] = {}
    for text in texts:
        try:
            parsed = points_of(text)
        except UsageError as error:
            messages.append(error.message)
            hints[error.hint] = None
        else:
            points.update(dict.fromkeys(parsed))
    if messages:
        raise UsageError("\n  ".join(messages), "\n  ".join(hints))
    return list(points)


def _default_or_single(text: str) -> list[Point]:
    name = text.strip()
    if is_arm(name):
        return default_points([load_arm(name)])
    arm = None if "(" in name else mended_arm(name)
    if arm is not None and is_arm(arm):
        raise UsageError(
            f"point {name!r}: there is no arm {name!r}",
            f"Did you mean {arm!r}? `harness arms {arm}` explains it.",
        )
    point = parse_point(text)
    if point.arm == EXTERNAL.name:
        raise UsageError(f"point {name!r}: {GRADES_ONLY}", HOW_TO_GRADE)
    return [point]


def _settings(arm: Arm, inside: str, faults: list[str]) -> dict[str, Value]:
    """Return the settings between the parentheses; what is wrong with them is added to `faults`."""
    parameters = {parameter.name: parameter for parameter in arm.parameters}
    settings: dict[str, Value] = {}
    named: set[str] = set()
    pieces = [piece.strip() for piece in inside.split(",")] if inside.strip() else []
    for piece in pieces:
        match = _SETTING.fullmatch(piece)
        if match is None:
            faults.append(f"{piece!r} is not spelled name=value" if piece else "a comma too many")
            continue
        name = match["name"]
        if name in named:
            faults.append(f"{name} is set twice")
        elif name not in parameters:
            faults.append(unknown_setting(arm, name))
            named.update(get_close_matches(name, parameters, n=1, cutoff=0.5))
        else:
            try:
                settings[name] = parameters[name].parse(match["value"])
            except ParameterError as error:
                faults.append(str(error))
        named.add(name)
    # a setting with a wrong value, or under a name that is nearly its own, is not also missing
    for name, parameter in parameters.items():
        if parameter.default is None and name not in named:
            faults.append(missing_setting(arm, parameter))
    return settings


def _hint(text: str, arm: Arm | None) -> str:
    mended = mended_point(text)
    if mended is not None:
        return f"Did you mean {str(mended)!r}? `harness arms {mended.arm}` explains its settings."
    if arm is not None:
        return example_of(arm)
    names = ", ".join(arm_names())
    return f"A point is spelled like 2.6.5a1(budget=2800). Arms: {names} (harness arms)."
