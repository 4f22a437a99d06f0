"""Sessions that a point shows, and that a recall retrieved: as rankings, and as a count of a run.

A run knows records; of which session a record is, its recording knows. A record that belongs to no
session is in no ranking and in no count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from harness.points import Point
from harness.recording import schema as recorded
from harness.recording.recording import Recording
from harness.replay import schema
from harness.replay.run import Run
from harness.storage.parquet import read_table

Rankings = Mapping[str, tuple[str, ...]]
"""By case id, session ids in order, each once; every case has an entry."""


def shown_sessions(run: Run, point: Point, recording: Recording) -> Rankings:
    """Return the sessions of which the point shows at least one character, in shown order."""
    table = run.table(schema.QUOTES, ["case_id", "point", "record_id", "start", "end"])
    shown = pc.and_(
        pc.equal(table["point"].cast(pa.string()), run.computed_as[str(point)]),
        pc.greater(table["end"], table["start"]),
    )
    rows = table.filter(shown)
    columns = [rows[name].cast(pa.string()).to_pylist() for name in ("case_id", "record_id")]
    ids = recording.case_ids
    records = _by_number(recording, recorded.CASE_RECORDS, "record_id")
    sessions = _by_number(recording, recorded.CASE_RECORDS, "session_id")
    session_of = {
        (ids[number], record): session
        for number, names in records.items()
        for record, session in zip(names, sessions[number], strict=True)
    }
    found: dict[str, list[str | None]] = {case_id: [] for case_id in run.cohort.ids}
    for case_id, record_id in zip(*columns, strict=True):
        found[case_id].append(session_of[case_id, record_id])
    return {case_id: _distinct(sessions) for case_id, sessions in found.items()}


def window_sessions(recording: Recording, case_ids: Sequence[str]) -> Rankings:
    """Return the sessions of each case's window, in recall order: of an item that of its head, then
    those of its claims."""
    sessions = _by_number(recording, recorded.CASE_RECORDS, "session_id")
    heads = _by_number(recording, recorded.WINDOWS, "head")
    claims = _by_number(recording, recorded.WINDOWS, "claims")
    places = {case_id: number for number, case_id in enumerate(recording.case_ids)}
    found = {}
    for case_id in case_ids:
        number = places[case_id]
        items = zip(heads.get(number, []), claims.get(number, []), strict=True)
        records = [record for head, others in items for record in (head, *others)]
        found[case_id] = _distinct([sessions[number][record] for record in records])
    return found


def answer_sessions(recording: Recording, case_ids: Sequence[str]) -> Rankings:
    """Return the labelled sessions of the cases that have some, in the window or not."""
    labelled = _by_number(recording, recorded.GOLD, "sessions")
    places = {case_id: number for number, case_id in enumerate(recording.case_ids)}
    found = {case_id: labelled.get(places[case_id], [()])[0] for case_id in case_ids}
    return {case_id: _distinct(sessions) for case_id, sessions in found.items() if sessions}


def with_sessions_shown(
    rows: pa.Table, run: Run, points: Sequence[Point], recording: Recording
) -> pa.Table:
    """Add the column `sessions_shown` to evidence rows of the points: how many sessions are
    quoted."""
    counts = {
        (case_id, str(point)): len(sessions)
        for point in points
        for case_id, sessions in shown_sessions(run, point, recording).items()
    }
    keys = [rows[name].cast(pa.string()).to_pylist() for name in ("case_id", "point")]
    shown = pa.array([counts[key] for key in zip(*keys, strict=True)], pa.int32())
    return rows.append_column("sessions_shown", shown)


def _by_number(recording: Recording, table: str, column: str) -> dict[int, list[Any]]:
    """Return the values of a column by the number of their case."""
    rows = read_table(recording.folder / table, ["case", column]).to_pydict()
    found: dict[int, list[Any]] = {}
    for case, value in zip(rows["case"], rows[column], strict=True):
        found.setdefault(case, []).append(value)
    return found


def _distinct(sessions: Sequence[str | None]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(session for session in sessions if session is not None))
