"""Values of answers: equal as JSON, or different by their formatting alone."""

from __future__ import annotations

import unicodedata

from harness.model import Json


def equal(left: Json, right: Json) -> bool:
    """Return whether two JSON values are the same. A number is not a boolean; 1 and 1.0 are one
    number."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(equal(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(equal, left, right))
    return bool(left == right)


def differs_by_formatting(given: Json, wanted: Json) -> bool:
    """Return whether two different values have the same words, or one has all words of the other in
    a row: `ADR 0007` and `0007`, `seven` and `Seven.`, `7` and `"7"`, lists in another order."""
    if isinstance(given, list) and isinstance(wanted, list):
        return _lists_match(given, wanted)
    one, other = _words(given), _words(wanted)
    return bool(one and other) and (_within(one, other) or _within(other, one))


def _lists_match(given: list[Json], wanted: list[Json]) -> bool:
    """Return whether every entry has a partner of its own on the other side."""
    left = list(wanted)
    for entry in given:
        near = (
            place
            for place, each in enumerate(left)
            if equal(entry, each) or differs_by_formatting(entry, each)
        )
        place = next(near, None)
        if place is None:
            return False
        del left[place]
    return not left


def _words(value: Json) -> tuple[str, ...]:
    if isinstance(value, (dict, list)) or value is None:
        return ()
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    text = unicodedata.normalize("NFKC", str(value)).casefold()
    return tuple("".join(letter if letter.isalnum() else " " for letter in text).split())


def _within(part: tuple[str, ...], whole: tuple[str, ...]) -> bool:
    width = len(part)
    return any(whole[start : start + width] == part for start in range(len(whole) - width + 1))
