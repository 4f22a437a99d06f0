"""Hashes: their spelling is part of every identity, so it must never change."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from harness.storage.hashing import canonical_json, sha256_of_file, sha256_of_json, sha256_of_text


def test_canonical_json_is_one_spelling() -> None:
    value = {"b": [1, 2.5, None], "a": {"ü": True, "A": "猫"}}
    assert canonical_json(value) == '{"a":{"A":"猫","ü":true},"b":[1,2.5,null]}'
    assert canonical_json(dict(reversed(value.items()))) == canonical_json(value)
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical_json(float("nan"))


def test_hashes_are_of_utf8_bytes(tmp_path: Path) -> None:
    expected = hashlib.sha256('{"k":"猫"}'.encode()).hexdigest()
    assert sha256_of_json({"k": "猫"}) == sha256_of_text('{"k":"猫"}') == expected
    (tmp_path / "file").write_bytes('{"k":"猫"}'.encode())
    assert sha256_of_file(tmp_path / "file") == expected


def test_known_values() -> None:
    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert sha256_of_text("") == empty
    assert sha256_of_json({}) == hashlib.sha256(b"{}").hexdigest()
