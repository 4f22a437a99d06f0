"""A session as the text of one record.

`Session date: 2023-05-20T02:21:00+00:00`, a blank line, then one `role: content` paragraph a turn,
joined by blank lines. Contents are stripped, `<|endoftext|>` is removed, empty turns are left out.
"""

from __future__ import annotations

from dataclasses import dataclass

from .layout import Session

END_OF_TEXT = "<|endoftext|>"
_PARAGRAPH_BREAK = "\n\n"


@dataclass(frozen=True, slots=True)
class TurnSpan:
    """Where a turn's content stands in the record: code points, without `role: `.

    `turn` is its place in the session.
    """

    turn: int
    role: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class SessionText:
    """The record of one session; `spans` holds the turns that are not empty."""

    text: str
    timestamp: str
    spans: tuple[TurnSpan, ...]

    @property
    def user_turns(self) -> tuple[str, ...]:
        """What the user said, turn by turn."""
        return tuple(self.text[span.start : span.end] for span in self.spans if span.role == "user")


def session_text(session: Session) -> SessionText:
    """Return the record text of a session; `spans` is empty when no turn says anything."""
    pieces = [f"Session date: {session.timestamp}"]
    length = len(pieces[0])
    spans = []
    for place, turn in enumerate(session.turns):
        content = turn.content.replace(END_OF_TEXT, "").strip()
        if not content:
            continue
        start = length + len(_PARAGRAPH_BREAK) + len(f"{turn.role}: ")
        pieces.append(f"{turn.role}: {content}")
        spans.append(TurnSpan(place, turn.role, start, start + len(content)))
        length = start + len(content)
    return SessionText(_PARAGRAPH_BREAK.join(pieces), session.timestamp, tuple(spans))
