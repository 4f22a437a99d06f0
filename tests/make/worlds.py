"""A small world, written to a folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

CORPUS: list[dict[str, Any]] = [
    {
        "path": "/kiln/firing.md",
        "metadata": {
            "title": "Firing the kiln",
            "tags": "kiln,firing",
            "importance": "0.9",
            "rel-depends-on": "/kiln/glaze.md#cones, /shed/wood.md, mark://far.away/x.md",
        },
        "versions": [
            "# Firing\n\nFire at 1,240 degrees.\n",
            "# Firing\n\nFire at 1,260 degrees.\n\n## Cooling\n\nCool for two days.\n",
        ],
    },
    {
        "path": "/kiln/glaze.md",
        "metadata": {"title": "Glaze", "tags": "glaze", "importance": "0.5"},
        "versions": ["# Glaze\n\nAsh glaze.\n\n## Cones\n\nCone ten melts it.\n"],
    },
    {
        "path": "/shed/wood.md",
        "metadata": {"title": "Wood for the kiln", "tags": "wood,kiln", "importance": "0.9"},
        "versions": ["# Wood\n\nSplit pine.\n"],
    },
]
TASKS: list[dict[str, Any]] = [
    {
        "id": "t1",
        "category": "direct",
        "question": "How hot is the kiln fired?",
        "fields": {"degrees": "number"},
        "scope": "/kiln",
    },
    {
        "id": "t2",
        "category": "absent",
        "question": "Who carved the puppets?",
        "fields": {"name": "string"},
        "scope": "/",
    },
]


def _passage(path: str, version: int, anchor: str, quote: str) -> dict[str, Any]:
    return {"path": path, "version": version, "anchor": anchor, "quote": quote}


RUBRIC: dict[str, Any] = {
    "t1": {
        "answer": {"degrees": 1260},
        "evidence": {
            "degrees": [
                _passage("/kiln/firing.md", 2, "firing", "1,260 degrees"),
                _passage("/kiln/firing.md", 1, "firing", "1,240 degrees"),
            ]
        },
        "abstain": False,
    },
    "t2": {"answer": {}, "evidence": {}, "abstain": True, "outcome": "not-found"},
}


def write_world(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, value in (("corpus", CORPUS), ("tasks", TASKS), ("rubric", RUBRIC)):
        (folder / f"{name}.json").write_text(json.dumps(value), "utf-8")
    return folder
