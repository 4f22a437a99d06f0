"""Counting tokens offline, with the vocabularies that the tokenizer library carries."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from importlib import metadata
from pathlib import Path
from typing import Any

from harness.errors import UsageError, nearest
from harness.storage.hashing import sha256_of_file

LIBRARY = "quicktok-v1"
CONTEXT_ENCODING = "cl100k_base"
READER_ENCODING = "o200k_base"
_VOCABULARY = {"cl100k_base": "cl100k.vocab", "o200k_base": "o200k.vocab"}
ENCODINGS = tuple(_VOCABULARY)


@dataclass(frozen=True)
class Tokenizer:
    """One encoding. Strings that look like special tokens count as plain text."""

    encoding: str

    def __post_init__(self) -> None:
        if self.encoding not in _VOCABULARY:
            raise UsageError(
                f"no encoding {self.encoding!r}{nearest(self.encoding, _VOCABULARY)}",
                f"Encodings: {', '.join(_VOCABULARY)}.",
            )

    def count(self, text: str) -> int:
        """Return tokens of `text`; 0 for an empty one."""
        return int(_loaded(self.encoding).count(text)) if text else 0

    @cached_property
    def fingerprint(self) -> dict[str, str]:
        """Library, version, encoding and the hash of its vocabulary file."""
        import quicktok

        vocabulary = Path(quicktok.__file__).parent / "data" / _VOCABULARY[self.encoding]
        return {
            "library": LIBRARY,
            "version": metadata.version(LIBRARY),
            "encoding": self.encoding,
            "vocabulary_sha256": sha256_of_file(vocabulary),
        }


@cache
def _loaded(encoding: str) -> Any:
    import quicktok

    return quicktok.get_encoding(encoding)
