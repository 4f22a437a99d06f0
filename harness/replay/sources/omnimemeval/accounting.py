"""Every question of a dataset with its row of the results, traced: none is lost on the way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from harness.datasets.layout import Question, read_questions
from harness.datasets.question_list import question_hash, read_question_list
from harness.datasets.split import Split
from harness.decode import quoted
from harness.errors import Faults, InputError
from harness.points import Point
from harness.progress import progress
from harness.replay.writer import TokenCounting

from .haystack_records import RecordSource
from .run_tables import ImportedCase
from .search_results import (
    SearchResult,
    SearchResults,
    by_index,
    check_responses,
    failed_search,
    failed_without_row,
    indexes,
)
from .traced_case import trace_case
from .tracing import SplitError, is_dated

OTHER_PART = "other part of the split"
NOT_IN_DATASET = "not in the dataset"
_HINT = "Nothing was written. docs/omnimemeval.md says what an import needs."


@dataclass(frozen=True, slots=True)
class OmniMemEvalImport:
    """What is asked for.

    `records` is a CPersona store or a file like `dataset`. `library` chooses a file of `folder`,
    `name` calls the point. `questions` is the list that user ids count in, the dataset's own order
    without one. `agent` names the agents of a store. `cut` are points to cut from the contexts.
    """

    folder: Path
    records: Path
    dataset: Path
    library: str | None = None
    name: str | None = None
    questions: Path | None = None
    split: Path | None = None
    part: str = "all"
    agent: str | None = None
    cut: tuple[Point, ...] = ()
    counting: TokenCounting | None = None


@dataclass(frozen=True, slots=True)
class TracedResults:
    """The questions in the dataset's order, rows of other questions by reason, and the records.

    `without_row`: user ids of failed searches that the results leave out.
    """

    cases: tuple[ImportedCase, ...]
    left_out: Mapping[str, int]
    records: Mapping[str, Any]
    without_row: tuple[str, ...] = ()


def traced_results(
    request: OmniMemEvalImport,
    results: SearchResults,
    split: Split | None,
    source: RecordSource,
    *,
    quiet: bool,
) -> TracedResults:
    """Return every question of the part with its row, traced.

    Raises one `InputError` for all faults: a question without a row, a row of no question, a row
    that asks something else, a context that cannot be split, a record that is not there.
    """
    faults = Faults()
    check_responses(results, faults)
    rows = by_index(results.rows, faults)
    failed = failed_without_row(results, faults)
    dated = any(is_dated(row.context) for row in results.rows)
    cases: list[ImportedCase] = []
    others: list[str] = []
    questions = progress(
        _indexed(request, faults), total=None, label="trace", unit="question", quiet=quiet
    )
    question_ids = []
    for index, question in questions:
        question_ids.append(question.question_id)
        row = rows.pop(index, None)
        if row is None and index in failed:
            row = failed_search(failed[index], question.question)
        if not _wanted(question.question_id, split, request.part):
            others += [] if row is None else [OTHER_PART]
        elif row is None:
            faults.add(f"no row for question {index}, {question.question_id!r}")
        else:
            cases += _traced(question, row, source, faults, dated=dated)
    others += _beyond(request, rows, faults)
    if split is not None:
        split.partition(question_ids)
    faults.raise_if_any(f"{results.path} with {request.dataset}", _HINT)
    if not cases:
        raise InputError(
            f"{request.dataset} has no question of the part {request.part!r}",
            "Choose another --part.",
        )
    left_out = {reason: others.count(reason) for reason in dict.fromkeys(others)}
    without = tuple(case.row.user_id for case in cases if case.row.user_id in failed.values())
    return TracedResults(tuple(cases), left_out, source.described(), without)


def _indexed(request: OmniMemEvalImport, faults: Faults) -> Iterator[tuple[int, Question]]:
    """Yield the questions of the dataset with their index in user ids."""
    if request.questions is None:
        yield from enumerate(read_questions(request.dataset))
        return
    index_of = indexes(read_question_list(request.questions))
    for question in read_questions(request.dataset):
        if question.question_id in index_of:
            yield index_of[question.question_id], question
        else:
            faults.add(f"question {question.question_id!r} is not in {request.questions}")


def _wanted(question_id: str, split: Split | None, part: str) -> bool:
    return split is None or part == "all" or split.part_of(question_id).value == part


def _beyond(
    request: OmniMemEvalImport, rows: Mapping[int, SearchResult], faults: Faults
) -> list[str]:
    """Return rows whose question the dataset lacks: left out if a list says that there is one."""
    listed = () if request.questions is None else read_question_list(request.questions)
    left_out = []
    for index, row in rows.items():
        if index < len(listed):
            left_out.append(NOT_IN_DATASET)
            known = listed[index].question_sha256
            if known is not None and question_hash(row.question) != known:
                faults.add(
                    f"{row.user_id!r} asks {quoted(row.question)}, which question {index}, "
                    f"{listed[index].question_id!r}, of {request.questions} does not ask"
                )
        else:
            faults.add(
                f"{row.user_id!r}: the dataset has no question {index}; if it lacks some, give the "
                "full list with --questions"
            )
    return left_out


def _traced(
    question: Question, row: SearchResult, source: RecordSource, faults: Faults, *, dated: bool
) -> list[ImportedCase]:
    """Return the question's case, or none after noting why; `dated`: contexts have headers."""
    where = f"{row.user_id!r}, question {question.question_id!r}"
    if row.question.strip() != question.question.strip():
        faults.add(
            f"{where}: the row asks {row.question!r}, the dataset {question.question!r}: these are "
            "results of another list of questions, or the dataset lacks some (--questions LIST)"
        )
        return []
    before = len(faults)
    records = source.records_of(question, row.user_id, faults)
    if len(faults) > before:
        return []
    try:
        traced = trace_case(question, records, row.context, dated=dated)
    except SplitError as error:
        faults.add(f"{where}: its context cannot be split into items: {error}")
        return []
    empty = not traced.checks.items and not row.failed
    checks = replace(traced.checks, empty_contexts=int(empty))
    return [ImportedCase(row, replace(traced, checks=checks))]
