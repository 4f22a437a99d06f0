"""A pattern that reads text from outside takes a time that grows with the text, and no faster."""

from __future__ import annotations

import re

import pytest

from . import patterns
from .patterns import Used

USED = patterns.used_patterns()


@pytest.mark.parametrize("used", USED, ids=lambda used: used.name)
def test_no_text_makes_a_pattern_slow(used: Used) -> None:
    assert patterns.slow_texts(used) == []


def test_every_pattern_of_the_code_is_looked_at() -> None:
    names = {used.name for used in USED}
    assert {
        "harness.escapes._MARKUP",
        "harness.datasets.stream._BRACE_OR_STRING",
        "harness.grading.graders.dates._FORMS[3]",
        "arms.sea.metadata._STRING_OR_BRACKET",
    } <= names
    assert any(name.startswith("harness.decode.kinds:") for name in names)


@pytest.mark.parametrize(
    ("pattern", "method"),
    [
        (r"\s*a\s*(?:\(x\))?\s*", "fullmatch"),
        (r"[0-9]*\.?[0-9]+", "fullmatch"),
        (r"[a-z]+[0-9]", "finditer"),
        (r"(?:a|aa)+b", "match"),
        (r"(?:x+)+y", "search"),
        (r"a.+ b.+ c", "fullmatch"),
        (r"[^\s<>]+[<>]+\S+\s*", "fullmatch"),
        (rb'"(?:[^"\\]|\\.)*"', "finditer"),
    ],
)
def test_a_slow_pattern_is_found(pattern: str | bytes, method: str) -> None:
    assert patterns.slow_texts(Used("slow", re.compile(pattern), (method,)))
