"""Labels that name nothing in any window: nothing that is selected can show them.

A recall need not return all that is labelled, so some are to be expected. Where all of a kind name
nothing, their ids are most likely written in another way than those of the records.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from harness.errors import InputError, listed
from harness.storage.parquet import read_table
from harness.words import count, counted

from . import schema
from .recording import Recording

_LEAST_LIKENESS = 0.5
_CASES_SEARCHED = 100
_COMPARED = 100
"""Characters of an id that are compared; it takes time with their square."""


@dataclass(frozen=True, slots=True)
class LabelCounts:
    """How many labels there are, an answer session once per case, and how many name nothing in any
    window."""

    answer_sessions: int
    answer_sessions_in_no_window: int
    evidence_ranges: int
    evidence_ranges_in_no_window: int

    def note(self) -> str | None:
        """Say how many name nothing; None where each names something."""
        if not (self.answer_sessions_in_no_window or self.evidence_ranges_in_no_window):
            return None
        return f"labels that name nothing in any window: {listed([*self._parts()])}"

    def _parts(self) -> Iterator[str]:
        kinds = (
            ("answer session", self.answer_sessions_in_no_window, self.answer_sessions),
            ("evidence range", self.evidence_ranges_in_no_window, self.evidence_ranges),
        )
        for noun, without, of in kinds:
            if of:
                yield f"{count(without)} of {counted(of, noun)}"


def label_counts(recording: Recording) -> LabelCounts:
    """Count the labels of a recording."""
    return count_labels(
        read_table(recording.folder / schema.GOLD, ["case", "sessions", "evidence"]),
        read_table(recording.folder / schema.CASE_RECORDS, ["case", "record_id", "session_id"]),
    )


def count_labels(gold: pa.Table, case_records: pa.Table) -> LabelCounts:
    """Count the labels of these tables of a recording."""
    sessions = gold.column("sessions").combine_chunks()
    per_case = pa.table(
        {"case": np.asarray(pc.list_parent_indices(sessions)), "session": sessions.flatten()}
    )
    named = per_case.group_by(["case", "session"]).aggregate([]).column("session")
    records = pc.struct_field(gold.column("evidence").combine_chunks().flatten(), "record_id")
    return LabelCounts(
        len(named),
        _unknown(named, case_records.column("session_id")),
        len(records),
        _unknown(records, case_records.column("record_id")),
    )


def _unknown(labels: pa.Array | pa.ChunkedArray, ids: pa.ChunkedArray) -> int:
    known = pc.is_in(labels, value_set=pc.unique(ids).drop_null())
    return len(labels) - (pc.sum(known).as_py() or 0)


def refuse_labels_of_nothing(source: str, gold: pa.Table, case_records: pa.Table) -> None:
    """Raise `InputError` where all answer sessions, or all evidence ranges, name nothing in any
    window; the hint has the id that was likely meant. Windows without a record say nothing."""
    if not len(case_records):
        return
    counts = count_labels(gold, case_records)
    sessions = 0 < counts.answer_sessions == counts.answer_sessions_in_no_window
    ranges = 0 < counts.evidence_ranges == counts.evidence_ranges_in_no_window
    if not (sessions or ranges):
        return
    likely = [
        *(_likely("sessions", "session_id", gold, case_records) if sessions else ()),
        *(_likely("evidence", "record_id", gold, case_records) if ranges else ()),
    ]
    raise InputError(
        f"{source}: {counts.note()}",
        " ".join(
            [
                *likely,
                "Name sessions by their session_id, and ranges by their record_id. If the recall "
                "returned nothing that is labelled, every figure would be 0: then leave gold out.",
            ]
        ),
    )


def _likely(column: str, key: str, gold: pa.Table, case_records: pa.Table) -> Iterator[str]:
    """Yield a sentence on a label of the column, and the id of its case that comes closest."""
    other = "record_id" if key == "session_id" else "session_id"
    example = ""
    for row in gold.slice(0, _CASES_SEARCHED).to_pylist():
        labels = [label if isinstance(label, str) else label["record_id"] for label in row[column]]
        if not labels:
            continue
        own = case_records.filter(pc.equal(case_records.column("case"), row["case"]))
        ids = own.column(key).drop_null().to_pylist()
        if labels[0] in own.column(other).to_pylist():
            yield f"gold.{column} has {labels[0]!r}, which is the {other} of a record."
            return
        if not ids:
            example = example or f"gold.{column} has {labels[0]!r}, but no record has a {key}."
            continue
        nearest, is_near = _nearest(labels[0], ids)
        if is_near:
            yield f"gold.{column} has {labels[0]!r}; is {nearest!r} meant, the {key} of a record?"
            return
        example = f"gold.{column} has {labels[0]!r}, the records have the {key} {nearest!r}."
    yield example


def _nearest(label: str, ids: Sequence[str]) -> tuple[str, bool]:
    """Return the id most like a label, by its numbers first, and whether it is like it at all."""
    scored = [
        (bool(_numbers(label)) and _numbers(label) == _numbers(known), _likeness(label, known))
        for known in ids
    ]
    best = max(range(len(ids)), key=scored.__getitem__)
    return ids[best], scored[best][0] or scored[best][1] >= _LEAST_LIKENESS


def _numbers(text: str) -> list[str]:
    return [digits.lstrip("0") for digits in re.findall(r"[0-9]+", text)]


def _likeness(one: str, other: str) -> float:
    one, other = (text[:_COMPARED].casefold() for text in (one, other))
    return SequenceMatcher(None, one, other).ratio()
