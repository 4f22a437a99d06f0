"""An arm declares what it reads; where a recording lacks it, that is said once."""

from __future__ import annotations

import pytest

from harness.model import Signal
from harness.recording.absent import absent_of, absent_signals
from harness.recording.recording import Recording

from .conftest import CASES, Harness

EARLIER = CASES.parent / "f76bb23" / "recordings"


def test_a_replay_without_vectors_says_so_once(harness: Harness) -> None:
    recording = EARLIER / "cases"
    points = ("--point", "2.6.5a1", "--point", "sea", "--point", "items")
    finished = harness("replay", recording, "--out", "RUN", *points)
    assert finished.code == 0
    number = len(Recording.open(recording).case_ids)
    for signal in Signal:
        line = f"absent in {number} of {number} cases: {signal.value}, read by 2.6.5a1, sea\n"
        assert finished.err.count(line) == 1


def test_an_explanation_says_so_too(harness: Harness) -> None:
    recording = EARLIER / "cases"
    first = Recording.open(recording).case_ids[0]
    explained = harness("explain", recording, first, "--point", "2.6.5a1(budget=800)")
    assert "absent in this case: the question's vector, read by 2.6.5a1\n" in explained.err
    assert "absent" not in harness("explain", recording, first, "--point", "items").err


@pytest.mark.parametrize("name", ["cases", "with-vectors", "store", "lookups"])
def test_cases_are_counted_as_each_of_them_says(name: str) -> None:
    recording = Recording.open(EARLIER / name)
    numbers = range(len(recording.case_ids))
    each = [absent_of(case) for case in recording.cases()]
    counted = {signal: sum(signal in absent for absent in each) for signal in Signal}
    assert absent_signals(recording, numbers) == {
        signal: cases for signal, cases in counted.items() if cases
    }


def test_a_replay_with_vectors_says_nothing(harness: Harness) -> None:
    finished = harness("replay", EARLIER / "questions", "--out", "RUN", "--point", "2.6.5a1")
    assert finished.code == 0
    assert "absent" not in finished.err
