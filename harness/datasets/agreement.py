"""Proof that inputs which are joined by position are of the same thing.

A position says nothing of what stands there: a file in another order, or with fewer entries, joins
to other entries without a word. So whoever joins by position asks here, and refuses what does not
agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from harness.decode import quoted
from harness.words import counted

from .layout import Session
from .session_text import SessionText, session_text

_BEFORE = 20
"""Characters that are shown before the place at which two texts part."""


def sessions_part(
    ours: Sequence[Session], theirs: Sequence[Session], names: tuple[str, str]
) -> str:
    """Say where two haystacks part that should hold the same sessions in the same order.

    Empty where they do not. `names` calls them, ours first.
    """
    if len(ours) != len(theirs):
        return f"{names[0]} has {_sessions(len(ours))}, {names[1]} {_sessions(len(theirs))}"
    for place, (one, other) in enumerate(zip(ours, theirs, strict=True)):
        text, against = session_text(one).text, session_text(other).text
        if text == against:
            continue
        shown = [f"{each.session_id!r} of {each.date}" for each in (one, other)]
        if shown[0] == shown[1]:
            at = next(
                (
                    at
                    for at, pair in enumerate(zip(text, against, strict=False))
                    if len(set(pair)) > 1
                ),
                min(len(text), len(against)),
            )
            shown = [quoted(each[max(0, at - _BEFORE) :]) for each in (text, against)]
        return f"session {place} is {shown[0]} in {names[0]}, {shown[1]} in {names[1]}"
    return ""


def holds_text_of(text: str, place: int, sessions: Sequence[SessionText]) -> bool:
    """Tell whether a stored text is of the session at `place`: the same, or a part of it that no
    other session has, or a text with a turn that no other session has."""
    own = sessions[place]
    if text == own.text:
        return True
    others = [other.text for other in sessions if other.text != own.text]
    if text and text in own.text:
        return not any(text in other for other in others)
    turns = [own.text[turn.start - len(f"{turn.role}: ") : turn.end] for turn in own.spans]
    return any(turn in text and not any(turn in other for other in others) for turn in turns)


def is_of_time(timestamp: str | None, place: int, sessions: Sequence[SessionText]) -> bool:
    """Tell whether a stored record has the time of the session at `place`, and no other session has
    it."""
    same = [at for at, each in enumerate(sessions) if same_instant(each.timestamp, timestamp)]
    return same == [place]


def same_instant(one: str | None, other: str | None) -> bool:
    """Tell whether two dates of ISO 8601 are one, however they are spelled."""
    if one is None or other is None or one == other:
        return one == other
    try:
        return datetime.fromisoformat(one) == datetime.fromisoformat(other)
    except ValueError:
        return False


def _sessions(count: int) -> str:
    return counted(count, "session")
