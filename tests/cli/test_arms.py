"""`harness arms`."""

from __future__ import annotations

import csv
import io
import json

import pytest

from harness.cli.main import run
from harness.points import arm_names

COUNT_CURVE = """\
count-curve: the first k items of `items`, quotes unchanged

What `items` shows at its default budget, cut after the first k items; their excerpts stay. A case
with fewer items keeps all. `k=full` is every item, and equals `items`.

Source: the published count curve (fewer items at full quotes)
Growth: a larger k never removes anything shown
Roles: count-curve(k=full) shows every item at full quotes; count-curve(k=4) is what other
  points are compared with, unless another is named; its points make a curve; k says how many of
  the first items are kept of every item
Signals: trigrams, cosine

parameter    default    accepts                         meaning
-----------  ---------  ------------------------------  ------------------------
k            –          a whole number from 1 to 1,000  how many items are shown
                        (items) or full

default point        same policy as
-------------------  --------------------------------------
count-curve(k=1)     –
count-curve(k=2)     –
count-curve(k=3)     –
count-curve(k=4)     –
count-curve(k=5)     –
count-curve(k=6)     –
count-curve(k=8)     –
count-curve(k=10)    –
count-curve(k=full)  items, quote-curve(head=800, tail=400)
"""


def output_of(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run(["arms", *arguments]) == 0
    return capsys.readouterr().out


def test_an_explained_arm(capsys: pytest.CaptureFixture[str]) -> None:
    shown = output_of(capsys, "count-curve")
    assert [line.rstrip() for line in shown.splitlines()] == COUNT_CURVE.splitlines()


def test_the_list_has_every_arm_with_its_default_points(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lines = [line.split() for line in output_of(capsys).splitlines()[2:]]
    assert [line[0] for line in lines] == arm_names()
    points = {line[0]: int(line[1]) for line in lines}
    own = ("items", "count-curve", "quote-curve", "2.6.5a1", "2.6.5a2", "evidence", "whole")
    assert [points[name] for name in own] == [1, 9, 3, 6, 6, 6, 6]


def test_the_list_as_json_and_csv(capsys: pytest.CaptureFixture[str]) -> None:
    rows = json.loads(output_of(capsys, "--json"))
    assert [row["arm"] for row in rows] == arm_names()
    by_name = {row["arm"]: row for row in rows}
    assert by_name["quote-curve"]["parameters"] == ["head", "tail"]
    growing = [name for name in ("2.6.5a1", "evidence") if by_name[name]["promises_growth"]]
    assert growing == ["2.6.5a1"]
    table = list(csv.DictReader(io.StringIO(output_of(capsys, "--csv"))))
    assert [row["default_points"] for row in table] == [str(row["default_points"]) for row in rows]


def test_the_signals_of_an_arm(capsys: pytest.CaptureFixture[str]) -> None:
    signals = json.loads(output_of(capsys, "2.6.5a1", "--json"))["reads"]
    assert signals[-1] == {
        "signal": "cosine_rank",
        "absent_if": ["the question has no vector", "no block has a vector"],
    }
    assert [signal["absent_if"] for signal in signals[:2]] == [[], []]
    assert json.loads(output_of(capsys, "lookup-table", "--json"))["reads"] == []


def test_an_arm_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    arm = json.loads(output_of(capsys, "items", "--json"))
    (parameter,) = arm["parameters"]
    assert (parameter["parameter"], parameter["type"], parameter["default"]) == (
        *("budget", "int", "window"),
    )
    assert (parameter["minimum"], parameter["maximum"]) == (800, 20000)
    assert arm["default_points"] == [
        {
            "point": "items",
            "settings": {"budget": "window"},
            "same_as": ["count-curve(k=full)", "quote-curve(head=800, tail=400)"],
        }
    ]


def test_an_arm_as_csv_is_its_parameters(capsys: pytest.CaptureFixture[str]) -> None:
    rows = list(csv.DictReader(io.StringIO(output_of(capsys, "evidence", "--csv"))))
    assert [(row["parameter"], row["default"]) for row in rows] == [
        ("budget", ""),
        ("candidates", "heads"),
        ("overlap", "skip"),
        ("summation", "sequential"),
        ("excerpts", "leftover"),
    ]
    assert json.loads(rows[1]["choices"]) == ["heads", "all-records"]


def test_growth_that_is_not_promised_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert "Growth: not promised" in output_of(capsys, "whole")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["evidnce"], "no arm 'evidnce'; did you mean 'evidence'?"),
        (["--json", "--csv"], "--json and --csv exclude each other"),
    ],
)
def test_bad_usage(capsys: pytest.CaptureFixture[str], arguments: list[str], message: str) -> None:
    assert run(["arms", *arguments]) == 2
    written = capsys.readouterr()
    assert message in written.err
    assert written.out == ""


def test_the_closing_note_is_on_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    run(["arms"])
    assert "default points; explain one: harness arms NAME" in capsys.readouterr().err
    run(["arms", "-q"])
    assert capsys.readouterr().err == ""
