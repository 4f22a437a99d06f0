"""Token counts against recorded ones of other libraries."""

from __future__ import annotations

import pytest

from harness.errors import UsageError
from harness.evidence.tokens import ENCODINGS, Tokenizer

from ..golden import golden_rows


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_recorded_counts(encoding: str) -> None:
    rows = golden_rows("tokens/counts")
    assert len(rows) == 127
    tokenizer = Tokenizer(encoding)
    assert [tokenizer.count(row["text"]) for row in rows] == [row[encoding] for row in rows]


@pytest.mark.parametrize(
    ("encoding", "text", "tokens"),
    [
        ("cl100k_base", "", 0),
        ("o200k_base", "", 0),
        ("cl100k_base", "hello world", 2),
        ("o200k_base", "hello world", 2),
        ("cl100k_base", "<|endoftext|>", 7),
    ],
)
def test_counts_by_hand(encoding: str, text: str, tokens: int) -> None:
    assert Tokenizer(encoding).count(text) == tokens


def test_a_fingerprint_names_library_version_and_vocabulary() -> None:
    prints = [Tokenizer(encoding).fingerprint for encoding in ENCODINGS]
    for encoding, fingerprint in zip(ENCODINGS, prints, strict=True):
        assert fingerprint["encoding"] == encoding
        assert fingerprint["library"] == "quicktok-v1"
        assert fingerprint["version"]
        assert len(fingerprint["vocabulary_sha256"]) == 64
    assert prints[0]["vocabulary_sha256"] != prints[1]["vocabulary_sha256"]


def test_an_unknown_encoding_names_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"no encoding 'o200k'; did you mean 'o200k_base'\?"):
        Tokenizer("o200k")
