"""From searches and the records that they name to the cases of a recording."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from harness.errors import Faults, listed
from harness.model import BlockSet, Case, Item, Query, Record
from harness.progress import progress

from .block_sets import BlockState, recorded_blocks
from .labels import QuestionLabels
from .query_vectors import QueryVectors
from .searches import Search, Searches
from .store import MemoryRow, Store, is_ref


@dataclass(slots=True)
class SearchTally:
    """Counts of what was met while cases were made, for the manifest and the terminal.

    `states`: records of windows by what their blocks are worth. `undated`: of which have no valid
    time. `labelled`: the labels of questions that have some. `in_other_words`: questions that were
    not asked as the dataset has them.
    """

    states: Counter[BlockState] = field(default_factory=Counter)
    undated: int = 0
    labelled: list[QuestionLabels] = field(default_factory=list)
    in_other_words: int = 0


class CaseMaker:
    """Makes a case of each search, and counts what it meets (`tally`).

    `width`: components of the questions' vectors, None where no question has one.
    """

    def __init__(
        self, store: Store, labels: Sequence[str], width: int | None, vectors: QueryVectors
    ) -> None:
        self.tally = SearchTally()
        self._store = store
        self._labels = labels
        self._width = width
        self._vectors = vectors
        self._records: dict[str, MemoryRow | None] = {}
        self._blocks_read: set[str] = set()

    def cases(
        self, searches: Searches, labels: Mapping[str, QuestionLabels], *, quiet: bool = False
    ) -> Iterator[Case]:
        """Yield the case of every search; raises one `InputError` naming all that do not fit the
        store."""
        faults = Faults()
        rows = progress(
            searches.rows, total=len(searches.rows), label="windows", unit="search", quiet=quiet
        )
        for row in rows:
            for message in self._misfits(row):
                faults.add(f"line {row.question.line}: {message}")
            if not faults:
                yield self._case(row, labels.get(row.question.question_id))
        faults.raise_if_any(
            searches.name, f"Give searches that were made in {self._store.path} as it is now."
        )

    def _misfits(self, row: Search) -> Iterable[str]:
        """Yield what the response says otherwise than the store."""
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

    def _case(self, row: Search, labels: QuestionLabels | None) -> Case:
        question = row.question
        if labels is not None:
            self.tally.labelled.append(labels)
            self.tally.in_other_words += labels.text != question.query
        sessions = {} if labels is None else labels.sessions
        refs = dict.fromkeys(ref for item in row.window.items for ref in (item.head, *item.claims))
        stored = [record for ref in refs if (record := self._record(ref)) is not None]
        return Case(
            case_id=question.question_id,
            category=None if labels is None else labels.category,
            query=Query(
                question.query,
                None if labels is None else labels.date,
                self._vectors.of[question.question_id],
            ),
            records=tuple(
                Record(
                    record.ref,
                    record.text,
                    record.timestamp,
                    sessions.get(record.ref),
                    record.metadata,
                    self._blocks(record),
                )
                for record in stored
            ),
            items=tuple(
                Item(item.head, item.claims, item.reserved, item.recall)
                for item in row.window.items
            ),
            gold=None if labels is None else labels.gold,
        )

    def _blocks(self, record: MemoryRow) -> BlockSet | None:
        """Read the record's blocks, each time that a window names it: vectors are not kept."""
        again = record.ref in self._blocks_read
        state, blocks = recorded_blocks(
            record.text,
            self._store.blocks(record.ref, vectors=True, again=again),
            self._store.node_ends(record.ref, again=again),
            self._labels,
            self._width,
        )
        if not again:
            self._blocks_read.add(record.ref)
            self.tally.states[state] += 1
            self.tally.undated += record.timestamp is None
        return blocks
