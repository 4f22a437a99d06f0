"""A text as what it says: words, numbers and dates, each comparable with another spelling of it.

Both texts go through NFKC and case folding; punctuation and the articles a, an and the are left
out. Equal are `3` and `three`, `1,500` and `1500`, `$5` and `5 dollars`, `30 May` and `2023-05-30`,
`三匹` and `3匹`. Japanese has no spaces: an ideograph or a Hiragana letter is a unit, and so is a
run of Katakana. Not understood are fractions in words, times of day, and numbers in words of other
languages.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import TypeGuard

from harness.trial.whole_tokens import normalised

from .dates import MONTHS, Reading, Readings, date_at
from .numerals import (
    MOST_DIGITS,
    NUMBER_WORDS,
    SCALES,
    japanese_numerals_as_digits,
    ordinal_words_as_digits,
    words_to_number,
)

ARTICLES = frozenset(("a", "an", "the"))


@dataclass(frozen=True, slots=True)
class Number:
    """An exact number; `currency` where it is an amount of one."""

    value: Fraction
    currency: str | None = None
    ordinal: bool = False


@dataclass(frozen=True, slots=True)
class Date:
    """A date; several `readings` where day and month cannot be told apart."""

    readings: Readings


Unit = str | Number | Date


@dataclass(frozen=True, slots=True)
class _Token:
    """A unit with where it stands."""

    unit: Unit
    start: int
    end: int


_CURRENCIES = {
    spelling: currency
    for currency, spellings in {
        "dollar": "$ us$ dollar dollars usd buck bucks ドル",
        "euro": "€ euro euros eur ユーロ",
        "pound": "£ pound pounds gbp ポンド",
        "yen": "¥ yen jpy 円",
        "yuan": "yuan rmb cny 元",
        "won": "₩ krw ウォン",
        "rupee": "₹ rupee rupees inr ルピー",
    }.items()
    for spelling in spellings.split()
}
_LETTER = r"[^\W\d_\u3005\u3007\u3041-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]"
_TOKEN = re.compile(
    rf"""
      (?P<ordinal>[0-9]{{1,9}})(?:st|nd|rd|th)(?![^\W_])
    | (?P<minus>(?<![^\s(])[-−](?=[0-9]))?
      (?P<digits>[0-9]{{1,3}}(?:,[0-9]{{3}})+(?![0-9])(?:\.[0-9]+)?|[0-9]+(?:\.[0-9]+)?)
      (?P<thousands>k(?![^\W_]))?
    | (?P<currency>(?:us)?[$]|[€£¥₩₹])
    | (?P<abbreviation>(?:{_LETTER}\.){{2,}})
    | (?P<word>{_LETTER}(?:{_LETTER}|[0-9\u0300-\u036f]|['’](?={_LETTER}))*(?:\+\+|\#)?)
    | (?P<katakana>[\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff]+)
    | (?P<single>[\u3005\u3007\u3041-\u309f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]|[^\W_])
    | (?P<percent>%)
    """,
    re.VERBOSE,
)
_POSSESSIVE = re.compile(r"['’]s$")
_BETWEEN_WORDS = re.compile(r"[ -]?")
_AFTER_SCALES = re.compile(r",? ")
_FRACTION_SIGN = "\u2044"


def units_of(text: str) -> tuple[Unit, ...]:
    """Read what the text says, in order; empty for a text of nothing but punctuation."""
    plain = _plain(text)
    tokens = _with_currencies(_with_number_words(list(_tokens(plain)), plain), plain)
    units = tuple(token.unit for token in tokens)
    without = tuple(unit for unit in units if unit not in ARTICLES)
    return without or units


def same(gold: Sequence[Unit], response: Sequence[Unit]) -> bool:
    """Return whether both say the same, unit by unit."""
    return len(gold) == len(response) and all(
        says(ours, theirs) and says(theirs, ours)
        for ours, theirs in zip(gold, response, strict=True)
    )


def holds(response: Sequence[Unit], gold: Sequence[Unit]) -> bool:
    """Return whether the response says the gold answer somewhere, in one piece."""
    return bool(gold) and any(
        all(says(theirs, ours) for ours, theirs in zip(gold, response[start:], strict=False))
        for start in range(len(response) - len(gold) + 1)
    )


def says(unit: Unit, wanted: Unit) -> bool:
    """Return whether a unit says what is wanted, and perhaps more: a date says its year, its month
    and its day too, and an amount is also a number."""
    if isinstance(unit, Number) and isinstance(wanted, Number):
        alike = None in (unit.currency, wanted.currency) or unit.currency == wanted.currency
        return unit.value == wanted.value and unit.ordinal == wanted.ordinal and alike
    ours, theirs = _readings(unit), _readings(wanted)
    if isinstance(unit, Date) or isinstance(wanted, Date):
        return any(own.says(other) for own in ours for other in theirs)
    return unit == wanted


def _readings(unit: Unit) -> Readings:
    """Return what the unit is as a date: a year, a day of a month, or a month's name may be one."""
    if isinstance(unit, Date):
        return unit.readings
    if isinstance(unit, str):
        return (Reading(month=MONTHS[unit]),) if unit in MONTHS else ()
    if unit.currency is not None or unit.value.denominator != 1:
        return ()
    if unit.ordinal:
        return (Reading(day=int(unit.value)),) if 1 <= unit.value <= 31 else ()
    return (Reading(year=int(unit.value)),) if 1000 <= unit.value < 3000 else ()


def _plain(text: str) -> str:
    """Return the text normalised, with numerals in digits; a vulgar fraction stands apart."""
    apart = "".join(
        f" {character}" if _FRACTION_SIGN in unicodedata.normalize("NFKC", character) else character
        for character in text
    )
    return japanese_numerals_as_digits(ordinal_words_as_digits(normalised(apart)))


def _tokens(plain: str) -> Iterator[_Token]:
    place = 0
    while place < len(plain):
        dated = date_at(plain, place) if _may_begin(plain, place) else None
        if dated is not None:
            yield _Token(Date(dated[0]), place, dated[1])
            place = dated[1]
            continue
        match = _TOKEN.match(plain, place)
        if match is None:
            place += 1
            continue
        yield _token(match)
        place = match.end()


def _may_begin(plain: str, place: int) -> bool:
    """Return whether no digit before `place` belongs to the number that begins there."""
    before = plain[max(0, place - 2) : place]
    return not (before[-1:].isdecimal() or (before[-1:] in (".", ",") and before[:1].isdecimal()))


def _token(match: re.Match[str]) -> _Token:
    start, end = match.span()
    if match["ordinal"]:
        return _Token(Number(Fraction(match["ordinal"]), ordinal=True), start, end)
    if match["digits"] and len(match["digits"]) > MOST_DIGITS:
        return _Token(match["digits"], start, end)
    if match["digits"]:
        thousands = Fraction(1000 if match["thousands"] else 1)
        value = Fraction(match["digits"].replace(",", "")) * thousands
        return _Token(Number(-value if match["minus"] else value), start, end)
    if match["currency"]:
        return _Token(match["currency"], start, end)
    if match["percent"]:
        return _Token("percent", start, end)
    if match["abbreviation"]:
        return _Token(match["abbreviation"].replace(".", ""), start, end)
    word = _POSSESSIVE.sub("", match[0])
    return _Token(word.replace("'", "").replace("’", ""), start, end)


def _with_number_words(tokens: Sequence[_Token], plain: str) -> list[_Token]:
    """Make numbers of the words that spell one, and of a number before `million` and the like."""
    joined: list[_Token] = []
    place = 0
    while place < len(tokens):
        token = tokens[place]
        run = _run_of_words(tokens[place:], plain)
        read = words_to_number(run)
        if read is not None:
            value, taken = read
            last = tokens[place + taken - 1]
            joined.append(_Token(Number(Fraction(value)), token.start, last.end))
            place += taken
            continue
        following = tokens[place + 1] if place + 1 < len(tokens) else None
        if _is_plain(token.unit) and following is not None and following.unit in SCALES:
            scaled = Number(token.unit.value * SCALES[str(following.unit)])
            joined.append(_Token(scaled, token.start, following.end))
            place += 2
            continue
        joined.append(token)
        place += 1
    return joined


def _run_of_words(tokens: Sequence[_Token], plain: str) -> list[str]:
    """Return the number words that begin the tokens, with a space or a hyphen between them, and
    after a scale perhaps a comma."""
    run: list[str] = []
    for before, token in pairwise((None, *tokens)):
        if token is None or not (token.unit in NUMBER_WORDS or (run and token.unit == "and")):
            break
        if before is not None:
            between = _AFTER_SCALES if before.unit in SCALES else _BETWEEN_WORDS
            if not between.fullmatch(plain, before.end, token.start):
                break
        run.append(str(token.unit))
    return run


def _is_plain(unit: Unit) -> TypeGuard[Number]:
    return isinstance(unit, Number) and not unit.ordinal and unit.currency is None


def _with_currencies(tokens: Sequence[_Token], plain: str) -> list[_Token]:
    """Give amounts their currency, named before or after them."""
    joined: list[_Token] = []
    for token in tokens:
        before = joined[-1] if joined else None
        if before is not None and plain[before.end : token.start] in ("", " "):
            amount = _amount(before, token) or _amount(token, before)
            if amount is not None:
                joined[-1] = _Token(amount, before.start, token.end)
                continue
        joined.append(token)
    return joined


def _amount(number: _Token, named: _Token) -> Number | None:
    """Return the number as an amount of the currency that the other token names."""
    if not _is_plain(number.unit) or not isinstance(named.unit, str):
        return None
    currency = _CURRENCIES.get(named.unit)
    return None if currency is None else replace(number.unit, currency=currency)
