"""The questions of a recording or of a file of cases, over which a split of one's own is drawn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.datasets.question_list import NO_TYPE, ListedQuestion, question_hash
from harness.storage.hashing import sha256_of_text
from harness.storage.parquet import read_table

from . import schema
from .case_lines import CaseLines
from .recording import Recording


@dataclass(frozen=True, slots=True)
class OwnQuestions:
    """Questions in their order, and the hash of what they are of: of the dataset where that is
    known, else of the cases.

    `answer_sessions` and `windows` label each question by id with what others may share: an answer
    session, which is known by its id and its text, and the whole window.
    """

    questions: tuple[ListedQuestion, ...]
    dataset_sha256: str
    answer_sessions: Mapping[str, frozenset[str]]
    windows: Mapping[str, frozenset[str]]


def questions_of(source: Path) -> OwnQuestions:
    """Read the questions of a recording's folder, or of a file of cases (plain, .gz or .xz).

    Raises `InputError` for what is neither, and for every fault of a file.
    """
    return _of_recording(Recording.open(source)) if source.is_dir() else _of_file(source)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A case, as far as a split needs it. `records` are session id and identity of the text."""

    case_id: str
    category: str | None
    text: str
    sessions: Sequence[str]
    records: Sequence[tuple[str | None, str]]


def _of_file(source: Path) -> OwnQuestions:
    lines = CaseLines(str(source))
    asked = [
        _Asked(
            case.case_id,
            case.category,
            case.query.text,
            () if case.gold is None else case.gold.sessions,
            [(record.session_id, sha256_of_text(record.text)) for record in case.records],
        )
        for case in lines
    ]
    return _own(asked, lines.header.dataset_sha256 or lines.sha256)


def _of_recording(recording: Recording) -> OwnQuestions:
    folder = recording.folder
    sessions = dict(_columns(folder / schema.GOLD, "case", "sessions"))
    records: dict[int, list[tuple[str | None, str]]] = {}
    columns = ("case", "session_id", "record")
    for case, session, record in _columns(folder / schema.CASE_RECORDS, *columns):
        records.setdefault(case, []).append((session, str(record)))
    queries = _columns(folder / schema.QUERIES, "case", "case_id", "category", "text")
    asked = [
        _Asked(case_id, category, text, sessions.get(case) or (), records.get(case, ()))
        for case, case_id, category, text in queries
    ]
    content, work = recording.manifest.content, recording.manifest.work
    dataset, cases = content.get("dataset") or {}, work.get("cases") or {}
    return _own(asked, dataset.get("sha256") or cases.get("sha256") or recording.sha256)


def _columns(path: Path, *names: str) -> Iterator[tuple[Any, ...]]:
    table = read_table(path, list(names))
    return zip(*(table[name].to_pylist() for name in names), strict=True)


def _own(asked: Iterable[_Asked], dataset_sha256: str) -> OwnQuestions:
    cases = list(asked)
    return OwnQuestions(
        tuple(
            ListedQuestion(case.case_id, case.category or NO_TYPE, question_hash(case.text))
            for case in cases
        ),
        dataset_sha256,
        {case.case_id: frozenset(_answer_sessions(case)) for case in cases},
        {case.case_id: frozenset(_window(case)) for case in cases},
    )


def _answer_sessions(case: _Asked) -> Iterator[str]:
    """Label each answer session with its texts; one that is not in the window by its id alone."""
    for session in case.sessions:
        texts = sorted(text for name, text in case.records if name == session)
        yield " ".join([session, *texts])


def _window(case: _Asked) -> Iterator[str]:
    if case.records:
        yield " ".join(sorted(text for _, text in case.records))
