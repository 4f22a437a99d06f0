"""Sessions written out: turns of user and assistant with the facts told in them."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from .material import Fact, Material
from .prose import Deck, Speaker
from .timeline import Event, SessionPlan
from .wording import days_ago, fill_slots, long_date

EXCHANGES = (4, 5, 5, 6, 6, 7, 8, 9)
SENTENCES = (5, 6, 8, 9, 10, 12, 14, 18)
FEWEST_JAPANESE = 8
SHARE_TOLD_AT_ONCE = 0.6


@dataclass(frozen=True)
class Turn:
    """One turn; `facts` names the facts that it states."""

    role: str
    content: str
    facts: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Session:
    """A session of the pool; `memories` names facts of earlier sessions that come up by name."""

    number: int
    moment: datetime
    topic: str
    turns: tuple[Turn, ...]
    facts: frozenset[str]
    memories: frozenset[str]


def write_sessions(
    material: Material,
    plans: Sequence[SessionPlan],
    events: Mapping[str, Event],
    seed: int,
) -> list[Session]:
    """Write every planned session. Each has its own random numbers; decks are shared by topic."""
    decks = {name: Deck(random.Random(f"{seed} deck {name}")) for name in material.topics}
    sessions = []
    for plan in plans:
        generator = random.Random(f"{seed} session {plan.number}")
        phrases = material.phrases[plan.topic.language]
        speaker = Speaker(plan.topic, phrases, decks[plan.topic.name], generator)
        turns = tuple(_Writer(plan, speaker, events, generator).turns())
        facts = frozenset(fact.name for fact in plan.facts)
        memories = frozenset(fact.name for fact in plan.memories)
        session = Session(plan.number, plan.moment, plan.topic.name, turns, facts, memories)
        sessions.append(session)
    return sessions


def tell(template: str, event: Event) -> str:
    """The words of a fact with its number and its day filled in."""
    fact = event.fact
    value = "" if fact.value is None else f"{fact.value:,}"
    slots = {"value": value, "ago": days_ago(event.ago), "date": long_date(event.day)}
    return fill_slots(template, slots)


class _Writer:
    def __init__(
        self,
        plan: SessionPlan,
        speaker: Speaker,
        events: Mapping[str, Event],
        generator: random.Random,
    ) -> None:
        self._plan = plan
        self._speaker = speaker
        self._events = events
        self._generator = generator

    def turns(self) -> list[Turn]:
        told = self._placed()
        memories = self._recalled(set(told))
        turns: list[Turn] = []
        for place in range(self._exchanges):
            fact, template = told.get(place, (None, ""))
            if fact is None:
                recalled = memories.get(place, [])
                turns.append(Turn("user", self._remembering(recalled, place == 0)))
                about = recalled[-1].about if recalled else None
                turns.append(Turn("assistant", self._noting(about)))
            elif fact.assistant is not None:
                turns.append(Turn("user", fact.user))
                self._speaker.remember(fact.about)
                content = self._around(fact.assistant)
                turns.append(Turn("assistant", content, frozenset({fact.name})))
            else:
                told_words = tell(template, self._events[fact.name])
                text = self._telling(fact, told_words, first=place == 0)
                turns.append(Turn("user", text, frozenset({fact.name})))
                self._speaker.remember(fact.about)
                turns.append(Turn("assistant", self._noting(fact.about)))
        if self._generator.random() < 0.4:
            turns.append(Turn("user", self._speaker.phrase("thanks")))
            turns.append(Turn("assistant", self._farewell()))
        return turns

    def _placed(self) -> dict[int, tuple[Fact, str]]:
        """Which exchange tells which fact; a fact's second telling comes after the first."""
        facts = self._plan.facts
        tellings = sum(2 if fact.also else 1 for fact in facts)
        fewest = FEWEST_JAPANESE if self._plan.topic.language == "ja" else tellings + 1
        self._exchanges = max(self._generator.choice(EXCHANGES), fewest)
        places = sorted(self._generator.sample(range(self._exchanges), tellings))
        if tellings and self._generator.random() < SHARE_TOLD_AT_ONCE:
            places[0] = 0
        order = [(fact, fact.user) for fact in facts]
        self._generator.shuffle(order)
        order += [(fact, fact.also) for fact in facts if fact.also]
        return dict(zip(places, order, strict=True))

    def _recalled(self, taken: set[int]) -> dict[int, list[Fact]]:
        """In which exchange without a fact a memory comes up."""
        free = [place for place in range(self._exchanges) if place not in taken]
        memories: dict[int, list[Fact]] = {}
        for fact in self._plan.memories:
            memories.setdefault(self._generator.choice(free), []).append(fact)
        return memories

    def _remembering(self, memories: Sequence[Fact], first: bool) -> str:
        parts = []
        for fact in memories:
            self._speaker.remember(fact.about)
            parts.append(self._speaker.memory(fact.about))
        return self._speaker.glue.join([*parts, self._request(first)])

    def _size(self) -> int:
        return self._generator.choice(SENTENCES)

    def _request(self, first: bool) -> str:
        if self._generator.random() < 0.5 and self._speaker.remembers:
            return self._speaker.recall()
        if first or self._generator.random() < 0.4:
            return self._speaker.ask()
        return self._speaker.phrase("followups")

    def _telling(self, fact: Fact, text: str, first: bool) -> str:
        if text.endswith(("?", "？")):
            return text
        section = "links" if fact.topic == self._plan.topic.name else "asides"
        link = self._speaker.phrase(section)
        if self._generator.random() < 0.5:
            parts = [self._request(first), link, text]
        elif section == "asides":
            parts = [link, text, self._speaker.ask()]
        else:
            parts = [text, self._speaker.ask()]
        return self._speaker.glue.join(parts)

    def _noting(self, about: str | None) -> str:
        """An answer that takes up what the user has just told or remembered, if anything."""
        answer = self._speaker.answer(self._size())
        if about is None:
            return answer
        if self._generator.random() < 0.6:
            return self._speaker.echo(about) + self._speaker.glue + answer
        return self._speaker.phrase("acknowledgements") + self._speaker.glue + answer

    def _farewell(self) -> str:
        if self._speaker.remembers and self._generator.random() < 0.6:
            return self._speaker.farewell()
        return self._speaker.phrase("farewells")

    def _around(self, text: str) -> str:
        before = self._speaker.phrase("intros")
        after = self._speaker.paragraphs(self._size())
        return "\n\n".join([before, text, *after, self._speaker.phrase("closers")])
