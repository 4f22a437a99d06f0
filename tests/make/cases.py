"""Cases by hand: short ways to write one, and three sets of them that many tests share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from harness.model import (
    BlockSet,
    Case,
    CaseView,
    EvidenceSpan,
    Gold,
    Item,
    Query,
    Record,
    view_of,
)

LYON = "user: I live in Lyon."
CAT = "user: Miso is my cat."
RAIN = "user: It rained."
_TIMES = {LYON: "2023-05-01T10:00:00+00:00", CAT: "2023-05-02T10:00:00+00:00", RAIN: None}
_SESSIONS = {LYON: "s1", RAIN: "s2", CAT: "s3"}
TOPICS = (
    "bread",
    "the harbour",
    "violins",
    "maps",
    "lanterns",
    "the orchard",
    "clocks",
    "kites",
    "tea",
    "the lighthouse",
)
SAID = (
    "I have been thinking about {0} since spring.",
    "My neighbour says that {0} and {1} belong together.",
    "Could you tell me more about {0}?",
    "However, nobody in the house cares for {0} as I do.",
    "Last week I paid {2} crowns for a book on {0}.",
    "It rained, so we stayed at home and talked of {1}.",
)


def made_record(
    record_id: str, *blocks: str, vectors: Sequence[Sequence[int]] | None = None
) -> Record:
    """A record whose text is its blocks, one after the other."""
    ends = np.cumsum([len(block) for block in blocks], dtype=np.int32)
    starts = np.concatenate(([0], ends[:-1])).astype(np.int32)
    rows: NDArray[np.int8] | None = None if vectors is None else np.array(vectors, dtype=np.int8)
    return Record(record_id, "".join(blocks), blocks=BlockSet(starts, ends, rows))


def made_view(
    question: str,
    records: Sequence[Record],
    items: Sequence[Item] | None = None,
    vector: Sequence[float] | None = None,
) -> CaseView:
    """The view of a case; without `items`, each record is an item of its own."""
    query = Query(question, None, None if vector is None else np.array(vector, dtype=np.float32))
    chosen = [Item(record.record_id) for record in records] if items is None else items
    return view_of(Case("made", query, tuple(records), tuple(chosen)))[0]


def small_cases() -> tuple[Case, ...]:
    """Three questions, small enough to compute their figures by hand.

    `q1` (single): its answer session `s1` is the second item. `q2` (multi): its answer sessions
    `s1` and `s3` are the first and the second. `q3`: no category and no labels. Every record is
    shown whole.
    """
    return (
        _small("q1", "single", "Where do I live?", (RAIN, LYON), _labels(LYON)),
        _small("q2", "multi", "Who lives in Lyon?", (LYON, CAT), _labels(LYON, CAT)),
        _small("q3", None, "Did it rain?", (RAIN,), None),
    )


def _small(
    case_id: str, category: str | None, question: str, texts: tuple[str, ...], gold: Gold | None
) -> Case:
    names = [_SESSIONS[text] for text in texts]
    return Case(
        case_id,
        Query(question, "2023-06-01T00:00:00+00:00" if category else None),
        tuple(
            Record(name, text, timestamp=_TIMES[text], session_id=name)
            for name, text in zip(names, texts, strict=True)
        ),
        tuple(map(Item, names)),
        category,
        gold,
    )


def _labels(*texts: str) -> Gold:
    lead = len("user: ")
    return Gold(
        "Lyon",
        sessions=tuple(_SESSIONS[text] for text in texts),
        evidence=tuple(EvidenceSpan(_SESSIONS[text], lead, len(text), "user") for text in texts),
    )


def session(number: int) -> tuple[str, list[tuple[int, int]]]:
    """The text of a session, and the code points of its turns."""
    topic, other = TOPICS[number % 10], TOPICS[(number * 3 + 1) % 10]
    text = f"Session date: 2023-05-{number + 1:02d}T10:00:00+00:00"
    turns = []
    for turn in range(2 + number % 4):
        lines = [SAID[(turn + line + number) % 6] for line in range(2 + (number + turn) % 5)]
        words = " ".join(lines).format(topic, other, 10 + number * turn)
        role = "user" if turn % 2 == 0 else "assistant"
        start = len(text) + len(f"\n\n{role}: ")
        text += f"\n\n{role}: {words}"
        turns.append((start, start + len(words)))
    return text, turns


def long_cases() -> tuple[Case, ...]:
    """Eight questions over long records, with claims, that several arms tell apart.

    Categories: four `single-session`, two `multi-session`, one without, and one without gold. One
    abstention has an answer session and no evidence turn.
    """
    return tuple(map(_long, range(8)))


def _long(number: int) -> Case:
    """A question about the topic of session `number`; its window has six items, two with claims."""
    order = [(number * 7 + place * 3 + 1) % 10 for place in range(6)]
    claims = {place: (f"r{(head + 5) % 10}",) for place, head in enumerate(order[:2])}
    categories = {2: "multi-session", 5: "multi-session", 4: None}
    return Case(
        f"question {number}",
        Query(f"What did I pay for {TOPICS[order[number % 4]]}?", "2023-06-01T00:00:00+00:00"),
        tuple(
            Record(
                f"r{place}",
                session(place)[0],
                timestamp=f"2023-05-{place + 1:02d}T10:00:00+00:00",
                session_id=f"s{place}",
            )
            for place in sorted({*order, (order[0] + 5) % 10, (order[1] + 5) % 10})
        ),
        tuple(Item(f"r{head}", claims.get(place, ())) for place, head in enumerate(order)),
        categories.get(number, "single-session"),
        None if number == 6 else _long_gold(number, order),
    )


def _long_gold(number: int, order: Sequence[int]) -> Gold:
    answers = [order[number % 4]] + ([order[3 + number % 2]] if number in (2, 5) else [])
    evidence = [
        EvidenceSpan(f"r{answer}", start, end, "user")
        for answer in answers
        for start, end in session(answer)[1][:1]
    ]
    abstention = number == 7
    return Gold(
        "crowns",
        abstention=abstention,
        sessions=tuple(f"s{answer}" for answer in answers),
        evidence=() if abstention else tuple(evidence),
    )


def labelled_cases() -> tuple[Case, ...]:
    """`long_cases` with more labels: every turn of an answer session is evidence, and two questions
    have a turn of a record outside the window as well."""
    return tuple(_labelled(case, number) for number, case in enumerate(long_cases()))


def _labelled(case: Case, number: int) -> Case:
    gold = case.gold
    if gold is None or gold.abstention:
        return case
    sessions = list(gold.sessions)
    evidence = [
        EvidenceSpan(f"r{name[1:]}", start, end, "user")
        for name in sessions
        for start, end in session(int(name[1:]))[1]
    ]
    if number in (1, 5):
        sessions.append("far")
        evidence.append(EvidenceSpan("far away", 3, 9, "assistant"))
    return replace(case, gold=replace(gold, sessions=tuple(sessions), evidence=tuple(evidence)))
