"""OmniMemEval's files: judged answers, and token-usage files.

A judged file is an object by user id. The number at the end of a user id is the question's index in
the dataset. `llm_judgments` holds `judgment_1`, `judgment_2`, …: every judgment is a pass, and
those of a further judged file follow on. A token-usage file (an object with `modules`) has totals
alone: module `ANSWER` names the reader, a module with JUDGE or EVAL in its name the judge.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.datasets.question_list import ListedQuestion
from harness.decode.fields import ObjectReader, count_or_none, kind_of, lenient, text_or_none
from harness.errors import Faults
from harness.replay.sources.omnimemeval.fields import decoded
from harness.replay.sources.omnimemeval.search_results import is_failure
from harness.replay.sources.omnimemeval.subjects import index_of

from .grade import TokenTotals
from .rows import NO_VERDICT, GradeFile, GradeRow, ReadGrades

NAME = "omnimemeval"
ANSWER = "ANSWER"
_TOTALS = (
    "call_count",
    "usage_reported_call_count",
    "prompt_tokens",
    "estimated_prompt_tokens",
    "estimated_prompt_call_count",
    "completion_tokens",
    "total_tokens",
)
_JUDGMENT = re.compile(r"judgment_([1-9][0-9]{0,5})")


@dataclass(frozen=True, slots=True)
class _Answer:
    """One entry of a judged file: its verdicts by the number of the judgment."""

    question_id: str
    row: int
    status: str | None
    context_tokens: int | None
    judgments: Mapping[int, bool | None]


def read(
    files: Sequence[GradeFile], listed: Sequence[ListedQuestion], faults: Faults
) -> ReadGrades:
    """The rows of all judged files; what is wrong with them is added to `faults`."""
    read_grades = ReadGrades()
    judged: list[tuple[GradeFile, list[_Answer]]] = []
    for file in files:
        value = _json(file, faults)
        if isinstance(value, dict) and isinstance(value.get("modules"), dict):
            read_grades.totals += _totals(file, value["modules"], faults)
            read_grades.add_source(file, 0, [])
        elif isinstance(value, dict):
            judged.append((file, list(_answers(file, value, listed, faults))))
        elif value is not None:
            faults.add(f"{file.path} is {kind_of(value)}, expected an object by user id")
    read_grades.reader = _model(read_grades.totals, "reader", faults, ANSWER)
    judge = _model(read_grades.totals, "judge", faults, "JUDGE", "EVAL")
    earlier = 0
    for file, answers in judged:
        numbers = sorted({number for answer in answers for number in answer.judgments})
        for answer in answers:
            read_grades.rows += _rows(answer, file, judge, earlier, numbers)
        read_grades.add_source(file, len(answers), [earlier + number for number in numbers])
        earlier += max(numbers, default=0)
    return read_grades


def _rows(
    answer: _Answer, file: GradeFile, judge: str | None, earlier: int, numbers: Sequence[int]
) -> Iterator[GradeRow]:
    """A row for each judgment that the file has of any question."""
    failed = answer.status is not None and is_failure(answer.status)
    for number in numbers:
        correct = answer.judgments.get(number)
        problem = f"status {answer.status}" if failed else NO_VERDICT if correct is None else None
        yield GradeRow(
            question_id=answer.question_id,
            pass_number=earlier + number,
            correct=None if failed else correct,
            problem=problem,
            source_sha256=file.sha256,
            row=answer.row,
            judge=judge,
            context_tokens=answer.context_tokens,
        )


def _answers(
    file: GradeFile, value: Mapping[str, Any], listed: Sequence[ListedQuestion], faults: Faults
) -> Iterator[_Answer]:
    for row, (user_id, entry) in enumerate(value.items(), 1):
        found = Faults()
        one = entry[0] if isinstance(entry, list) and len(entry) == 1 else entry
        fields = lenient(one, "", found, ("llm_judgments",))
        answer = _Answer(
            question_id=_question_id(user_id, fields, listed, found),
            row=row,
            status=text_or_none(fields, "status"),
            context_tokens=_context_tokens(fields, found),
            judgments=_judgments(fields, found),
        )
        for message in found:
            faults.add(f"{file.place(row, 'entry')} ({user_id!r}): {message}")
        if not found:
            yield answer


def _question_id(
    user_id: str, fields: ObjectReader, listed: Sequence[ListedQuestion], faults: Faults
) -> str:
    """The question at the index that the user id ends with; its type must agree if it is known."""
    index = index_of(user_id)
    if index is None:
        faults.add("the user id does not end with the index of a question")
        return ""
    if index >= len(listed):
        faults.add(f"index {index} is beyond the {len(listed):,} questions of the dataset")
        return ""
    question = listed[index]
    category = fields.raw("category")
    types = {other.question_type for other in listed}
    if category in types and category != question.question_type:
        fields.fault(
            "category",
            f"is {category!r}, but question {index}, {question.question_id!r}, is "
            f"{question.question_type!r}: these are answers to another list of questions",
        )
    return question.question_id


def _judgments(fields: ObjectReader, faults: Faults) -> dict[int, bool | None]:
    value = fields.raw("llm_judgments")
    if value is None:
        return {}
    judgments = lenient(value, "llm_judgments", faults)
    found: dict[int, bool | None] = {}
    for key in value if isinstance(value, dict) else ():
        match = _JUDGMENT.fullmatch(key)
        correct = value[key]
        if match is None:
            judgments.fault(key, "is not named judgment_1, judgment_2, …")
        elif correct is not None and not isinstance(correct, bool):
            judgments.fault(key, f"is {kind_of(correct)}, expected true or false")
        else:
            found[int(match.group(1))] = correct
    return found


def _context_tokens(fields: ObjectReader, faults: Faults) -> int | None:
    value = fields.raw("nlp_metrics")
    if value is None:
        return None
    return count_or_none(lenient(value, "nlp_metrics", faults), "context_tokens")


def _totals(file: GradeFile, modules: Mapping[str, Any], faults: Faults) -> Iterator[TokenTotals]:
    for name, value in modules.items():
        found = Faults()
        fields = lenient(value, f"modules.{name}", found)
        totals = {key: count_or_none(fields, key) for key in _TOTALS}
        yield TokenTotals(file.sha256, name, text_or_none(fields, "model"), **totals)
        for message in found:
            faults.add(f"{file.path}: {message}")


def _model(totals: Sequence[TokenTotals], noun: str, faults: Faults, *words: str) -> str | None:
    """The one model of the modules that have one of the words in their name."""
    models = {
        entry.model
        for entry in totals
        if entry.model is not None and any(word in entry.module.upper() for word in words)
    }
    if len(models) > 1:
        faults.add(f"the token-usage files name several models as {noun}: {sorted(models)}")
    return min(models, default=None)


def _json(file: GradeFile, faults: Faults) -> Any:
    """The file's value; None after noting a fault."""
    found = Faults()
    value = decoded(file.path, found)
    for message in found:
        faults.add(f"{file.path}: {message}")
    return value
