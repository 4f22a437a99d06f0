"""When each session takes place, what it is about, and which facts are told in it."""

from __future__ import annotations

import random
from calendar import monthrange
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from .material import Fact, Material, Topic

MONTHS = tuple(f"{year}-{month:02}" for year in (2022, 2023) for month in range(1, 13))[:18]
FACTS_A_SESSION = 3
SESSIONS_A_MONTH = 8
MEMORIES_A_SESSION = 4
SESSIONS_A_NAME = 3


@dataclass
class SessionPlan:
    """A session before it is written."""

    number: int
    moment: datetime
    topic: Topic
    facts: list[Fact] = field(default_factory=list)
    memories: list[Fact] = field(default_factory=list)

    def accepts(self, fact: Fact, japanese: bool) -> bool:
        """Whether the fact may be told here: room, language, and no sibling of its thread."""
        return (
            len(self.facts) < FACTS_A_SESSION
            and (self.topic.language == "ja") == japanese
            and all(other.thread != fact.thread for other in self.facts)
        )

    def recalls(self, fact: Fact, japanese: bool) -> bool:
        """Whether the fact, told earlier, may come up again here by its name alone."""
        return (
            len(self.memories) < MEMORIES_A_SESSION
            and (self.topic.language == "ja") == japanese
            and all(other.thread != fact.thread for other in self.facts + self.memories)
        )


@dataclass(frozen=True)
class Event:
    """A fact with its place in time: the session that tells it and the day it happened."""

    fact: Fact
    session: int
    ago: int
    day: date


def plan_sessions(material: Material, generator: random.Random) -> list[SessionPlan]:
    """Every session of the pool in order of time, with its facts."""
    facts = [fact for thread in material.threads for fact in thread.facts]
    used: Counter[str] = Counter()
    plans: list[SessionPlan] = []
    for month in MONTHS:
        told = [fact for fact in facts if fact.month == month]
        names = _topics_of_month(told, material.topics, used, generator)
        moments = _moments(month, len(names), generator)
        generator.shuffle(names)
        here = [
            SessionPlan(len(plans) + place, moment, material.topics[name])
            for place, (moment, name) in enumerate(zip(moments, names, strict=True))
        ]
        _place(told, here, material.topics)
        plans.extend(here)
    stray = {fact.month for fact in facts} - set(MONTHS)
    if stray:
        raise ValueError(f"facts in months without sessions: {sorted(stray)}")
    _place_memories(plans, material, generator)
    return plans


def date_events(material: Material, plans: Sequence[SessionPlan]) -> dict[str, Event]:
    """The event of every fact, by the fact's name."""
    session_of = {fact.name: plan for plan in plans for fact in plan.facts}
    events: dict[str, Event] = {}
    for thread in material.threads:
        for fact in thread.facts:
            plan = session_of[fact.name]
            told = plan.moment.date()
            ago = fact.ago
            if fact.align is not None:
                earlier = events[f"{fact.thread}/{fact.align}"].day
                ago = (told - earlier).days % 7 or 7
            day = told - timedelta(days=ago)
            events[fact.name] = Event(fact, plan.number, ago, day)
    return events


def _topics_of_month(
    told: Sequence[Fact],
    topics: Mapping[str, Topic],
    used: Counter[str],
    generator: random.Random,
) -> list[str]:
    wanted = Counter(fact.topic for fact in told)
    size = max(SESSIONS_A_MONTH, round(len(told) / 2.2))
    names = sorted(topics)
    generator.shuffle(names)
    japanese = [name for name in names if topics[name].language == "ja" and wanted[name]]
    others = [name for name in names if topics[name].language != "ja"]
    others.sort(key=lambda name: (-wanted[name], used[name]))
    chosen = (japanese + others)[:size]
    used.update(chosen)
    return chosen


def _moments(month: str, count: int, generator: random.Random) -> list[datetime]:
    year, number = (int(part) for part in month.split("-"))
    days = range(1, monthrange(year, number)[1] + 1)
    return sorted(
        datetime(year, number, day, generator.randrange(24), generator.randrange(60))
        for day in generator.sample(days, count)
    )


def _place(told: Sequence[Fact], plans: Sequence[SessionPlan], topics: Mapping[str, Topic]) -> None:
    def at_home(fact: Fact) -> bool:
        return any(plan.topic.name == fact.topic for plan in plans)

    for fact in sorted(told, key=lambda fact: not at_home(fact)):
        japanese = topics[fact.topic].language == "ja"
        open_plans = [plan for plan in plans if plan.accepts(fact, japanese)]
        if not open_plans:
            raise ValueError(f"no session of {fact.month} has room for {fact.name}")
        best = min(open_plans, key=lambda plan: (plan.topic.name != fact.topic, len(plan.facts)))
        best.facts.append(fact)


def _place_memories(
    plans: Sequence[SessionPlan], material: Material, generator: random.Random
) -> None:
    """Things told come up again in later sessions, of the same topic if there is one, until
    `SESSIONS_A_NAME` sessions hold the name."""
    facts = [fact for thread in material.threads for fact in thread.facts]
    last = {(fact.thread, fact.about): fact for fact in facts}
    told = Counter((fact.thread, fact.about) for fact in facts)
    for plan in plans:
        for fact in plan.facts:
            name = fact.thread, fact.about
            if fact.about is None or last[name] is not fact:
                continue
            japanese = material.topics[fact.topic].language == "ja"
            later = [p for p in plans[plan.number + 1 :] if p.recalls(fact, japanese)]
            generator.shuffle(later)
            later.sort(key=lambda other: other.topic.name != fact.topic)
            home = sum(other.topic.name == fact.topic for other in later)
            later = later[: min(home, 1)] + later[home:]
            for chosen in later[: SESSIONS_A_NAME - told[name]]:
                chosen.memories.append(fact)
