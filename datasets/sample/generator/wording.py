"""Templates to text: alternatives `[a|b]`, numbers `{3-8}`, words of a lexicon `{tool}`."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from datetime import date

_ALTERNATIVES = re.compile(r"\[([^\[\]]*)\]")
_SLOT = re.compile(r"(\b[Aa] )?\{([a-z0-9 _-]+)(\^?)\}")
_NUMBERS = re.compile(r"(\d+)(?:-(\d+))?")
_SMALL = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def say(
    template: str,
    generator: random.Random,
    lexicon: Mapping[str, tuple[str, ...]],
    given: Mapping[str, str] | None = None,
) -> str:
    """One text of `template`. A lexicon word is not repeated while another is left."""
    text = template
    while _ALTERNATIVES.search(text):
        text = _ALTERNATIVES.sub(lambda match: generator.choice(match[1].split("|")), text)
    used: set[str] = set()

    def fill(match: re.Match[str]) -> str:
        article, name, capital = match[1] or "", match[2], bool(match[3])
        if given and name in given:
            value = given[name]
            return article + (capitalised(value) if capital else value)
        numbers = _NUMBERS.fullmatch(name)
        if numbers:
            return article + _number(generator, int(numbers[1]), int(numbers[2] or numbers[1]))
        choices = [word for word in lexicon[name] if word not in used] or list(lexicon[name])
        word = generator.choice(choices)
        used.add(word)
        if article and word[0] in "aeiou":
            article = article.rstrip() + "n "
        return article + (capitalised(word) if capital else word)

    return _SLOT.sub(fill, text).strip()


def fill_slots(template: str, values: Mapping[str, str]) -> str:
    """Replace `{name}`, and `{name^}` by the value with a capital; refuse an unknown name."""

    def fill(match: re.Match[str]) -> str:
        article, name, capital = match[1] or "", match[2], bool(match[3])
        if name not in values:
            raise ValueError(f"unknown slot {match[0]} in {template!r}")
        return article + (capitalised(values[name]) if capital else values[name])

    return _SLOT.sub(fill, template)


def capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]


def days_ago(days: int) -> str:
    if days == 0:
        return "today"
    return "yesterday" if days == 1 else f"{_SMALL[days]} days ago"


def long_date(day: date) -> str:
    """As in `May 3rd, 2023`."""
    suffix = "th" if 11 <= day.day <= 13 else {1: "st", 2: "nd", 3: "rd"}.get(day.day % 10, "th")
    return f"{day:%B} {day.day}{suffix}, {day.year}"


def _number(generator: random.Random, low: int, high: int) -> str:
    step = 1 if high < 100 else 10 if high < 1000 else 50
    return str(generator.randrange(low, high + 1, step))
