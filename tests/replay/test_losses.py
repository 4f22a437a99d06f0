"""Invariant 9 in a run: what breaks it is counted, by arm and case."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from harness.cli.main import run as call
from harness.model import (
    Arm,
    Case,
    CaseView,
    Item,
    ItemQuote,
    Parameter,
    Query,
    Quote,
    Selection,
    Settings,
)
from harness.points.arms import ARMS
from harness.replay import schema
from harness.replay.run import Run

from ..make import recordings
from ..make.cases import made_record
from ..make.offers import offer
from ..make.once import copied
from .test_growth import excerpts_in_leftover_room


def recording_of(folder: Path, *cases: Case) -> Path:
    return copied(recordings.recording_of(cases, dataset_sha256=None), folder / "recording")


def replayed(recording: Path, *points: str) -> Run:
    given = [f"--point={point}" for point in points]
    out = recording.parent / "run"
    assert call(["replay", str(recording), "--out", str(out), "-q", "--no-tokens", *given]) == 0
    return Run.open(out)


BUDGETS = (900, 1000, 1200, 1600)


@pytest.mark.parametrize("arm", ["evidence", "whole"])
def test_excerpts_that_the_release_loses_are_counted(tmp_path: Path, arm: str) -> None:
    small = made_record("small", "kettle")
    plain = Case("plain", Query("kettle"), (small,), (Item("small"),))
    recording = recording_of(tmp_path, excerpts_in_leftover_room(300), plain)
    design = "2.6.5a1"
    opened = replayed(
        recording, *[f"{name}(budget={n})" for name in (arm, design) for n in BUDGETS]
    )
    assert opened.table(schema.LOSSES).to_pylist() == [
        {
            "case_id": "q",
            "arm": arm,
            "smaller": f"{arm}(budget=1000)",
            "larger": f"{arm}(budget=1200)",
            "lost": "excerpt",
            "item": 0,
            "record_id": "claim",
        }
    ]
    assert opened.manifest.content["growth_checks"] == {arm: 3 * 2, design: 3 * 2}
    assert opened.manifest.content["losses"] == {arm: {"losses": 1, "cases": 1}}


@dataclass(frozen=True)
class Forgetful:
    """Shows one more character of every item at each size, and forgets as `faults` says."""

    size: int
    faults: tuple[str, ...]

    def select(self, case: CaseView) -> Selection:
        shown = []
        for place, item in enumerate(case.items):
            start = 1 if "characters" in self.faults and self.size == 3 and place == 0 else 0
            if not ("item" in self.faults and self.size == 2 and place == 1):
                shown.append(ItemQuote(place, Quote(item.head, ((start, self.size),))))
        return Selection(tuple(shown), used=sum(quoted.head.length for quoted in shown))


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Callable[[Arm], None]:
    """Makes an arm one of the installed ones."""
    return lambda arm: offer(monkeypatch, ARMS, **{arm.name: arm})


def forgetful(*faults: str) -> Arm:
    def policy(settings: Settings) -> Forgetful:
        return Forgetful(int(settings["size"]), faults)

    size = Parameter("size", "characters of each item", minimum=1, grows=True)
    return Arm("forgetful", "forgets", "Forgets.", "a test", policy, (size,))


@pytest.mark.parametrize(
    ("faults", "expected"),
    [
        ((), []),
        (("item",), [("forgetful(size=1)", "forgetful(size=2)", "item", 1, None)]),
        (("characters",), [("forgetful(size=2)", "forgetful(size=3)", "characters", 0, "r0")]),
        (
            ("item", "characters"),
            [
                ("forgetful(size=1)", "forgetful(size=2)", "item", 1, None),
                ("forgetful(size=2)", "forgetful(size=3)", "characters", 0, "r0"),
            ],
        ),
    ],
)
def test_an_arm_that_forgets_is_caught(
    tmp_path: Path,
    install: Callable[[Arm], None],
    faults: tuple[str, ...],
    expected: list[tuple[object, ...]],
) -> None:
    install(forgetful(*faults))
    records = tuple(made_record(f"r{number}", "abcdefgh") for number in range(2))
    items = tuple(Item(record.record_id) for record in records)
    cases = [Case(f"q{number}", Query("?"), records, items) for number in range(35)]
    opened = replayed(recording_of(tmp_path, *cases), *[f"forgetful(size={n})" for n in (3, 1, 2)])
    rows = opened.table(schema.LOSSES).to_pylist()
    columns = ("smaller", "larger", "lost", "item", "record_id")
    assert [(row["case_id"], *(row[column] for column in columns)) for row in rows] == [
        (f"q{number}", *loss) for number in range(35) for loss in expected
    ]
    content = opened.manifest.content
    assert content["growth_checks"] == {"forgetful": 2 * 35}
    counted = {"forgetful": {"losses": 35 * len(expected), "cases": 35}} if expected else {}
    assert content["losses"] == counted
