"""Agreement and the noise check, against counts made by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import InputError, UsageError
from harness.trial.agreement import Agreement, Pairing, agreement_of, pairings

from ...make.splits import json_lines
from ...make.study import IDS, Study, verdicts


def test_passes_are_compared_question_by_question(study: Study) -> None:
    one, two, three, four = study.dev
    first = dict.fromkeys(IDS, True) | {one: False, two: False}
    second = {one: False, three: False, four: True, "q0": True}
    options = ("--part", "dev")
    a = study.imported([study.log("a.jsonl", first)], *options, out="a")
    b = study.imported(
        [study.log("b.jsonl", second), study.log("c.jsonl", first)], *options, out="b"
    )
    lacking, same = pairings(a, b)
    assert lacking == Pairing(1, 1, expected=4, compared=3, contexts_known=0, contexts_differ=0)
    found = agreement_of(a, b, lacking)
    assert found == Agreement(both_right=1, first_only=1, second_only=0, neither=1)
    assert found.same == Fraction(2, 3)
    assert found.accuracies == (Fraction(2, 3), Fraction(1, 3))
    assert found.difference == Fraction(-1, 3)
    assert found.void() is True
    assert (same.first_pass, same.second_pass) == (1, 2)
    assert agreement_of(a, b, same) == Agreement(2, 0, 0, 2)
    within = pairings(b, b)
    assert [(pair.first_pass, pair.second_pass) for pair in within] == [(1, 2)]


def test_contexts_that_differ_are_counted(study: Study) -> None:
    def rows(*digests: str | None) -> str:
        return json_lines(
            {"question_id": name, "correct": True, "context_sha256": digest and digest * 64}
            for name, digest in zip(study.dev, digests, strict=True)
        )

    options = ("--part", "dev", "--format", "jsonl")
    a = study.imported([study.write("a.jsonl", rows("0", "1", None, "3"))], *options, out="a")
    b = study.imported([study.write("b.jsonl", rows("0", "2", "2", "3"))], *options, out="b")
    (found,) = pairings(a, b)
    assert (found.compared, found.contexts_known, found.contexts_differ) == (4, 3, 1)


def test_two_points_exactly_do_not_void() -> None:
    assert Agreement(300, 8, 0, 92).difference == Fraction(-2, 100)
    assert Agreement(300, 8, 0, 92).void() is False
    assert Agreement(300, 0, 9, 91).void() is True
    assert Agreement(300, 0, 9, 91).void(Fraction("2.25")) is False
    assert Agreement(0, 0, 0, 0).void() is None
    assert Agreement(0, 0, 0, 0).same is None


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1))
def test_agreement_is_what_its_definition_says(pairs: list[tuple[bool, bool]]) -> None:
    counts = {pair: pairs.count(pair) for pair in pairs}
    found = Agreement(
        counts.get((True, True), 0),
        counts.get((True, False), 0),
        counts.get((False, True), 0),
        counts.get((False, False), 0),
    )
    size = len(pairs)
    first, second = (sum(pair[side] for pair in pairs) for side in (0, 1))
    assert found.compared == size
    assert found.same == Fraction(sum(one == two for one, two in pairs), size)
    assert found.accuracies == (Fraction(first, size), Fraction(second, size))
    assert found.void() == (abs(first - second) * 100 > 2 * size)


def test_grades_of_other_questions_are_not_compared(study: Study) -> None:
    log = study.log("log.jsonl", verdicts(IDS))
    dev = study.imported([log], "--part", "dev", out="dev")
    test = study.imported([log], "--part", "test", "--exploratory", out="test")
    with pytest.raises(InputError, match="part dev, 4, and part test, 8; 0 are in both"):
        pairings(dev, test)
    split = study.write("other.json", study.split.read_text() + "\n")
    other = study.imported([log], "--part", "dev", "--split", str(split), out="other")
    with pytest.raises(InputError, match="different splits"):
        pairings(dev, other)
    with pytest.raises(UsageError, match="hold the same grades, in one pass"):
        pairings(dev, dev)
