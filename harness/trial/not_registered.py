"""What a verdict says besides its rules: descriptive, since nothing of it was registered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from harness.points import Point
from harness.replay.run import Run
from harness.statistics.counts import PairedCounts
from harness.statistics.mcnemar import mcnemar

from .clusters import Clusters, cluster_interval
from .outcomes import EntrantOutcomes, differences
from .verdict import DecidedQuestion, NotRegistered, ShownEvidence

Shown = Mapping[Point, Mapping[str, ShownEvidence]]
"""What the context of each labelled question showed, by point and question."""

_COLUMNS = (
    "answer_sessions_shown",
    "answer_sessions",
    "evidence_turns_touched",
    "evidence_turns",
)


def not_registered(
    point: EntrantOutcomes,
    controls: Sequence[EntrantOutcomes],
    types: Mapping[str, str | None] | None,
    shown: Shown,
    clusters: Clusters | None = None,
) -> Iterator[NotRegistered]:
    """Yield what can be said of the point and each control without a rule."""
    for control in controls:
        signs = differences(point, control)
        counts = PairedCounts.of_differences(signs.values())
        test = mcnemar(counts.wins, counts.losses)
        clustered = cluster_interval(signs, clusters)
        sides = [shown.get(side.entrant.point, {}) for side in (point, control)]
        decided = {
            sign: tuple(
                DecidedQuestion(
                    question, (types or {}).get(question), *(side.get(question) for side in sides)
                )
                for question, found in signs.items()
                if found == sign
            )
            for sign in (1, -1)
        }
        yield NotRegistered(
            against=str(control.entrant.point),
            wins=counts.wins,
            losses=counts.losses,
            mcnemar_exact_p=test.exact_p,
            mcnemar_mid_p=test.mid_p,
            clusters=clustered.clusters,
            cluster_lower=clustered.lower,
            cluster_upper=clustered.upper,
            cluster_note=clustered.reason,
            won=decided[1],
            lost=decided[-1],
        )


def shown_evidence(run: Run | None, points: Sequence[Point]) -> Shown:
    """Read what the run's contexts show at the points."""
    found: dict[Point, dict[str, ShownEvidence]] = {}
    if run is None:
        return found
    for point in points:
        rows = run.evidence_rows([point]).select(["case_id", "labelled", *_COLUMNS])
        found[point] = {
            row["case_id"]: ShownEvidence(*(row[name] for name in _COLUMNS))
            for row in rows.to_pylist()
            if row["labelled"]
        }
    return found
