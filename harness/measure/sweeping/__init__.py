"""Sweeping: a grid of settings over dev questions, ranked, with the number of settings tried.

The grid's spelling (`grid`), the dev questions and what several recordings must share (`cohort`),
the replay (`sweep`), the ranking with its intervals (`ranking`, `bands`), and whether it survives
another recording (`survival`).
"""

from .cohort import dev_cohort
from .grid import grid_points
from .ranking import RankedSetting, Ranking, rank_settings, tried_sentence
from .survival import RankAgreement, Standing, Survival, Winner, survival_of
from .sweep import SweepRequest, Swept, run_sweep

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
