"""What an answer input says of its question, its context aside."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.compute as pc

from harness.datasets.layout import Question, read_questions
from harness.datasets.question_list import read_question_list
from harness.errors import Faults, InputError, UsageError
from harness.recording import schema as recording_schema
from harness.recording.recording import Recording
from harness.replay.run import Run
from harness.replay.schema import SEARCH_RESULTS
from harness.storage.content import content_size_and_sha256
from harness.storage.parquet import read_table

from .haystack_records import stored_content
from .search_results import indexes

Fields = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question's user id and the fields of its row, but for what the search gave."""

    user_id: str
    fields: Fields


def asked_questions(
    run: Run,
    user_id_of: Callable[[int], str],
    *,
    dataset: Path | None,
    questions: Path | None,
) -> dict[str, AskedQuestion]:
    """Return the questions of `run` by case id: of an imported run as they were, else of `dataset`,
    else of the run's recording, which has no evidence texts.

    User ids count in `questions`, else in the dataset, else in the recording.
    """
    described = None if dataset is None else _of_dataset(run, dataset)
    if (run.folder / f"{SEARCH_RESULTS}.parquet").is_file():
        return _as_imported(run, described or {})
    places = _of_recording(run) if described is None else described
    index_of = {case_id: index for case_id, (index, _) in places.items()}
    where = "the recording" if described is None else "the dataset"
    if questions is not None:
        index_of, where = dict(indexes(read_question_list(questions))), str(questions)
    faults = Faults()
    found = {}
    for case_id in run.cases()["case_id"].to_pylist():
        if case_id not in places:
            faults.add(f"question {case_id!r} has no answer in {where}")
        elif case_id not in index_of:
            faults.add(f"question {case_id!r} is not in {where}")
        else:
            fields = places[case_id][1]
            found[case_id] = AskedQuestion(user_id_of(index_of[case_id]), fields)
    faults.raise_if_any(str(run.folder), "Give --dataset DATA, which has their gold answers.")
    return found


def _as_imported(run: Run, described: Mapping[str, tuple[int, Fields]]) -> dict[str, AskedQuestion]:
    """Return the rows as they were imported; what they lack is taken from the dataset, if it is
    given."""
    found = {}
    for row in read_table(run.folder / f"{SEARCH_RESULTS}.parquet").to_pylist():
        fields = dict(described[row["case_id"]][1]) if row["case_id"] in described else {}
        fields |= {
            key: value
            for key, value in json.loads(row["fields"]).items()
            if value is not None or key not in fields
        }
        found[row["case_id"]] = AskedQuestion(row["user_id"], fields)
    return found


def _of_dataset(run: Run, dataset: Path) -> dict[str, tuple[int, Fields]]:
    wanted = (run.manifest.content.get("dataset") or {}).get("sha256")
    found = content_size_and_sha256(dataset)[1]
    if wanted is not None and found != wanted:
        raise InputError(
            f"{dataset} has the content sha256 {found}, the run is of {wanted}",
            "Give --dataset the dataset that the run is of.",
        )
    return {
        question.question_id: (index, _fields(question))
        for index, question in enumerate(read_questions(dataset))
        if question.answer is not None
    }


def _fields(question: Question) -> Fields:
    evidence = [
        stored_content(turn.content)
        for session in question.sessions
        if session.session_id in question.answer_session_ids
        for turn in session.turns
        if turn.has_answer
    ]
    return {
        "question": question.question,
        "category": question.question_type,
        "date": question.question_date,
        "golden_answer": str(question.answer),
        "answer_evidences": evidence,
    }


def _of_recording(run: Run) -> dict[str, tuple[int, Fields]]:
    """Return the questions that have an answer, with their number in the recording."""
    described = run.manifest.content["recording"]
    folder = Path(described["folder"])
    hint = "Give --dataset DATA, the dataset that it was recorded from."
    if not folder.is_dir():
        raise UsageError(f"{run.folder} is of the recording {folder}, which is not there", hint)
    recording = Recording.open(folder, verify=False)
    if recording.sha256 != described["sha256"]:
        raise UsageError(f"{folder} is no longer the recording that {run.folder} is of", hint)
    gold = read_table(folder / recording_schema.GOLD, columns=["case", "answer"])
    gold = gold.filter(pc.is_valid(gold["answer"]))
    answers = dict(zip(*[column.to_pylist() for column in gold.columns], strict=True))
    return {
        query["case_id"]: (
            number,
            {
                "question": query["text"],
                "category": query["category"] or "",
                "date": query["date"] or "",
                "golden_answer": answers[number],
                "answer_evidences": [],
            },
        )
        for number, query in recording.queries(answers)
    }
