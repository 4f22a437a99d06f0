"""Answers of two points next to each other: which outcomes changed, and one question in full."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness.measure.answered_case import AnsweredCase, AnsweredSide
from harness.measure.flips import AnsweredContext, ComparedQuestion, Contexts, Side, flips_of
from harness.trial.grade import Status
from harness.words import MISSING, Kind, Text, count

from .table import Column, PartOf, Table

_SIDES = ("first", "second")
_SHOWN = ("answer_sessions_shown", "answer_sessions", "evidence_turns_touched", "evidence_turns")
_NARROW = 46

Row = dict[str, Any]


def counts_table(compared: Sequence[ComparedQuestion]) -> Table:
    """Return how the contexts of the compared questions differ, with the outcomes of each kind."""
    rows = [
        _counts(contexts.value, [each for each in compared if each.contexts is contexts])
        for contexts in Contexts
    ]
    rows.append(_counts("all", compared))
    columns = (
        Column("contexts", "contexts"),
        Column("compared", "compared", Kind.COUNT),
        Column("first_only", "only A right", Kind.COUNT),
        Column("second_only", "only B right", Kind.COUNT),
        Column("both_right", "both right", Kind.COUNT),
        Column("neither", "neither", Kind.COUNT),
    )
    return Table(columns, rows)


def _counts(name: str, questions: Sequence[ComparedQuestion]) -> Row:
    outcomes = [(each.first.correct, each.second.correct) for each in questions]
    return {
        "contexts": name,
        "compared": len(questions),
        "first_only": outcomes.count((True, False)),
        "second_only": outcomes.count((False, True)),
        "both_right": outcomes.count((True, True)),
        "neither": outcomes.count((False, False)),
    }


def flips_table(compared: Sequence[ComparedQuestion], caveats: Sequence[str]) -> Table:
    """Return the questions whose outcome differs, with the evidence of both sides, what evidence
    explains first; notes are the caveats."""
    rows = [_flip(question, caveats) for question in flips_of(compared)]
    columns = (
        Column("question_id", "question", Kind.CODE),
        Column("question_type", "type", optional=True),
        Column("right", "right"),
        Column("explanation", "what would explain it", width=28),
        Column(
            "sessions",
            "answer sessions A, B",
            cell=_pair("answer_sessions_shown", "answer_sessions"),
        ),
        Column(
            "turns", "evidence turns A, B", cell=_pair("evidence_turns_touched", "evidence_turns")
        ),
        Column("tokens", "context tokens A, B", cell=_tokens),
    )
    return Table(columns, rows, notes=tuple(f"{caveat}." for caveat in caveats))


def _flip(question: ComparedQuestion, caveats: Sequence[str]) -> Row:
    row: Row = {
        "question_id": question.question_id,
        "question_type": question.question_type,
        "right": "A" if question.first.correct else "B",
        "explanation": question.explanation.value,
        "contexts": question.contexts.value,
    }
    for name, side in zip(_SIDES, (question.first, question.second), strict=True):
        row |= {f"{name}_{key}": value for key, value in _context(side).items()}
    return {**row, "caveats": list(caveats)}


def _context(side: AnsweredContext) -> Row:
    shown = {key: None if side.shown is None else getattr(side.shown, key) for key in _SHOWN}
    return {**shown, "context_tokens": side.context_tokens, "context_sha256": side.context_sha256}


def _pair(shown: str, whole: str) -> Any:
    def cell(row: Mapping[str, Any]) -> str:
        if row[f"first_{whole}"] is None:
            return MISSING
        return f"{row[f'first_{shown}']}, {row[f'second_{shown}']} of {row[f'first_{whole}']}"

    return cell


def _tokens(row: Mapping[str, Any]) -> str:
    return ", ".join(count(row[f"{name}_context_tokens"]) for name in _SIDES)


def pair_caveats(first: Side, second: Side) -> list[str]:
    """Return what goes with a comparison of two sides."""
    found = [
        f"{name}: {caveat}"
        for name, side in (("A", first), ("B", second))
        for caveat in side.answers.caveats
    ]
    for what, left, right in (
        ("answered", first.grades.reader, second.grades.reader),
        ("judged", ", ".join(first.grades.judges), ", ".join(second.grades.judges)),
    ):
        if left != right:
            found.append(
                f"A was {what} by {left or 'nobody known'}, B by {right or 'nobody known'}"
            )
    return found


def case_table(found: AnsweredCase) -> Table:
    """Return both sides: a row for each in CSV and JSON, and next to each other for people."""
    rows = [
        {
            "case_id": found.case_id,
            "question_type": found.question_type,
            "question": found.question,
            "gold": found.gold,
            "side": name,
            **_side(side),
        }
        for name, side in zip("AB", found.sides, strict=True)
    ]
    return Table((), rows)


def _side(side: AnsweredSide) -> Row:
    shown = {key: None if side.shown is None else getattr(side.shown, key) for key in _SHOWN}
    turns = None
    if side.turns is not None:
        turns = [
            {
                "record_id": turn.record_id,
                "start": turn.start,
                "end": turn.end,
                "quoted_characters": turn.quoted,
                "text": turn.text,
            }
            for turn in side.turns
        ]
    return {
        "point": side.point,
        "status": side.status,
        "reason": side.reason,
        "correct": side.correct,
        "answer": side.answer,
        "reader": side.reader,
        "judge": side.judge,
        "context_sha256": side.context_sha256,
        "context_tokens": side.context_tokens,
        "prompt_tokens_api": side.prompt_tokens_api,
        **shown,
        "turns": turns,
        "caveats": list(side.caveats),
    }


def case_lines(found: AnsweredCase) -> list[str]:
    """Return what both sides were asked."""
    kind = "" if found.question_type is None else f"  ({found.question_type})"
    return [
        f"case      {found.case_id}{kind}",
        f"question  {found.question}",
        f"gold      {MISSING if found.gold is None else found.gold}",
    ]


def sides_table(found: AnsweredCase) -> Table:
    """Return a line per property, A next to B."""
    rows = [
        {"property": name, "first": of(found.sides[0]), "second": of(found.sides[1])}
        for name, of in _PROPERTIES.items()
    ]
    columns = (
        Column("property", ""),
        Column("first", "A", width=_NARROW),
        Column("second", "B", width=_NARROW),
    )
    same = found.sides[0].context_sha256 == found.sides[1].context_sha256
    notes: list[Text] = ["Both answered the same context."] if same else []
    return Table(columns, rows, notes=tuple(notes))


def _verdict(side: AnsweredSide) -> str:
    if side.status != Status.GRADED.value:
        return f"{side.status} ({side.reason})"
    return "right" if side.correct else "wrong"


def _of(side: AnsweredSide, shown: str, whole: str) -> str:
    if side.shown is None:
        return MISSING
    return f"{getattr(side.shown, shown)} of {getattr(side.shown, whole)}"


_PROPERTIES: Mapping[str, Any] = {
    "point": lambda side: side.point,
    "verdict": _verdict,
    "judged by": lambda side: side.judge or MISSING,
    "answer": lambda side: MISSING if side.answer is None else side.answer or '""',
    "answer sessions": lambda side: _of(side, "answer_sessions_shown", "answer_sessions"),
    "evidence turns": lambda side: _of(side, "evidence_turns_touched", "evidence_turns"),
    "context tokens": lambda side: count(side.context_tokens),
    "prompt tokens (API)": lambda side: count(side.prompt_tokens_api),
    "context": lambda side: side.context_sha256[:12],
}


def turns_table(found: AnsweredCase) -> Table | None:
    """Return the evidence turns, and how much of each either context quotes; None without the
    recording, or a turn."""
    first, second = (side.turns for side in found.sides)
    if not first or not second:
        return None
    rows = [
        {
            "record_id": left.record_id,
            "text": left.text or "(not in the window)",
            "first": PartOf(left.quoted, left.end - left.start),
            "second": PartOf(right.quoted, right.end - right.start),
        }
        for left, right in zip(first, second, strict=True)
    ]
    columns = (
        Column("record_id", "record", Kind.CODE, optional=True),
        Column("text", "evidence turn", width=60),
        Column("first", "characters in A", Kind.COUNT),
        Column("second", "characters in B", Kind.COUNT),
    )
    return Table(columns, rows)
