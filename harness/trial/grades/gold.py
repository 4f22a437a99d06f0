"""What the stand-in needs of a dataset: each question's gold answer, and whether its own evidence
holds it.

This is a matter of the dataset alone, so it is the same for every point and every recall. A
recording holds the sessions of its windows only, which is why the dataset itself is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from harness.datasets.layouts.longmemeval import Question, read_questions
from harness.datasets.question_list import ListedQuestion
from harness.datasets.register import find_register, read_register
from harness.datasets.session_text import session_text
from harness.errors import InputError, UsageError
from harness.progress import progress
from harness.replay.run import Run
from harness.storage.content import content_size_and_sha256

from .whole_tokens import normalised, occurs, without_header_dates

ABSTENTION = "abstention"
NO_ANSWER_IN_EVIDENCE = "no-answer-in-evidence"
"""The rules that exclude a question, spelled as in a plan's `exclude`."""


@dataclass(frozen=True, slots=True)
class GoldAnswer:
    """A question with its `normalised` gold answer, and the rule that excludes it, if one does."""

    listed: ListedQuestion
    question: str
    answer: str
    excluded: str | None


@dataclass(frozen=True, slots=True)
class GoldAnswers:
    """The questions of a dataset file, in its order; `sha256` is of its unpacked content."""

    path: Path
    sha256: str
    by_id: Mapping[str, GoldAnswer]


def dataset_of(run: Run, data: Path | None, register: Path | None) -> Path:
    """The dataset file of the run: `data`, else the bundled one that the run was recorded from.

    Raises `UsageError` where the dataset is not bundled, or the run does not know which it is.
    """
    if data is not None:
        return data
    wanted = dataset_sha256_of(run)
    for entry in read_register(find_register(register)).datasets if wanted else ():
        path = entry.path
        if path is not None and path.is_file() and content_size_and_sha256(path)[1] == wanted:
            return path
    known = f"the dataset with sha256 {wanted}" if wanted else "a dataset that it does not name"
    raise UsageError(
        f"{run.folder} was recorded from {known}, which is needed to look into the evidence "
        "sessions",
        "Name its file with --data DATA.",
    )


def dataset_sha256_of(run: Run) -> str | None:
    """The content hash of the dataset that the run was recorded from; None if it is not known."""
    dataset = run.manifest.content.get("dataset") or {}
    sha256 = dataset.get("sha256")
    return None if sha256 is None else str(sha256)


def read_gold_answers(path: Path, wanted_sha256: str | None, *, quiet: bool) -> GoldAnswers:
    """The gold answers of a dataset file, whose content must have the wanted hash, if one is known.

    Raises `InputError`.
    """
    if not path.is_file():
        raise InputError(f"{path} is no file", "Check --data.")
    sha256 = content_size_and_sha256(path)[1]
    if wanted_sha256 is not None and sha256 != wanted_sha256:
        raise InputError(
            f"{path} has the content sha256 {sha256}, the run was recorded from {wanted_sha256}",
            "Give --data the dataset that the run was recorded from.",
        )
    questions = progress(
        read_questions(path), total=None, label="dataset", unit="question", quiet=quiet
    )
    return GoldAnswers(path, sha256, {one.question_id: _gold_answer(one) for one in questions})


def _gold_answer(question: Question) -> GoldAnswer:
    answer = normalised(str(question.answer))
    excluded = None
    if question.abstention:
        excluded = ABSTENTION
    elif not any(occurs(answer, text) for text in _evidence_texts(question)):
        excluded = NO_ANSWER_IN_EVIDENCE
    listed = ListedQuestion(question.question_id, question.question_type)
    return GoldAnswer(listed, question.question, answer, excluded)


def _evidence_texts(question: Question) -> Iterator[str]:
    """The record text of each evidence session, `normalised` and without its date."""
    for session in question.sessions:
        if session.session_id in question.answer_session_ids:
            yield normalised(without_header_dates(session_text(session).text))
