"""Editing a manifest as somebody would who knows how its hashes are made."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from harness.storage.hashing import sha256_of_json


def edit_manifest(folder: Path, edit: Callable[[dict[str, Any]], None]) -> None:
    """Change the manifest's value with `edit`, then make both of its own hashes anew."""
    path = folder / "manifest.json"
    value = json.loads(path.read_text(encoding="utf-8"))
    del value["manifest_sha256"]
    edit(value)
    hashes = {name: entry["sha256"] for name, entry in value["files"].items()}
    value["content_sha256"] = sha256_of_json(hashes)
    value["manifest_sha256"] = sha256_of_json(value)
    path.write_text(json.dumps(value), encoding="utf-8")
