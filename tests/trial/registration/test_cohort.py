"""The cohort: which questions are judged, and what each rule excludes."""

from __future__ import annotations

import hashlib

from harness.datasets.cohort import ids_sha256
from harness.trial.plan import ExclusionRule
from harness.trial.registration import RegisteredQuestions

ABSTENTION, NO_ANSWER = ExclusionRule.ABSTENTION, ExclusionRule.NO_ANSWER_IN_EVIDENCE
IDS = ("q2", "q10_abs", "q1", "q3_abs")


def test_the_hash_is_of_the_sorted_list_as_json() -> None:
    written = b'["q1","q10_abs","q2","q3_abs"]'
    assert ids_sha256(IDS) == hashlib.sha256(written).hexdigest()


def test_without_a_rule_every_test_question_is_judged() -> None:
    questions = RegisteredQuestions.of(IDS, ())
    assert questions.cohort.ids == questions.test_ids == ("q1", "q10_abs", "q2", "q3_abs")
    assert questions.is_exact


def test_abstention_is_known_by_the_id() -> None:
    questions = RegisteredQuestions.of(IDS, (ABSTENTION,))
    assert questions.cohort.ids == ("q1", "q2")
    assert [(one.rule, one.count) for one in questions.excluded] == [(ABSTENTION, 2)]
    assert questions.is_exact


def test_what_ids_do_not_tell_is_not_known_without_grades() -> None:
    questions = RegisteredQuestions.of(IDS, (NO_ANSWER,))
    assert questions.cohort.ids == questions.test_ids
    assert [one.count for one in questions.excluded] == [None]
    assert not questions.is_exact


def test_grades_tell_and_a_question_is_excluded_once() -> None:
    known = {NO_ANSWER: {"q2", "q3_abs", "of another part"}}
    questions = RegisteredQuestions.of(IDS, (ABSTENTION, NO_ANSWER), known)
    assert questions.cohort.ids == ("q1",)
    assert [one.question_ids for one in questions.excluded] == [("q10_abs", "q3_abs"), ("q2",)]
    assert questions.is_exact
