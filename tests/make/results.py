"""A dataset of two questions, records of it as a store holds them, and search results of it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.cli.main import run

from .questions import SESSIONS, Object, question, write_questions
from .stores import SCHEMA

RAIN = "Session date: 2023-05-01T10:00:00+00:00\n\nuser: Rain in Lyon again."
KETTLE = (
    "Session date: 2023-05-02T10:00:00+00:00\n\n"
    "user: The kettle went to the shed.\n\nassistant: Noted."
)
CAT = (
    "Session date: 2023-05-03T10:00:00+00:00\n\nuser: A cat sat.\n\nassistant: The kettle is loud."
)
QUESTIONS = (
    question("q0", SESSIONS),
    question("q1", SESSIONS, question="Who sat?", question_type="single-session-user"),
)
CONTEXT = (
    "Conversation memories:\n\n"
    "[2023-05-03T10:00:00+00:00]\nA cat sat. … The kettle is loud.\n\n"
    f"[2023-05-02T10:00:00+00:00]\n{KETTLE}\n…\nRain in Lyon\n"
)
"""The cat's session in two passages; then the kettle's, whole, with a piece of the rain's."""


def row(asked: Mapping[str, Any], context: str | None = CONTEXT, **changes: Any) -> Object:
    """The row of a question's search; `changes` replace fields."""
    made: Object = {
        "question": asked["question"],
        "category": asked["question_type"],
        "date": asked["question_date"],
        "golden_answer": asked["answer"],
        "answer_evidences": [],
        "search_context": context,
        "search_duration_ms": 12.5,
        "status": "success",
    }
    return made | changes


def write_results(folder: Path, rows: Sequence[Object], library: str = "memo") -> Path:
    """A result folder with a row for each question, in order."""
    folder.mkdir(parents=True, exist_ok=True)
    value = {f"lme_exper_user_lme1_{index}": [each] for index, each in enumerate(rows)}
    path = folder / f"{library}_lme_search_results.json"
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
    return folder


def write_data(folder: Path, questions: Sequence[Object] = QUESTIONS) -> Path:
    return write_questions(folder / "data.json", questions)


def write_store(
    path: Path,
    memories: Sequence[tuple[str, str, str, str]],
    version: int = 18,
) -> Path:
    """A store of the schema with memories (agent, message id, content, timestamp) alone."""
    with sqlite3.connect(path) as connection:
        connection.executescript(SCHEMA)
        connection.execute("INSERT INTO schema_version (version) VALUES (?)", (version,))
        connection.executemany(
            "INSERT INTO memories (agent_id, msg_id, content, timestamp) VALUES (?, ?, ?, ?)",
            memories,
        )
    connection.close()
    return path


def memories_of(
    index: int, agent: str = "lme_exper_user_lme1_{i}"
) -> list[tuple[str, str, str, str]]:
    """The three sessions as memories of a question's agent, last first."""
    name = agent.replace("{i}", str(index))
    texts = (RAIN, KETTLE, CAT)
    return [
        (name, f"{name}_lme_exper_session_{place}", texts[place], f"2023-05-0{place + 1}T10:00:00Z")
        for place in (2, 1, 0)
    ]


def import_results(folder: Path, data: Path, out: Path, *more: str) -> int:
    """`harness import omnimemeval` with the dataset's own sessions as records."""
    records = () if "--records" in more else ("--records", str(data))
    given = ["import", "omnimemeval", str(folder), "--dataset", str(data), "--out", str(out)]
    return run([*given, *records, *more])
