"""The parts of a question that a passage may cover.

The question, NFKC-normalised and lower-cased, is scanned left to right for identifiers (a `#` with
digits, or a run of ASCII letters and digits that may hold `. _ / # -` inside), runs of two or more
katakana, and runs of two or more kanji (evidence allocation, ledger parts).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

Parts = Literal["ledger", "rare-words"]

LARGEST_LEDGER = 32
RARE_SHARE = 0.25

_PART = re.compile(
    r"(?P<identifier>\#[0-9]+|[0-9a-z](?:[0-9a-z._/\#-]*[0-9a-z])?)"
    r"|(?P<katakana>[\u30a0-\u30ff]{2,})"
    r"|(?P<kanji>[\u4e00-\u9fff\u3005]{2,})"
)


@dataclass(frozen=True, slots=True)
class QuestionWord:
    """A word of the normalised question, where it stands there, and its kind."""

    text: str
    start: int
    end: int
    kind: str


def normalised(text: str) -> str:
    """Normalise `text`: NFKC, then lower case."""
    return unicodedata.normalize("NFKC", text).lower()


def ledger_parts(question: str) -> tuple[QuestionWord, ...]:
    """Return the first 32 distinct parts of two characters or more, stop words included."""
    parts: dict[str, QuestionWord] = {}
    for match in _PART.finditer(normalised(question)):
        text = match.group()
        if len(text) >= 2 and text not in parts:
            parts[text] = QuestionWord(text, match.start(), match.end(), str(match.lastgroup))
    return tuple(parts.values())[:LARGEST_LEDGER]


def rare_words(question: str, record_texts: Sequence[str]) -> tuple[QuestionWord, ...]:
    """Return the ledger parts that are not stop words and that few of the window's records hold.

    `record_texts` are normalised. Few: at most max(1, floor(0.25 × records)).
    """
    most = max(1, int(RARE_SHARE * len(record_texts)))
    return tuple(
        part
        for part in ledger_parts(question)
        if part.text not in stop_words() and sum(part.text in text for text in record_texts) <= most
    )


def held_parts(passage_text: str, parts: Sequence[QuestionWord]) -> tuple[int, ...]:
    """Return indexes of the parts that the normalised passage text holds."""
    return tuple(index for index, part in enumerate(parts) if part.text in passage_text)


@cache
def stop_words() -> frozenset[str]:
    """Return the English stop list of the BM25 library at its locked version."""
    from bm25s.stopwords import STOPWORDS_EN

    return frozenset(STOPWORDS_EN)
