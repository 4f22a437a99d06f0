"""How far judges agree, and what a rule comes to by each: tables."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from harness.grading.auditing import Comparison, JudgedRule
from harness.words import Kind, Strong

from .table import Column, Table

_AGREEMENT = (
    Column("point", "point", Kind.CODE),
    Column("first_judge", "judge"),
    Column("second_judge", "compared with"),
    Column("compared", "compared", Kind.COUNT),
    Column("both_right", "both: right", Kind.COUNT),
    Column("first_only", "judge alone: right", Kind.COUNT),
    Column("second_only", "other alone: right", Kind.COUNT),
    Column("neither", "both: wrong", Kind.COUNT),
    Column("agreement", "agreement", Kind.ACCURACY),
    Column("lower", "95 %, from", Kind.ACCURACY),
    Column("upper", "to", Kind.ACCURACY),
    Column("kappa", "kappa", Kind.SCORE),
)
_RULES = (
    Column("rule", "rule"),
    Column("met_when", "met when"),
    Column("judge", "by"),
    Column("n", "n", Kind.COUNT),
    Column("wins", "wins", Kind.COUNT),
    Column("losses", "losses", Kind.COUNT),
    Column("difference", "difference", Kind.POINTS),
    Column("lower", "from", Kind.POINTS),
    Column("upper", "to", Kind.POINTS),
    Column("state", "verdict", cell=lambda row: Strong(row["state"])),
)


def agreement_of_judges(comparisons: Iterable[Comparison]) -> Table:
    """Return one row per point and second judge, over the answers that both judged."""
    return Table(_AGREEMENT, [_row(comparison) for comparison in comparisons])


def rules_table(rules: Iterable[JudgedRule]) -> Table:
    """Return one row per rule and judge."""
    return Table(_RULES, [_rule(judged) for judged in rules])


def _row(comparison: Comparison) -> dict[str, Any]:
    agreement, interval = comparison.agreement, comparison.interval
    return {
        "point": str(comparison.point),
        "first_judge": comparison.first,
        "second_judge": comparison.second,
        "compared": agreement.compared,
        "both_right": agreement.both_right,
        "first_only": agreement.first_only,
        "second_only": agreement.second_only,
        "neither": agreement.neither,
        "agreement": None if agreement.same is None else float(agreement.same),
        "lower": None if interval is None else interval.lower,
        "upper": None if interval is None else interval.upper,
        "kappa": comparison.kappa,
    }


def _rule(judged: JudgedRule) -> dict[str, Any]:
    counts, interval = judged.counts, judged.interval
    return {
        "rule": judged.rule.name,
        "met_when": judged.rule.met_when.text,
        "judge": judged.judge,
        "n": counts.n,
        "wins": counts.wins,
        "losses": counts.losses,
        "difference": float(counts.difference),
        "lower": None if interval is None else interval.lower,
        "upper": None if interval is None else interval.upper,
        "state": "CANNOT SAY" if judged.held is None else "MET" if judged.held else "NOT MET",
    }
