"""The cohort: which questions are judged, and what each rule excludes."""

from __future__ import annotations

import hashlib

from harness.trial.registration import ids_sha256
from harness.trial.registration.cohort import register_cohort
from harness.trial.registration.plan import ExclusionRule

ABSTENTION, NO_ANSWER = ExclusionRule.ABSTENTION, ExclusionRule.NO_ANSWER_IN_EVIDENCE
IDS = ("q2", "q10_abs", "q1", "q3_abs")


def test_the_hash_is_of_the_sorted_list_as_json() -> None:
    written = b'["q1","q10_abs","q2","q3_abs"]'
    assert ids_sha256(IDS) == hashlib.sha256(written).hexdigest()


def test_without_a_rule_every_test_question_is_judged() -> None:
    cohort = register_cohort(IDS, ())
    assert cohort.ids == cohort.test_ids == ("q1", "q10_abs", "q2", "q3_abs")
    assert cohort.is_exact


def test_abstention_is_known_by_the_id() -> None:
    cohort = register_cohort(IDS, (ABSTENTION,))
    assert cohort.ids == ("q1", "q2")
    assert [(one.rule, one.count) for one in cohort.excluded] == [(ABSTENTION, 2)]
    assert cohort.is_exact


def test_what_ids_do_not_tell_is_not_known_without_grades() -> None:
    cohort = register_cohort(IDS, (NO_ANSWER,))
    assert cohort.ids == cohort.test_ids
    assert [one.count for one in cohort.excluded] == [None]
    assert not cohort.is_exact


def test_grades_tell_and_a_question_is_excluded_once() -> None:
    known = {NO_ANSWER: {"q2", "q3_abs", "of another part"}}
    cohort = register_cohort(IDS, (ABSTENTION, NO_ANSWER), known)
    assert cohort.ids == ("q1",)
    assert [one.question_ids for one in cohort.excluded] == [("q10_abs", "q3_abs"), ("q2",)]
    assert cohort.is_exact
