"""A gate passes, fails and cannot tell; its values by hand (`tests.make.gates`)."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from harness.errors import InputError, UsageError
from harness.evidence import metric_named
from harness.measure.gating import Gate, GateState, read_gate, run_gate, sides_of, state_of
from harness.replay.run import Run
from harness.statistics.clopper_pearson import upper_limit
from harness.statistics.counts import Level
from harness.statistics.difference import PairedDifference

from ..make.gates import ONE, QUESTIONS, SECOND, THIRD, THREE, TWO, gate_cases, gate_run, write_gate
from ..make.recordings import recording_of, run_of, small_run

PASSED, FAILED, UNDECIDED = GateState.PASSED, GateState.FAILED, GateState.UNDECIDED


def gated(config: Path, point: str, against: str, *, run: Path | None = None) -> Gate:
    sides = sides_of(Run.open(run or gate_run()), point, None, against)
    return run_gate(*sides, read_gate(config))


# one item shows 12 of 40 fewer than two: a loss of 30 points, and ten or more questions differ


@pytest.mark.parametrize(("margin", "state"), [(1.0, FAILED), (30.0, UNDECIDED), (60.0, PASSED)])
def test_a_loss_is_measured_by_its_interval(
    margin: float, state: GateState, tmp_path: Path
) -> None:
    made = gated(write_gate(tmp_path, margin), ONE, TWO)
    evidence, cost = made.checks
    assert made.state is evidence.state is state
    assert (evidence.value, evidence.against) == (26 / 40, 38 / 40)
    assert evidence.difference is not None
    assert evidence.difference.difference == pytest.approx(-SECOND / QUESTIONS, abs=1e-15)
    lower, upper = evidence.difference.interval.lower, evidence.difference.interval.upper
    assert -0.6 < lower < -0.3 < upper < -0.01
    assert evidence.wanted == f"a loss of at most {margin:g} points"
    assert cost.state is PASSED


def test_a_gain_passes(tmp_path: Path) -> None:
    assert gated(write_gate(tmp_path, 0), TWO, ONE).state is PASSED


def test_points_that_show_the_same_pass(tmp_path: Path) -> None:
    made = gated(write_gate(tmp_path, 0), TWO, TWO, run=gate_run())
    assert made.state is PASSED
    assert made.checks[0].reason == "the same on every question"


# two items show 2 of 40 fewer than three: too few for a percentile interval


@pytest.mark.parametrize(("margin", "state"), [(5.0, UNDECIDED), (16.0, UNDECIDED), (17.0, PASSED)])
def test_few_questions_that_differ_bound_the_loss(
    margin: float, state: GateState, tmp_path: Path
) -> None:
    bound = upper_limit(THIRD, QUESTIONS, "0.95")
    assert 0.16 < bound < 0.17
    (evidence, _) = gated(write_gate(tmp_path, margin), TWO, THREE).checks
    assert evidence.state is state
    assert evidence.reason == "2 questions differ, 2 worse: a loss of at most 16.9 points"


def test_a_level_of_its_own(tmp_path: Path) -> None:
    made = gated(write_gate(tmp_path, 15, more="level = 0.9"), TWO, THREE)
    assert upper_limit(THIRD, QUESTIONS, "0.9") < 0.15
    assert made.state is PASSED


def test_few_differences_of_a_pooled_share_cannot_be_told(tmp_path: Path) -> None:
    config = write_gate(tmp_path, 50, metric="evidence_turn_chars_pooled")
    (evidence, _) = gated(config, TWO, THREE).checks
    assert evidence.state is UNDECIDED
    assert evidence.reason == "fewer than 10 pairs differ"


@pytest.mark.parametrize(
    ("lower", "upper", "state"),
    [(0.03, 0.07, FAILED), (-0.07, 0.015, PASSED), (0.0, 0.05, UNDECIDED)],
)
def test_of_what_is_better_when_lower_an_increase_is_the_loss(
    lower: float, upper: float, state: GateState
) -> None:
    metric = metric_named("duplicate_share_pooled")
    found = PairedDifference((lower + upper) / 2, lower, upper, 40, 0.95, wins=10, losses=20)
    assert state_of(metric, found, Fraction(-2, 100), Level.of("0.95")) == (state, "")


def test_session_precision_needs_the_recording(tmp_path: Path) -> None:
    config = write_gate(tmp_path, 5, metric="session_precision")
    (evidence, _) = gated(config, THREE, ONE).checks
    # of three sessions one is an answer session; of one, in 26 of 40 questions
    assert evidence.value == pytest.approx(1 / 3)
    assert evidence.against == 26 / 40
    assert evidence.state is FAILED


@pytest.mark.parametrize(
    ("cost", "states"),
    [
        ("within = 0.05", (FAILED,)),
        ("within = 9\nat_most = 1000", (PASSED, PASSED)),
        ("within = 9\nat_most = 1", (PASSED, FAILED)),
        ('measure = "prompt_tokens_estimated"\nwithin = 0', (FAILED,)),
    ],
)
def test_costs_are_compared_as_they_are(
    cost: str, states: tuple[GateState, ...], tmp_path: Path
) -> None:
    made = gated(write_gate(tmp_path, 0, cost=cost), TWO, ONE)
    assert tuple(check.state for check in made.checks[1:]) == states
    # what costs less is at no higher cost
    assert gated(write_gate(tmp_path, 60, cost="within = 0"), ONE, TWO).state is PASSED


def test_failed_outweighs_undecided(tmp_path: Path) -> None:
    assert gated(write_gate(tmp_path, 5, cost="at_most = 1"), TWO, THREE).state is FAILED


def test_costs_that_were_not_counted_cannot_be_told(tmp_path: Path) -> None:
    config = write_gate(tmp_path, 0, cost="at_most = 1")
    made = gated(config, TWO, ONE, run=gate_run("--no-tokens"))
    assert [check.state for check in made.checks] == [PASSED, UNDECIDED, UNDECIDED]
    assert made.checks[2].reason == "tokens were not counted"


def test_two_runs_of_one_recording(tmp_path: Path) -> None:
    base = Run.open(run_of(recording_of(gate_cases()), (TWO,)))
    config = read_gate(write_gate(tmp_path, 0))
    same = run_gate(*sides_of(Run.open(gate_run()), TWO, base, None), config)
    assert same.state is PASSED
    assert same.questions == QUESTIONS
    other = run_gate(*sides_of(Run.open(gate_run()), ONE, base, TWO), config)
    assert other.state is FAILED


def test_runs_that_cannot_be_compared(tmp_path: Path) -> None:
    config = read_gate(write_gate(tmp_path, 0))
    run = Run.open(gate_run())

    def fault(base: Path) -> str:
        with pytest.raises(InputError) as raised:
            run_gate(*sides_of(run, TWO, Run.open(base), None), config)
        return raised.value.message

    assert "are runs of two recordings" in fault(small_run())
    assert "were counted in two ways" in fault(gate_run("--no-tokens"))
    with pytest.raises(UsageError, match="Add --against SPEC, or --base RUN"):
        sides_of(run, TWO, None, None)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "metric is missing"),
        ("metric = []", "metric is empty"),
        ('[[metric]]\nname = "answer_sessions"\nmargin_points = 1', "did you mean"),
        ('[[metric]]\nname = "context_tokens"\nmargin_points = 1', "no metric 'context_tokens'"),
        ('[[metric]]\nname = "answer_sessions_shown"', "margin_points is missing"),
        ('[[metric]]\nname = "answer_sessions_shown"\nmargin_points = -1', "0 to under 100 points"),
        (
            '[[metric]]\nname = "answer_sessions_shown"\nmargin_points = "1"',
            "0 to under 100 points",
        ),
        ('[[metric]]\nname = "answer_sessions_shown"\nmargin_points = true', "0 to under 100"),
        ('[[metric]]\nname = "answer_sessions_shown"\nmargin_points = nan', "NaN"),
        ("level = 95", "a fraction between 0 and 1"),
        ("[cost]\nwithin = -0.1", "a number from 0"),
        ('[cost]\nmeasure = "tokens"', "no metric 'tokens'"),
        ("[cost]\nat_least = 1", "at_least"),
        ("[[metric]", "not TOML"),
    ],
)
def test_faults_of_the_file_are_named(text: str, fault: str, tmp_path: Path) -> None:
    path = tmp_path / "gate.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as raised:
        read_gate(path)
    assert str(path) in str(raised.value)
    assert fault in str(raised.value)
