"""A run of eight made-up questions over long records, with claims, that several arms tell apart.

Categories: four `single-session`, two `multi-session`, one without, and one without gold. One
abstention has an answer session and no evidence turn.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from harness.cli.main import run as call
from harness.replay.run import Run

TOPICS = (
    "bread",
    "the harbour",
    "violins",
    "maps",
    "lanterns",
    "the orchard",
    "clocks",
    "kites",
    "tea",
    "the lighthouse",
)
SAID = (
    "I have been thinking about {0} since spring.",
    "My neighbour says that {0} and {1} belong together.",
    "Could you tell me more about {0}?",
    "However, nobody in the house cares for {0} as I do.",
    "Last week I paid {2} crowns for a book on {0}.",
    "It rained, so we stayed at home and talked of {1}.",
)
POINTS = (
    "items",
    "count-curve(k=1)",
    "count-curve(k=2)",
    "count-curve(k=full)",
    "2.6.5a1(budget=800)",
    "2.6.5a1(budget=1200)",
    "evidence(budget=800)",
    "evidence(budget=1000)",
    "evidence(budget=1200)",
)


def session(number: int) -> tuple[str, list[tuple[int, int]]]:
    """The text of a session, and the code points of its turns."""
    topic, other = TOPICS[number % 10], TOPICS[(number * 3 + 1) % 10]
    text = f"Session date: 2023-05-{number + 1:02d}T10:00:00+00:00"
    turns = []
    for turn in range(2 + number % 4):
        lines = [SAID[(turn + line + number) % 6] for line in range(2 + (number + turn) % 5)]
        words = " ".join(lines).format(topic, other, 10 + number * turn)
        role = "user" if turn % 2 == 0 else "assistant"
        start = len(text) + len(f"\n\n{role}: ")
        text += f"\n\n{role}: {words}"
        turns.append((start, start + len(words)))
    return text, turns


def case(number: int) -> dict[str, Any]:
    """A question about the topic of session `number`; its window has six items, two with claims."""
    order = [(number * 7 + place * 3 + 1) % 10 for place in range(6)]
    gold: dict[str, Any] | None = None
    if number != 6:
        answers = [order[number % 4]] + ([order[3 + number % 2]] if number in (2, 5) else [])
        sessions = [f"s{answer}" for answer in answers]
        evidence = [
            {"record_id": f"r{answer}", "start": start, "end": end, "role": "user"}
            for answer in answers
            for start, end in session(answer)[1][:1]
        ]
        abstention = number == 7
        gold = {
            "answer": "crowns",
            "abstention": abstention,
            "sessions": sessions,
            "evidence": [] if abstention else evidence,
        }
    categories = {2: "multi-session", 5: "multi-session", 4: None}
    return {
        "schema": "harness.case/1",
        "case_id": f"question {number}",
        "category": categories.get(number, "single-session"),
        "query": {
            "text": f"What did I pay for {TOPICS[order[number % 4]]}?",
            "date": "2023-06-01T00:00:00+00:00",
        },
        "records": [
            {
                "record_id": f"r{place}",
                "text": session(place)[0],
                "timestamp": f"2023-05-{place + 1:02d}T10:00:00+00:00",
                "session_id": f"s{place}",
            }
            for place in sorted({*order, (order[0] + 5) % 10, (order[1] + 5) % 10})
        ],
        "items": [
            {
                "head": f"r{head}",
                "claims": [f"r{(head + 5) % 10}"] if place < 2 and (head + 5) % 10 != head else [],
            }
            for place, head in enumerate(order)
        ],
        "gold": gold,
    }


def make_recording(folder: Path) -> Path:
    """The recording of the eight cases, in `folder/recording`."""
    folder.mkdir(exist_ok=True)
    source, out = folder / "cases.jsonl", folder / "recording"
    header = {
        "schema": "harness.cases/1",
        "recall": {"recall": "by hand", "k": 6},
        "embedder": None,
        "dataset_sha256": "ab" * 32,
    }
    lines = [header, *(case(number) for number in range(8))]
    source.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    assert call(["import", "cases", str(source), "--out", str(out), "-q"]) == 0
    return out


def make_run(folder: Path, *options: str, points: tuple[str, ...] = POINTS) -> Run:
    """A run of a recording of its own at the points, in `folder/run`."""
    recording, out = make_recording(folder), folder / "run"
    chosen = [part for point in points for part in ("--point", point)]
    arguments = ["replay", str(recording), "--out", str(out), "-q", *chosen, *options]
    assert call(arguments) == 0
    return Run.open(out)
