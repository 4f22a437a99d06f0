"""Arms of other packages: what they promise is checked, and a broken one is left out."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from harness.errors import UsageError
from harness.model import (
    Arm,
    Case,
    CaseView,
    Item,
    ItemQuote,
    Omitted,
    Passage,
    PassageSequence,
    Policy,
    Query,
    Quote,
    Ranks,
    Record,
    Selection,
    SequencePolicy,
    Settings,
    view_of,
)
from harness.points import default_points, parse_point
from harness.points.arms import ARMS, load_arms
from harness.points.promises import ArmError, kept, selection_faults
from harness.recording.recording import Recording

from ..make.offers import offer
from .conftest import CASES, Harness
from .installed import install, metadata_of

FAULTY = CASES / "faulty-arms"
PROMISES = {
    "raises": "the arm raised ZeroDivisionError",
    "returns-nothing": "select must return a harness.model.Selection; it returned None",
    "backwards": "a range ends after it starts",
    "record-99": "an item has its own head",
    "outside": "a range is inside its text",
    "negative": "a range is inside its text",
    "overlapping": "ranges are in text order and do not touch",
    "too-little-used": "used is the length of all that is quoted",
    "other-head": "an item has its own head",
    "same-item-thrice": "an item is shown once",
    "last-item-first": "items are in window order",
    "empty-context": "a context holds every quoted text",
    "random-length": "the same case gives the same selection",
}


@pytest.fixture
def faulty(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    install(monkeypatch, FAULTY, tmp_path_factory.mktemp("site"))
    yield
    monkeypatch.undo()
    ARMS.forget()


@pytest.mark.usefixtures("faulty")
def test_an_arm_that_keeps_its_promises_runs(harness: Harness) -> None:
    assert harness("import", "cases", FAULTY / "cases.jsonl", "--out", "REC", "-q").code == 0
    finished = harness("replay", "REC", "--out", "RUN", "--point", "sound")
    assert (finished.code, "warning" in finished.err) == (0, False)


@pytest.mark.usefixtures("faulty")
@pytest.mark.parametrize("arm", PROMISES)
def test_a_promise_that_is_not_kept_stops_every_verb(arm: str, harness: Harness) -> None:
    cases = FAULTY / "cases.jsonl"
    assert harness("import", "cases", cases, "--out", "REC", "-q").code == 0
    first = Recording.open(Path("REC")).case_ids[0]
    point = f"{arm}(n=50)"
    for arguments in (
        ("replay", "REC", "--out", "RUN", "--point", arm),
        ("select", cases, "--point", arm),
        ("explain", "REC", first, "--point", point),
    ):
        finished = harness(*arguments)
        assert finished.code == 2, arguments
        assert f"arm {arm!r}, point {point}, case {first!r}: {PROMISES[arm]}" in finished.err or (
            # the draw may leave the text before it differs
            arm == "random-length" and "a range is inside its text" in finished.err
        )
    assert not Path("RUN").exists()
    if arm == "raises":
        place = finished.err.split("The traceback is in ")[1].split(". ")[0]
        assert "1 // 0" in Path(place).read_text(encoding="utf-8")


@pytest.mark.usefixtures("faulty")
def test_growth_that_is_not_kept_is_said_loudly(harness: Harness) -> None:
    assert harness("import", "cases", FAULTY / "cases.jsonl", "--out", "REC", "-q").code == 0
    for command in (["replay", "REC", "--out", "RUN"], ["select", FAULTY / "cases.jsonl"]):
        finished = harness(*command, "--point", "shrinking", "--quiet")
        assert finished.code == 0
        assert (
            "warning: the arm 'shrinking' promises growth and does not keep it: "
            "shrinking(n=100) lacks what shrinking(n=50) shows in 12 cases\n"
        ) in finished.err


@pytest.mark.usefixtures("faulty")
def test_points_that_are_added_are_withdrawn_alone(harness: Harness) -> None:
    assert harness("import", "cases", FAULTY / "cases.jsonl", "--out", "REC", "-q").code == 0
    assert harness("replay", "REC", "--out", "RUN", "--point", "sound", "-q").code == 0
    before = {path: path.read_bytes() for path in Path("RUN").rglob("*") if path.is_file()}
    assert harness("replay", "REC", "--out", "RUN", "--point", "outside").code == 2
    assert {path: path.read_bytes() for path in Path("RUN").rglob("*") if path.is_file()} == before


def test_a_package_that_cannot_be_imported_is_left_out(tmp_path: Path) -> None:
    broken = CASES / "broken-arm"
    path = os.pathsep.join([str(broken), str(metadata_of(broken, tmp_path / "site"))])

    def run(*arguments: str) -> tuple[int, str, str]:
        command = [sys.executable, "-m", "harness.cli.main", *arguments]
        finished = subprocess.run(
            command, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True
        )
        return finished.returncode, finished.stdout, finished.stderr

    cases = str(broken / "cases.jsonl")
    for arguments in (["arms"], ["select", cases, "--point", "items"]):
        code, out, err = run(*arguments)
        assert code == 0, err
        assert out
        assert err.count("warning: ") == 1
        assert (
            "the arm 'broken' cannot be imported from broken_arm:ARM of the package broken-arm"
            in err
        )
        assert "Traceback" not in err
    code, out, err = run("select", cases, "--point", "broken")
    assert (code, out) == (2, "")
    assert "'broken'" in err
    assert "broken-arm" in err
    assert "a_module_that_is_not_installed" in err


@pytest.mark.usefixtures("faulty")
def test_the_arms_of_the_harness_do_not_depend_on_what_is_installed() -> None:
    names = [arm.name for arm in load_arms(bundled=True)]
    assert {"items", "2.6.5a1", "sea"} <= set(names)
    assert "sound" not in names
    assert "sound" in [arm.name for arm in load_arms()]


@pytest.mark.parametrize("place", ["datasets/sample/recording"])
def test_the_arms_of_the_harness_keep_every_promise(place: str, checkout: Path) -> None:
    opened = Recording.open(checkout / place)
    points = default_points(load_arms(bundled=True), kind=opened.kind)
    for case in opened.cases(range(0, len(opened.case_ids), 6)):
        view, _ = view_of(case)
        for point in points:
            assert list(selection_faults(point.policy.select(view), view)) == [], (case, point)


CASE = Case(
    "one",
    Query("when?"),
    (Record("a", "It was in May."), Record("b", "And in June."), Record("c", "Or not.")),
    (Item("a", ("c",)), Item("b")),
)
SOUND = Selection((ItemQuote(0, Quote(0, ((0, 2), (5, 7)))),), used=7)


def faults(**changes: object) -> list[str]:
    view, _ = view_of(CASE)
    found = selection_faults(replace(SOUND, **changes), view)  # type: ignore[arg-type]
    return [next(found, "")]


def test_a_sound_selection_has_no_fault() -> None:
    assert faults() == [""]
    assert faults(context="…It…s i…") == [""]


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"used": -1}, "used must be a count"),
        ({"used": True}, "used must be a count"),
        ({"used": 2**40}, "used must be a count"),
        ({"budget": 1.5}, "budget must be a count or None"),
        ({"context": b"It"}, "context must be Unicode text"),
        ({"context": "It in \ud800"}, "context must be Unicode text"),
        ({"omitted": Omitted(items=-1)}, "omitted.items must be a count"),
        ({"items": [SOUND.items[0]]}, "items must be a tuple"),
        ({"taken": 1}, "taken is 1 of a sequence of 0"),
        ({"items": (ItemQuote(2, Quote(0, ())),), "used": 0}, "items are places of the window"),
        (
            {"items": (ItemQuote(0, Quote(0, ()), (Quote(2, ((0, 1),)),)),), "used": 1},
            "an item's excerpts are of its own claims",
        ),
        (
            {"items": (ItemQuote(0, Quote(0, ((0, 2), (2, 4)))),), "used": 7},
            "ranges are in text order and do not touch",
        ),
        ({"items": (ItemQuote(0, Quote(0, ((False, 2),))),), "used": 2}, "a pair of whole numbers"),
        (
            {"sequence": PassageSequence.of([Passage(0, 0, 0, 99, Ranks(0, 0, None))])},
            "a range is inside its text; passage 0",
        ),
        (
            {"sequence": PassageSequence.of([Passage(5, 0, 0, 1, Ranks(0, 0, None))])},
            "a passage is offered for an item of the window",
        ),
    ],
)
def test_what_is_not_kept_is_named(changes: dict[str, object], fault: str) -> None:
    assert fault in faults(**changes)[0]


@dataclass(frozen=True)
class Shortest:
    """An order, cut after some passages; `wrong` says what it does wrong."""

    ordering: Shortest | None
    wrong: str = ""

    def order(self, case: CaseView) -> PassageSequence:
        if self.wrong == "order":
            raise KeyError("no such place")
        return PassageSequence.of([Passage(0, 0, 0, 2, Ranks(0, 0, None))])

    def select(self, case: CaseView) -> Selection:
        return self.cut(case, self.order(case))

    def cut(self, case: CaseView, sequence: PassageSequence) -> Selection:
        used = 3 if self.wrong == "cut" else 2
        return Selection(
            (ItemQuote(0, Quote(0, ((0, 2),))),), used=used, sequence=sequence, taken=1
        )


@pytest.mark.parametrize(("wrong", "message"), [("order", "KeyError"), ("cut", "used is the")])
def test_orders_and_cuts_are_checked_too(wrong: str, message: str) -> None:
    policy = kept("shortest", "shortest", lambda: Shortest(Shortest(None, wrong), wrong))
    assert isinstance(policy, SequencePolicy)
    view, _ = view_of(CASE)
    with pytest.raises(ArmError, match=f"arm 'shortest', point shortest, case 'one': .*{message}"):
        policy.cut(view, policy.ordering.order(view))


def test_equal_policies_stay_equal() -> None:
    one, other = (kept(name, "shortest", lambda: Shortest(Shortest(None))) for name in "ab")
    assert one == other
    assert hash(one) == hash(other)


class NoPolicy:
    pass


class Unhashable:
    __hash__ = None  # type: ignore[assignment]

    def select(self, case: CaseView) -> Selection:
        return SOUND


def raising(settings: Settings) -> Policy:
    raise np.linalg.LinAlgError("singular")


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        (lambda settings: NoPolicy(), "a policy has the method select; this is NoPolicy"),
        (lambda settings: Unhashable(), "the arm raised TypeError: unhashable type"),
        (raising, "the arm raised numpy.linalg.LinAlgError: singular"),
    ],
)
def test_what_makes_no_policy_is_named(
    policy: object, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    arm = Arm("odd", "odd", "Odd.", "a test", policy)  # type: ignore[arg-type]
    offer(monkeypatch, ARMS, odd=arm)
    with pytest.raises(ArmError, match="arm 'odd', point odd: "):
        _ = parse_point("odd").policy


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"default_points": ({"n": 1},)}, "has a point with the setting 'n'"),
        ({"place": "first"}, "has a place that is not a whole number"),
        ({"accepts": ("dream",)}, "accepts other kinds"),
        ({"summary": None}, "has a summary that is not a text"),
    ],
)
def test_a_declaration_that_does_not_hold_together_is_left_out(
    change: dict[str, object], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    arm = replace(Arm("odd", "odd", "Odd.", "a test", raising), **change)  # type: ignore[arg-type]
    monkeypatch.setattr(sys.modules[__name__], "ODD", arm, raising=False)
    offer(monkeypatch, ARMS, odd=f"{__name__}:ODD")
    monkeypatch.setattr(ARMS, "_warned", set())
    with pytest.warns(UserWarning, match=message):
        assert "odd" not in [found.name for found in load_arms()]
    with pytest.raises(UsageError, match=message):
        ARMS.load("odd")
