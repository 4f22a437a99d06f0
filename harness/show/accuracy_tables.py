"""Accuracy beside evidence: what graded answers came to at the points that have some."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from harness.evidence import CohortCounts
from harness.measure.accuracy import BESIDE, Accuracy, accuracies
from harness.measure.answers import GradedPoints
from harness.points import Point
from harness.statistics.counts import DEFAULT_LEVEL
from harness.words import Code, Kind, Text, joined, percent

from .evidence_tables import POINT, excluded_text, metric_column
from .grade_tables import type_accuracy
from .table import Column, MeanOf, PartOf, Table, WithLimits

_LEVEL = float(DEFAULT_LEVEL)

Row = Mapping[str, Any]


def with_answers(
    rows: Iterable[Row], cohort: CohortCounts, graded: GradedPoints, *, by_category: bool = False
) -> list[dict[str, Any]]:
    """Return rows of evidence with `answers`: None where the point has no grades, and nothing but
    that they are sealed where they are. The points of the rows are in the cohort."""
    parts = cohort.by_category() if by_category else [(None, cohort)]
    found = {category: _answers(part, graded) for category, part in parts}
    return [{**row, "answers": found[row.get("category")].get(row["point"])} for row in rows]


def answers_table(rows: Iterable[Row]) -> Table | None:
    """Return a row per point that is open, of rows that `with_answers` made; None where no point
    has grades. Notes say what columns are over, and which points are sealed."""
    found = [
        {"point": row["point"], **row["answers"]} for row in rows if row["answers"] is not None
    ]
    if not found:
        return None
    shown = [row for row in found if not row["sealed"]]
    columns = [
        POINT,
        Column("graded", "graded", cell=lambda row: PartOf(row["graded"], row["expected"])),
        *(replace(metric_column(metric), cell=_evidence(metric.name)) for metric in BESIDE),
        Column("correct", "right", Kind.COUNT),
        Column("accuracy", "accuracy", Kind.ACCURACY, cell=_accuracy),
        Column("error", "error", Kind.COUNT),
        Column("prompt_tokens_api", "prompt tokens (API)", Kind.TOKENS, cell=_reported),
        Column("prompt_tokens_api_per_correct", "per right answer", Kind.TOKENS),
    ]
    if any(row["abstention_graded"] for row in shown):
        columns.append(
            Column("abstention_accuracy", "abstention accuracy", Kind.ACCURACY, cell=_abstention)
        )
    return Table(tuple(columns), shown, notes=tuple(_notes(found, shown)))


def _answers(cohort: CohortCounts, graded: GradedPoints) -> dict[str, dict[str, Any]]:
    rows = {str(row.point): _open_row(row) for row in accuracies(graded, cohort)}
    sealed: dict[str, Any] = {**dict.fromkeys(KEYS), "sealed": True}
    return rows | {
        str(point): {**sealed, "caveats": list(graded.caveats_of(point))} for point in graded.sealed
    }


def _open_row(found: Accuracy) -> dict[str, Any]:
    interval = found.interval
    return {
        "part": found.part,
        "sealed": False,
        **asdict(found.counts),
        "questions_sha256": found.questions_sha256,
        "correct": found.correct,
        "accuracy": found.accuracy,
        "lower": None if interval is None else interval.lower,
        "upper": None if interval is None else interval.upper,
        "level": _LEVEL,
        **{value.name: value.value for value in found.evidence},
        **{f"{value.name}_scored": value.scored for value in found.evidence},
        "prompt_tokens_api": found.mean_prompt_tokens_api,
        "prompt_tokens_api_known": found.tokens_reported,
        "prompt_tokens_api_per_correct": found.tokens_per_correct,
        "abstention_graded": found.abstention_graded,
        "abstention_correct": found.abstention_correct,
        "abstention_accuracy": found.abstention_accuracy,
        "reader": found.reader,
        "caveats": list(found.caveats),
    }


KEYS = (
    *("part", "sealed", "expected", "graded", "missing", "duplicate", "error", "excluded"),
    "reasons",
    *("questions_sha256", "correct", "accuracy", "lower", "upper", "level"),
    *(metric.name for metric in BESIDE),
    *(f"{metric.name}_scored" for metric in BESIDE),
    *("prompt_tokens_api", "prompt_tokens_api_known", "prompt_tokens_api_per_correct"),
    *("abstention_graded", "abstention_correct", "abstention_accuracy", "reader", "caveats"),
)
"""The keys of a point's answers."""


def _notes(found: Sequence[Row], shown: Sequence[Row]) -> Iterator[Text]:
    if shown:
        yield (
            "Evidence, accuracy and tokens are over the graded questions. Accuracy is the share "
            f"of right answers, in brackets its {percent(_LEVEL)} interval (Wilson). Prompt tokens "
            "are those that the reader's API reported: their mean, and their sum per right answer."
        )
        readers = dict.fromkeys(row["reader"] or "not named" for row in shown)
        yield f"Reader: {', '.join(readers)}."
    for reasons in dict.fromkeys(
        excluded_text(row["reasons"].get("excluded", {})) for row in shown
    ):
        if reasons != "none":
            yield f"Excluded: {reasons}."
    yield from caveat_sentences((row["point"], row["caveats"]) for row in found)
    if len({row["questions_sha256"] for row in shown}) > 1:
        yield "The points were not graded on the same questions."


def caveat_sentences(caveats: Iterable[tuple[str, Sequence[str]]]) -> Iterator[Text]:
    """Say each caveat once, with the points that it is of."""
    points_of: dict[str, list[str]] = {}
    for point, own in caveats:
        for caveat in own:
            points_of.setdefault(caveat, []).append(Code(point))
    for caveat, points in points_of.items():
        yield (*joined(points), f": {caveat}.")


def types_table(graded: GradedPoints, points: Collection[Point]) -> Table | None:
    """Return the accuracies by question type of those of the points that have answers; None
    without any."""
    return type_accuracy(
        [
            (str(answers.point), len(answers.correct), answers.by_type)
            for answers in graded.answers
            if answers.point in points
        ]
    )


def _evidence(name: str) -> Callable[[Row], MeanOf | float | None]:
    def cell(row: Row) -> MeanOf | float | None:
        scored = row[f"{name}_scored"]
        return row[name] if scored == row["graded"] else MeanOf(row[name], scored)

    return cell


def _accuracy(row: Row) -> WithLimits:
    return WithLimits(row["accuracy"], row["lower"], row["upper"], row["level"])


def _reported(row: Row) -> MeanOf | float | None:
    known, mean = row["prompt_tokens_api_known"], row["prompt_tokens_api"]
    return mean if known in (0, row["graded"]) else MeanOf(mean, known)


def _abstention(row: Row) -> MeanOf:
    return MeanOf(row["abstention_accuracy"], row["abstention_graded"])
