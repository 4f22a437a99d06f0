"""SHA-256 of files, texts and JSON values."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any


def sha256_of_file(path: Path) -> str:
    """Return the hex SHA-256 of the file's bytes, read in a stream."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def sha256_of_text(text: str) -> str:
    """Return the hex SHA-256 of the text in UTF-8."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def canonical_json(value: Any) -> str:
    """Return JSON with sorted keys, no white space and non-ASCII kept: one spelling for one
    value."""
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )


def sha256_of_json(value: Any) -> str:
    """Return the hex SHA-256 of the value's canonical JSON."""
    return sha256_of_text(canonical_json(value))
