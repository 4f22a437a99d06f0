"""BM25 scores of texts for a question, by the library bm25s.

The index holds only the question's words: every other word of a text counts towards its length and
nothing else, so the scores are those of an index over all words, bit for bit, at a fraction of the
time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import version

import bm25s
import numpy as np
from numpy.typing import NDArray

from harness.model import Json
from harness.storage.hashing import sha256_of_json

from .words import words_fingerprint, words_of_question, words_of_text

METHOD = "lucene"
K1 = 1.5
B = 0.75
STOP_WORDS = "english"


def lexical_fingerprint() -> dict[str, Json]:
    """Return the settings of `bm25_scores` and the version of its library."""
    return {
        "library": f"bm25s {version('bm25s')}",
        "method": METHOD,
        "k1": K1,
        "b": B,
        "stop_words": STOP_WORDS,
        "stop_words_sha256": sha256_of_json(list(bm25s.stopwords.STOPWORDS_EN)),
        "stemmer": None,
    }


def any_script_fingerprint() -> dict[str, Json]:
    """Return the settings of `any_script_scores`."""
    return {**lexical_fingerprint(), **words_fingerprint()}


def bm25_scores(question: str, documents: Sequence[str]) -> NDArray[np.float32]:
    """Compute BM25 of each document for the question; float32 of shape (documents,).

    The inverse document frequency is over these documents. A document that shares no word with the
    question has 0, and so has every document for a question without words.
    """
    query, *tokens = bm25s.tokenize(
        [question, *documents], stopwords=STOP_WORDS, show_progress=False
    ).ids
    return _scores(query, tokens)


def any_script_scores(question: str, documents: Sequence[str]) -> NDArray[np.float32]:
    """Compute the same for the words of `harness.retrieval.words`, which any script has."""
    ids = {word: number for number, word in enumerate(dict.fromkeys(words_of_question(question)))}
    other = len(ids)
    query = [ids[word] for word in words_of_question(question)]
    tokens = [[ids.get(word, other) for word in words_of_text(text)] for text in documents]
    return _scores(query, tokens)


def _scores(query: list[int], tokens: Sequence[list[int]]) -> NDArray[np.float32]:
    """Compute BM25 of each document's tokens for the question's."""
    if not query or not any(tokens):  # the library divides by the mean length
        return np.zeros(len(tokens), dtype=np.float32)
    columns = {token: column for column, token in enumerate(dict.fromkeys(query))}
    other = len(columns)  # one column for all words that are not in the question
    ids = [_in_columns(document, columns, other) for document in tokens]
    names = {str(column): column for column in range(other + 1)}
    index = bm25s.BM25(k1=K1, b=B, method=METHOD, backend="numpy", csc_backend="numpy")
    index.index((ids, names), create_empty_token=False, show_progress=False)
    scores: NDArray[np.float32] = index.get_scores([columns[token] for token in query])
    return scores


def _in_columns(document: list[int], columns: Mapping[int, int], other: int) -> list[int]:
    if columns.keys().isdisjoint(document):
        return [other] * len(document)
    return [columns.get(token, other) for token in document]
