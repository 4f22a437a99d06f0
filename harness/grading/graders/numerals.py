"""Numbers that are written in words: English cardinals and ordinals, and kanji numerals.

`one hundred and five`, `twenty-third`, `3 million` and `a dozen` are read. A kanji numeral is read
where a counter or no ideograph follows, so that `三匹` and `二〇二三年` are numbers, and `三重県`
and `統一` are names and words. `1万2千` and `千五百` are read alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction


def _numbered(words: str, start: int = 0, times: int = 1) -> dict[str, int]:
    """Number words from `start`, each `times` its place."""
    return {word: times * place for place, word in enumerate(words.split(), start)}


_SMALL = _numbered(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
)
_TENS = _numbered("twenty thirty forty fifty sixty seventy eighty ninety", 2, 10)
SCALES = {
    "thousand": 10**3,
    "million": 10**6,
    "billion": 10**9,
    "trillion": 10**12,
}
_HUNDRED, _DOZEN = "hundred", "dozen"
NUMBER_WORDS = frozenset((*_SMALL, *_TENS, *SCALES, _HUNDRED, _DOZEN))

_ORDINALS = _numbered(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
    "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth",
    1,
)
_TENTHS = _numbered(
    "thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth", start=3, times=10
)
_ORDINAL_WORDS = re.compile(
    rf"\b(?:({'|'.join(_TENS)})[- ])?({'|'.join((*_ORDINALS, *_TENTHS))})\b"
)

Words = Sequence[str]
MOST_DIGITS = 300
"""A longer number is taken as text; Python neither reads nor prints one of some thousand digits."""


def words_to_number(words: Words) -> tuple[int, int] | None:
    """Read the longest number that begins the words: its value, and how many words it took."""
    total = current = taken = 0
    smallest = 10**15  # scales only fall: two million three thousand
    for place, word in enumerate(words):
        if word == "and":
            if not (place and words[place - 1] in (_HUNDRED, *SCALES)):
                break
            continue  # counted only where a number follows
        following = _with_word(current, word, begins=taken == 0)
        if following is not None:
            current = following
        elif word in SCALES and SCALES[word] < smallest and (current or taken == 0):
            smallest = SCALES[word]
            total, current = total + max(current, 1) * smallest, 0
        else:
            break
        taken = place + 1
        if word == _DOZEN:
            break
    return (total + current, taken) if taken else None


def _with_word(current: int, word: str, *, begins: bool) -> int | None:
    """Return the number below a thousand that `current` and the next word are; None where the word
    does not go on with it."""
    if word in _SMALL:
        value = _SMALL[word]
        fits = current % 100 == 0 or (value < 10 and current % 100 >= 20 and current % 10 == 0)
        return current + value if begins or (fits and value) else None
    if word in _TENS:
        return current + _TENS[word] if current % 100 == 0 else None
    if word == _HUNDRED and (begins or 0 < current < 100):
        return max(current, 1) * 100
    if word == _DOZEN and (begins or 0 < current < 100):
        return max(current, 1) * 12
    return None


def ordinal_words_as_digits(text: str) -> str:
    """Write ordinals up to ninety-ninth with digits: `twenty-third` is `23rd`."""

    def spelled(match: re.Match[str]) -> str:
        tens, word = match.groups()
        value = _ORDINALS.get(word) or _TENTHS[word]
        if tens is not None and value >= 10:
            return match[0]
        value += _TENS.get(tens or "", 0)
        endings = {1: "st", 2: "nd", 3: "rd"}
        ending = "th" if value % 100 in (11, 12, 13) else endings.get(value % 10, "th")
        return f"{value}{ending}"

    return _ORDINAL_WORDS.sub(spelled, text)


_DIGITS = {kanji: value for value, kanji in enumerate("〇一二三四五六七八九")} | {"零": 0}
_SMALL_UNITS = {"十": 10, "百": 100, "千": 1000}
_LARGE_UNITS = {"万": 10**4, "億": 10**8, "兆": 10**12}
_KANJI_RUN = re.compile(
    r"(?P<run>(?:[0-9][0-9,]*(?:\.[0-9]+)?[十百千万億兆]|[〇零一二三四五六七八九十百千万億兆])"
    r"[0-9,〇零一二三四五六七八九十百千万億兆]*)"
    r"|[0-9][0-9,]*"  # digits alone are passed over at once: from each of them would take too long
)
_IDEOGRAPH = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff々]")
_COUNTERS = frozenset(
    "個人年月日時分秒回本枚匹台冊歳才円元階度番号名泊倍点週杯頭羽足着軒件通組箱袋品種社校曲章部割歩%"
)
_MAY_PRECEDE = _COUNTERS | frozenset("第約計全各毎後前午")
_WAGO = _numbered("ひとつ ふたつ みっつ よっつ いつつ むっつ ななつ やっつ ここのつ", 1)
_WAGO_WORDS = re.compile("|".join(_WAGO))


def japanese_numerals_as_digits(text: str) -> str:
    """Write kanji numerals, and `ひとつ` to `ここのつ`, with digits: `二十三人` is `23人`.

    The text is in NFKC.
    """
    text = _WAGO_WORDS.sub(lambda match: f"{_WAGO[match[0]]}つ", text)
    return "".join(_pieces(text))


def _pieces(text: str) -> Iterator[str]:
    done = 0
    for match in _KANJI_RUN.finditer(text):
        if match["run"] is None:
            continue
        value = _kanji_value(match[0].rstrip(","))
        if value is None or not _stands_for_a_number(text, match):
            continue
        yield text[done : match.start()]
        yield str(value)
        done = match.start() + len(match[0].rstrip(","))
    yield text[done:]


def _stands_for_a_number(text: str, match: re.Match[str]) -> bool:
    start, end = match.span()
    before, after = text[max(0, start - 1) : start], text[end : end + 1]
    if match[0][0].isdecimal():
        return True
    if _IDEOGRAPH.match(before) and before not in _MAY_PRECEDE:
        return False
    return not _IDEOGRAPH.match(after) or after in _COUNTERS


def _kanji_value(run: str) -> int | None:
    """Return the whole number that a run of digits and kanji numerals is; None for any other, and
    for one of more than `MOST_DIGITS`."""
    if len(run) > MOST_DIGITS:
        return None
    if all(character in _DIGITS for character in run):
        return int("".join(str(_DIGITS[character]) for character in run))
    total, section = Fraction(0), Fraction(0)
    largest, smaller = 10**16, 10**4
    digits = ""
    for character in run:
        if character in _SMALL_UNITS and _SMALL_UNITS[character] < smaller:
            smaller = _SMALL_UNITS[character]
            section += (_decimal(digits) if digits else 1) * smaller
            digits = ""
        elif character in _LARGE_UNITS and _LARGE_UNITS[character] < largest:
            largest, smaller = _LARGE_UNITS[character], 10**4
            section += _decimal(digits) if digits else 0
            total, section, digits = total + (section or 1) * largest, Fraction(0), ""
        elif character in _DIGITS:
            digits += str(_DIGITS[character])
        elif character in "0123456789.,":
            digits += character
        else:
            return None
    value = total + section + (_decimal(digits) if digits else 0)
    return int(value) if value.denominator == 1 else None


def _decimal(digits: str) -> Fraction:
    return Fraction(digits.replace(",", "").rstrip(".") or "0")
