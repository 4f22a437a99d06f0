"""Hypothesis strategies for cases, and for points of the installed arms.

The made texts are long enough to divide, and hold what offsets and comparisons stumble over: CJK,
emoji with joiners, combining marks, characters whose lower case is longer (`İ`) or depends on what
follows (`Σ`), fences and brackets that never close, blank lines, runs without a boundary.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from harness.model import (
    Arm,
    BlockSet,
    Case,
    EvidenceSpan,
    Gold,
    Item,
    Parameter,
    Query,
    RecallPlace,
    Record,
    Value,
    divide,
)
from harness.points import Point, load_arm, make_point

FRAGMENTS = (
    "I moved to Lyon in May. ",
    "However, it rained all week! ",
    "Miso is a cat named after soup.\n",
    "but only sometimes ",
    "2.6.5a1 costs #42 less? ",
    "\n",
    "\n\n",
    " ",
    "\u3000",
    "ただし、例外があります。",
    "猫は魚が好きです！",
    "「終わり。」と言った",
    "カタカナ語と漢字、",
    "👩‍👩‍👧 came home 🏠. ",
    "cafe\u0301 and re\u0301sume\u0301; ",
    "ΟΔΟΣ ΟΔΟΣ. ",
    "İstanbul İ. ",
    "(an opening that never closes ",
    "a closing one) ",
    "\n```\ncode. more code.\n",
    "…",
    "word, " * 50,
    "x" * 401,
)
QUESTIONS = (
    "When did I move to Lyon?",
    "猫は何が好きですか？ カタカナ語",
    "How much is #42 in 2.6.5a1?",
    "ΟΔΟΣ İstanbul 👩‍👩‍👧",
    "a",
    "",
)
WIDTH = 3
_ANSWERS: tuple[str | int | None, ...] = ("Lyon", "猫", 7, -(10**20), None)

seeds = st.integers(0, 2**32 - 1)


def _long_text(seed: int) -> str:
    """20 to 70 fragments; drawn by seed, since Hypothesis would mostly draw short texts."""
    random = np.random.default_rng(seed)
    places = random.integers(len(FRAGMENTS), size=int(random.integers(20, 70)))
    return "".join(FRAGMENTS[place] for place in places)


short_texts = st.lists(st.sampled_from(FRAGMENTS), max_size=6).map("".join)
texts = st.one_of(seeds.map(_long_text), seeds.map(_long_text), short_texts)


@st.composite
def block_sets(draw: st.DrawFn, text: str) -> BlockSet:
    """Blocks as divided or cut anywhere, with a vector each, some missing, or none."""
    if text and draw(st.booleans()):
        random = np.random.default_rng(draw(seeds))
        cuts = random.integers(1, len(text) + 1, size=int(random.integers(1, 40)))
        ends = np.unique([*cuts, len(text)]).astype(np.int32)
    else:
        ends = np.array([span.end for span in divide(text)], dtype=np.int32)
    starts = np.concatenate(([0], ends[:-1])).astype(np.int32) if len(ends) else ends
    kind = draw(st.sampled_from(["all", "all", "all", "some", "none"])) if len(ends) else "none"
    if kind == "none":
        return BlockSet(starts, ends, None)
    random = np.random.default_rng(draw(seeds))  # few values, so that many are equal or zero
    vectors = random.integers(-2, 3, size=(len(ends), WIDTH)).astype(np.int8)
    missing: frozenset[int] = frozenset()
    if kind == "some" and len(ends) > 1:
        missing = draw(st.frozensets(st.integers(1, len(ends) - 1), min_size=1))
        vectors[sorted(missing)] = 0
    return BlockSet(starts, ends, vectors, missing)


@st.composite
def records(draw: st.DrawFn, number: int) -> Record:
    text = draw(texts)
    return Record(
        record_id=f"record {number}",
        text=text,
        timestamp=draw(st.sampled_from([None, "2023-05-20T02:21:00+00:00", "2024-01-01"])),
        session_id=draw(st.sampled_from([None, "s1", "s2"])),
        metadata=draw(st.sampled_from([{}, {"source": "チャット", "n": [1, None, 2.5]}])),
        blocks=draw(st.one_of(block_sets(text), block_sets(text), st.none())),
    )


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """A case of up to five records and six items; a record may stand in several items, and two
    records may have the same text, blocks and vectors."""
    made = [draw(records(number)) for number in range(draw(st.sampled_from([3, 4, 2, 1, 0])))]
    with_copy = draw(st.booleans())
    if made and with_copy:
        made.append(replace(made[0], record_id="a copy"))
    ids = [record.record_id for record in made]
    fewest = draw(st.sampled_from([4, 2, 0]))
    items = draw(st.lists(_items(ids), min_size=fewest, max_size=6)) if ids else []
    values = st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.1, 1.0]), min_size=WIDTH, max_size=WIDTH)
    vector = draw(st.one_of(values, values, st.none()))
    return Case(
        case_id=draw(st.sampled_from(["case 1", "事例", "case \u2028 3"])),
        query=Query(
            draw(st.sampled_from(QUESTIONS)),
            draw(st.sampled_from([None, "2023-06-01"])),
            None if vector is None else np.array(vector, dtype=np.float32),
        ),
        records=tuple(made),
        items=tuple(items),
        category=draw(st.sampled_from([None, "multi-session"])),
        gold=draw(st.none() | _golds(ids)),
    )


@st.composite
def _items(draw: st.DrawFn, ids: Sequence[str]) -> Item:
    head = draw(st.sampled_from(ids))
    others = [record_id for record_id in ids if record_id != head]
    claims = draw(st.lists(st.sampled_from(others), unique=True, max_size=3)) if others else []
    recall = draw(st.none() | st.builds(RecallPlace, st.integers(0, 9), st.floats(-2.0, 2.0)))
    return Item(head, tuple(claims), draw(st.booleans()), recall)


@st.composite
def _golds(draw: st.DrawFn, ids: Sequence[str]) -> Gold:
    spans = st.builds(
        lambda start, length, role: EvidenceSpan("elsewhere", start, start + length, role),
        st.integers(0, 50),
        st.integers(0, 50),
        st.sampled_from(["user", "assistant"]),
    )
    return Gold(
        answer=draw(st.sampled_from(_ANSWERS)),
        abstention=draw(st.booleans()),
        sessions=tuple(draw(st.lists(st.sampled_from(["s1", "s2"]), unique=True))),
        evidence=tuple(draw(st.lists(spans, max_size=2))),
    )


LARGEST_DRAWN = 4000
"""Made records are short: larger budgets and caps would show everything."""


def points(*arms: str) -> st.SearchStrategy[Point]:
    """Points of the named arms with any settings they admit."""
    return st.sampled_from(arms).map(load_arm).flatmap(points_of)


@st.composite
def points_of(draw: st.DrawFn, arm: Arm) -> Point:
    given = {}
    for parameter in arm.parameters:
        if parameter.default is None or draw(st.booleans()):
            given[parameter.name] = draw(values(parameter))
    return make_point(arm, given)


def values(parameter: Parameter) -> st.SearchStrategy[Value]:
    """What a parameter admits; numbers up to `LARGEST_DRAWN`."""
    if parameter.choices:
        return st.sampled_from(parameter.choices)
    words: st.SearchStrategy[Value] = st.sampled_from(parameter.words or ("",))
    numbers: st.SearchStrategy[Value] = st.integers(
        int(parameter.minimum or 0), min(int(parameter.maximum or LARGEST_DRAWN), LARGEST_DRAWN)
    )
    return numbers | words if parameter.words else numbers
