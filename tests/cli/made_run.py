"""A run of three small questions, small enough to compute its figures by hand.

`q1` (single): its answer session `s1` is the second item. `q2` (multi): its answer sessions `s1`
and `s3` are the first and the second. `q3`: no category and no labels. Every record is shown whole.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from harness.cli.main import run

LYON = "user: I live in Lyon."
CAT = "user: Miso is my cat."
RAIN = "user: It rained."
TIMES = {LYON: "2023-05-01T10:00:00+00:00", CAT: "2023-05-02T10:00:00+00:00", RAIN: None}
SESSIONS = {LYON: "s1", RAIN: "s2", CAT: "s3"}
LEAD = len("user: ")


def _case(
    case_id: str, category: str | None, question: str, texts: tuple[str, ...], gold: Any
) -> dict[str, Any]:
    return {
        "schema": "harness.case/1",
        "case_id": case_id,
        "category": category,
        "query": {"text": question, "date": "2023-06-01T00:00:00+00:00" if category else None},
        "records": [
            {
                "record_id": SESSIONS[text],
                "text": text,
                "timestamp": TIMES[text],
                "session_id": SESSIONS[text],
            }
            for text in texts
        ],
        "items": [{"head": SESSIONS[text]} for text in texts],
        "gold": gold,
    }


def _gold(*texts: str) -> dict[str, Any]:
    return {
        "answer": "Lyon",
        "sessions": [SESSIONS[text] for text in texts],
        "evidence": [
            {"record_id": SESSIONS[text], "start": LEAD, "end": len(text), "role": "user"}
            for text in texts
        ],
    }


CASES = (
    _case("q1", "single", "Where do I live?", (RAIN, LYON), _gold(LYON)),
    _case("q2", "multi", "Who lives in Lyon?", (LYON, CAT), _gold(LYON, CAT)),
    _case("q3", None, "Did it rain?", (RAIN,), None),
)


def make_run(folder: Path, *options: str) -> Path:
    """A run in `folder` at `count-curve(k=1)`, `count-curve(k=2)` and `items`."""
    source, recording, out = folder / "cases.jsonl", folder / "recording", folder / "run"
    source.write_text("".join(json.dumps(case) + "\n" for case in CASES), encoding="utf-8")
    specs = [
        part
        for spec in ("count-curve(k=1)", "count-curve(k=2)", "items")
        for part in ("--point", spec)
    ]
    assert run(["import", "cases", str(source), "--out", str(recording), "-q"]) == 0
    assert run(["replay", str(recording), "--out", str(out), "-q", *specs, *options]) == 0
    return out
