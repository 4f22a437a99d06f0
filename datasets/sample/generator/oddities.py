"""The irregularities of published chat data, put into a few sessions of the pool."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from .conversation import Session, Turn
from .material import Material
from .prose import Deck, Speaker

OPENED_BY_ASSISTANT = 9
EMPTIED = 3
END_OF_TEXT = "<|endoftext|>"


def add_oddities(sessions: Sequence[Session], material: Material, seed: int) -> list[Session]:
    """Sessions opened by the assistant, empty turns, and one end-of-text mark."""
    generator = random.Random(f"{seed} oddities")
    changed = list(sessions)
    order = [session.number for session in sessions if len(session.turns) >= 8]
    generator.shuffle(order)
    opened = order[:OPENED_BY_ASSISTANT]
    emptied = order[OPENED_BY_ASSISTANT : OPENED_BY_ASSISTANT + EMPTIED]
    marked = order[OPENED_BY_ASSISTANT + EMPTIED]
    for number in opened:
        changed[number] = _opened_by_assistant(changed[number], material, generator)
    for place, number in enumerate(emptied):
        role = "user" if place % 2 == 0 else "assistant"
        changed[number] = _replace_turn(changed[number], role, generator, "")
    changed[marked] = _replace_turn(changed[marked], "assistant", generator, None)
    return changed


def _opened_by_assistant(session: Session, material: Material, generator: random.Random) -> Session:
    topic = material.topics[session.topic]
    speaker = Speaker(topic, material.phrases[topic.language], Deck(generator), generator)
    speaker.title = generator.choice(topic.tips).title
    return replace(session, turns=(Turn("assistant", speaker.phrase("starts")), *session.turns))


def _replace_turn(
    session: Session, role: str, generator: random.Random, content: str | None
) -> Session:
    """Change a turn of `role` that states no fact; None keeps its content and adds the mark."""
    plain = [
        place
        for place, turn in enumerate(session.turns)
        if turn.role == role and not turn.facts and place > 1
    ]
    place = generator.choice(plain)
    turn = session.turns[place]
    changed = replace(turn, content=turn.content + END_OF_TEXT if content is None else content)
    return replace(session, turns=(*session.turns[:place], changed, *session.turns[place + 1 :]))
