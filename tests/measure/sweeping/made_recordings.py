"""Small recordings of the same eight questions by two recalls, and a split of them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from harness.cli.main import run
from harness.datasets.split import drawn_indices

from ...show.made_run import case

SEED, DRAWN, OF = 3, 4, 8
DEV = tuple(f"question {number}" for number in drawn_indices(SEED, DRAWN, OF))
DATASET_SHA256 = "ab" * 32


def make_split(folder: Path) -> Path:
    dev = [
        {"index": int(name.split()[1]), "question_id": name, "question_type": "made"}
        for name in DEV
    ]
    value = {"seed": SEED, "drawn": DRAWN, "of": OF, "dev": dev, "dataset_sha256": DATASET_SHA256}
    path = folder / "split.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def make_recording(folder: Path, cases: Iterable[dict[str, Any]] | None = None) -> Path:
    """The recording of `cases` (the eight, best item first) in `folder/recording`."""
    folder.mkdir(exist_ok=True)
    source, out = folder / "cases.jsonl", folder / "recording"
    header = {"schema": "harness.cases/1", "recall": {"recall": folder.name}, "embedder": None}
    lines = [{**header, "dataset_sha256": DATASET_SHA256}, *(cases or map(case, range(OF)))]
    source.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    assert run(["import", "cases", str(source), "--out", str(out), "-q"]) == 0
    return out


def worst_first() -> list[dict[str, Any]]:
    """The same questions, each window upside down and the cases in another order."""
    cases = [case(number) for number in reversed(range(OF))]
    return [{**made, "items": made["items"][::-1]} for made in cases]
