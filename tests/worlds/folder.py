"""A small world as a folder of Markdown files, to be written, changed and frozen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

DOCUMENTS = {
    "mill/wheel.md": """\
---
title: The wheel
tags: mill, wheel
importance: 0.8
rel-depends-on: /mill/race.md#sluice
---
# The wheel

## Speed

The wheel turns 9 times a minute.

### In winter

Then it turns 4 times.
""",
    "mill/wheel.v1.md": "# The wheel\n\n## Speed\n\nThe wheel turns 8 times a minute.\n",
    "mill/race.md": "# The race\n\n## Sluice\n\nThe sluice opens at dawn, *never* before.\n",
    "yard/cart.md": "---\narchived: true\n---\n# Cart\n\nIt lost a wheel.\n",
}
TASKS: list[dict[str, Any]] = [
    {
        "id": "speed",
        "category": "direct",
        "question": "How often does the wheel turn?",
        "fields": {"turns": "number"},
        "scope": "/mill",
    },
    {
        "id": "smith",
        "category": "absent",
        "question": "Who is the smith?",
        "fields": {"name": "string"},
        "scope": "/",
    },
]
QUOTE = {
    "path": "/mill/wheel.md",
    "version": 2,
    "anchor": "speed",
    "quote": "The wheel turns 9 times a minute.",
}
RUBRIC: dict[str, Any] = {
    "speed": {"answer": {"turns": 9}, "evidence": {"turns": [QUOTE]}},
    "smith": {"answer": {}, "evidence": {}, "abstain": True},
}


def write_folder(
    folder: Path,
    documents: dict[str, str] | None = None,
    tasks: Any = None,
    rubric: Any = None,
) -> Path:
    """Write the world, or one with other parts, below `folder`; gives `folder`."""
    for name, text in (DOCUMENTS if documents is None else documents).items():
        path = folder / "documents" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8"))
    folder.mkdir(parents=True, exist_ok=True)
    write_json(folder / "tasks.json", TASKS if tasks is None else tasks)
    write_json(folder / "rubric.json", RUBRIC if rubric is None else rubric)
    return folder


def write_json(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")


def rubric_with(**quote: Any) -> dict[str, Any]:
    """The rubric with other values in its quote."""
    marking = {"answer": {"turns": 9}, "evidence": {"turns": [QUOTE | quote]}}
    return RUBRIC | {"speed": marking}
