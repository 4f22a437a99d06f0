"""States, reasons, and figures against their definition."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from harness.attempts.comparing.comparison import Ask, ComparisonState, ReportComparison, compare
from harness.attempts.comparing.report import read_report
from harness.errors import UsageError

from ...make.reports import BEFORE, HASH, Arm, report, sha, summary, write

Value = dict[str, Any]


def shifted(arm: Arm, change: float, **tasks: list[tuple[int, bool]]) -> Arm:
    """The arm with every attempt's tokens changed, and some tasks as given."""
    return {
        task: [(round(n * change), ok) for n, ok in tries] for task, tries in arm.items()
    } | tasks


@pytest.fixture
def compared(tmp_path: Path) -> Any:
    def run(after: Value, ask: Ask | None = None, before: Value | None = None) -> ReportComparison:
        paths = [
            write(tmp_path / name, value)
            for name, value in (("b.json", before or report(BEFORE)), ("a.json", after))
        ]
        return compare(read_report(paths[0]), read_report(paths[1]), ask or Ask())

    return run


@pytest.mark.parametrize(
    ("after", "state"),
    [
        (BEFORE, ComparisonState.UNCHANGED),
        (shifted(BEFORE, 0.8), ComparisonState.IMPROVED),
        (shifted(BEFORE, 1.2), ComparisonState.REGRESSED),
        (shifted(BEFORE, 1, a=[(40, True), (120, True)]), ComparisonState.INCONCLUSIVE),
        (shifted(BEFORE, 0.5, a=[(50, True), (60, False)]), ComparisonState.REGRESSED),
        (shifted(BEFORE, 0.8, b=[(160, True), (150, True)]), ComparisonState.IMPROVED),
        (shifted(BEFORE, 1, b=[(180, True), (200, False)]), ComparisonState.UNCHANGED),
        (shifted(BEFORE, 0.5, b=[(10, False), (10, True)]), ComparisonState.IMPROVED),
    ],
    ids=["same", "cheaper", "dearer", "mixed", "lost", "cheaper and better", "swapped", "repeats"],
)
def test_states(compared: Any, after: Arm, state: ComparisonState) -> None:
    assert compared(report(after)).state is state


def test_a_gain_does_not_hide_a_loss(compared: Any) -> None:
    after = shifted(BEFORE, 0.1, a=[(10, True), (10, False)], b=[(10, True), (10, True)])
    found = compared(report(after))
    assert found.state is ComparisonState.REGRESSED
    assert [each.name for each in found.tasks if each.regressed] == ["a"]
    assert [each.name for each in found.categories if each.regressed] == ["first"]
    assert found.change == pytest.approx((58 / 5) / (780 / 5) - 1)


def test_the_interval_is_that_of_its_definition(compared: Any) -> None:
    after = {"a": [(90, True), (130, True)], "b": [(210, True), (100, True)], "c": [(80, True)] * 2}
    found = compared(report(after)).tokens_per_correct
    tokens = np.array([[220, 380, 180], [220, 310, 160]])
    correct = np.array([[2, 1, 2], [2, 2, 2]])
    drawn = np.random.Generator(np.random.PCG64(20261003)).integers(0, 3, (10_000, 3))
    ratios = [tokens[side][drawn].sum(axis=1) / correct[side][drawn].sum(axis=1) for side in (0, 1)]
    ordered = np.sort(ratios[1] - ratios[0])
    assert found.before == 780 / 5
    assert found.after == 690 / 6
    assert found.difference == pytest.approx(690 / 6 - 780 / 5, abs=1e-12)
    assert (found.lower, found.upper) == pytest.approx((ordered[250], ordered[9749]), abs=1e-10)


def test_without_a_correct_answer_in_some_resample_there_is_no_interval(compared: Any) -> None:
    before = {"a": [(100, True)] * 2, "b": [(100, False)] * 2, "c": [(100, False)] * 2}
    found = compared(report(shifted(before, 0.5)), before=report(before))
    assert found.state is ComparisonState.INCONCLUSIVE
    tokens = found.tokens_per_correct
    assert (tokens.difference, tokens.lower, tokens.upper) == (-150, None, None)
    assert 2500 < tokens.undefined_resamples < 3500  # (2/3)^3 of 10,000


def test_no_correct_answer_at_all(compared: Any) -> None:
    none = {task: [(100, False)] * 2 for task in BEFORE}
    found = compared(report(none), before=report(none))
    assert (found.state, found.change) == (ComparisonState.UNCHANGED, None)
    assert compared(report(BEFORE), before=report(none)).state is ComparisonState.INCONCLUSIVE


def _spec(**changed: Any) -> Value:
    value = report(BEFORE)
    value["spec"].update(changed)
    return value


RESCORED = {
    "rescored_from_sha256": HASH,
    "rescored_at": "2026-01-02",
    "scorer_implementation_sha256": HASH,
}


@pytest.mark.parametrize(
    ("after", "reason"),
    [
        (
            _spec(scoring_version="independent-evidence-v3"),
            "spec.scoring_version differs: independent-evidence-v2 → independent-evidence-v3",
        ),
        (_spec(model="m"), "spec.model differs: none → m"),
        (
            _spec(fixture_hashes={"corpus": HASH, "tasks": HASH, "rubric": sha("2")}),
            f"spec.fixture_hashes.rubric differs: {HASH} → {sha('2')}",
        ),
        (_spec(reader_policy="long"), "spec.reader_policy differs: short → long"),
        (report(BEFORE, **RESCORED), "rescored_from_sha256: after alone was rescored"),
        (
            report(BEFORE, scorer_implementation_sha256=HASH),
            f"scorer_implementation_sha256 differs: none → {HASH}",
        ),
        (
            report({**BEFORE, "c": [(90, True)]}),
            "after: attempts are 5, but spec.expected_attempts is 6: an incomplete cohort",
        ),
        (report({**BEFORE, "c": [(90, True)]}), "attempts: c repeat 2 only in before"),
    ],
)
def test_what_differs_is_named(compared: Any, after: Value, reason: str) -> None:
    found = compared(after)
    assert found.state is ComparisonState.INCOMPARABLE
    assert reason in found.reasons
    assert found.measures == ()


def test_an_unknown_usage_is_named(compared: Any) -> None:
    value = report(BEFORE)
    value["attempts"][4]["trace"]["usage_complete"] = False
    value["summary"] = summary(value["attempts"])
    value["categories"]["rest"] = summary(value["attempts"][2:])
    found = compared(value)
    assert found.state is ComparisonState.INCOMPARABLE
    (reason,) = found.reasons
    assert reason.startswith("after: attempts[4].trace.usage_complete is false (c repeat 1)")


def test_both_rescored_from_other_reports_are_comparable(compared: Any) -> None:
    other = {**RESCORED, "rescored_from_sha256": sha("3"), "rescored_at": "2026-01-03"}
    found = compared(report(BEFORE, **other), before=report(BEFORE, **RESCORED))
    assert found.state is ComparisonState.UNCHANGED
    other["scorer_implementation_sha256"] = sha("4")
    found = compared(report(BEFORE, **other), before=report(BEFORE, **RESCORED))
    assert found.state is ComparisonState.INCOMPARABLE


def test_readers_that_were_told_other_things_are_never_compared(compared: Any) -> None:
    told = {"tool_schemas_sha256": sha("5")}
    found = compared(report(BEFORE, **told), before=report(BEFORE, **told))
    assert (found.state, found.schemas_known) == (ComparisonState.UNCHANGED, True)
    changed = report(BEFORE, tool_schemas_sha256=sha("6"))
    for ask in (Ask(), Ask(policies=True)):
        found = compared(changed, ask, before=report(BEFORE, **told))
        assert f"tool_schemas_sha256 differs: {sha('5')} → {sha('6')}" in found.reasons
    found = compared(changed)  # the older one does not say
    assert (found.state, found.schemas_known) == (ComparisonState.UNCHANGED, False)
    more = report(BEFORE)
    more["lifecycle"]["tool_names"] = ["mark_lookup", "mark_explore"]
    assert compared(more).reasons == (
        "lifecycle.tool_names differ: mark_fetch only in before; mark_explore only in after",
    )
    more["lifecycle"]["tool_names"] = ["mark_lookup", "mark_fetch"]  # another order is no change
    assert compared(more).state is ComparisonState.UNCHANGED


def test_an_empty_policy_is_the_default_one(compared: Any) -> None:
    found = compared(_spec(reader_policy=""), before=_spec(reader_policy="budget-body"))
    assert found.state is ComparisonState.UNCHANGED


def _binaries(**hashes: str) -> Value:
    value = report(BEFORE)
    value["implementation_hashes"].update(hashes)
    return value


@pytest.mark.parametrize(
    ("after", "reason"),
    [
        (_binaries(mcp=sha("5")), None),
        (_binaries(), "only mcp should have changed, but implementation_hashes.mcp is the same"),
        (
            _binaries(mcp=sha("5"), server=sha("6"), runner=sha("7")),
            "only mcp should have changed, but runner and server changed too "
            "(implementation_hashes)",
        ),
    ],
)
def test_only_one_component(compared: Any, after: Value, reason: str | None) -> None:
    found = compared(after, Ask(only="mcp"))
    assert found.reasons == (() if reason is None else (reason,))
    assert found.state is (
        ComparisonState.UNCHANGED if reason is None else ComparisonState.INCOMPARABLE
    )


def test_only_one_component_that_is_not_recorded(compared: Any) -> None:
    own = _spec(scoring_version="harness.scoring/1")
    own["implementation_hashes"] = {"server": HASH}
    found = compared(own, Ask(only="mcp"), before=own)
    assert found.reasons == (
        "only mcp should have changed, but implementation_hashes.mcp is not recorded",
    )


LONG = {
    "reader_policy": "long",
    "reader_prompt_hash": sha("8"),
    "reader_config_hash": sha("8"),
    "reader_contract_hash": sha("8"),
    "dataset": "made-long",
    "dataset_hash": sha("8"),
}


def test_policies_on_identical_binaries(compared: Any) -> None:
    ask = Ask(policies=True)
    assert compared(_spec(**LONG), ask).state is ComparisonState.UNCHANGED
    assert compared(_spec(**LONG)).state is ComparisonState.INCOMPARABLE
    (reason,) = compared(report(BEFORE), ask).reasons
    assert reason.startswith("spec.reader_policy is 'short' in both")
    (reason,) = compared(_spec(**LONG, model="m"), ask).reasons
    assert reason == "spec.model differs: none → m"
    (reason,) = compared(_spec(**{**LONG, "reader_prompt_hash": sha("1")}), ask).reasons
    assert reason.startswith("spec.reader_prompt_hash is the same for 'short' and 'long'")
    other = _spec(**LONG)
    other["implementation_hashes"]["mcp"] = sha("9")
    (reason,) = compared(other, ask).reasons
    assert "implementation_hashes.mcp differ" in reason


def _printing(output: str, arm: Arm = BEFORE) -> Value:
    value = report(arm)
    value["attempts"][2]["trace"]["calls"][0]["output"] = output
    return value


@pytest.mark.parametrize(
    ("feature", "output"),
    [
        ("expansion", "\n>>> /a.md/v1#x\n\ntext\n"),
        ("coalesce", "\n>>> note: /a.md/v1#x is within /a.md/v1 above\n"),
        ("coalesce", "\n>>> note: /a.md/v1 encloses /a.md/v1#x above; skipped\n"),
        ("coalesce", "\n>>> /a.md/v1#x\n\nsame text as /b.md/v1#x\n"),
        ("pin", "\n>>> /a.md/v1#x\n\n# X\n\ntext\n"),
        ("hop", "\n>>> note: expanded 1 of 2 rows and 1 related documents within the budget\n"),
        ("relations", "\n>>> related: rel-x /b.md\n"),
        ("omissions", "\n>>> note: did not fit: /a.md/v1 (~9 tokens)\n"),
    ],
)
def test_a_feature_that_was_at_work(compared: Any, feature: str, output: str) -> None:
    ask = Ask(feature=feature)
    found = compared(_printing(output, shifted(BEFORE, 0.8)), ask)
    assert found.exercised.attempts == 1
    assert found.state is ComparisonState.IMPROVED
    silent = compared(_printing("\n>>> note: expanded 1 of 2 rows within the budget\n"), ask)
    assert silent.exercised.attempts == 0
    assert silent.state is ComparisonState.NOT_EXERCISED


def test_a_regression_is_said_before_a_feature(compared: Any) -> None:
    assert (
        compared(report(shifted(BEFORE, 2)), Ask(feature="hop")).state is ComparisonState.REGRESSED
    )


def test_a_metrics_only_report_shows_no_feature(compared: Any) -> None:
    value = report(BEFORE, metrics_only=True, source_report_sha256=HASH)
    found = compared(value, Ask(feature="hop"))
    assert found.exercised.attempts is None
    assert found.state is ComparisonState.NOT_EXERCISED
    assert compared(value, Ask(feature="mark_lookup")).exercised.attempts == 6


def test_a_tool_is_a_feature_and_a_misspelt_one_is_refused(compared: Any) -> None:
    assert compared(report(BEFORE), Ask(feature="mark_lookup")).exercised.attempts == 6
    assert (
        compared(report(BEFORE), Ask(feature="mark_explore")).state is ComparisonState.NOT_EXERCISED
    )
    with pytest.raises(UsageError, match="did you mean 'hop'"):
        compared(report(BEFORE), Ask(feature="hops"))
