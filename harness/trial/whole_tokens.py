"""Whether one text occurs in another as whole tokens.

Both are compared after NFKC, case folding, and folding of white space to single spaces. A token is

- a run of letters, digits and underscores, with the combining marks that follow them;
- a run of Katakana;
- a single ideograph or Hiragana letter, since these scripts put no space between words;
- digits that hold together by one `.` or `,` between them (`1,500`, `5.5`).

All else stands between tokens. So `5` occurs in `5 km` and in `(5)`, not in `15`, `5.5` or `5km`.
"""

from __future__ import annotations

import re
import unicodedata

_DATE = r"\d{4}-\d{2}-\d{2}(?:[T ][^\]\n]*)?"
_HEADER_LINE = re.compile(
    rf"^(?:\[(?:undated|{_DATE})\]|Session date: {_DATE})[ \t]*$", re.MULTILINE
)
_IDEOGRAPH_OR_HIRAGANA = re.compile(
    r"[\u3005\u3007\u3041-\u309f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)
_KATAKANA = re.compile(r"[\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff]")
_NUMBER_JOINERS = ".,"


def normalised(text: str) -> str:
    """Normalise `text`: NFKC, case folding, and white space folded to single spaces."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    # folding may take a text out of its normal form
    return " ".join(unicodedata.normalize("NFKC", folded).split())


def without_header_dates(text: str) -> str:
    """Return the text without the lines that only date it: a context's `[time]`, and the `Session
    date:` with which a stored session begins. Nobody said them."""
    return _HEADER_LINE.sub("", text)


def occurs(wanted: str, text: str) -> bool:
    """Return whether `wanted` occurs in `text` from the start of a token to the end of one.

    Both are `normalised`. An empty text occurs nowhere.
    """
    start = text.find(wanted) if wanted else -1
    while start >= 0:
        if not splits_token(text, start) and not splits_token(text, start + len(wanted)):
            return True
        start = text.find(wanted, start + 1)
    return False


def splits_token(text: str, place: int) -> bool:
    """Return whether the cut of `text` before the character at `place` goes through a token."""
    if not 0 < place < len(text):
        return False
    if _is_mark(text[place]):
        return True
    before = place - 1
    while before > 0 and _is_mark(text[before]):
        before -= 1
    kind = _run_of(text[before])
    if kind is not None and kind == _run_of(text[place]):
        return True
    return _joins_digits(text, place) or _joins_digits(text, place - 1)


def _joins_digits(text: str, place: int) -> bool:
    """Return whether the character at `place` stands between two digits and holds them together."""
    return (
        0 < place < len(text) - 1
        and text[place] in _NUMBER_JOINERS
        and text[place - 1].isdecimal()
        and text[place + 1].isdecimal()
    )


def _is_mark(character: str) -> bool:
    return unicodedata.category(character).startswith("M")


def _run_of(character: str) -> str | None:
    """Return the kind of run that a character is part of; None for one that stands alone."""
    if _KATAKANA.match(character):
        return "katakana"
    if _IDEOGRAPH_OR_HIRAGANA.match(character):
        return None
    return "word" if character == "_" or character.isalnum() else None
