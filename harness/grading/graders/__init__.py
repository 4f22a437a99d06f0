"""Graders: how an answer is found right or wrong. Packages offer theirs as `harness.graders`."""

from .grader import (
    GRADERS,
    GRADERS_BY_NAME,
    Answered,
    AnyGrader,
    AskingGrader,
    ChosenGrader,
    Grader,
    parse_grader,
)

__all__ = [
    "GRADERS",
    "GRADERS_BY_NAME",
    "Answered",
    "AnyGrader",
    "AskingGrader",
    "ChosenGrader",
    "Grader",
    "parse_grader",
]
