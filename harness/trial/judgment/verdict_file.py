"""A verdict as JSON: written atomically, read back with every key checked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec

from harness.errors import InputError
from harness.storage.atomic import write_text
from harness.storage.manifest import check_schema

from .verdict import SCHEMA, Verdict

VERDICT_SUFFIX = ".verdict.json"


def default_verdict(registration: Path) -> Path:
    """`NAME.verdict.json` beside the registration `NAME.json`."""
    return registration.with_name(registration.stem + VERDICT_SUFFIX)


def verdict_text(verdict: Verdict) -> str:
    """The file, byte for byte; floats in their shortest exact spelling."""
    value = msgspec.to_builtins(verdict)
    return json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def write_verdict(verdict: Verdict, path: Path) -> None:
    """Write the file atomically."""
    write_text(path, verdict_text(verdict))


def read_verdict(path: Path) -> Verdict:
    """Read a verdict; raises `InputError` for a file that is none."""
    value = _value(path)
    if value is None:
        raise InputError(f"{path} does not exist", "Write it with: harness judge REGISTRATION …")
    check_schema(str(value.get("schema")), SCHEMA, path)
    try:
        return msgspec.convert(value, Verdict)
    except msgspec.ValidationError as error:
        raise InputError(
            f"{path} is not a verdict ({error})", "Restore its last commit."
        ) from error


def verdict_of_opening(path: Path, line_sha256: str) -> bool:
    """Whether `path` holds the verdict that was reached under that line of a ledger."""
    try:
        value = _value(path)
    except InputError:
        return False
    opening = (value or {}).get("opening")
    return isinstance(opening, dict) and opening.get("line_sha256") == line_sha256


def _value(path: Path) -> dict[str, Any] | None:
    """The JSON object in the file; None if there is no such file."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{path} is not a verdict ({error})") from error
    if not isinstance(value, dict):
        raise InputError(f"{path} is not a verdict: it holds no object")
    return value
