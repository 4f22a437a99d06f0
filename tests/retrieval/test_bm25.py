"""The recall `bm25` against BM25's definition and against the library used plainly."""

from __future__ import annotations

import hashlib
import math
import random
import re
from collections.abc import Sequence

import bm25s
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.retrieval import Place, RecordTexts, load_recall
from harness.retrieval.bm25 import ANY_SCRIPT, RECALL
from harness.retrieval.lexical import bm25_scores


def texts(*blocks: str) -> RecordTexts:
    return RecordTexts("".join(blocks), blocks)


def window(
    question: str, records: Sequence[RecordTexts], items: int = 10, reserved: int = 2
) -> tuple[Place, ...]:
    return RECALL.window(question, records, items=items, reserved=reserved)


def naive_bm25(question: Sequence[str], documents: Sequence[Sequence[str]]) -> list[float]:
    """Lucene's BM25 by its definition: Kamphuis et al. 2020, k1 1.5, b 0.75."""
    mean = sum(map(len, documents)) / len(documents)
    scores = []
    for document in documents:
        score = 0.0
        for word in question:
            holding = sum(word in other for other in documents)
            if holding:
                idf = math.log(1 + (len(documents) - holding + 0.5) / (holding + 0.5))
                times = document.count(word)
                score += idf * times / (times + 1.5 * (1 - 0.75 + 0.75 * len(document) / mean))
        scores.append(score)
    return scores


def plain_library(question: str, documents: list[str]) -> list[float]:
    index = bm25s.BM25(k1=1.5, b=0.75, method="lucene")
    index.index(bm25s.tokenize(documents, stopwords="en", show_progress=False), show_progress=False)
    [tokens] = bm25s.tokenize([question], stopwords="en", return_ids=False, show_progress=False)
    return [float(score) for score in index.get_scores(tokens)]


def made_up_texts(seed: int, count: int, words: int = 40) -> list[str]:
    source = random.Random(seed)
    vocabulary = [f"word{number}" for number in range(60)] + ["the", "and", "茶", "茶会", "x"]
    return [
        " ".join(source.choices(vocabulary, k=source.randint(1, words))) + "." for _ in range(count)
    ]


def test_scores_follow_the_definition() -> None:
    documents = [["red", "kite"], ["red", "red", "boat", "sail"], ["green", "tree"]]
    found = bm25_scores("red kite red", [" ".join(words) for words in documents])
    expected = naive_bm25(["red", "kite", "red"], documents)
    assert expected[2] == 0
    np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_scores_are_those_of_the_plain_library_bit_for_bit(seed: int) -> None:
    documents = made_up_texts(seed, 80)
    question = "Which word3, word7 and WORD7 of the 茶会 is unheard of?"
    assert bm25_scores(question, documents).tolist() == plain_library(question, documents)


def test_stop_words_and_single_letters_do_not_count() -> None:
    scores = bm25_scores("is a the x", ["is a the x x x", "the"])
    assert scores.tolist() == [0, 0]


def test_window_is_the_best_records_then_the_best_blocks_of_the_others() -> None:
    records = [
        texts("kite kite kite. ", "kite. "),
        texts(*["Filler of many other sorts. "] * 30, "Kite! "),  # weak record, strong block
        texts("kite and several other words here. ", "kite again with other words. "),
        texts("Nothing to see. "),
    ]
    found = window("kite", records, items=1, reserved=2)
    assert [(place.position, place.rank, place.reserved) for place in found] == [
        (0, 0, False),
        (1, 1, True),
        (2, 2, True),
    ]
    block_scores = plain_library("kite", [block for record in records for block in record.blocks])
    assert found[1].score == block_scores[32]
    assert found[2].score == max(block_scores[33], block_scores[34])
    assert found[0].score == plain_library("kite", [record.text for record in records])[0]


def test_reserved_rank_counts_the_records_that_are_in_the_window_already() -> None:
    records = [texts("kite. "), texts("boat kite sail. "), texts("oak elm ash. ")]
    places = window("kite", records, items=2, reserved=1)
    assert places[2] == Place(2, 2, 0.0, reserved=True)


@given(st.randoms(use_true_random=False), st.integers(0, 5), st.integers(0, 4))
def test_window_does_not_depend_on_the_order_of_records(
    source: random.Random, items: int, reserved: int
) -> None:
    records = [texts(*made_up_texts(seed, 3, words=4)) for seed in range(7)]
    records += [texts("unrelated. "), texts("untouched. ")]
    shuffled = records.copy()
    source.shuffle(shuffled)
    question = "word1 word2 word3 word4 word5"
    first = window(question, records, items, reserved)
    second = window(question, shuffled, items, reserved)
    assert [(records[p.position], p.rank, p.score, p.reserved) for p in first] == [
        (shuffled[p.position], p.rank, p.score, p.reserved) for p in second
    ]


def test_ties_break_by_the_hash_of_the_text_then_by_position() -> None:
    records = [texts(text) for text in ("one. ", "two. ", "six. ", "two. ", "ten. ")]

    def key(position: int) -> tuple[str, int]:
        return hashlib.sha256(records[position].text.encode()).hexdigest(), position

    found = window("kite", records, items=3, reserved=2)
    assert [place.position for place in found] == sorted(range(5), key=key)
    assert {place.score for place in found} == {0.0}


@pytest.mark.parametrize("question", ["", "the of a", "unheard", "???"])
def test_a_question_without_a_known_word_still_fills_the_window(question: str) -> None:
    records = [texts(text) for text in made_up_texts(1, 20)]
    places = window(question, records)
    assert len({place.position for place in places}) == 12
    assert [place.reserved for place in places] == [False] * 10 + [True] * 2


def test_small_and_empty_haystacks() -> None:
    assert window("kite", []) == ()
    assert [p.position for p in window("kite", [RecordTexts("kite")])] == [0]
    assert [p.reserved for p in window("kite", [RecordTexts("a kite"), RecordTexts("")], 1, 5)] == [
        False,
        True,
    ]
    assert window("kite", [texts("kite")], items=0, reserved=0) == ()
    assert len(window("kite", [RecordTexts(""), RecordTexts("…")], 1, 1)) == 2


def test_records_without_blocks_come_after_those_with_a_matching_block() -> None:
    records = [RecordTexts("kite kite"), RecordTexts("kite " * 9), texts("A long text on a kite.")]
    found = window("kite", records, items=1, reserved=2)
    reserved = [place for place in found if place.reserved]
    assert reserved[0].position == 2
    assert reserved[1].score == 0


def test_nothing_is_printed_and_the_global_generator_is_left_alone(
    capfd: pytest.CaptureFixture[str],
) -> None:
    np.random.seed(7)
    expected = np.random.random()
    np.random.seed(7)
    window("word1", [texts(text) for text in made_up_texts(2, 30)])
    assert capfd.readouterr() == ("", "")
    assert np.random.random() == expected


def test_fingerprint_names_every_setting() -> None:
    found = load_recall("bm25").fingerprint()
    assert re.fullmatch(r"bm25s \d+\.\d+\.\d+", found.pop("library"))
    assert re.fullmatch(r"[0-9a-f]{64}", found.pop("stop_words_sha256"))
    assert found == {
        "recall": "bm25",
        "method": "lucene",
        "k1": 1.5,
        "b": 0.75,
        "stop_words": "english",
        "stemmer": None,
        "idf": "the question's own haystack",
        "reserved": "best single block by BM25, idf over the blocks of the haystack",
        "ties": "sha256 of the record's text",
    }


def test_the_recall_of_any_script_finds_what_the_older_one_does_not() -> None:
    records = [
        texts("The clay C. ", "Glaze R is red. "),
        texts("満潮は一日に二回記録する。", "干潮は記録しない。"),
        texts("展示室の光。"),
        *(texts(f"Filler number {number}. ") for number in range(20)),
    ]
    for question, wanted in (("r", 0), ("c", 0), ("満潮は何回記録しますか", 1), ("光", 2)):
        assert window(question, records)[0].score == 0
        places = ANY_SCRIPT.window(question, records, items=3, reserved=1)
        assert (places[0].position, places[0].score > 0) == (wanted, True)
        assert [place.reserved for place in places] == [False] * 3 + [True]


def test_each_recall_has_its_own_fingerprint() -> None:
    older, newer = RECALL.fingerprint(), ANY_SCRIPT.fingerprint()
    assert (older["recall"], newer["recall"]) == ("bm25", "bm25-any-script")
    assert "words" not in older
    assert newer["words"] == "any-script/1"
    assert load_recall("bm25-any-script") is ANY_SCRIPT
