"""Lines of a ledger hold outcome sets of three kinds; whoever reads a ledger takes all of them."""

from __future__ import annotations

import json

import pytest

from harness.cli.main import run
from harness.storage.chain import BrokenChainError, ChainLine
from harness.trial.ledger import (
    JUDGMENT,
    OpenedSet,
    OpeningLine,
    locked_ledger,
    opening_of_line,
    read_ledger,
)

from ...make.project import DATASET_SHA256, TEST_IDS, Project

SETS = (
    OpenedSet(kind="attempts", point="lookup-budgeted", role="point", identity="1", costs="2"),
    OpenedSet(kind="metric", point="count-curve(k=4)", role="point", identity="3", costs="4"),
    OpenedSet(kind="metric", point="an-arm-of-others(k=1)", role="control", identity="5", costs=""),
    OpenedSet(kind="grades", point="items", role="control", identity="6", costs="7"),
)


def opened(project: Project) -> OpeningLine:
    """A line of a judgment on all of them, in the project's ledger."""
    line = OpeningLine(
        registration="other.json",
        registration_sha256="f" * 64,
        dataset_sha256=DATASET_SHA256,
        split_sha256="e" * 64,
        part="test",
        sets=SETS,
        stamp="registered",
        questions=TEST_IDS,
        verdict="other.verdict.json",
    )
    with locked_ledger(project.ledger) as ledger:
        ledger.append(JUDGMENT, line)
    return line


def test_a_line_of_every_kind_is_read(ready: Project, capsys: pytest.CaptureFixture[str]) -> None:
    line = opened(ready)
    (opening,) = read_ledger(ready.ledger)
    assert opening.line == line
    assert opening.identities == {"1", "3", "5", "6"}
    assert run(["ledger", "--verify"]) == 0
    assert run(["ledger", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out.split("\n", 1)[1])
    assert row["points"] == [each.point for each in SETS]
    assert row["grades"] == {each.point: each.identity for each in SETS}


def test_a_judgment_follows_a_line_of_every_kind(ready: Project) -> None:
    opened(ready)
    verdict = ready.judged()
    assert (verdict["opening"]["number"], verdict["stamp_reasons"]) == (2, [])
    assert run(["grades", "show", "grades/new"]) == 0  # opened by the second line alone
    assert [line["kind"] for line in ready.openings()] == ["opening", "opening"]


def test_another_kind_is_of_a_newer_harness(ready: Project) -> None:
    opened(ready)
    value = json.loads(ready.ledger.read_text())
    value["sets"][0]["kind"] = "dreams"
    with pytest.raises(BrokenChainError, match=r"sets\[0\]\.kind .*'dreams'"):
        opening_of_line(ready.ledger, ChainLine(1, value, "0" * 64))
