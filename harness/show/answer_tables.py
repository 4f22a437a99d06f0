"""Answers that are asked for: what it takes, and what it came to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from harness.grading.answer_estimate import AnswerEstimate
from harness.grading.answer_set import AnswerSet
from harness.readers.store import AnswerStore
from harness.words import MISSING, Kind, count, counted

from .table import Column, Table


def estimate_table(estimate: AnswerEstimate) -> Table:
    """Return one row: what asking takes."""
    columns = (
        Column("prompts", "distinct prompts", Kind.COUNT),
        Column("repeats", "repeats", Kind.COUNT),
        Column("in_store", "in the store", Kind.COUNT),
        Column("calls", "calls", Kind.COUNT),
        Column("prompt_tokens", f"prompt tokens ({estimate.encoding})", Kind.COUNT),
        Column("output_tokens", "output tokens at most", Kind.COUNT),
        Column("cost", "price at most", cell=_price),
        Column("seconds", "time", cell=lambda row: duration(row["seconds"])),
    )
    notes = [
        f"{counted(estimate.questions, 'question')} at {counted(estimate.points, 'point')}: "
        f"{count(estimate.questions * estimate.points)} contexts in "
        f"{counted(estimate.prompts, 'distinct prompt')}; equal ones share an answer."
    ]
    if estimate.calls_so_far:
        so_far = {**asdict(estimate), "cost": estimate.cost_so_far}
        notes.append(
            f"So far {counted(estimate.calls_so_far, 'call')} of this reader in this store, "
            f"at {_price(so_far)}."
        )
    return Table(columns, [asdict(estimate)], notes=tuple(notes))


def judging_table(estimates: Mapping[str, AnswerEstimate]) -> Table:
    """Return a row per judge: what asking it takes."""
    columns = (
        Column("judge", "judge"),
        Column("prompts", "distinct answers", Kind.COUNT),
        Column("in_store", "judged already", Kind.COUNT),
        Column("calls", "calls", Kind.COUNT),
        Column("prompt_tokens", "prompt tokens", Kind.COUNT),
        Column("output_tokens", "output tokens at most", Kind.COUNT),
        Column("cost", "price at most", cell=_price),
        Column("seconds", "time", cell=lambda row: duration(row["seconds"])),
    )
    return Table(columns, [{"judge": judge, **asdict(each)} for judge, each in estimates.items()])


def answers_table(sets: Sequence[AnswerSet], store: AnswerStore) -> Table:
    """Return a row per point: how many of its prompts have an answer, and the file of its set."""
    columns = (
        Column("point", "point", Kind.CODE),
        Column("part", "part"),
        Column("questions", "questions", Kind.COUNT),
        Column("prompts", "distinct prompts", Kind.COUNT),
        Column("repeats", "repeats", Kind.COUNT),
        Column("answered", "answers", Kind.COUNT),
        Column("failed", "errors", Kind.COUNT),
        Column("not_asked", "not asked", Kind.COUNT),
    )
    return Table(columns, [_set_row(answers, store) for answers in sets])


def _set_row(answers: AnswerSet, store: AnswerStore) -> dict[str, Any]:
    keys = list(answers.every_key())
    lacking = [key for key in keys if not store.has(key)]
    failed = sum(store.last_error(key) is not None for key in lacking)
    return {
        "point": str(answers.point),
        "part": answers.part,
        "reader": answers.reader_name,
        "questions": len(answers.questions),
        "prompts": len(keys) // answers.repeats,
        "repeats": answers.repeats,
        "answered": len(keys) - len(lacking),
        "failed": failed,
        "not_asked": len(lacking) - failed,
        "answers": answers.path_in(store.folder).as_posix(),
    }


def duration(seconds: float | None) -> str:
    """Spell a time, such as `2 h 5 min`, `3 min 20 s`; a dash where it is not known."""
    if seconds is None:
        return MISSING
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{count(hours)} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def _price(row: dict[str, Any]) -> str:
    if row["cost"] is None:
        return MISSING
    return f"{row['cost']:,.4f} {row['currency']}"
