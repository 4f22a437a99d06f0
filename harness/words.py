"""How numbers and marked words are spelled for people, everywhere: terminal, pages, messages.

A number's spelling follows from its kind alone, so that the same value is the same text on a
terminal and on a page. A minus is U+2212, a missing value a dash, zero has no sign, and a percent
sign stands apart from its number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from harness.escapes import Markdown, code_span, markdown

MINUS = "−"
MISSING = "–"


@dataclass(frozen=True, slots=True)
class _Spelling:
    """`unit` is what a heading says in brackets; `noun` only tells kinds apart that look alike."""

    noun: str
    decimals: int = 0
    scale: int = 1
    signed: bool = False
    unit: str = ""
    numeric: bool = True


class Kind(Enum):
    """What a value is, which says its unit, decimals, sign, scale and alignment.

    `SHARE` is a share of labelled evidence or of something counted, `ACCURACY` of answers: with 400
    questions one question is 0.25 points, so its second decimal is seen. `POINTS` are differences
    of accuracies and `SHARE_POINTS` of shares, both in hundredths. `RELATIVE` is by how much of
    something else a value is greater. `FRACTION` stays a fraction, such as a probability.
    """

    COUNT = _Spelling("count")
    BYTES = _Spelling("bytes")
    TOKENS = _Spelling("tokens", 1)
    CHARACTERS = _Spelling("characters", 1)
    RATIO = _Spelling("ratio", 2)
    SCORE = _Spelling("score", 3)
    FRACTION = _Spelling("fraction", 4)
    SHARE = _Spelling("share", 1, 100, unit="%")
    ACCURACY = _Spelling("accuracy", 2, 100, unit="%")
    RELATIVE = _Spelling("relative", 1, 100, signed=True, unit="%")
    POINTS = _Spelling("points", 2, 100, signed=True, unit="points")
    SHARE_POINTS = _Spelling("share points", 1, 100, signed=True, unit="points")
    COUNT_CHANGE = _Spelling("count change", signed=True)
    TOKENS_CHANGE = _Spelling("tokens change", 1, signed=True)
    RATIO_CHANGE = _Spelling("ratio change", 2, signed=True)
    P = _Spelling("p", 4)
    NUMBER = _Spelling("a name that is a number")
    HASH = _Spelling("hash", numeric=False)
    CODE = _Spelling("code", numeric=False)
    TEXT = _Spelling("text", numeric=False)

    @property
    def unit(self) -> str:
        return self.value.unit

    @property
    def numeric(self) -> bool:
        return self.value.numeric

    @property
    def of_change(self) -> Kind:
        """Kind of a difference between two values of this kind."""
        return _CHANGES.get(self, self)


_CHANGES = {
    Kind.COUNT: Kind.COUNT_CHANGE,
    Kind.TOKENS: Kind.TOKENS_CHANGE,
    Kind.RATIO: Kind.RATIO_CHANGE,
    Kind.SHARE: Kind.SHARE_POINTS,
    Kind.ACCURACY: Kind.POINTS,
}

_SMALLEST_P = 0.0001


def kind_of_unit(unit: str) -> Kind:
    """Return the kind of a metric's values, which follows from its unit."""
    if unit.startswith("fraction"):
        return Kind.SHARE
    return Kind.TOKENS if unit == "tokens" else Kind.RATIO


def number(value: float | None, kind: Kind) -> str:
    """Return `96.2` for the share 0.9615, `1,531.4` tokens, `+2.75` points; a dash for None."""
    if value is None:
        return MISSING
    if kind is Kind.NUMBER:
        return str(value)
    if kind is Kind.P and value < _SMALLEST_P:
        return f"< {_SMALLEST_P}"
    look = kind.value
    text = f"{look.scale * value:{'+' if look.signed else ''},.{look.decimals}f}"
    if float(text.replace(",", "")) == 0:
        text = text.lstrip("+-")
    return text.replace("-", MINUS)


def count(value: float | None) -> str:
    """Return `1,024`."""
    return number(value, Kind.COUNT)


def counted(value: int, noun: str) -> str:
    """Return `1 question`, `1,024 questions`, `2 entries`, `3 passes`."""
    return f"{count(value)} {noun if value == 1 else _plural(noun)}"


def _plural(noun: str) -> str:
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}{'es' if noun.endswith(('s', 'x', 'ch', 'sh')) else 's'}"


def points(fraction: float | None) -> str:
    """Return `+2.75` for the fraction 0.0275, a difference of accuracies."""
    return number(fraction, Kind.POINTS)


def limits(lower: float | None, upper: float | None, kind: Kind) -> str:
    """Spell `(−1.2, +5.0)`; a dash where a limit is missing."""
    if lower is None or upper is None:
        return MISSING
    return f"({number(lower, kind)}, {number(upper, kind)})"


def percent(fraction: float) -> str:
    """Return `95 %` for 0.95, with as many decimals as are needed: of a level, a tolerance or a
    limit."""
    return f"{100 * fraction:g} %".replace("-", MINUS)


class Code(str):
    """What is typed or named in code: a code span in Markdown."""

    __slots__ = ()


class Strong(str):
    """Words that matter most in their sentence."""

    __slots__ = ()


class Emphasis(str):
    """Words set off from the others."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Link:
    """Words that lead elsewhere on a page; `target` is relative to it."""

    words: Text
    target: str


Sentence = tuple["str | Link", ...]
"""Parts of which some are marked."""

Text = str | Link | Sentence
"""Plain words, or a sentence with marks."""


def markdown_of(text: Text) -> Markdown:
    """Return a sentence in Markdown, with its marks; its words are escaped."""
    if isinstance(text, tuple):
        return Markdown("".join(map(markdown_of, text)))
    if isinstance(text, Link):
        return Markdown(f"[{markdown_of(text.words)}]({text.target})")
    if isinstance(text, Code):
        return code_span(text)
    if isinstance(text, Strong):
        return Markdown(f"**{markdown(text)}**")
    return Markdown(f"*{markdown(text)}*") if isinstance(text, Emphasis) else markdown(text)


def plain_of(text: Text) -> str:
    """Return a sentence without marks, for a terminal."""
    if isinstance(text, tuple):
        return "".join(map(plain_of, text))
    return plain_of(text.words) if isinstance(text, Link) else str(text)


def joined(parts: Sequence[str], between: str = ", ", *, last: str | None = None) -> Sentence:
    """Return the parts of a sentence with commas between them, marks kept; `last` before the last
    one."""
    sentence: Sentence = ()
    for place, part in enumerate(parts):
        final = last is not None and place == len(parts) - 1
        sentence += ((last if final else between) or "",) if place else ()
        sentence += (part,)
    return sentence
