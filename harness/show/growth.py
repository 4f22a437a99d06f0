"""Invariant 9 as a replay checked it: raising a budget never takes anything away."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from harness.points import load_arm
from harness.replay import schema
from harness.replay.run import Run


@dataclass(frozen=True, slots=True)
class PairLosses:
    """What one pair of neighbouring points lost, over all cases.

    `kinds` counts lost items, excerpts and quotes that lack characters, by these words.
    """

    smaller: str
    larger: str
    cases: int
    kinds: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Growth:
    """One arm: `comparisons` of two points on one case, and what they found lost.

    `parameters` are the settings that grow; an arm without one has nothing to compare.
    """

    arm: str
    promised: bool
    parameters: tuple[str, ...]
    comparisons: int
    losses: int
    cases: int
    pairs: tuple[PairLosses, ...]

    @property
    def kept(self) -> bool:
        """Whether a promise, if there is one, was kept."""
        return not (self.promised and self.losses)


def growth_of(run: Run, arms: tuple[str, ...]) -> tuple[Growth, ...]:
    """Return what the run's manifest and its table of losses say of each arm."""
    content = run.manifest.content
    pairs = _pairs(run)
    growths = []
    for name in arms:
        arm = load_arm(name)
        lost = content["losses"].get(name, {"losses": 0, "cases": 0})
        growths.append(
            Growth(
                arm=name,
                promised=arm.promises_growth,
                parameters=tuple(parameter.name for parameter in arm.parameters if parameter.grows),
                comparisons=content["growth_checks"].get(name, 0),
                losses=lost["losses"],
                cases=lost["cases"],
                pairs=tuple(pairs.get(name, ())),
            )
        )
    return tuple(growths)


def _pairs(run: Run) -> dict[str, list[PairLosses]]:
    kinds: dict[tuple[str, str, str], dict[str, int]] = {}
    cases: dict[tuple[str, str, str], set[str]] = {}
    for row in run.table(schema.LOSSES).to_pylist():
        key = (row["arm"], row["smaller"], row["larger"])
        counts = kinds.setdefault(key, {})
        counts[row["lost"]] = counts.get(row["lost"], 0) + 1
        cases.setdefault(key, set()).add(row["case_id"])
    place = {str(point): number for number, point in enumerate(run.points)}
    by_arm: dict[str, list[PairLosses]] = {}
    for key in sorted(kinds, key=lambda key: (place[key[1]], place[key[2]])):
        arm, smaller, larger = key
        ordered = dict(sorted(kinds[key].items()))
        by_arm.setdefault(arm, []).append(PairLosses(smaller, larger, len(cases[key]), ordered))
    return by_arm
