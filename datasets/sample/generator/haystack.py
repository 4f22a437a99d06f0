"""Questions with their haystacks, in the layout of LongMemEval-S."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta
from hashlib import sha256
from typing import Any

from .answers import gold_answer
from .conversation import Session
from .material import Material, Question, Thread
from .timeline import Event
from .wording import say

TYPES = (
    "single-session-user",
    "multi-session",
    "single-session-preference",
    "temporal-reasoning",
    "knowledge-update",
    "single-session-assistant",
)
SMALLEST, LARGEST = 38, 50
SHARED_TOPIC = 1
LAST_DAY = datetime(2023, 7, 20)
SHARE_UNSORTED = 0.42
SHARE_WITH_OPENING = 0.45
WITH_LATER_SESSIONS = 8


def stamp(moment: datetime) -> str:
    """A date as the dataset writes it, `2023/05/30 (Tue) 23:40`."""
    weekday = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")[moment.weekday()]
    return f"{moment:%Y/%m/%d} ({weekday}) {moment:%H:%M}"


@dataclass
class SessionNames:
    """Ids: one for a session as a distractor, one more for each way it is marked as evidence.

    As in the published data, an evidence id contains `answer` and no other does, and an id
    determines text, date and marks.
    """

    seed: int
    _marked: dict[int, list[tuple[bool, frozenset[int]]]] = field(default_factory=dict)

    def plain(self, number: int) -> str:
        digest = self._digest(number)
        return digest if number % 3 else f"{digest}_{1 + number % 5}"

    def evidence(self, number: int, places: frozenset[int], abstention: bool) -> str:
        known = self._marked.setdefault(number, [])
        marks = (abstention, places)
        if marks not in known:
            known.append(marks)
        middle = "_abs" if abstention else ""
        return f"answer_{self._digest(number)}{middle}_{known.index(marks) + 1}"

    def _digest(self, number: int) -> str:
        return sha256(f"{self.seed} session {number}".encode()).hexdigest()[:8]


@dataclass(frozen=True)
class Pool:
    """What the questions draw from."""

    material: Material
    sessions: Sequence[Session]
    events: Mapping[str, Event]
    names: SessionNames
    seed: int


def write_questions(pool: Pool) -> list[dict[str, Any]]:
    """Every question object, by type and then in the order of the material."""
    threads = {thread.name: thread for thread in pool.material.threads}
    questions = [
        question
        for kind in TYPES
        for thread in pool.material.threads
        for question in thread.questions
        if question.type == kind
    ]
    chooser = random.Random(f"{pool.seed} questions")
    later = set(chooser.sample(range(len(questions)), WITH_LATER_SESSIONS))
    twice = chooser.choice([place for place in range(len(questions)) if place not in later])
    return [
        _Asked(pool, threads, question).written(place in later, place == twice)
        for place, question in enumerate(questions)
    ]


class _Asked:
    """One question on its way to its object."""

    def __init__(self, pool: Pool, threads: Mapping[str, Thread], question: Question) -> None:
        self._pool = pool
        self._thread = threads[question.thread]
        self._threads = threads
        self._question = question
        name = f"{pool.seed} question {question.thread} {question.number}"
        self._generator = random.Random(name)
        suffix = "_abs" if question.abstention else ""
        self._id = sha256(name.encode()).hexdigest()[:8] + suffix
        self._facts = [f"{question.thread}/{key}" for key in question.uses]
        self._evidence = [pool.sessions[pool.events[fact].session] for fact in self._facts]
        moments = [session.moment for session in self._evidence]
        if question.type == "knowledge-update" and moments != sorted(moments):
            raise ValueError(f"{question.thread}: the states are not in order of time")

    def written(self, later: bool, twice: bool) -> dict[str, Any]:
        asked = self._date()
        ids = {session.number: self._evidence_id(session) for session in self._evidence}
        haystack = [*self._evidence, *self._distractors(None if later else asked)]
        if twice:
            haystack.append(haystack[-1])
        haystack.sort(key=lambda session: session.moment)
        if self._generator.random() < SHARE_UNSORTED:
            self._generator.shuffle(haystack)
        return {
            "question_id": self._id,
            "question_type": self._question.type,
            "question": self._words(haystack),
            "question_date": stamp(asked),
            "answer": gold_answer(self._question, self._pool.events, asked.date()),
            "answer_session_ids": [ids[session.number] for session in self._evidence],
            "haystack_dates": [stamp(session.moment) for session in haystack],
            "haystack_session_ids": [
                ids.get(session.number) or self._pool.names.plain(session.number)
                for session in haystack
            ],
            "haystack_sessions": [self._turns(session) for session in haystack],
        }

    def _words(self, haystack: Sequence[Session]) -> str:
        """The question, in some cases after an opening from the user's life, about a topic of the
        haystack that the evidence does not have."""
        material = self._pool.material
        near = {session.topic for session in self._evidence}
        far = {session.topic for session in haystack} - near
        names = sorted(name for name in far if material.topics[name].language == "en")
        topic = material.topics[self._generator.choice(names)]
        opening = say(
            self._generator.choice(material.phrases["en"]["openings"]),
            self._generator,
            topic.lexicon,
        )
        ask = self._question.ask
        if self._generator.random() < SHARE_WITH_OPENING and ask[0].isascii():
            return f"{opening.replace('your ', 'my ').replace('Your ', 'My ')} {ask}"
        return ask

    def _date(self) -> datetime:
        """After the evidence, and late enough for a haystack of earlier sessions."""
        known = self._pool.sessions[LARGEST + 8].moment
        start = max([known, *(session.moment for session in self._evidence)]).date()
        day = start + timedelta(days=1 + self._generator.randrange(45))
        day = max(min(day, LAST_DAY.date()), start + timedelta(days=1))
        if self._question.weeks_after is not None:
            event = self._pool.events[f"{self._question.thread}/{self._question.weeks_after}"]
            weeks = (start - event.day).days // 7 + self._generator.randrange(2, 7)
            day = event.day + timedelta(days=7 * weeks)
        clock = time(self._generator.randrange(24), self._generator.randrange(60))
        return datetime.combine(day, clock)

    def _distractors(self, asked: datetime | None) -> list[Session]:
        """Sessions beside the evidence: near misses and later memories of the facts, some of the
        same topic, and others."""
        barred = self._barred()
        free = [
            session
            for session in self._pool.sessions
            if session.number not in barred and (asked is None or session.moment <= asked)
        ]
        decoys = {fact.name for fact in self._thread.facts if fact.decoy}
        facts = set(self._facts)
        near = [s for s in free if s.facts & decoys or s.memories & facts]
        topics = {session.topic for session in self._evidence}
        same = [s for s in free if s.topic in topics and s not in near]
        chosen = near + self._sample(same, SHARED_TOPIC)
        size = self._generator.randint(SMALLEST, LARGEST) - len(self._evidence)
        rest = [s for s in free if s not in chosen and s.topic not in topics]
        return chosen + self._sample(rest, size - len(chosen))

    def _barred(self) -> set[int]:
        """The evidence itself, and sessions with what would change or repeat the answer."""
        facts = [fact.name for fact in self._thread.facts if not fact.decoy]
        for name in self._thread.conflicts:
            facts += [fact.name for fact in self._threads[name].facts]
        barred = {self._pool.events[fact].session for fact in facts}
        return barred | {session.number for session in self._evidence}

    def _sample(self, sessions: Sequence[Session], size: int) -> list[Session]:
        return self._generator.sample(sessions, max(0, min(size, len(sessions))))

    def _places(self, session: Session) -> frozenset[int]:
        """Which turns of an evidence session state what the question asks for."""
        events = self._pool.events
        marked = {name for name in self._facts if events[name].fact.marked}
        return frozenset(p for p, turn in enumerate(session.turns) if turn.facts & marked)

    def _evidence_id(self, session: Session) -> str:
        places = self._places(session)
        return self._pool.names.evidence(session.number, places, self._question.abstention)

    def _turns(self, session: Session) -> list[dict[str, Any]]:
        turns: Iterable[dict[str, Any]] = (
            {"role": turn.role, "content": turn.content} for turn in session.turns
        )
        if session not in self._evidence:
            return list(turns)
        places = self._places(session)
        return [{**turn, "has_answer": place in places} for place, turn in enumerate(turns)]
