"""The records that a question's contexts were quoted from: of the dataset, or of a store.

The labels of a question whose records are at hand as text: evidence turns found by search.

Source: the labels of the published cpersona evaluations, in our own words. A turn's content, as it
is stored, is searched from the end of the turn before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from harness.datasets.agreement import holds_text_of, is_of_time, sessions_part
from harness.datasets.layout import Question, Session, read_questions
from harness.datasets.session_text import END_OF_TEXT, session_text
from harness.decode import quoted
from harness.errors import Faults, InputError
from harness.model import EvidenceSpan, Gold
from harness.recording.sources.cpersona.store import MEMORY, Store, open_store
from harness.storage.content import content_size_and_sha256
from harness.words import counted

SESSION_OF_MESSAGE = re.compile(r"_session_(\d+)\Z")
_SQLITE_MAGIC = b"SQLite format 3\x00"


@dataclass(frozen=True, slots=True)
class HaystackText:
    """A stored record. `session` is the position of its session in the haystack, None for a record
    that is of none."""

    record_id: str
    text: str
    timestamp: str | None
    session: int | None


class RecordSource(Protocol):
    """Gives the records of one question after another."""

    def records_of(
        self, question: Question, user_id: str, faults: Faults
    ) -> tuple[HaystackText, ...]:
        """Return the records of the question, in haystack order; what is wrong is added to
        `faults`."""
        ...

    def described(self) -> dict[str, Any]:
        """Return kind, name and hash of what was read."""
        ...


@dataclass(frozen=True, slots=True)
class DatasetRecords:
    """The sessions as `harness record longmemeval` stores them; one without text has no record.

    `others`: the questions of another file, whose sessions must be the same; None without one.
    """

    name: str
    sha256: str
    others: Iterator[Question] | None = None

    def records_of(
        self, question: Question, user_id: str, faults: Faults
    ) -> tuple[HaystackText, ...]:
        if self.others is not None:
            message = self._misfit(question, self._same(question.question_id))
            if message:
                faults.add(f"question {question.question_id!r}{message}")
                return ()
        records = []
        for position, session in enumerate(question.sessions):
            stored = session_text(session)
            if stored.spans:
                record_id = f"{question.question_id}:{position}"
                records.append(HaystackText(record_id, stored.text, stored.timestamp, position))
        return tuple(records)

    def _misfit(self, question: Question, other: Question | None) -> str:
        """Say why the records are not those of the question's sessions; empty where they are."""
        if other is None:
            return f" is not in {self.name}, or not in the order of the dataset"
        parted = sessions_part(other.sessions, question.sessions, (self.name, "the dataset"))
        return f": {parted}; records are joined to sessions by position" if parted else ""

    def _same(self, question_id: str) -> Question | None:
        others = self.others or iter(())
        return next((other for other in others if other.question_id == question_id), None)

    def described(self) -> dict[str, Any]:
        return {"kind": "dataset", "name": self.name, "sha256": self.sha256}


@dataclass(frozen=True, slots=True)
class StoreRecords:
    """The memories of a CPersona store, by agent: `agent` with the question's index for `{i}`, or
    the user id without one. A memory's message id ends with the position of its session."""

    store: Store
    agent: str | None = None

    def records_of(
        self, question: Question, user_id: str, faults: Faults
    ) -> tuple[HaystackText, ...]:
        agent = user_id
        if self.agent is not None:
            agent = self.agent.replace("{i}", user_id.rpartition("_")[2])
        prefix = f"{MEMORY}:"
        records = [
            HaystackText(record.ref, record.text, record.timestamp, _session(record.message_id))
            for record in self.store.records_of(agent)
            if record.ref.startswith(prefix)
        ]
        where = f"question {question.question_id!r}: the store"
        if not records:
            faults.add(f"{where} has no memory of the agent {agent!r}")
        elif all(record.session is None for record in records):
            faults.add(
                f"{where} has {counted(len(records), 'memory')} of {agent!r}, "
                f"and none has a msg_id that "
                "ends with _session_<position>"
            )
        beyond = [
            record
            for record in records
            if record.session is not None and record.session >= len(question.sessions)
        ]
        for record in beyond[:1]:
            faults.add(
                f"{where} has {record.record_id} as session {record.session}, the dataset has "
                f"{counted(len(question.sessions), 'session')}"
            )
        if not beyond:
            _check_sessions(question, records, where, faults)
        last = len(question.sessions)
        return tuple(
            sorted(records, key=lambda record: last if record.session is None else record.session)
        )

    def described(self) -> dict[str, Any]:
        return {"kind": "store", "name": self.store.path.name, "sha256": self.store.sha256}


def _check_sessions(
    question: Question, records: Sequence[HaystackText], where: str, faults: Faults
) -> None:
    """Add the first record that is not of the session that its message id names."""
    texts = [session_text(session) for session in question.sessions]
    for record in records:
        place = record.session
        if place is None or holds_text_of(record.text, place, texts):
            continue
        if is_of_time(record.timestamp, place, texts):
            continue
        own = texts[place]
        faults.add(
            f"{where} has {record.record_id} as session {place}, but it has no text that this "
            f"session alone has, and not its time: it is {quoted(record.text)} of "
            f"{record.timestamp}, the session {quoted(own.text)} of {own.timestamp}"
        )
        return


@contextmanager
def open_records(
    records: Path, dataset: Path, dataset_sha256: str, *, agent: str | None
) -> Iterator[RecordSource]:
    """Open the records in `records`, a CPersona store or a file like the dataset."""
    if _is_sqlite(records):
        with open_store(records) as store:
            yield StoreRecords(store, agent)
        return
    if agent is not None:
        raise InputError(
            f"{records} is not a store, so it has no agents", "Leave --agent away, or give a store."
        )
    sha256 = dataset_sha256
    if records.resolve() != dataset.resolve():
        sha256 = content_size_and_sha256(records)[1]
    others = None if sha256 == dataset_sha256 else read_questions(records)
    yield DatasetRecords(records.name, sha256, others)


def _is_sqlite(path: Path) -> bool:
    try:
        with path.open("rb") as stream:
            return stream.read(len(_SQLITE_MAGIC)) == _SQLITE_MAGIC
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}", "Check --records.") from error


def _session(message_id: str | None) -> int | None:
    match = SESSION_OF_MESSAGE.search(message_id or "")
    return None if match is None else int(match[1])


@dataclass(frozen=True, slots=True)
class Labels:
    """A question's gold, and how many of its evidence turns are in no record."""

    gold: Gold
    unlocated: int


def labels_in(question: Question, records: Sequence[HaystackText]) -> Labels:
    """Return the gold of `question` with its evidence turns as ranges of `records`.

    A turn that is in no record of its session stays in every denominator: it is given the id of a
    record that does not exist, so nothing can show it.
    """
    by_session: dict[int, list[HaystackText]] = {}
    for record in records:
        if record.session is not None:
            by_session.setdefault(record.session, []).append(record)
    evidence: list[EvidenceSpan] = []
    unlocated = 0
    for position, session in enumerate(question.sessions):
        if session.session_id not in question.answer_session_ids:
            continue
        found = _spans(session, by_session.get(position, ()))
        for place, turn in enumerate(session.turns):
            if not turn.has_answer:
                continue
            if place in found:
                evidence.append(found[place])
                continue
            unlocated += 1
            nowhere = f"{question.question_id}:{position}:not stored"
            length = len(stored_content(turn.content))
            evidence.append(EvidenceSpan(nowhere, 0, length, turn.role))
    gold = Gold(
        answer=question.answer,
        abstention=question.abstention,
        sessions=tuple(dict.fromkeys(question.answer_session_ids)),
        evidence=tuple(evidence),
    )
    return Labels(gold, unlocated)


def stored_sessions(question: Question) -> int:
    """Return sessions in which some turn says something."""
    return sum(
        any(stored_content(turn.content) for turn in each.turns) for each in question.sessions
    )


def _spans(session: Session, records: Sequence[HaystackText]) -> Mapping[int, EvidenceSpan]:
    """Return the turns of a session that are in its record, by place; the first record has
    precedence."""
    found: dict[int, EvidenceSpan] = {}
    for record in records:
        cursor = 0
        for place, turn in enumerate(session.turns):
            content = stored_content(turn.content)
            at = record.text.find(f"{turn.role}: {content}", cursor) if content else -1
            if at < 0:
                continue
            start = at + len(turn.role) + len(": ")
            cursor = start + len(content)
            found.setdefault(place, EvidenceSpan(record.record_id, start, cursor, turn.role))
    return found


def stored_content(content: str) -> str:
    """Return a turn's content as it is stored."""
    return content.replace(END_OF_TEXT, "").strip()
