"""How graders are declared, spelled and found."""

from __future__ import annotations

import pytest

from harness.errors import UsageError
from harness.grading.graders import GRADERS, parse_grader


def test_the_graders_that_come_with_the_harness() -> None:
    assert GRADERS.names() == ["answer-in-context", "contains", "exact", "judge", "token-f1"]
    assert [GRADERS.load(name).name for name in GRADERS.names()] == GRADERS.names()
    assert [name for name in GRADERS.names() if GRADERS.load(name).reads_context] == [
        "answer-in-context"
    ]


@pytest.mark.parametrize(
    ("text", "spelling", "identity"),
    [
        ("contains", "contains", "contains/1"),
        (" token-f1 ", "token-f1(threshold=0.5)", "token-f1/1(threshold=0.5)"),
        (
            "token-f1( threshold = 0.60 )",
            "token-f1(threshold=0.6)",
            "token-f1/1(threshold=0.6)",
        ),
        ("answer-in-context", "answer-in-context", "answer-in-context/1"),
    ],
)
def test_the_identity_has_version_and_settings(text: str, spelling: str, identity: str) -> None:
    chosen = parse_grader(text)
    assert (str(chosen), chosen.identity) == (spelling, identity)
    assert parse_grader(str(chosen)) == chosen


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("contians", "no grader 'contians'; did you mean 'contains'?"),
        ("contains(x=1)", "there is no setting 'x' (it has none)"),
        ("token-f1(treshold=0.5)", "did you mean 'threshold'?"),
        ("token-f1(threshold=2)", "threshold takes a number from 0 to 1, not 2.0"),
        ("token-f1(threshold=0.5,threshold=0.6)", "threshold is set twice"),
        ("token-f1(0.5)", "'0.5' is not spelled NAME=VALUE"),
        ("token f1", "is not spelled NAME or NAME(SETTING=VALUE)"),
    ],
)
def test_what_is_not_a_grader(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_grader(text)
    assert message in caught.value.message
