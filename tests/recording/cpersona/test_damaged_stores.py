"""Stores that are damaged, stale or in use, and searches that do not fit: errors and labels."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from harness.datasets.layout import Question
from harness.errors import Faults, InputError
from harness.model import Case
from harness.recording.recording import Recording
from harness.recording.sources.cpersona import store_file
from harness.recording.sources.cpersona.block_sets import RANKED_LEXICALLY
from harness.recording.sources.cpersona.survey import STALE_RANKING
from harness.replay.sources.omnimemeval.haystack_records import open_records

from ...make.stores import AGENT, LABEL, change, item, make_store, response, search
from .conftest import Record

Captured = pytest.CaptureFixture[str]
LONGER_TEXT = "UPDATE memories SET content = content || ' And it is still there.' WHERE id = 1"


def recall_of(folder: Path) -> dict[str, Any]:
    recall: dict[str, Any] = Recording.open(folder).manifest.content["recall"]
    return recall


def only_case(folder: Path) -> Case:
    (case,) = Recording.open(folder).cases()
    return case


def refused(record: Record, capsys: Captured, out: Path, *messages: str) -> None:
    assert record() == 2
    error = capsys.readouterr().err
    for message in messages:
        assert message in error
    assert not out.exists()


@pytest.mark.parametrize("version", [17, 21])
def test_another_schema_is_refused_by_number(
    record: Record, store: Path, tmp_path: Path, capsys: Captured, version: int
) -> None:
    change(
        store, "DELETE FROM schema_version", f"INSERT INTO schema_version VALUES ({version}, '')"
    )
    refused(record, capsys, tmp_path / "out", f"{store} has schema {version}, expected schema 18")


def test_a_database_of_something_else(
    record: Record, store: Path, tmp_path: Path, capsys: Captured
) -> None:
    change(store, "DROP TABLE schema_version")
    refused(record, capsys, tmp_path / "out", "no CPersona store: it has no table schema_version")


@pytest.mark.parametrize(
    ("statements", "messages", "state"),
    [
        (
            [LONGER_TEXT],
            ["1 record whose blocks do not cover the text (they are of an old one): mem:1; 1 in"],
            "blocks_of_another_text",
        ),
        (
            ["UPDATE record_blocks SET start_char = start_char + 1 WHERE parent_kind = 'ep'"],
            ["1 record whose blocks do not cover the text (they are of an old one): ep:1; 1 in"],
            "blocks_of_another_text",
        ),
        (
            ["DELETE FROM record_blocks WHERE parent_id = 2"],
            ["1 record without blocks, though the text divides into several: mem:2; 1 in windows"],
            "no_blocks",
        ),
        (
            ["INSERT INTO record_nodes VALUES ('mem', 1, 0, 0, 30)"],
            ["1 record whose blocks run across the end of a node: mem:1; 1 in windows"],
            "blocks_across_a_node",
        ),
    ],
)
def test_blocks_that_are_not_current(
    record: Record,
    store: Path,
    tmp_path: Path,
    capsys: Captured,
    statements: list[str],
    messages: list[str],
    state: str,
) -> None:
    change(store, *statements)
    refused(record, capsys, tmp_path / "out", f"{store} is stale", STALE_RANKING, *messages)
    assert record("--allow-stale") == 0
    assert STALE_RANKING in capsys.readouterr().err
    recall = recall_of(tmp_path / "out")
    assert recall["stale"] == STALE_RANKING
    assert (recall["records_not_current"], recall["records_not_current_in_windows"]) == (1, 1)
    assert recall[f"records_with_{state}"] == 1
    without = [one.record_id for one in only_case(tmp_path / "out").records if one.blocks is None]
    assert messages[0].split(": ")[1].split(";")[0] in without


def test_a_node_that_ends_with_a_block_is_no_fault(record: Record, store: Path) -> None:
    change(store, "INSERT INTO record_nodes VALUES ('mem', 1, 0, 0, 28), ('mem', 1, 1, 28, 75)")
    assert record() == 0


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM record_block_vectors WHERE parent_kind = 'mem' AND parent_id = 1",
        "DELETE FROM record_block_vectors WHERE parent_id = 1 AND parent_kind = 'mem' "
        "AND block_index = 1",
    ],
)
def test_missing_int8_rows_are_labelled(
    record: Record, store: Path, tmp_path: Path, capsys: Captured, statement: str
) -> None:
    """The record is divided at replay, as the reference divides it when it reads it."""
    change(store, statement)
    assert record() == 0
    label = recall_of(tmp_path / "out")["records_with_int8_missing"]
    assert label == f"1 in windows, {RANKED_LEXICALLY}"
    assert (
        "1 record whose blocks lack int8 vectors: ranked lexically; the reference would use bits"
        in (capsys.readouterr().err)
    )
    case = only_case(tmp_path / "out")
    assert {one.record_id: one.blocks is None for one in case.records} == {
        "mem:1": True,
        "mem:2": False,
        "mem:3": True,
        "ep:1": False,
    }


def test_int8_of_another_width_are_labelled(record: Record, store: Path, tmp_path: Path) -> None:
    """The reference keeps such a block set, and ranks it by bits."""
    change(store, "UPDATE record_block_vectors SET embedding_i8 = x'0102' WHERE parent_id = 2")
    assert record() == 0
    label = recall_of(tmp_path / "out")["records_with_int8_of_another_width"]
    assert label == f"1 in windows, {RANKED_LEXICALLY}"
    (blocks,) = [
        one.blocks for one in only_case(tmp_path / "out").records if one.record_id == "mem:2"
    ]
    assert blocks is not None
    assert blocks.vectors is None


def test_another_embedders_label(
    record: Record, store: Path, tmp_path: Path, capsys: Captured
) -> None:
    change(store, "UPDATE record_blocks SET embedding_model = 'words-2' WHERE parent_id = 2")
    out = tmp_path / "out"
    found = f"'{LABEL}' on 5 blocks and 'words-2' on 2 blocks"
    refused(record, capsys, out, f"{store} has blocks of several embedders: {found}")
    assert record("--embedding-model", "wrods-2") == 2
    assert "has the embedder label 'wrods-2'; did you mean 'words-2'?" in capsys.readouterr().err
    assert record("--embedding-model", LABEL) == 2
    error = capsys.readouterr().err
    assert "1 record whose blocks have another embedder's label: mem:2; 1 in windows" in error
    assert found in error
    assert record("--embedding-model", LABEL, "--allow-stale") == 0
    assert recall_of(out)["records_with_blocks_of_another_embedder"] == 1
    assert Recording.open(out).manifest.content["embedder"]["name"] == LABEL
    assert record("--embedding-model", LABEL, "--embedding-model", "words-2", "--force") == 0
    assert "stale" not in recall_of(out)


def test_a_queue_that_is_not_drained(
    record: Record, store: Path, tmp_path: Path, capsys: Captured
) -> None:
    change(
        store,
        "INSERT INTO pending_memory_tasks (task_type, agent_id, payload) VALUES "
        "('build_blocks', 'agent', '{}'), ('build_blocks', 'agent', '{}'), ('embed', 'x', '{}')",
    )
    line = "pending_memory_tasks holds 3 tasks not done: build_blocks 2 and embed 1"
    refused(record, capsys, tmp_path / "out", line, "--allow-stale")
    assert record("--allow-stale") == 0
    assert recall_of(tmp_path / "out")["pending_tasks"] == 3


@pytest.mark.parametrize("wal", [True, False])
def test_a_locked_store(
    record: Record,
    store: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Captured,
    wal: bool,
) -> None:
    monkeypatch.setattr(store_file, "BUSY_SECONDS", 0.01)
    store.unlink()
    make_store(store, wal=wal)
    with closing(sqlite3.connect(store, isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode = exclusive")
        other.execute("BEGIN EXCLUSIVE")
        other.execute("UPDATE memories SET metadata = '{}'")
        refused(record, capsys, tmp_path / "out", f"{store} is locked by another process")
    assert record() == 0


@pytest.mark.parametrize("keep", [0, 50, 4096 * 3, -1])
def test_a_truncated_file(
    record: Record, store: Path, tmp_path: Path, capsys: Captured, keep: int
) -> None:
    content = store.read_bytes()
    store.write_bytes(content[:keep])
    message = "is empty" if keep == 0 else "is cut short: it has"
    refused(record, capsys, tmp_path / "out", f"{store} {message}")


def test_a_damaged_file(record: Record, store: Path, tmp_path: Path, capsys: Captured) -> None:
    content = bytearray(store.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    store.write_bytes(content)
    refused(record, capsys, tmp_path / "out", f"{store} is damaged")


def test_no_database(record: Record, store: Path, tmp_path: Path, capsys: Captured) -> None:
    store.write_text("mem:1 The kettle went to the shed.\n" * 10)
    refused(record, capsys, tmp_path / "out", f"{store} is not an SQLite database")


def test_a_store_that_is_written_to_while_it_is_read(
    record: Record,
    store: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Captured,
) -> None:
    from harness.recording.sources.cpersona import recorder

    def meanwhile(*arguments: Any) -> dict[str, Any]:
        change(store, "UPDATE memories SET metadata = '{}'")
        return {}

    monkeypatch.setattr(recorder, "_labels", meanwhile)
    refused(record, capsys, tmp_path / "out", f"{store} was written to while it was read")


def test_responses_that_do_not_fit_the_store(
    record: Record, store: Path, tmp_path: Path, capsys: Captured
) -> None:
    change(store, "UPDATE memories SET agent_id = 'other' WHERE id = 3")
    quoted = item("mem:2", content="The cat stood on the piano.", ranges=[[0, 27]])
    searches = [
        search("q1", response=response(item("mem:1", "mem:77"), item("ep:5"))),
        search("q2"),
        search("q3", response=response(quoted)),
    ]
    assert record(searches=searches) == 2
    error = capsys.readouterr().err
    assert "searches.jsonl: 3 faults" in error
    assert "line 1: response names mem:77 and ep:5, which are not in the store" in error
    assert "line 2: response names mem:3, a record of the agent 'other', but agent_id is" in error
    assert "line 3: response quotes mem:2 otherwise than the store has it" in error
    assert not (tmp_path / "out").exists()


def test_excerpts_and_traces_that_do_not_fit_the_store(record: Record, capsys: Captured) -> None:
    only_there = item("mem:1", excerpts=[{"ref": "mem:77", "content": "A kettle."}])
    changed = item("mem:1", "mem:2", excerpts=[{"ref": "mem:2", "content": "The cat stood"}])
    labelled = item("ep:1", "mem:2", excerpts=[{"ref": "mem:2", "content": "[Episode] The cat"}])
    trace = {"candidate_refs": ["mem:88", "mem:1", "profile"], "clusters": [["mem:1", "ep:9"]]}
    searches = [
        search("q1", response=response(only_there)),
        search("q2", response=response(changed)),
        search("q3", response=response(labelled)),
        search("q4", response=response(item("mem:1"), trace=trace)),
    ]
    assert record(searches=searches) == 2
    error = capsys.readouterr().err
    assert "searches.jsonl: 4 faults" in error
    assert "line 1: response names mem:77, which is not in the store" in error
    assert "line 2: response has an excerpt of mem:2 that is not in its text" in error
    assert "line 3: response has an excerpt of mem:2 that is not in its text" in error
    assert "line 4: response names mem:88 and ep:9 in its trace, which are not in the" in error


@pytest.mark.parametrize(
    ("table", "column", "value", "message"),
    [
        ("memories", "content", "NULL", "mem:1 has no text (NULL)"),
        ("memories", "content", "x'ff00'", "mem:1 has no text (a BLOB of 2 bytes)"),
        ("episodes", "summary", "NULL", "ep:1 has no text (NULL)"),
    ],
)
def test_a_record_without_a_text(
    record: Record,
    store: Path,
    tmp_path: Path,
    capsys: Captured,
    table: str,
    column: str,
    value: str,
    message: str,
) -> None:
    _without_not_null(store, table, column)
    change(store, f"UPDATE {table} SET {column} = {value} WHERE id = 1")
    refused(record, capsys, tmp_path / "out", f"{store}: 1 fault", message)


def test_records_without_a_text_are_no_haystack(store: Path) -> None:
    """What an import of results quotes from is read in the same way."""
    _without_not_null(store, "memories", "content")
    change(store, "UPDATE memories SET content = NULL WHERE id < 3")
    with open_records(store, store, "", agent=AGENT) as records:
        asked = Question("q1", "multi-session", "Where?", "There.", "", (), (), "")
        with pytest.raises(InputError, match=r"mem:1 has no text \(NULL\)[^m]*mem:2 has no text"):
            records.records_of(asked, "user_0", Faults())


def test_columns_beside_the_text_that_are_no_text(
    record: Record, store: Path, tmp_path: Path
) -> None:
    change(store, "UPDATE memories SET metadata = x'ff', timestamp = x'00', msg_id = x'01'")
    assert record() == 0
    first = only_case(tmp_path / "out").records[0]
    assert (first.metadata, first.timestamp) == ({}, None)


def _without_not_null(store: Path, table: str, column: str) -> None:
    """Let the column hold NULL, as in a store that something else than the server has made."""
    with closing(sqlite3.connect(store)) as opened:
        opened.execute("PRAGMA writable_schema = 1")
        opened.execute(
            "UPDATE sqlite_master SET sql = replace(sql, ?, ?) WHERE name = ?",
            (f"{column} TEXT NOT NULL,", f"{column} TEXT,", table),
        )
        opened.commit()
