"""Graders: how an answer is found right or wrong. Packages offer theirs as `harness.graders`."""

from .grader import (
    GRADERS,
    Answered,
    AnyGrader,
    AskingGrader,
    ChosenGrader,
    Grader,
    parse_grader,
)

__all__ = [
    "GRADERS",
    "Answered",
    "AnyGrader",
    "AskingGrader",
    "ChosenGrader",
    "Grader",
    "parse_grader",
]
