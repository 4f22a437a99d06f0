"""Words of any script: what a text and a question are divided into, to be compared by BM25.

The library's own division takes a run of letters for a word if it has two or more. So it finds
neither words of one letter nor, where a script writes no blanks between words, anything but whole
runs. Here a run of such a script is its characters and its pairs of neighbours: a segmenter would
find words, but a good one has a dictionary of tens of megabytes whose versions divide differently.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

from harness.model import Json

VERSION = "any-script/1"

_HIRAGANA = "\u3041-\u3096\u309d-\u309f"
_HAN = (
    "\u2e80-\u2fdf\u3005\u3007\u3021-\u3029\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\U00020000-\U0003ffff"
)
_UNSPACED = (
    f"{_HAN}{_HIRAGANA}\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"  # Hiragana and Katakana
    "\u3105-\u312f\u31a0-\u31bf"  # Bopomofo
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece"  # Thai and Lao
    "\u1000-\u103f\u1050-\u109f\u1780-\u17d3"  # Burmese and Khmer
)
"""Characters of the scripts that write no blanks between words."""

_PIECE = re.compile(rf"(?P<run>[{_UNSPACED}]+)|[^\W{_UNSPACED}]+")
_ONLY_HIRAGANA = re.compile(f"[{_HIRAGANA}]+")
_SINGLE_HAN = re.compile(f"(?<![{_HAN}])[{_HAN}](?![{_HAN}])")
_APOSTROPHES = ("'", "’")


def words_fingerprint() -> dict[str, Json]:
    """Return what decides how texts are divided."""
    return {
        "words": VERSION,
        "text": "NFKC, lower case",
        "spaced": "runs of letters and digits, of one too, but none next to an apostrophe",
        "unspaced": "characters and pairs of neighbours; of a question pairs, and characters that"
        " stand alone or between other scripts; pairs of Hiragana only where there is nothing else",
    }


def words_of_text(text: str) -> list[str]:
    """Return the words of a text that is searched, stop words left out."""
    words: list[str] = []
    for piece, is_run in _pieces(text):
        words += [*piece, *_pairs(piece)] if is_run else [piece]
    return words


def words_of_question(question: str) -> list[str]:
    """Return the words that are searched for, stop words left out."""
    words: list[str] = []
    for piece, is_run in _pieces(question):
        if is_run and len(piece) > 1:
            words += [*_SINGLE_HAN.findall(piece), *_pairs(piece)]
        else:
            words.append(piece)
    content = [word for word in words if not _ONLY_HIRAGANA.fullmatch(word)]
    return content or words


def has_words_of_any_script(question: str) -> bool:
    """Return whether a question has a word that the library's own division would not find: of one
    letter, or in a script without blanks."""
    return any(is_run or len(piece) == 1 for piece, is_run in _pieces(question))


def _pieces(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the words between blanks, without stop words, and runs of unspaced characters: whether
    it is one."""
    normal = unicodedata.normalize("NFKC", text).lower()
    stops = _stop_words()
    for match in _PIECE.finditer(normal):
        piece, is_run = match[0], match["run"] is not None
        around = normal[match.start() - 1 : match.start()], normal[match.end() : match.end() + 1]
        is_ending = len(piece) == 1 and any(mark in _APOSTROPHES for mark in around)
        if is_run or not (is_ending or piece in stops):
            yield piece, is_run


def _pairs(run: str) -> list[str]:
    return [f"{one}{other}" for one, other in pairwise(run)]


@cache
def _stop_words() -> frozenset[str]:
    from bm25s.stopwords import STOPWORDS_EN

    return frozenset(STOPWORDS_EN)
