"""Words of any script, written out by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.retrieval.lexical import any_script_scores, bm25_scores
from harness.retrieval.words import has_words_of_any_script, words_of_question, words_of_text

from .test_bm25 import naive_bm25


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("The clay C, and glaze R", ["clay", "c", "glaze", "r"]),
        ("what's the keeper’s note", ["what", "keeper", "note"]),
        ("潮位", ["潮位"]),
        ("光", ["光"]),
        ("光の強さ", ["光", "強", "光の", "の強", "強さ"]),
        (
            "満潮は何回記録しますか",
            ["満潮", "潮は", "は何", "何回", "回記", "記録", "録し"],
        ),
        ("いつですか", ["いつ", "つで", "です", "すか"]),
        ("ｶﾞﾗｽ Ｃ", ["ガラ", "ラス", "c"]),
        ("時々 コーヒー・茶", ["時々", "コー", "ーヒ", "ヒー", "茶"]),
        ("2号C棟", ["2", "号", "c", "棟"]),
        ("มาก", ["มา", "าก"]),
        ("기록은 몇 번", ["기록은", "몇", "번"]),
        ("", []),
        ("the of ・ !?", []),
    ],
)
def test_words_of_a_question(question: str, words: list[str]) -> None:
    assert words_of_question(question) == words


def test_words_of_a_text_have_every_character_and_pair() -> None:
    assert words_of_text("潮位C") == ["潮", "位", "潮位", "c"]
    assert words_of_text("Kiln's a rim") == ["kiln", "rim"]


@pytest.mark.parametrize(
    ("question", "has"),
    [
        ("how hot is the kiln", False),
        ("the keeper's note, and a cat", False),
        ("기록은", False),
        ("clay c", True),
        ("shelf 9", True),
        ("kiln 窯", True),
        ("", False),
    ],
)
def test_which_questions_need_them(question: str, has: bool) -> None:
    assert has_words_of_any_script(question) is has


TEXTS = st.text("ab潮位はますC r'。", max_size=12)


@given(TEXTS, st.lists(TEXTS, min_size=1, max_size=5))
def test_scores_follow_the_definition(question: str, documents: list[str]) -> None:
    words = [words_of_text(text) for text in documents]
    found = any_script_scores(question, documents).tolist()
    if not any(words) or not words_of_question(question):
        assert found == [0] * len(documents)
    else:
        assert found == pytest.approx(naive_bm25(words_of_question(question), words), rel=1e-5)


@given(TEXTS)
def test_whatever_a_question_asks_for_is_found_in_itself(question: str) -> None:
    assert {*words_of_question(question)} <= {*words_of_text(question)}


def test_words_of_two_letters_and_more_score_as_they_did() -> None:
    documents = ["red kite and boat", "red red sail", "green tree"]
    question = "the red kite"
    assert any_script_scores(question, documents).tolist() == (
        bm25_scores(question, documents).tolist()
    )
