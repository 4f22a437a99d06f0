"""The numbers of a verdict, by hand and by the definitions."""

from __future__ import annotations

from fractions import Fraction
from math import comb, sqrt
from typing import Any

import pytest

from harness.trial.by_type import accuracy_by_type

from ...make.project import CONTROL_RIGHT, POINT_RIGHT, TEST_IDS, Project
from ...make.study import CONTROL, POINT

Z = 1.959963984540054


def share_at_most(most: int, wins: int, losses: int, n: int) -> Fraction:
    """The share of all ordered resamples whose sum is at most `most`."""
    ways = ordered_resamples(wins, losses, n)
    return Fraction(sum(count for total, count in ways.items() if total <= most), n**n)


def ordered_resamples(wins: int, losses: int, n: int) -> dict[int, int]:
    """How many ordered resamples have each sum."""
    ways = {0: 1}
    for _ in range(n):
        step: dict[int, int] = {}
        for total, count in ways.items():
            for move, weight in ((1, wins), (0, n - wins - losses), (-1, losses)):
                step[total + move] = step.get(total + move, 0) + count * weight
        ways = step
    return ways


def exact_interval(wins: int, losses: int, n: int, tail: Fraction) -> tuple[float, float]:
    """Both percentiles of the resampled mean, from all ordered resamples by sum."""
    ways = ordered_resamples(wins, losses, n)
    ends = []
    for level in (tail, 1 - tail):
        below = 0
        for total in sorted(ways):
            below += ways[total]
            if Fraction(below, n**n) >= level:
                ends.append(total / n)
                break
    return ends[0], ends[1]


def test_a_rule_in_numbers(ready: Project) -> None:
    verdict = ready.judged()
    assert verdict["registration"] == "made.json"
    assert verdict["stamp"] == "registered (contexts not checked)"
    assert verdict["stamp_reasons"] == []
    (rule,) = verdict["rules"]
    counts = (rule["wins"], rule["losses"], rule["ties"], rule["n"])
    assert counts == (5, 1, 14, 20)
    assert (rule["accuracy"], rule["control_accuracy"]) == (0.6, 0.4)
    assert rule["difference"] == 0.2
    assert (rule["lower"], rule["upper"]) == exact_interval(5, 1, 20, Fraction(1, 40))
    assert rule["p"] == float(2 * share_at_most(0, 5, 1, 20))
    assert rule["adjusted_p"] is None
    # two-sided binomial of 1 in 6: 2 (1 + 6) / 64
    assert "exact_p" not in rule
    (beside,) = verdict["not_registered"]
    assert (beside["against"], beside["wins"], beside["losses"]) == (CONTROL, 5, 1)
    assert beside["mcnemar_exact_p"] == 2 * (comb(6, 0) + comb(6, 1)) / 64
    assert rule["discordance"] == 0.3
    assert (rule["role"], rule["against"]) == ("primary", CONTROL)


def test_tango_is_where_its_score_is_the_normal_quantile(ready: Project) -> None:
    (rule,) = ready.judged()["rules"]
    for limit, score in ((rule["tango_lower"], Z), (rule["tango_upper"], -Z)):
        b = -6 + (40 - 5 + 1) * limit
        q = (sqrt(b * b + 8 * 20 * limit * (1 - limit)) - b) / 80
        found = (4 - 20 * limit) / sqrt(20 * (2 * q + limit * (1 - limit)))
        assert found == pytest.approx(score, abs=1e-9)


def test_the_table_by_type_adds_up(ready: Project) -> None:
    (rule,) = ready.judged()["rules"]
    rows = {row["question_type"]: row for row in rule["by_question_type"]}
    for name, parity in (("even", 0), ("odd", 1)):
        ids = {found for found in TEST_IDS if int(found[1:3]) % 2 == parity}
        wins = len(ids & (POINT_RIGHT - CONTROL_RIGHT))
        losses = len(ids & (CONTROL_RIGHT - POINT_RIGHT))
        row = rows[name]
        assert (row["n"], row["wins"], row["losses"]) == (len(ids), wins, losses)
        assert row["accuracy"] == len(ids & POINT_RIGHT) / len(ids)
        assert row["difference"] == (wins - losses) / len(ids)


def test_accuracy_by_type_and_of_abstention(ready: Project) -> None:
    verdict = ready.judged()
    for figures, right in zip(verdict["points"], (POINT_RIGHT, CONTROL_RIGHT), strict=True):
        found = figures["by_type"]
        shares = []
        for row, parity in zip(found["types"], (0, 1), strict=True):
            ids = {name for name in TEST_IDS if int(name[1:3]) % 2 == parity}
            assert (row["n"], row["correct"]) == (len(ids), len(ids & right))
            shares.append(len(ids & right) / len(ids))
        assert found["mean_over_types"] == pytest.approx(sum(shares) / 2, rel=1e-15)
        abstention = {name for name in TEST_IDS if name.endswith("_abs")}
        assert found["abstention"]["n"] == len(abstention)
        assert found["abstention"]["correct"] == len(abstention & right)


def test_types_may_be_unknown() -> None:
    correct = {"a": True, "b": False, "c_abs": True}
    without = accuracy_by_type(correct, None)
    assert (without.types, without.mean_over_types) == ((), None)
    assert without.abstention is not None
    assert without.abstention.accuracy == 1
    some = accuracy_by_type(correct, {"a": "x", "b": None, "c_abs": "x"})
    assert [(row.question_type, row.n) for row in some.types] == [("x", 2), (None, 1)]
    assert some.mean_over_types is None
    assert accuracy_by_type({"a": True}, {"a": "x"}).abstention is None


def test_a_null_says_what_it_does_not_show(ready: Project) -> None:
    (rule,) = ready.judged()["rules"]
    assert rule["lower"] <= 0 <= rule["upper"]
    assert rule["state"] == "NOT MET"
    assert "does not show that" in rule["does_not_show"]
    assert "answer equally well" in rule["does_not_show"]
    assert "30.0 % of 20 pairs discordant" in rule["does_not_show"]
    assert any("6 discordant pairs, fewer than 10" in warning for warning in rule["warnings"])


def test_a_rule_that_is_met(project: Project) -> None:
    project.register()
    project.grade("new", POINT, project.rows(TEST_IDS[:18]))
    project.grade("old", CONTROL, project.rows(TEST_IDS[:4]))
    (rule,) = project.judged("--exit-code")["rules"]
    assert (rule["wins"], rule["losses"]) == (14, 0)
    assert rule["state"] == "MET"
    assert rule["does_not_show"] is None
    assert "answers better than" in rule["may_be_said"]


def test_worse_all_through_is_said(project: Project) -> None:
    project.register()
    project.grade("new", POINT, project.rows(TEST_IDS[:2]))
    project.grade("old", CONTROL, project.rows(TEST_IDS[:18]))
    (rule,) = project.judged()["rules"]
    assert rule["state"] == "NOT MET"
    assert rule["reason"].endswith("the whole interval is below zero")
    assert rule["does_not_show"] is None


def test_exit_codes(ready: Project) -> None:
    assert ready.judge("--exit-code") == 1
    assert ready.verdict()["rules"][0]["state"] == "NOT MET"


SECOND_RULE = """
[[rule]]
name = "much better"
role = "primary"
against = "external(name=old)"
interval = "exact"
level = 0.95
met_when = "lower > {margin} points"
"""


def _holm(project: Project, margin: str) -> list[dict[str, Any]]:
    tail = SECOND_RULE.format(margin=margin) + '[family]\ncorrection = "holm"'
    project.register(tail=tail, accept=["low-power"])
    project.grade("new", POINT, project.rows(TEST_IDS[:12]))
    project.grade("old", CONTROL, project.rows(TEST_IDS[:4]))
    found: list[dict[str, Any]] = project.judged()["rules"]
    return found


def test_holm_steps_down(project: Project) -> None:
    """8 wins of 20 and no loss: the first rule is met at 0.975, so the second stands at 0.95."""
    low, _ = exact_interval(8, 0, 20, Fraction(1, 40))
    stricter, _ = exact_interval(8, 0, 20, Fraction(1, 80))
    assert stricter < 0.19 < low
    first, second = _holm(project, "19")
    assert (first["state"], first["decided_at"]) == ("MET", "0.975")
    assert first["decided_lower"] == stricter
    assert (second["state"], second["decided_at"]) == ("MET", "0.95")
    assert second["decided_lower"] == second["lower"] == low
    # the smaller p is doubled, the larger is the last one left
    p = [float(2 * share_at_most(most, 8, 0, 20)) for most in (0, 3)]
    assert [first["p"], second["p"]] == p
    assert [first["adjusted_p"], second["adjusted_p"]] == pytest.approx([2 * p[0], p[1]])


def test_holm_stops_where_no_rule_is_met(project: Project) -> None:
    first, second = _holm(project, "60")
    assert (first["state"], second["state"]) == ("MET", "NOT MET")
    assert second["decided_at"] == "0.95"
    assert first["adjusted_p"] < 0.05 <= second["adjusted_p"]


def test_mc_compat_is_the_seeded_resampling(project: Project) -> None:
    import random

    project.register(
        tail="""
[[rule]]
name = "as published"
role = "secondary"
against = "external(name=old)"
interval = "mc-compat"
level = 0.95
met_when = "lower >= -10.0 points"
seed = 7
id_order = "text"
"""
    )
    project.grade_both()
    rule = project.judged()["rules"][1]
    ids = sorted(TEST_IDS)
    differences = [(name in POINT_RIGHT) - (name in CONTROL_RIGHT) for name in ids]
    generator = random.Random(7)
    sums = sorted(
        sum(differences[generator.randrange(20)] for _ in range(20)) for _ in range(10_000)
    )
    assert (rule["lower"], rule["upper"]) == (sums[250] / 20, sums[9_749] / 20)


def test_abstention_is_excluded_by_rule_and_counted(project: Project) -> None:
    project.register(tail='[cohort]\nexclude = ["abstention"]')
    project.grade_both()
    verdict = project.judged()
    abstentions = sum(name.endswith("_abs") for name in TEST_IDS)
    assert verdict["cohort"]["test_questions"] == 20
    assert verdict["cohort"]["excluded"] == {"abstention": abstentions}
    assert verdict["cohort"]["judged"] == verdict["rules"][0]["n"] == 20 - abstentions
    assert abstentions > 0
