"""The recall `hybrid` against a naive recomputation."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from harness.retrieval import RecordTexts, UserTurnVectors
from harness.retrieval.bm25 import record_scores
from harness.retrieval.hybrid import RECALL, best_cosine, fuse

QUERY = np.array([1.0, 0.5, 0.0], dtype=np.float32)


def turns(*rows: tuple[int, int, int]) -> NDArray[np.int8]:
    return np.array(rows, dtype=np.int8).reshape(len(rows), 3)


RECORDS = [RecordTexts(text) for text in ("kite", "kite boat", "boat", "kite kite oak elm")]
TURNS = [turns((0, 0, 127)), turns(), turns((0, 127, 0), (127, 64, 0)), turns((127, 0, 0))]


def test_cosine_of_the_best_turn() -> None:
    rows = turns((127, 0, 0), (100, 50, 0), (-127, 0, 0))
    assert best_cosine(QUERY, rows) == 1.0
    assert best_cosine(QUERY, rows[:1]) == round(1 / math.sqrt(1.25), 12)
    assert best_cosine(QUERY, rows[2:]) == round(-1 / math.sqrt(1.25), 12)
    assert best_cosine(QUERY, turns((0, 0, 0))) == 0
    assert best_cosine(np.zeros(3, dtype=np.float32), rows) == 0
    assert best_cosine(QUERY, turns()) == -math.inf


def test_equal_turns_have_equal_cosines_wherever_they_stand() -> None:
    generator = np.random.default_rng(5)
    query = generator.normal(size=512).astype(np.float32)
    rows = generator.integers(-127, 128, size=(40, 512)).astype(np.int8)
    one_by_one = max(best_cosine(query, rows[index : index + 1]) for index in range(40))
    assert best_cosine(query, rows) == one_by_one


def test_fusion_is_exact_and_equal_values_share_a_rank() -> None:
    found = fuse([3.0, 1.0, 1.0, 0.0], [0.1, 0.9, 0.9, -math.inf])
    ranks = [(0, 1), (1, 0), (1, 0), (2, 2)]
    expected = [
        float(sum((Fraction(1.0 / (61 + rank)) for rank in pair), Fraction())) for pair in ranks
    ]
    assert found == expected


def test_window_by_hand() -> None:
    by_text = record_scores("kite", RECORDS)
    assert by_text[0] > by_text[3] > by_text[1] > by_text[2] == 0
    # ranks by text: 0, 2, 3, 1; by turn (cosines 0, none, 0.9999…, 0.89…): 2, 3, 0, 1
    expected = {0: (0, 2), 3: (1, 1), 2: (3, 0), 1: (2, 3)}
    found = RECALL.window(
        "kite", RECORDS, items=4, reserved=0, vectors=UserTurnVectors(QUERY, TURNS)
    )
    scores = {place.position: place.score for place in found}
    assert scores == {
        position: math.fsum(1 / (61 + rank) for rank in ranks)
        for position, ranks in expected.items()
    }
    assert [place.score for place in found] == sorted(scores.values(), reverse=True)
    assert [place.rank for place in found] == [0, 1, 2, 3]


def test_vectors_go_with_their_records_in_any_order() -> None:
    order = [2, 0, 3, 1]
    first = RECALL.window(
        "kite", RECORDS, items=2, reserved=1, vectors=UserTurnVectors(QUERY, TURNS)
    )
    second = RECALL.window(
        "kite",
        [RECORDS[index] for index in order],
        items=2,
        reserved=1,
        vectors=UserTurnVectors(QUERY, [TURNS[index] for index in order]),
    )
    assert [place.position for place in first] == [order[place.position] for place in second]
    assert [place.score for place in first] == [place.score for place in second]


def test_vectors_are_needed_for_every_record_and_of_one_width() -> None:
    assert RECALL.needs_user_turn_vectors
    with pytest.raises(ValueError, match="needs the user turn vectors of each record"):
        RECALL.window("kite", RECORDS, items=1, reserved=0, vectors=None)
    with pytest.raises(ValueError, match="needs the user turn vectors of each record"):
        RECALL.window(
            "kite", RECORDS, items=1, reserved=0, vectors=UserTurnVectors(QUERY, TURNS[:1])
        )
    with pytest.raises(ValueError, match=r"shape \(1, 3\) for a query of shape \(2,\)"):
        best_cosine(QUERY[:2], turns((1, 2, 3)))


def test_empty_haystack() -> None:
    vectors = UserTurnVectors(QUERY, [])
    assert RECALL.window("kite", [], items=10, reserved=2, vectors=vectors) == ()


def test_fingerprint_names_the_fusion() -> None:
    found = RECALL.fingerprint()
    assert (found["recall"], found["fusion_constant"], found["cosine_decimals"]) == (
        "hybrid",
        60,
        12,
    )
