"""Sessions that are shown and retrieved, by hand (`tests.make.sessions` has the values)."""

from __future__ import annotations

import pytest

from harness.errors import InputError
from harness.evidence import SESSION_PRECISION, cohort_of, metric_values
from harness.measure.sessions import (
    answer_sessions,
    shown_sessions,
    window_sessions,
    with_sessions_shown,
)
from harness.measure.subject import recording_of
from harness.replay.run import Run

from ..make.recordings import small_recording
from ..make.sessions import ITEMS, ONE, SHOWN, WINDOW, session_run


@pytest.fixture(scope="module")
def run() -> Run:
    return Run.open(session_run())


def test_shown_sessions_stand_once_in_shown_order(run: Run) -> None:
    assert shown_sessions(run, run.one(ITEMS), recording_of(run)) == SHOWN
    first = {case_id: sessions[:1] for case_id, sessions in SHOWN.items()}
    assert shown_sessions(run, run.one(ONE), recording_of(run)) == first


def test_a_window_has_the_sessions_of_its_items_and_claims(run: Run) -> None:
    assert window_sessions(recording_of(run), run.cohort.ids) == WINDOW
    assert window_sessions(recording_of(run), ["late"]) == {"late": ("s1", "s2", "s3")}


def test_labels_are_of_the_cases_that_have_some(run: Run) -> None:
    assert answer_sessions(recording_of(run), run.cohort.ids) == {
        "two words": ("s2", "elsewhere"),
        "empty": ("s9",),
        "100%": ("s%1", "s2"),
        "late": ("s3",),
    }


def test_precision_counts_a_question_with_nothing_shown_as_zero(run: Run) -> None:
    points = run.points
    rows = with_sessions_shown(run.evidence_rows(points), run, points, recording_of(run))
    cohort = cohort_of(rows, [ITEMS, ONE])
    at_items, at_one = metric_values(SESSION_PRECISION, cohort)
    assert at_items.value == pytest.approx((1 / 2 + 0 + 1 + 1 / 3) / 4, abs=1e-15)
    assert at_one.value == pytest.approx(1 / 4, abs=1e-15)
    assert (at_items.expected, at_items.scored) == (6, 4)
    assert at_items.excluded == {"no gold": 1, "no answer sessions": 1}


def test_without_the_recording_nothing_is_scored(run: Run) -> None:
    cohort = cohort_of(run.evidence_rows(run.points), [ITEMS])
    (value,) = metric_values(SESSION_PRECISION, cohort)
    assert value.value is None
    assert value.excluded == {"no gold": 1, "no answer sessions": 1, "sessions not counted": 4}


def test_the_recording_is_the_run_s_own(run: Run) -> None:
    with pytest.raises(InputError, match="is another recording"):
        recording_of(run, small_recording())
    with pytest.raises(InputError, match="Name it with --recording DIR"):
        recording_of(run, run.folder / "nowhere")
