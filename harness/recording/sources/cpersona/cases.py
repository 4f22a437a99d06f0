"""From searches and the records that they name to the cases of a recording."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from harness.errors import Faults, listed
from harness.model import Item, Query
from harness.progress import progress
from harness.recording.builder import RecordingBuilder
from harness.recording.entries import BlockKey, CaseEntry, CaseRecord, RecordBody
from harness.recording.vector_spool import VectorSpool

from .block_sets import BlockState, recorded_blocks
from .labels import QuestionLabels
from .query_vectors import QueryVectors
from .searches import Search, Searches
from .store import MemoryRow, Store, is_ref


class CaseMaker:
    """Adds searches to `builder`, reading each record once, and counts what it meets.

    `states`: records of windows by what their blocks are worth. `undated`: of which have no valid
    time. `labelled`: the labels that were given. `in_other_words`: questions that were not asked as
    the dataset has them.
    """

    def __init__(
        self, store: Store, labels: Sequence[str], spool: VectorSpool, vectors: QueryVectors
    ) -> None:
        self.builder = RecordingBuilder()
        self.states: Counter[BlockState] = Counter()
        self.undated = 0
        self.labelled: list[QuestionLabels] = []
        self.in_other_words = 0
        self._store = store
        self._labels = labels
        self._spool = spool
        self._vectors = vectors
        self._records: dict[str, MemoryRow | None] = {}
        self._bodies: dict[str, int] = {}

    def add_all(
        self, searches: Searches, labels: Mapping[str, QuestionLabels], *, quiet: bool = False
    ) -> None:
        """Add every search; raises one `InputError` naming all that do not fit the store."""
        faults = Faults()
        rows = progress(
            searches.rows, total=len(searches.rows), label="windows", unit="search", quiet=quiet
        )
        for row in rows:
            for message in self._misfits(row):
                faults.add(f"line {row.question.line}: {message}")
            if not faults:
                self.builder.add_case(self._case(row, labels.get(row.question.question_id)))
        faults.raise_if_any(
            searches.name, f"Give searches that were made in {self._store.path} as it is now."
        )

    def _misfits(self, row: Search) -> Iterable[str]:
        """What of a response is not so in the store."""
        agent = row.question.agent_id
        quoted = [excerpt for item in row.window.items for excerpt in item.excerpts]
        named = [ref for item in row.window.items for ref in (item.head, *item.claims)]
        named += [excerpt.ref for excerpt in quoted]
        records = {ref: self._record(ref) for ref in named}
        if absent := [ref for ref, record in records.items() if record is None]:
            verb = "which is" if len(absent) == 1 else "which are"
            yield f"response names {listed(absent)}, {verb} not in the store"
        traced = [ref for ref in row.window.traced if ref not in records]
        if absent := [ref for ref in traced if is_ref(ref) and not self._store.holds(ref)]:
            verb = "which is" if len(absent) == 1 else "which are"
            yield f"response names {listed(absent)} in its trace, {verb} not in the store"
        for ref, record in records.items():
            if record is not None and record.agent_id != agent:
                yield (
                    f"response names {ref}, a record of the agent {record.agent_id!r}, but "
                    f"agent_id is {agent!r}"
                )
        for item in row.window.items:
            head = records[item.head]
            if head is not None and item.quote is not None and not item.quote.is_of(head.text):
                yield (
                    f"response quotes {item.head} otherwise than the store has it: the record was "
                    "changed after the search"
                )
        for excerpt in quoted:
            record = records[excerpt.ref]
            if record is not None and not excerpt.is_of(record.shown_text):
                yield (
                    f"response has an excerpt of {excerpt.ref} that is not in its text: the record "
                    "was changed after the search"
                )

    def _record(self, ref: str) -> MemoryRow | None:
        if ref not in self._records:
            self._records[ref] = self._store.record(ref)
        return self._records[ref]

    def _case(self, row: Search, labels: QuestionLabels | None) -> CaseEntry:
        question = row.question
        if labels is not None:
            self.labelled.append(labels)
            self.in_other_words += labels.text != question.query
        sessions = {} if labels is None else labels.sessions
        records = {}
        for item in row.window.items:
            for ref in (item.head, *item.claims):
                record = self._record(ref)
                if record is not None:
                    records[ref] = CaseRecord(ref, sessions.get(ref), self._body(record))
        return CaseEntry(
            case_id=question.question_id,
            category=None if labels is None else labels.category,
            query=Query(
                question.query,
                None if labels is None else labels.date,
                self._vectors.of[question.question_id],
            ),
            records=tuple(records.values()),
            items=tuple(
                Item(item.head, item.claims, item.reserved, item.recall)
                for item in row.window.items
            ),
            gold=None if labels is None else labels.gold,
        )

    def _body(self, record: MemoryRow) -> int:
        """The number of the record's body, which is added when it is first asked for."""
        if record.ref not in self._bodies:
            blocks = recorded_blocks(
                record.text,
                self._store.blocks(record.ref, vectors=True),
                self._store.node_ends(record.ref),
                self._labels,
                self._spool.width,
            )
            self.states[blocks.state] += 1
            self.undated += record.timestamp is None
            body = RecordBody(
                record.text,
                record.timestamp,
                record.metadata,
                blocks.ends,
                tuple(self._keys(record.text, blocks.ends or (), blocks.vectors)),
            )
            self._bodies[record.ref] = self.builder.add_body(body)
        return self._bodies[record.ref]

    def _keys(
        self, text: str, ends: Sequence[int], vectors: Sequence[bytes | None]
    ) -> Iterable[BlockKey]:
        start = 0
        for end, vector in zip(ends, vectors, strict=True):
            yield text[start:end], self._spool.number_of(vector)
            start = end
