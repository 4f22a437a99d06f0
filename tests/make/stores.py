"""Small stores of schema 18, built by hand, and searches in them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from harness.model import divide
from harness.retrieval import quantise

from .questions import vector_of

Object = dict[str, Any]
AGENT = "agent"
LABEL = "words-1"
SCHEMA = """
CREATE TABLE schema_version (version INTEGER PRIMARY KEY, applied_at TEXT NOT NULL DEFAULT '');
CREATE TABLE memories (
    id INTEGER PRIMARY KEY, agent_id TEXT NOT NULL, project_id TEXT NOT NULL DEFAULT '',
    msg_id TEXT NOT NULL DEFAULT '', content TEXT NOT NULL, source TEXT NOT NULL DEFAULT '{}',
    timestamp TEXT NOT NULL, metadata TEXT NOT NULL DEFAULT '{}', embedding BLOB,
    channel TEXT NOT NULL DEFAULT '', embedding_model TEXT NOT NULL DEFAULT '');
CREATE TABLE episodes (
    id INTEGER PRIMARY KEY, agent_id TEXT NOT NULL, project_id TEXT NOT NULL DEFAULT '',
    summary TEXT NOT NULL, keywords TEXT NOT NULL DEFAULT '', start_time TEXT, end_time TEXT,
    created_at TEXT NOT NULL DEFAULT '2026-01-02 03:04:05');
CREATE TABLE pending_memory_tasks (
    id INTEGER PRIMARY KEY, task_type TEXT NOT NULL, agent_id TEXT NOT NULL, payload TEXT NOT NULL);
CREATE TABLE record_nodes (
    parent_kind TEXT, parent_id INTEGER, node_index INTEGER, start_char INTEGER, end_char INTEGER,
    PRIMARY KEY (parent_kind, parent_id, node_index));
CREATE TABLE record_blocks (
    parent_kind TEXT, parent_id INTEGER, block_index INTEGER, agent_id TEXT, start_char INTEGER,
    end_char INTEGER, embedding_bits BLOB, embedding_model TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (parent_kind, parent_id, block_index));
CREATE TABLE record_block_vectors (
    parent_kind TEXT, parent_id INTEGER, block_index INTEGER, embedding_i8 BLOB NOT NULL,
    PRIMARY KEY (parent_kind, parent_id, block_index)) WITHOUT ROWID;
"""
KETTLE = "The kettle went to the shed. However, it rained in Lyon.\nThe tram was late."
CAT = "The cat sat on the piano. The violin lesson was short."
OK = "ok"
"""One block: a store keeps no row for it."""
EPISODE = "We talked about the kettle. Then about bread and flour."


def make_store(
    path: Path, *, wal: bool = True, memories: Sequence[str] = (KETTLE, CAT, OK)
) -> Path:
    """Memories 1, 2, … of the agent, and episode 1, with current block sets; closed cleanly."""
    with closing(sqlite3.connect(path)) as store:
        store.execute(f"PRAGMA journal_mode = {'wal' if wal else 'delete'}")
        store.executescript(SCHEMA)
        store.execute("INSERT INTO schema_version (version) VALUES (17), (18)")
        for number, text in enumerate(memories, start=1):
            store.execute(
                "INSERT INTO memories (id, agent_id, msg_id, content, timestamp, metadata) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                (
                    number,
                    AGENT,
                    f"user_session_{number - 1}",
                    text,
                    f"2023-05-{number:02d}T10:00:00+00:00",
                    '{"mood": "good"}',
                ),
            )
            add_blocks(store, "mem", number, text)
        store.execute(
            "INSERT INTO episodes (id, agent_id, summary, start_time) VALUES (1, ?, ?, ?)",
            (AGENT, EPISODE, "2023-06-01T08:00:00+00:00"),
        )
        add_blocks(store, "ep", 1, EPISODE)
        store.commit()
    return path


def add_blocks(store: sqlite3.Connection, kind: str, number: int, text: str) -> None:
    spans = divide(text)
    for index, (start, end, _) in enumerate(spans if len(spans) > 1 else ()):
        store.execute(
            "INSERT INTO record_blocks VALUES (?, ?, ?, ?, ?, ?, NULL, ?)",
            (kind, number, index, AGENT, start, end, LABEL),
        )
        store.execute(
            "INSERT INTO record_block_vectors VALUES (?, ?, ?, ?)",
            (kind, number, index, int8_of(text[start:end])),
        )


def int8_of(text: str) -> bytes:

    return quantise(np.array(vector_of(text), dtype=np.float32)).tobytes()


def change(path: Path, *statements: str) -> None:
    """Damage a store."""
    with closing(sqlite3.connect(path)) as store:
        for statement in statements:
            store.execute(statement)
        store.commit()


def item(head: str, *claims: str, **more: Any) -> Object:
    """An item as the server gives it: its claims newest first, the head among them."""
    return {"head_ref": head, "claims": [{"ref": ref} for ref in (head, *claims)], **more}


def response(*items: Object, **more: Any) -> Object:
    return {"items": list(items), "effective_count": 10, "returned_count": len(items), **more}


def search(question_id: str = "q1", **changes: Any) -> Object:
    """A search that found everything: two items and a reserved one."""
    query = "Where did the kettle go?"
    made: Object = {
        "question_id": question_id,
        "agent_id": AGENT,
        "query": query,
        "response": response(
            item("mem:1", "mem:3"), item("mem:2"), item("ep:1", admission="reservation")
        ),
        "query_vector": vector_of(query),
    }
    return made | changes


def write_searches(path: Path, searches: Iterable[Object]) -> Path:
    path.write_text(
        "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in searches), encoding="utf-8"
    )
    return path
