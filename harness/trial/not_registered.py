"""What a verdict says besides its rules: descriptive, since nothing of it was registered."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from harness.statistics.counts import PairedCounts
from harness.statistics.mcnemar import mcnemar

from .outcomes import EntrantOutcomes, differences
from .verdict import NotRegistered


def not_registered(
    point: EntrantOutcomes, controls: Sequence[EntrantOutcomes]
) -> Iterator[NotRegistered]:
    """Yield what can be said of the point and each control without a rule."""
    for control in controls:
        counts = PairedCounts.of_differences(differences(point, control).values())
        test = mcnemar(counts.wins, counts.losses)
        yield NotRegistered(
            against=str(control.entrant.point),
            wins=counts.wins,
            losses=counts.losses,
            mcnemar_exact_p=test.exact_p,
            mcnemar_mid_p=test.mid_p,
        )
