"""The nearest valid spelling of a point that is misspelled.

The arm and each setting are read as loosely as possible and replaced by the nearest that exists: a
name by the nearest name, a word by the nearest choice, a number by the nearest in its bounds; a
setting that is missing and has no default is taken from a default point.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from difflib import get_close_matches

from harness.errors import UsageError
from harness.model import Arm, Parameter, ParameterError, Value, spell

from .arms import load_arm, names_in_points
from .point import Point, make_point

_LIKENESS = 0.5
_ARM = re.compile(r"\s*(?P<arm>[^\s()\[\]{}=:,]+)(?P<rest>.*)", re.DOTALL)
_SETTING = re.compile(r"(?:(?P<name>[^\s=:,()\[\]{}]+)\s*[=:]+\s*)?(?P<value>[^\s=:,()\[\]{}]+)")
_YES, _NO = ("true", "on", "1", "y"), ("false", "off", "0", "n")


def mended_arm(text: str) -> str | None:
    """Return the arm that a point's spelling seems to begin with, or None if it resembles none."""
    match = _ARM.match(text)
    return None if match is None else _like(match["arm"], names_in_points())


def mended_point(text: str) -> Point | None:
    """Return the point that `text` seems to mean, or None if it resembles none."""
    match, name = _ARM.match(text), mended_arm(text)
    if match is None or name is None:
        return None
    arm = load_arm(name)
    try:
        return make_point(arm, _mended_settings(arm, match["rest"]))
    except UsageError:
        return None


def _mended_settings(arm: Arm, rest: str) -> dict[str, Value]:
    parameters = {parameter.name: parameter for parameter in arm.parameters}
    mended: dict[str, Value] = {}
    for name, value in _loose_settings(rest, parameters):
        if name in mended:
            continue
        nearest_value = _mended_value(parameters[name], value)
        if nearest_value is not None:
            mended[name] = nearest_value
    defaults = arm.default_points[(len(arm.default_points) - 1) // 2] if arm.default_points else {}
    for name, parameter in parameters.items():
        if name not in mended and parameter.default is None and name in defaults:
            mended[name] = defaults[name]
    return mended


def _loose_settings(rest: str, parameters: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the name and value of each setting; a value alone belongs to the first name not yet
    given."""
    names = list(parameters)
    free = list(names)
    for match in _SETTING.finditer(rest):
        written = match["name"]
        name = next(iter(free), None) if written is None else _like(written, names)
        if name is not None:
            free = [other for other in free if other != name]
            yield name, match["value"]


def _mended_value(parameter: Parameter, text: str) -> Value | None:
    """Return the admitted value nearest to what `text` says; None if no value is near."""
    try:
        return parameter.parse(text)
    except ParameterError:
        pass
    if parameter.kind is bool:
        lowered = text.lower()
        return True if lowered in _YES else False if lowered in _NO else None
    if parameter.kind in (int, float):
        nearest_number = _nearest_number(parameter, text)
        if nearest_number is not None:
            return nearest_number
    by_spelling: dict[str, Value] = {spell(choice): choice for choice in parameter.choices}
    by_spelling |= {word: word for word in parameter.words}
    nearest_word = _like(text, by_spelling)
    return None if nearest_word is None else by_spelling[nearest_word]


def _nearest_number(parameter: Parameter, text: str) -> Value | None:
    try:
        number = float(text.replace("_", ""))
    except ValueError:
        return None
    if math.isnan(number):
        return None
    choices = [choice for choice in parameter.choices if isinstance(choice, (int, float))]
    if choices:
        return min(choices, key=lambda choice: abs(choice - number))
    if parameter.minimum is not None:
        number = max(number, parameter.minimum)
    if parameter.maximum is not None:
        number = min(number, parameter.maximum)
    try:
        return parameter.check(round(number) if parameter.kind is int else number)
    except (ParameterError, OverflowError):
        return None


def _like(name: str, known: Iterable[str]) -> str | None:
    """Return the nearest known name, ignoring letter case."""
    by_lowered = {other.lower(): other for other in known}
    matches = get_close_matches(name.lower(), by_lowered, n=1, cutoff=_LIKENESS)
    return by_lowered[matches[0]] if matches else None
