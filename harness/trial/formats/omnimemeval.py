"""OmniMemEval's files: judged answers, and token-usage files.

A judged file is an object by user id. The number at the end of a user id is the question's index in
the dataset. `llm_judgments` holds `judgment_1`, `judgment_2`, …: every judgment is a pass, and
those of a further judged file follow on. An answer that failed, was skipped or has an `error` is an
error in every pass, whatever its entry says beside that. A token-usage file (an object with
`modules`) has totals alone: module `ANSWER` names the reader, a module with JUDGE or EVAL in its
name the judge.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from harness.datasets.question_list import ListedQuestion, question_hash
from harness.decode import (
    KEEP,
    Count,
    FieldError,
    Format,
    Sha256,
    Text,
    json_tree,
    named,
    quoted,
    typed,
)
from harness.decode.words import sentence
from harness.errors import Faults
from harness.replay.sources.omnimemeval.search_results import index_of
from harness.replay.sources.omnimemeval.vocabulary import ErrorMarker, Status, failure
from harness.words import counted

from ..grade import TokenTotals
from .rows import NO_VERDICT, GradeFile, GradeFormat, GradeRow, ReadGrades

ANSWER = "ANSWER"
_JUDGMENT = re.compile(r"judgment_([1-9][0-9]{0,5})")


@dataclass(frozen=True, slots=True)
class _Metrics:
    context_tokens: Count | None = None


@dataclass(frozen=True, slots=True)
class _Entry:
    """One entry of a judged file."""

    llm_judgments: Mapping[str, bool | None] | None = None
    category: str | None = None
    status: Status | None = None
    error: ErrorMarker | None = None
    nlp_metrics: _Metrics | None = None
    context_sha256: Sha256 | None = None

    def __post_init__(self) -> None:
        wrong = [key for key in self.llm_judgments or () if not _JUDGMENT.fullmatch(key)]
        if wrong:
            message = "is not named judgment_1, judgment_2, …"
            raise FieldError(faults=[(("llm_judgments", key), message) for key in wrong])

    @property
    def failure(self) -> str | None:
        """Why there is no answer, or no judgment of it; None where there is one."""
        return failure(self.status, self.error)

    @property
    def verdicts(self) -> Mapping[int, bool | None]:
        """Verdicts by the number of the judgment."""
        return {
            int(key.rpartition("_")[2]): correct
            for key, correct in (self.llm_judgments or {}).items()
        }


@dataclass(frozen=True, slots=True)
class _Module:
    """What a token-usage file says of a module."""

    model: Text | None = None
    call_count: Count | None = None
    usage_reported_call_count: Count | None = None
    prompt_tokens: Count | None = None
    estimated_prompt_tokens: Count | None = None
    estimated_prompt_call_count: Count | None = None
    completion_tokens: Count | None = None
    total_tokens: Count | None = None


ENTRY = Format("an entry of a judged file", _Entry, unknown=KEEP, of_others=True)
MODULE = Format("a module of a token-usage file", _Module, unknown=KEEP, of_others=True)


def read(
    files: Sequence[GradeFile], listed: Sequence[ListedQuestion], faults: Faults
) -> ReadGrades:
    """Read all judged and token-usage files; what is wrong with them is added to `faults`."""
    read_grades = ReadGrades()
    judged: list[tuple[GradeFile, Mapping[str, Any]]] = []
    for file in files:
        value = _tree(file, faults)
        if isinstance(value, dict) and isinstance(value.get("modules"), dict):
            read_grades.totals += _totals(file, value["modules"], faults)
            read_grades.add_source(file, 0, [])
        elif isinstance(value, dict):
            judged.append((file, value))
        elif value is not None:
            faults.add(f"{file.path} is {named(value)}, expected an object by user id")
    read_grades.reader = _model(read_grades.totals, "reader", faults, ANSWER)
    judge = _model(read_grades.totals, "judge", faults, "JUDGE", "EVAL")
    earlier = 0
    for file, value in judged:
        entries = list(_entries(file, value, listed, faults))
        numbers = sorted({number for _, _, entry in entries for number in entry.verdicts})
        for row, question_id, entry in entries:
            for number in numbers:
                read_grades.rows.append(
                    _row(question_id, row, entry, number, earlier + number, file, judge)
                )
        read_grades.add_source(file, len(entries), [earlier + number for number in numbers])
        earlier += max(numbers, default=0)
    return read_grades


def _tree(file: GradeFile, faults: Faults) -> Any:
    """Read a file's JSON, with what is odd in it as faults; None for what is not JSON."""
    try:
        tree, odd = json_tree(file.path.read_bytes())
    except ValueError as error:
        faults.add(f"{file.path}: {error}")
        return None
    for path, message in odd:
        faults.add(f"{file.path}: {sentence(path, message)}")
    return tree


def _row(
    question_id: str,
    row: int,
    entry: _Entry,
    number: int,
    pass_number: int,
    file: GradeFile,
    judge: str | None,
) -> GradeRow:
    """Make the row of one judgment; each question has one for every judgment of the file."""
    correct = None if entry.failure is not None else entry.verdicts.get(number)
    return GradeRow(
        question_id=question_id,
        pass_number=pass_number,
        correct=correct,
        problem=(entry.failure or NO_VERDICT) if correct is None else None,
        source_sha256=file.sha256,
        row=row,
        judge=judge,
        context_tokens=None if entry.nlp_metrics is None else entry.nlp_metrics.context_tokens,
        context_sha256=entry.context_sha256,
    )


def _entries(
    file: GradeFile, value: Mapping[str, Any], listed: Sequence[ListedQuestion], faults: Faults
) -> Iterator[tuple[int, str, _Entry]]:
    """Yield the place from 1, the question and the entry of every sound entry."""
    for row, (user_id, listed_entry) in enumerate(value.items(), 1):
        of_entry = Faults()
        single = isinstance(listed_entry, list) and len(listed_entry) == 1
        tree = listed_entry[0] if single else listed_entry
        question_id = _question_id(user_id, tree, listed, of_entry)
        entry = typed(ENTRY, tree, of_entry)
        if entry is not None and entry.failure is None and "llm_judgments" not in tree:
            of_entry.add("llm_judgments is missing")
        for message in of_entry:
            faults.add(f"{file.place(row, 'entry')} ({user_id!r}): {message}")
        if entry is not None and question_id is not None and not of_entry:
            yield row, question_id, entry


def _question_id(
    user_id: str, tree: Any, listed: Sequence[ListedQuestion], faults: Faults
) -> str | None:
    """Find the question at the index that the user id ends with, of which the entry must prove to
    be: by the question's text, or where that is not known by its type."""
    index = index_of(user_id)
    if index is None:
        faults.add("the user id does not end with the index of a question")
        return None
    if index >= len(listed):
        faults.add(f"index {index} is beyond the {counted(len(listed), 'question')} of the dataset")
        return None
    question = listed[index]
    asked, category = (
        tree.get(key) if isinstance(tree, dict) else None for key in ("question", "category")
    )
    place = f"question {index}, {question.question_id!r},"
    others = "these are answers to another list of questions"
    if question.question_sha256 is not None and isinstance(asked, str):
        if question_hash(asked) != question.question_sha256:
            faults.add(f"question is {quoted(asked)}, which {place} does not ask: {others}")
    elif category is None:
        faults.add(
            f"nothing shows that it is of {place} whose text is not known: it has no category; "
            "give the dataset with --data DATA"
        )
    elif isinstance(category, str) and category != question.question_type:
        faults.add(
            f"category is {quoted(category)}, but {place} is {question.question_type!r}: {others}"
        )
    return question.question_id


def _totals(file: GradeFile, modules: Mapping[str, Any], faults: Faults) -> Iterator[TokenTotals]:
    for name, value in modules.items():
        of_module = Faults()
        module = typed(MODULE, value, of_module, f"modules.{name}")
        for message in of_module:
            faults.add(f"{file.path}: {message}")
        if module is not None:
            yield TokenTotals(file.sha256, name, **asdict(module))


def _model(totals: Sequence[TokenTotals], noun: str, faults: Faults, *words: str) -> str | None:
    """Return the one model of the modules that have one of the words in their name."""
    models = {
        entry.model
        for entry in totals
        if entry.model is not None and any(word in entry.module.upper() for word in words)
    }
    if len(models) > 1:
        faults.add(f"the token-usage files name several models as {noun}: {sorted(models)}")
    return min(models, default=None)


FORMAT = GradeFormat(
    "omnimemeval", "a judged file, and token-usage files; each judgment is a pass", read
)
