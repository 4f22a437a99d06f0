"""Golden values: inputs and outputs that were obtained elsewhere, once; each folder says how."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

GOLDEN = Path(__file__).parent


def golden_rows(name: str) -> list[dict[str, Any]]:
    """Read `<name>.jsonl`, or `<name>.jsonl.gz`: an object per line, at least one."""
    path = GOLDEN / f"{name}.jsonl"
    # not splitlines(), which also cuts at U+2028 and its like inside a string
    if path.exists():
        text = path.read_text("utf-8")
    else:
        text = gzip.decompress(path.with_suffix(".jsonl.gz").read_bytes()).decode()
    rows = [json.loads(line) for line in text.split("\n") if line]
    assert rows, f"{path} has no rows"
    return rows
