"""Neither ids, nor labels, nor the order of a haystack reach a recall or a policy.

The same questions are recorded twice, the second time under random ids, categories and labels and
with every haystack shuffled. Windows and selections, told by their texts, must be the same.
"""

from __future__ import annotations

import copy
import gzip
import json
import random
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from harness.model import MEMORY, Case
from harness.points import default_points
from harness.recording.recording import Recording
from harness.replay import schema
from harness.replay.run import Run

from ..make.questions import Object, made_questions
from ..make.recordings import recording_of_questions, run_of

Told = tuple[Any, ...]


def disguised(questions: Sequence[Object], seed: int = 5) -> list[Object]:
    """The questions with all that is not said by anybody replaced, and their order kept."""
    draw = random.Random(seed)
    return [_disguised(copy.deepcopy(question), draw) for question in questions]


def _disguised(question: Object, draw: random.Random) -> Object:
    sessions = list(zip(question["haystack_dates"], question["haystack_sessions"], strict=True))
    draw.shuffle(sessions)
    names = [f"{draw.getrandbits(64):x}" for _ in sessions]
    answers = draw.sample(names, draw.randint(0, min(3, len(names))))
    for name, (_, turns) in zip(names, sessions, strict=True):
        for turn in turns:
            turn.pop("has_answer", None)
            if name in answers and turn["content"].strip() and draw.random() < 0.3:
                turn["has_answer"] = True
    return question | {
        "question_id": f"{draw.getrandbits(64):x}{draw.choice(['', '_abs'])}",
        "question_type": draw.choice(["one", "other"]),
        "answer": draw.choice([draw.getrandbits(16), f"{draw.getrandbits(64):x}"]),
        "haystack_dates": [date for date, _ in sessions],
        "haystack_session_ids": names,
        "haystack_sessions": [turns for _, turns in sessions],
        "answer_session_ids": answers,
    }


def windows(recording: Path) -> list[Told]:
    """What each window holds, in order, without a name."""
    return [_window(case) for case in Recording.open(recording).cases()]


def _window(case: Case) -> Told:
    by_id = {record.record_id: record for record in case.records}
    vector = case.query.vector
    assert vector is not None
    places = []
    for item in case.items:
        record = by_id[item.head]
        assert item.recall is not None
        assert record.blocks is not None
        assert record.blocks.vectors is not None
        places.append(
            (
                record.text,
                record.timestamp,
                record.blocks.ends.tolist(),
                record.blocks.vectors.tobytes(),
                item.reserved,
                item.recall,
                item.claims,
            )
        )
    return case.query.text, case.query.date, vector.tobytes(), *places


def selections(run_folder: Path) -> dict[Told, Told]:
    """What each policy chose for each case by its number: texts, counts and the way to them."""
    opened = Run.open(run_folder)
    numbers = {row["case_id"]: row["case"] for row in opened.cases().to_pylist()}
    dropped = ("case_id", "point", "ordering", "record_id")
    told: dict[Told, list[Any]] = {}
    for table in (schema.SELECTIONS, schema.QUOTES, schema.SEQUENCES):
        for row in opened.table(table).to_pylist():
            key = table, numbers[row["case_id"]], row.get("point") or row.get("ordering")
            kept = tuple((name, value) for name, value in row.items() if name not in dropped)
            told.setdefault(key, []).append(kept)
    return {key: tuple(rows) for key, rows in told.items()}


def recorded_and_replayed(questions: Sequence[Object], *more: str) -> tuple[Path, Path]:
    recording = recording_of_questions(questions, *more)
    return recording, run_of(recording, (), "--no-tokens")


def check(questions: Sequence[Object], *more: str) -> None:
    hidden = disguised(questions)
    recording, plain_run = recorded_and_replayed(questions, *more)
    other, hidden_run = recorded_and_replayed(hidden, *more)
    assert windows(recording) == windows(other)
    plain = selections(plain_run)
    assert plain == selections(hidden_run)
    computed = {point for table, _, point in plain if table == schema.SELECTIONS}
    assert len(computed) == len(default_points(kind=MEMORY)) - 2  # without the aliases
    ids = {case.case_id for case in Recording.open(recording).cases()}
    assert ids.isdisjoint(case.case_id for case in Recording.open(other).cases())


@pytest.mark.parametrize("recall", ["bm25", "hybrid"])
def test_made_up_questions(tmp_path: Path, recall: str) -> None:
    check(made_questions(12), "--recall", recall)


@pytest.mark.shared
def test_real_questions(tmp_path: Path, shared: Path) -> None:
    path = shared / "data" / "longmemeval" / "longmemeval_s_subset35.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        questions = [json.loads(line) for line in islice(stream, 0, None, 6)]
    assert len(questions) == 6
    check(questions)


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from strings(part)
    elif isinstance(value, list):
        for part in value:
            yield from strings(part)


def test_the_disguise_hides_every_id_and_label() -> None:
    """A check of the check: nothing but what was said, asked and dated is left."""
    plain = made_questions(12)
    kept = {text for one in plain for text in (one["question"], one["question_date"])}
    kept |= {date for one in plain for date in one["haystack_dates"]}
    kept |= {turn["content"] for one in plain for said in one["haystack_sessions"] for turn in said}
    kept |= {"user", "assistant"}
    left = {text for one in disguised(plain) for text in strings(one)}
    assert {text for one in plain for text in strings(one)} & left <= kept
