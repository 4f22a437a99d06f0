"""Verifying a dataset file: its identity against the register, and everything in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.datasets.layout import read_questions
from harness.errors import InputError
from harness.storage.content import content_size_and_sha256, is_packed
from harness.storage.hashing import sha256_of_file

from .question_list import ListedQuestion, question_hash, read_question_list
from .register import Dataset, Register


@dataclass(frozen=True, slots=True)
class Identity:
    """Bytes and SHA-256 of the file, of its unpacked content, and the entry that either matches.

    For a file that is not packed the two are the same.
    """

    bytes: int
    sha256: str
    content_bytes: int
    content_sha256: str
    registered: str | None


@dataclass(frozen=True, slots=True)
class TypeCount:
    """Counts of the questions of one type; `abstention` questions are among `questions`."""

    question_type: str
    questions: int
    abstention: int
    sessions: int
    turns: int


@dataclass(frozen=True, slots=True)
class IdCheck:
    """The file's ids against a dataset's full list: what the file lacks, and has beyond it."""

    dataset: str
    listed: int
    missing: tuple[str, ...]
    unknown: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Contents:
    """What a file of questions holds: the counts by type, in order of first appearance."""

    questions: tuple[ListedQuestion, ...]
    counts: tuple[TypeCount, ...]


def identify(path: Path, register: Register) -> Identity:
    """Hash the file and look it up; raises `InputError` where it cannot be unpacked."""
    if not path.is_file():
        raise InputError(f"{path} is not a file", "Check the path.")
    size, sha256 = path.stat().st_size, sha256_of_file(path)
    content_size, content_sha256 = size, sha256
    if is_packed(path):
        content_size, content_sha256 = content_size_and_sha256(path)
    match = register.matching(size, sha256) or register.matching(content_size, content_sha256)
    return Identity(size, sha256, content_size, content_sha256, match.name if match else None)


def read_contents(path: Path) -> Contents:
    """Read the whole file and count; raises `InputError` naming every fault."""
    questions = []
    counts: dict[str, TypeCount] = {}
    for question in read_questions(path):
        text_sha256 = question_hash(question.question)
        questions.append(ListedQuestion(question.question_id, question.question_type, text_sha256))
        before = counts.get(question.question_type, TypeCount(question.question_type, 0, 0, 0, 0))
        counts[question.question_type] = TypeCount(
            question.question_type,
            before.questions + 1,
            before.abstention + question.abstention,
            before.sessions + len(question.sessions),
            before.turns + sum(len(session.turns) for session in question.sessions),
        )
    return Contents(tuple(questions), tuple(counts.values()))


def compare(questions: Sequence[ListedQuestion], dataset: Dataset) -> IdCheck:
    """Return the ids of a file against the dataset's list, each in its own order."""
    listed = [question.question_id for question in read_question_list(dataset.questions)]
    present = [question.question_id for question in questions]
    missing = frozenset(listed) - frozenset(present)
    unknown = frozenset(present) - frozenset(listed)
    return IdCheck(
        dataset.name,
        len(listed),
        tuple(name for name in listed if name in missing),
        tuple(name for name in present if name in unknown),
    )


def nearest_dataset(questions: Sequence[ListedQuestion], register: Register) -> IdCheck | None:
    """Return the comparison with the first dataset whose list has every question of the file."""
    for dataset in register.datasets:
        if dataset.questions.is_file():
            comparison = compare(questions, dataset)
            if not comparison.unknown:
                return comparison
    return None
