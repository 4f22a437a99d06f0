"""Sweeping: a grid of settings over dev questions, ranked, with the number of settings tried.

The grid's spelling (`grid`), the replay of the dev questions that all recordings share (`sweep`),
the ranking with its intervals and bands (`ranking`), and whether it survives another recording
(`survival`).
"""

from .grid import grid_points
from .ranking import RankedSetting, Ranking, rank_settings, tried_sentence
from .survival import RankAgreement, Standing, Survival, Winner, survival_of
from .sweep import SweepRequest, Swept, dev_cohort, run_sweep

__all__ = [
    "RankAgreement",
    "RankedSetting",
    "Ranking",
    "Standing",
    "Survival",
    "SweepRequest",
    "Swept",
    "Winner",
    "dev_cohort",
    "grid_points",
    "rank_settings",
    "run_sweep",
    "survival_of",
    "tried_sentence",
]
