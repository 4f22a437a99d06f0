"""What must hold of the generated dataset; the first thing that does not is an error."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from harness.model.blocks import divide

from .conversation import Session
from .haystack import LARGEST, SMALLEST

COUNTS = {
    "single-session-user": 21,
    "single-session-assistant": 17,
    "single-session-preference": 9,
    "multi-session": 40,
    "temporal-reasoning": 40,
    "knowledge-update": 23,
}
ABSTENTIONS = 10
LITERAL_ANSWERS = 80
MOST_BLOCKS = 11_500


def check_pool(sessions: Sequence[Session]) -> int:
    """The number of distinct blocks over the pool; an error above the cap."""
    blocks: set[str] = set()
    for session in sessions:
        text = record_text(session)
        blocks.update(text[start:end] for start, end, _ in divide(text))
    _require(len(blocks) <= MOST_BLOCKS, f"{len(blocks)} distinct blocks, over {MOST_BLOCKS}")
    texts = {record_text(session) for session in sessions}
    _require(len(texts) == len(sessions), "two sessions with one text")
    return len(blocks)


def record_text(session: Session) -> str:
    """The session as a record stores it."""
    turns = [f"{turn.role}: {turn.content.strip()}" for turn in session.turns if turn.content]
    head = f"Session date: {session.moment:%Y-%m-%dT%H:%M:%S}+00:00"
    return "\n\n".join([head, *turns])


def check_questions(questions: Sequence[Mapping[str, Any]]) -> int:
    """The number of answers that stand literally in an evidence turn; an error if too few."""
    types = Counter(question["question_type"] for question in questions)
    _require(types == COUNTS, f"wrong counts by type: {types}")
    ids = [question["question_id"] for question in questions]
    _require(len(set(ids)) == len(ids), "two questions with one id")
    abstentions = sum(name.endswith("_abs") for name in ids)
    _require(abstentions == ABSTENTIONS, f"{abstentions} abstention questions")
    known: dict[str, tuple[Any, str]] = {}
    for question in questions:
        _check_haystack(question, known)
    literal = sum(_is_literal(question) for question in questions)
    _require(literal >= LITERAL_ANSWERS, f"only {literal} literal answers")
    return literal


def _check_haystack(question: Mapping[str, Any], known: dict[str, tuple[Any, str]]) -> None:
    name, evidence = question["question_id"], question["answer_session_ids"]
    ids, dates = question["haystack_session_ids"], question["haystack_dates"]
    sessions = question["haystack_sessions"]
    _require(len(ids) == len(dates) == len(sessions), f"{name}: lists of different lengths")
    _require(SMALLEST <= len(ids) <= LARGEST + 1, f"{name}: {len(ids)} sessions")
    _require(set(evidence) <= set(ids), f"{name}: evidence outside of the haystack")
    _require(len(set(evidence)) == len(evidence), f"{name}: evidence twice")
    asked = _moment(question["question_date"])
    for session_id, day, turns in zip(ids, dates, sessions, strict=True):
        where = f"{name}, {session_id}"
        moment = _moment(day)
        is_evidence = session_id in evidence
        _require(is_evidence == ("answer" in session_id), f"{where}: id and role differ")
        _require(not is_evidence or moment <= asked, f"{where}: evidence after the question")
        marked = {"has_answer" in turn for turn in turns}
        _require(marked == {is_evidence}, f"{where}: marks outside of evidence")
        _require(known.setdefault(session_id, (turns, day)) == (turns, day), f"{where}: two texts")
    if not name.endswith("_abs"):
        turns = _evidence_turns(question)
        _require(bool(turns), f"{name}: no evidence turn")
        _require(len(turns) >= len(evidence), f"{name}: an evidence session without a turn")


def _evidence_turns(question: Mapping[str, Any]) -> list[str]:
    return [
        turn["content"]
        for turns in question["haystack_sessions"]
        for turn in turns
        if turn.get("has_answer")
    ]


def _is_literal(question: Mapping[str, Any]) -> bool:
    """Whether a fact's answer (not a number that was computed) stands in an evidence turn."""
    answer = str(question["answer"]).casefold()
    computed = question["question_type"] in {"multi-session", "temporal-reasoning"}
    if question["question_id"].endswith("_abs") or (computed and answer.isdigit()):
        return False
    return any(answer in content.casefold() for content in _evidence_turns(question))


def _moment(text: str) -> datetime:
    moment = datetime.strptime(text[:10] + text[16:], "%Y/%m/%d %H:%M")
    weekday = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")[moment.weekday()]
    _require(text[10:16] == f" ({weekday})", f"wrong weekday in {text}")
    return moment


def _require(holds: bool, problem: str) -> None:
    if not holds:
        raise ValueError(f"the generated sample is wrong: {problem}")
