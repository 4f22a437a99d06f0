"""A small world to start from: two documents, one of them with an earlier version, and a task."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from harness.errors import UsageError
from harness.storage.atomic import write_text

from .markdown_folder import DOCUMENTS
from .opening import RUBRIC_NAME, TASKS_NAME

_BOILER = """\
---
title: Boiler
tags: boiler, pressure
importance: 0.8
rel-depends-on: /house/water.md#hardness
---
# Boiler

## Pressure

The boiler is run at {pressure} bar.
"""
_WATER = """\
---
title: Water
tags: water, limescale
---
# Water

## Hardness

The water is soft, so that nothing need be added to it.
"""
_TEXTS = {
    "house/boiler.md": _BOILER.format(pressure="1.4"),
    "house/boiler.v1.md": _BOILER.format(pressure="1.2"),
    "house/water.md": _WATER,
}
_TASKS: list[dict[str, Any]] = [
    {
        "id": "boiler-pressure",
        "category": "direct-fact",
        "question": "At which pressure is the boiler run?",
        "fields": {"bar": "number"},
        "scope": "/house",
    }
]
_RUBRIC: dict[str, Any] = {
    "boiler-pressure": {
        "answer": {"bar": 1.4},
        "evidence": {
            "bar": [
                {
                    "path": "/house/boiler.md",
                    "version": 2,
                    "anchor": "pressure",
                    "quote": "The boiler is run at 1.4 bar.",
                }
            ]
        },
    }
}


def start_world(folder: Path) -> list[Path]:
    """Write the world into a folder that does not exist or is empty; return the files.

    Raises `UsageError` for any other.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} exists and is not empty", "Choose another folder.")
    texts = {folder / DOCUMENTS / name: text for name, text in _TEXTS.items()}
    for name, value in ((TASKS_NAME, _TASKS), (RUBRIC_NAME, _RUBRIC)):
        texts[folder / name] = json.dumps(value, ensure_ascii=False, indent=2) + "\n"
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, text)
    return list(texts)
