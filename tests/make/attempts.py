"""A mill to ask about, and what readers did there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from harness.attempts.scoring import Attempt, Call, Trace, Usage
from harness.worlds import World, load_world

WHEEL = """\
# Wheel

The wheel has two speeds.

## Speed

It turns at 12 rounds a minute.

## Wood

The wheel is oak. Oak lasts.
"""
RACE = """\
# Race

## Width

The race is 3 feet wide.

## Depth

As said, the race is 3 feet wide.
The race is 3 feet wide. It is 2 feet deep.
"""
NOTE = "# Note\n\nGrease monthly.\n"
CORPUS: list[dict[str, Any]] = [
    {
        "path": "/mill/wheel.md",
        "metadata": {"title": "Wheel"},
        "versions": ["# Wheel\n\nThe wheel turns at 9 rounds.\n", WHEEL],
    },
    {"path": "/mill/race.md", "metadata": {"title": "Race"}, "versions": [RACE]},
    {"path": "/mill/a.md", "metadata": {"title": "A"}, "versions": [NOTE]},
    {"path": "/mill/b.md", "metadata": {"title": "B"}, "versions": [NOTE]},
]
SPEED = "It turns at 12 rounds a minute."
OAK = "The wheel is oak."
WIDE = "The race is 3 feet wide."
GREASE = "Grease monthly."


def _task(task_id: str, category: str, **fields: str) -> dict[str, Any]:
    return {
        "id": task_id,
        "category": category,
        "question": f"Question {task_id}?",
        "fields": fields,
        "scope": "/mill",
    }


def _at(path: str, version: int, anchor: str, quote: str) -> dict[str, Any]:
    return {"path": path, "version": version, "anchor": anchor, "quote": quote}


EELS = {
    "tool": "mark_lookup",
    "url": "/mill",
    "query": "eels",
    "match": "body",
    "status": "ok",
    "matches": 0,
    "complete": True,
}
TASKS = [
    _task("wheel", "direct", rounds="number", wood="string"),
    _task("eels", "absent", count="number"),
    _task("log", "broken", entry="string"),
    _task("grease", "direct", when="string"),
    _task("race", "direct", feet="number"),
]
RUBRIC: dict[str, Any] = {
    "wheel": {
        "answer": {"rounds": 12, "wood": "oak 0007"},
        "evidence": {
            "rounds": [_at("/mill/wheel.md", 2, "speed", SPEED)],
            "wood": [_at("/mill/wheel.md", 2, "wood", OAK)],
        },
        "supplemental": {"rounds": [_at("/mill/wheel.md", 2, "wheel", "two speeds")]},
        "contradictions": [_at("/mill/wheel.md", 1, "wheel", "The wheel turns at 9 rounds.")],
    },
    "eels": {
        "answer": {},
        "evidence": {},
        "outcome": "not-found",
        "completion": [{"step": "once", **EELS}, {"step": "again", **EELS}],
    },
    "log": {
        "answer": {},
        "evidence": {},
        "outcome": "incomplete",
        "completion": [
            {"step": "the log", "tool": "mark_fetch", "url": "/mill/log.md", "failure": True}
        ],
    },
    "grease": {
        "answer": {"when": "monthly"},
        "evidence": {"when": [_at("/mill/b.md", 1, "note", GREASE)]},
    },
    "race": {
        "answer": {"feet": 3},
        "evidence": {"feet": [_at("/mill/race.md", 1, "width", WIDE)]},
    },
}


def write_mill(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, value in (("corpus", CORPUS), ("tasks", TASKS), ("rubric", RUBRIC)):
        (folder / f"{name}.json").write_text(json.dumps(value), "utf-8")
    return folder


def mill(folder: Path) -> World:
    return load_world(write_mill(folder))


def fetch(url: str, version: int | str, body: str, section: str | None = None, **more: str) -> Call:
    lines = {"status": "ok", "version": str(version)}
    if section is not None:
        lines["section"] = f"#{section}"
    return Call("fixture_mark_fetch", {"url": url}, _printed({**lines, **more}, body))


def lookup(expansion: str = "", query: str = "wheel", **envelope: str) -> Call:
    lines = {"status": "ok", "matches": "0", "match": "body", "complete": "true", **envelope}
    given = {"url": "/mill", "query": query, "match": "body"}
    return Call("fixture_mark_lookup", given, _printed(lines, f"\n# Lookup\n{expansion}"))


def block(location: str, text: str) -> str:
    return f"\n>>> {location}\n\n{text}\n"


def cite(field: str, url: str, quote: str) -> dict[str, str]:
    return {"field": field, "url": url, "quote": quote}


def final(answer: dict[str, Any], *citations: dict[str, str], **more: Any) -> str:
    return json.dumps({"answer": answer, "citations": citations, **more})


def attempt(
    task: str,
    last: str,
    *calls: Call,
    repeat: int = 1,
    tokens: int = 100,
    category: str | None = None,
) -> Attempt:
    known = {each["id"]: each["category"] for each in TASKS}
    return Attempt(
        task=task,
        category=category or known[task],
        repeat=repeat,
        trace=Trace(
            calls=tuple(calls),
            final=last,
            usage=Usage(input=tokens - 10, output=10),
            usage_complete=True,
            turns=len(calls) + 1,
        ),
        latency_phase="cold" if repeat == 1 else "warm",
    )


def attempt_object(made: Attempt) -> dict[str, Any]:
    """As a line of a file of attempts."""
    usage = made.trace.usage
    return {
        "task": made.task,
        "category": made.category,
        "repeat": made.repeat,
        "trace": {
            "calls": [
                {
                    "name": call.name,
                    "input": dict(call.input),
                    "output": call.output,
                    "error": call.error,
                }
                for call in made.trace.calls
            ],
            "final": made.trace.final,
            "usage": {"input": usage.input, "output": usage.output},
            "usage_complete": made.trace.usage_complete,
            "turns": made.trace.turns,
        },
    }


def write_attempts(path: Path, *made: Attempt) -> Path:
    path.write_text("".join(json.dumps(attempt_object(each)) + "\n" for each in made), "utf-8")
    return path


def right_attempts(repeat: int = 1, tokens: int = 100) -> list[Attempt]:
    """A correct attempt at every task."""
    empty = lookup(query="eels")
    log = Call("mark_fetch", {"url": "/mill/log.md"}, "", "timed out")
    nothing = {"abstain": True}
    return [
        attempt("wheel", right_wheel(), whole_wheel(), repeat=repeat, tokens=tokens),
        attempt(
            "eels",
            final({}, outcome="not-found", **nothing),
            empty,
            empty,
            repeat=repeat,
            tokens=tokens,
        ),
        attempt(
            "log", final({}, outcome="incomplete", **nothing), log, repeat=repeat, tokens=tokens
        ),
        attempt(
            "grease",
            final({"when": "monthly"}, cite("when", "/mill/b.md/v1#note", GREASE)),
            fetch("/mill/b.md", 1, NOTE),
            repeat=repeat,
            tokens=tokens,
        ),
        attempt(
            "race",
            final({"feet": 3}, cite("feet", "/mill/race.md/v1#width", WIDE)),
            fetch("/mill/race.md#width", 1, f"## Width\n\n{WIDE}\n", "width"),
            repeat=repeat,
            tokens=tokens,
        ),
    ]


def whole_wheel() -> Call:
    return fetch("/mill/wheel.md", 2, WHEEL)


def right_wheel(**changed: Any) -> str:
    return final(
        {"rounds": 12, "wood": "oak 0007", **changed},
        cite("rounds", "/mill/wheel.md/v2#speed", SPEED),
        cite("wood", "mark:///mill/wheel.md/v2#wood", OAK),
    )


def _printed(envelope: dict[str, str], body: str) -> str:
    return "\n".join(f"{key}: {value}" for key, value in envelope.items()) + f"\n\n{body}"
