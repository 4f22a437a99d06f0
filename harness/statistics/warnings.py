"""Where an interval misleads."""

from __future__ import annotations

from .counts import Interval, PairedCounts
from .methods import PERCENTILE_METHODS

FEW_PAIRS = 10
FEW_CLUSTERS = 20


def interval_warnings(
    counts: PairedCounts, interval: Interval, method: str, *, clusters: int | None = None
) -> tuple[str, ...]:
    """Return the warnings to print with an interval; empty if it does not mislead.

    Fewer than 10 discordant pairs, for a percentile interval: with 400 pairs and a true loss in 2
    of 100, it meets a margin of 2 points in 9.7 % of studies, where 2.5 % are meant. A width of
    zero. Fewer than 20 clusters, where questions are resampled in clusters.
    """
    warnings = []
    if method in PERCENTILE_METHODS and counts.discordant < FEW_PAIRS:
        pairs = f"{counts.discordant} discordant pair{'s' if counts.discordant != 1 else ''}"
        warnings.append(
            f"{pairs}, fewer than {FEW_PAIRS}: a percentile interval cannot draw a loss or a win "
            "that was never seen; read the tango interval beside it"
        )
    if interval.width <= 0:
        warnings.append(
            "the interval has no width, which no finite number of pairs justifies; "
            "read the tango interval instead"
        )
    if clusters is not None and clusters < FEW_CLUSTERS:
        warnings.append(
            f"{clusters} clusters, fewer than {FEW_CLUSTERS}: resampling them understates "
            "the spread"
        )
    return tuple(warnings)
