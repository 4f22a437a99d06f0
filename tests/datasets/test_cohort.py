"""The cohort: which questions something is done for, and why others are not among them."""

from __future__ import annotations

import hashlib

import pytest

from harness.datasets.cohort import OTHER_PART, RESTRICTED, Cohort, ids_sha256
from harness.datasets.split import Restriction, Split, SplitQuestion
from harness.errors import InputError

SPLIT = Split(
    seed=1,
    drawn=2,
    of=5,
    restricted_to=Restriction(4, ("q4",)),
    dev=(SplitQuestion(0, "q0", "a"), SplitQuestion(3, "q3", "a")),
)
IDS = ("q3", "q2", "q1", "q0")


def test_a_part_keeps_the_order_of_the_questions_and_says_where_the_others_are() -> None:
    dev = Cohort.of_split(SPLIT, "dev", IDS)
    assert (dev.ids, dev.part) == (("q3", "q0"), "dev")
    assert dev.left_out == {"q2": OTHER_PART, "q1": OTHER_PART, "q4": RESTRICTED}
    test = Cohort.of_split(SPLIT, "test", IDS)
    assert (test.ids, test.left_out["q0"]) == (("q2", "q1"), OTHER_PART)
    whole = Cohort.of_split(SPLIT, "all", IDS)
    assert (whole.ids, whole.left_out) == (IDS, {"q4": RESTRICTED})


def test_a_dev_question_that_is_not_there_is_left_out_too() -> None:
    test = Cohort.of_split(SPLIT, "test", ("q0", "q1"))
    assert test.left_out == {"q0": OTHER_PART, "q3": OTHER_PART, "q4": RESTRICTED}


def test_a_question_that_the_split_was_made_without_is_refused() -> None:
    with pytest.raises(InputError, match="'q4' is not in the data"):
        Cohort.of_split(SPLIT, "all", (*IDS, "q4"))


def test_of_a_registration_the_first_rule_that_applies_is_the_reason() -> None:
    cohort = Cohort.of_registration(IDS, [("one", ["q3", "q2"]), ("two", ["q2", "q1"])])
    assert (cohort.ids, cohort.part) == (("q0",), "test")
    assert cohort.left_out == {"q3": "one", "q2": "one", "q1": "two"}
    assert cohort.without(["q0", "q3", "elsewhere"], "three").left_out == {
        **cohort.left_out,
        "q0": "three",
    }


def test_of_a_run_its_work_says_which_part_it_is() -> None:
    cohort = Cohort.of_run(["b", "a"], {"part": "dev", "split_sha256": None, "cases": 2})
    assert cohort == Cohort(("b", "a"), "dev")


def test_one_hash_is_of_the_order_and_one_is_not() -> None:
    assert Cohort(("b", "a")).sha256 == hashlib.sha256(b'["b","a"]').hexdigest()
    assert ids_sha256(("b", "a")) == hashlib.sha256(b'["a","b"]').hexdigest()
