"""A run for gates, of forty questions: one item shows the answer session of 26 of them, two of 38,
and three of all."""

from __future__ import annotations

from pathlib import Path

from harness.model import Case, EvidenceSpan, Gold, Item, Query, Record

from .recordings import recording_of, run_of

ONE, TWO, THREE = (f"count-curve(k={count})" for count in (1, 2, 3))
FIRST, SECOND, THIRD = 26, 12, 2
QUESTIONS = FIRST + SECOND + THIRD


def gate_cases() -> tuple[Case, ...]:
    places = [0] * FIRST + [1] * SECOND + [2] * THIRD
    return tuple(_case(f"q{number:02d}", place) for number, place in enumerate(places))


def _case(case_id: str, answer: int) -> Case:
    records = tuple(
        Record(f"{case_id}-{place}", f"user: {text}", session_id=f"s{place}")
        for place, text in enumerate(("It rained.", "It snowed.", "It shone."))
    )
    gold = Gold(
        "weather",
        sessions=(f"s{answer}",),
        evidence=(EvidenceSpan(f"{case_id}-{answer}", 6, 15, "user"),),
    )
    return Case(
        case_id,
        Query("How was it?"),
        records,
        tuple(Item(r.record_id) for r in records),
        "made",
        gold,
    )


def gate_run(*options: str) -> Path:
    return run_of(recording_of(gate_cases()), (ONE, TWO, THREE), *options)


def write_gate(
    folder: Path,
    margin: float,
    *,
    metric: str = "answer_sessions_shown",
    cost: str = "within = 9",
    more: str = "",
) -> Path:
    """A gate's file with one metric; points may cost ten times as much as each other, unless
    `cost` says else."""
    path = folder / "gate.toml"
    path.write_text(
        f'{more}\n[[metric]]\nname = "{metric}"\nmargin_points = {margin}\n[cost]\n{cost}\n',
        encoding="utf-8",
    )
    return path
