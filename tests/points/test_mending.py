"""The nearest admitted value of a setting that is misspelled."""

from __future__ import annotations

import pytest

from harness.model import Parameter, Value
from harness.points.mending import _mended_value

BUDGET = Parameter("budget", "characters", minimum=800, maximum=20000, words=("window",))
SHARE = Parameter("share", "of all", kind=float, minimum=0.0, maximum=1.0)
FLAG = Parameter("flag", "or not", kind=bool)
NAME = Parameter("name", "a name", kind=str)
KIND = Parameter("kind", "which", kind=str, choices=("skip", "merge"))
STEPS = Parameter("steps", "of a few", choices=(5, 50))


@pytest.mark.parametrize(
    ("parameter", "text", "value"),
    [
        (BUDGET, "900", 900),
        (BUDGET, "1", 800),
        (BUDGET, "1e9", 20000),
        (BUDGET, "inf", 20000),
        (BUDGET, "2_800", 2800),
        (BUDGET, "2800.4", 2800),
        (BUDGET, "Windows", "window"),
        (BUDGET, "nan", None),
        (BUDGET, "lots", None),
        (SHARE, "1.5", 1.0),
        (SHARE, "-3", 0.0),
        (FLAG, "true", True),
        (FLAG, "OFF", False),
        (FLAG, "maybe", None),
        (NAME, "two words", None),
        (KIND, "MERGED", "merge"),
        (KIND, "7", None),
        (STEPS, "55", 50),
        (STEPS, "6", 5),
        (STEPS, "many", None),
    ],
)
def test_the_nearest_value(parameter: Parameter, text: str, value: Value | None) -> None:
    found = _mended_value(parameter, text)
    assert (found, type(found)) == (value, type(value))
