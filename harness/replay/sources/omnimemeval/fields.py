"""Checks that the files of a result folder share."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from harness.decode.fields import ObjectReader, is_finite_number, kind_of
from harness.errors import Faults, InputError


def check_milliseconds(fields: ObjectReader, key: str) -> None:
    """Check a field that is a duration, if it is there: a number, never a string that looks like
    one."""
    value = fields.raw(key)
    if not fields.has(key):
        return
    if not is_finite_number(value) or value < 0:
        fields.fault(key, f"is {kind_of(value)}, expected a number of milliseconds")


def decoded(path: Path, faults: Faults) -> Any:
    """Return the file's JSON value. A key that comes twice would hide a row: it is a fault."""

    def object_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value: dict[str, Any] = {}
        for key, entry in pairs:
            if key in value:
                faults.add(f"an object has the key {key!r} twice")
            value[key] = entry
        return value

    try:
        return json.loads(path.read_bytes(), object_pairs_hook=object_of)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}", "Check the path.") from error
    except (ValueError, RecursionError) as error:
        faults.add(f"it is not JSON ({error})")
        return None
