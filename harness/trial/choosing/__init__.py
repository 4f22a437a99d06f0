"""Choosing a point on dev questions by a stated rule, before the test is looked at."""

from .candidates import COSTS, Choosable, DevTable, read_dev_table
from .choice import Choice
from .rules import BestMetric, ChoosingRule, ClosestCost, DearestUnder, choose

__all__ = [
    "COSTS",
    "BestMetric",
    "Choice",
    "Choosable",
    "ChoosingRule",
    "ClosestCost",
    "DearestUnder",
    "DevTable",
    "choose",
    "read_dev_table",
]
