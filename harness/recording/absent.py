"""Which signals of arms are absent in the cases of a recording.

A case lacks what none of its records has. It is asked of tables, not of cases: a recording may hold
hundreds of megabytes of vectors, of which a few suffice.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from harness.model import Case, CaseInput
from harness.points import load_arm
from harness.storage.parquet import TableFile, read_table
from harness.words import Code, Sentence, count, counted, joined

from . import schema
from .recording import Recording

Cases = NDArray[np.bool_]
Lacking = Mapping[CaseInput, Cases]
"""Of each input, whether each case lacks it; cases without a record, in which there is nothing to
rank, are left out."""


@dataclass(frozen=True, slots=True)
class Absence:
    """Signals that are absent in as many cases for the same reasons: `cases` of `of_cases`.

    `signals` are some of the `of_signals` that each of the `arms` reads. `empty` more cases have no
    record, so that nothing is ranked in them.
    """

    arms: tuple[str, ...]
    signals: tuple[str, ...]
    of_signals: int
    cases: int
    of_cases: int
    lacking: tuple[CaseInput, ...]
    empty: int = 0

    def sentence(self, noun: str = "case") -> Sentence:
        """Say what is absent, in how many cases and why."""
        arms = joined([Code(arm) for arm in self.arms], last=" and ")
        names = joined([Code(name) for name in self.signals], last=" and ")
        verb = "is" if len(self.signals) == 1 else "are"
        reasons = " and ".join(reason.value for reason in self.lacking)
        of_cases = f"{counted(self.of_cases, noun)}{' with records' if self.empty else ''}"
        where = f"in {count(self.cases)} of {of_cases}"
        if self.of_cases == 1 and not self.empty:
            where = f"in this {noun}"
        share = f", {len(self.signals)} of the {self.of_signals} signals of "
        return (*names, share, *arms, f", {verb} absent {where}: {reasons}")


def absences(recording: Recording, case_ids: Collection[str], arms: Iterable[str]) -> list[Absence]:
    """Say which signals of the arms are absent in the named cases of a recording."""
    read = [name for name in dict.fromkeys(arms) if load_arm(name).reads]
    if not read:
        return []
    ids = set(case_ids)
    chosen = np.array([case_id in ids for case_id in recording.case_ids], dtype=bool)
    with_record, lacking = _lacking(recording)
    looked_at = chosen & with_record
    return _absences(
        {each: cases[looked_at] for each, cases in lacking.items()},
        read,
        empty=int((chosen & ~with_record).sum()),
    )


def absences_in(case: Case, arm: str) -> list[Absence]:
    """Say which signals of an arm are absent in one case."""
    records = case.records
    vectors = [
        record.blocks is not None and record.blocks.vectors is not None for record in records
    ]
    has = {
        CaseInput.QUERY_VECTOR: case.query.vector is not None,
        CaseInput.BLOCK_VECTORS: any(vectors),
        CaseInput.TIMES: any(record.timestamp is not None or record.metadata for record in records),
        CaseInput.METADATA: any(record.metadata for record in records),
    }
    lacking = {each: np.array([not has[each]] if records else [], dtype=bool) for each in CaseInput}
    return _absences(lacking, [arm])


def _absences(lacking: Lacking, arms: Sequence[str], empty: int = 0) -> list[Absence]:
    """Group what is absent: signals of an arm first, then arms with the same ones."""
    of_cases = len(lacking[CaseInput.QUERY_VECTOR])
    of_arms: dict[Absence, list[str]] = {}
    for arm in arms:
        reads = load_arm(arm).reads
        of_reason: dict[tuple[int, tuple[CaseInput, ...]], list[str]] = {}
        for signal in reads:
            needs = [lacking[each] for each in signal.needs]
            cases = int(np.any(needs, axis=0).sum()) if needs else 0
            reasons = tuple(each for each in signal.needs if lacking[each].any())
            if cases:
                of_reason.setdefault((cases, reasons), []).append(signal.name)
        for (cases, reasons), names in of_reason.items():
            same = Absence((), tuple(names), len(reads), cases, of_cases, reasons, empty)
            of_arms.setdefault(same, []).append(arm)
    return [replace(absence, arms=tuple(named)) for absence, named in of_arms.items()]


def _lacking(recording: Recording) -> tuple[Cases, Lacking]:
    """Return which cases have a record, and what each case lacks."""
    table = read_table(recording.folder / schema.CASE_RECORDS, ["case", "record"])
    case, record = (np.asarray(table.column(name)) for name in ("case", "record"))
    records = read_table(recording.folder / schema.RECORDS, ["timestamp", "metadata", "blocks"])
    with_metadata = np.asarray(pc.not_equal(records.column("metadata"), "{}"))
    with_time = np.asarray(records.column("timestamp").is_valid()) | with_metadata
    questions = read_table(recording.folder / schema.QUERIES, ["vector"]).column(0)
    total = len(recording.case_ids)
    has = {
        CaseInput.QUERY_VECTOR: np.asarray(questions.is_valid()),
        CaseInput.BLOCK_VECTORS: _with_block_vectors(recording, records.column("blocks"), table),
        CaseInput.TIMES: _cases_of(case[with_time[record]], total),
        CaseInput.METADATA: _cases_of(case[with_metadata[record]], total),
    }
    return _cases_of(case, total), {each: ~cases for each, cases in has.items()}


def _cases_of(numbers: NDArray[np.int32], total: int) -> Cases:
    cases = np.zeros(total, dtype=bool)
    cases[numbers] = True
    return cases


def _with_block_vectors(
    recording: Recording, blocks: pa.ChunkedArray, case_records: pa.Table
) -> Cases:
    """Tell of each case whether any block of its records has a vector. Vectors are read until every
    case that has blocks has one: in most recordings the first few thousand say it of all."""
    total = len(recording.case_ids)
    if recording.manifest.content["dimension"] is None:
        return np.zeros(total, dtype=bool)
    case, record = (np.asarray(case_records.column(name)) for name in ("case", "record"))
    owners = np.asarray(pc.list_parent_indices(blocks))
    numbers = np.asarray(pc.list_flatten(blocks))
    with_blocks, with_vector = (np.zeros(len(blocks), dtype=bool) for _ in range(2))
    with_blocks[owners] = True
    wanted = _cases_of(case[with_blocks[record]], total)
    cases = np.zeros(total, dtype=bool)
    for first, valid in _valid_vectors(recording):
        inside = (numbers >= first) & (numbers < first + len(valid))
        with_vector[owners[inside][valid[numbers[inside] - first]]] = True
        cases = _cases_of(case[with_vector[record]], total)
        if (cases == wanted).all():
            break
    return cases


def _valid_vectors(recording: Recording) -> Iterator[tuple[int, NDArray[np.bool_]]]:
    """Yield the first block of each row group, and which of its blocks have a vector."""
    first = 0
    with closing(TableFile(recording.folder / schema.BLOCKS)) as file:
        for group in range(file.row_groups):
            column = file.read_row_group(group, columns=["vector"]).column(0)
            yield first, np.asarray(column.is_valid())
            first += len(column)
