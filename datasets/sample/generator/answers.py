"""Gold answers computed from the events, so that none is worked out by hand.

Slots of an answer, over the facts named after the slot or, without names, all that the question
uses: {sum}, {count}, {difference a b}, {average}, {most} (label of the largest value), {days a b},
{weeks a b}, {weeks_ago a}, {first a b}, {last a b}, {order a b c} (labels by day), {date a}.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date

from .material import Question
from .timeline import Event
from .wording import long_date

_SLOT = re.compile(r"\{([a-z_]+)((?: [a-z0-9]+)*)\}")


def gold_answer(question: Question, events: Mapping[str, Event], asked: date) -> str | int:
    """The answer as the dataset states it: a string, or an integer where the question says so."""

    def fill(match: re.Match[str]) -> str:
        keys = match[2].split() or question.uses
        stray = set(keys) - set(question.uses)
        if stray:
            raise ValueError(f"answer of {question.thread} needs {sorted(stray)}, not in uses")
        chosen = [events[f"{question.thread}/{key}"] for key in keys]
        return _COMPUTED[match[1]](chosen, asked)

    text = _SLOT.sub(fill, question.answer)
    return int(text) if question.integer else text


def _values(events: list[Event]) -> list[int]:
    values = [event.fact.value for event in events]
    if None in values:
        raise ValueError(f"a value is missing: {[event.fact.name for event in events]}")
    return [value for value in values if value is not None]


def _labels(events: list[Event]) -> list[str]:
    """Labels by day, earliest first; two events of one day have no order."""
    days = [event.day for event in events]
    if len(set(days)) < len(days):
        raise ValueError(f"two events on one day: {[event.fact.name for event in events]}")
    return [_label(event) for event in sorted(events, key=lambda event: event.day)]


def _label(event: Event) -> str:
    if event.fact.label is None:
        raise ValueError(f"{event.fact.name} has no label")
    return event.fact.label


def _days(events: list[Event]) -> int:
    first, second = events
    if second.day <= first.day:
        raise ValueError(f"{second.fact.name} does not follow {first.fact.name}")
    return (second.day - first.day).days


def _weeks(days: int) -> str:
    if days % 7:
        raise ValueError(f"{days} days are no whole weeks")
    return str(days // 7)


def _difference(events: list[Event]) -> str:
    first, second = _values(events)
    return f"{first - second:,}"


def _average(events: list[Event]) -> str:
    values = _values(events)
    return f"{sum(values) / len(values):g}"


def _most(events: list[Event]) -> str:
    best = max(_values(events))
    labels = [_label(event) for event in events if event.fact.value == best]
    if len(labels) != 1:
        raise ValueError(f"more than one event has the value {best}: {labels}")
    return labels[0]


def _in_order(events: list[Event]) -> str:
    *others, last = _labels(events)
    return f"First {', then '.join(others)}, and finally {last}"


_COMPUTED: dict[str, Callable[[list[Event], date], str]] = {
    "sum": lambda events, _: f"{sum(_values(events)):,}",
    "count": lambda events, _: str(len(events)),
    "difference": lambda events, _: _difference(events),
    "average": lambda events, _: _average(events),
    "most": lambda events, _: _most(events),
    "days": lambda events, _: str(_days(events)),
    "weeks": lambda events, _: _weeks(_days(events)),
    "weeks_ago": lambda events, asked: _weeks((asked - events[0].day).days),
    "first": lambda events, _: _labels(events)[0],
    "last": lambda events, _: _labels(events)[-1],
    "order": lambda events, _: _in_order(events),
    "date": lambda events, _: long_date(events[0].day),
}
