"""The example arm, in a package of its own: installed, listed, and run by the command line."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.model import Case, Item, Query, Record, Selection, SequencePolicy, view_of
from harness.points import default_points
from harness.recording.case_writer import case_object

from ..make.strategies import cases

CHECKOUT = Path(__file__).resolve().parents[2]
EXAMPLE = CHECKOUT / "examples" / "newest-first-arm"

AGES = (
    Record("old", "An old record.", timestamp="2021-05-01"),
    Record("undated", "No time at all."),
    Record("new", "The newest of all. " * 50, timestamp="2023-05-01T10:00:00+09:00"),
    Record("newer", "A newer one.", timestamp="2023-05-01T02:00:00"),  # an hour later, in UTC
    Record("equal", "As old as the first.", timestamp="2021-05-01T00:00:00+00:00"),
)
CASE = Case("ages", Query("?"), AGES, tuple(Item(record.record_id) for record in AGES))


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the example installed into it; the example itself stays as it is."""
    folder = tmp_path_factory.mktemp("example")
    source = folder / "source"
    shutil.copytree(EXAMPLE, source)
    site = folder / "site"
    offline = ["--no-deps", "--no-build-isolation", "--no-index", "--quiet"]
    install = [sys.executable, "-m", "pip", "install", *offline]
    subprocess.run([*install, "--target", str(site), str(source)], check=True)
    return site


def harness(site: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command line in a process of its own, with `site` on its import path."""
    return subprocess.run(
        [sys.executable, "-m", "harness.cli.main", *arguments],
        env={**os.environ, "PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def test_the_installed_arm_is_listed_and_explained(installed: Path) -> None:
    rows = json.loads(harness(installed, "arms", "--json").stdout)
    assert rows[-1]["arm"] == "newest-first"
    assert rows[-1]["default_points"] == 3
    explained = harness(installed, "arms", "newest-first").stdout
    assert explained.startswith(
        "newest-first: the opening of each item's head, newest record first"
    )


def test_the_installed_arm_selects(installed: Path, tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text(json.dumps(case_object(CASE)), encoding="utf-8")
    found = harness(installed, "select", str(path), "--point", "newest-first")
    assert found.stderr == ""
    lines = [json.loads(line) for line in found.stdout.splitlines()]
    assert [line["point"] for line in lines] == [
        f"newest-first(budget={budget})" for budget in (2000, 2800, 4000)
    ]
    assert [step["record_id"] for step in lines[0]["sequence"]] == [
        *("newer", "new", "old", "equal", "undated"),
    ]


def test_the_installed_arm_is_replayed(installed: Path, tmp_path: Path) -> None:
    path, recording, run = (str(tmp_path / name) for name in ("cases.jsonl", "REC", "RUN"))
    Path(path).write_text(json.dumps(case_object(CASE)), encoding="utf-8")
    points = ["--point", "newest-first", "--point", "items"]
    for arguments in (
        ["import", "cases", path, "--out", recording],
        ["replay", recording, "--out", run, *points],
    ):
        assert harness(installed, *arguments).returncode == 0
    rows = json.loads(harness(installed, "evidence", run, "--json").stdout)
    assert [row["point"] for row in rows] == [
        *[f"newest-first(budget={budget})" for budget in (2000, 2800, 4000)],
        "items",
    ]


def test_a_misspelled_point_of_the_installed_arm_is_mended(installed: Path) -> None:
    found = harness(installed, "select", "-", "--point", "newest-frist(budget=1)")
    assert found.returncode == 2
    assert "Did you mean 'newest-first(budget=800)'?" in found.stderr


@pytest.fixture(scope="module")
def module() -> ModuleType:
    """The example's module, loaded from its file."""
    spec = importlib.util.spec_from_file_location("newest_first", EXAMPLE / "newest_first.py")
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    sys.modules["newest_first"] = loaded
    spec.loader.exec_module(loaded)
    return loaded


def policy_of(module: ModuleType, budget: int, characters: int) -> SequencePolicy:
    policy: Any = module.ARM.policy({"budget": budget, "characters": characters})
    assert isinstance(policy, SequencePolicy)
    return policy


def _shown(selection: Selection) -> set[tuple[int, int, int]]:
    return {
        (item.item, *span) for item in selection.items for span in item.head.ranges if span[1] > 0
    }


def test_the_newest_that_fit_are_shown_in_recall_order(module: ModuleType) -> None:
    selection = policy_of(module, 800, 780).select(view_of(CASE)[0])
    # 12 of `newer`, then 780 of `new` make 792; `old` has 14
    assert _shown(selection) == {(2, 0, 780), (3, 0, 12)}
    assert [item.item for item in selection.items] == [2, 3]
    assert (selection.used, selection.taken, selection.omitted.items) == (792, 2, 3)


@settings(max_examples=50, deadline=None)
@given(case=cases(), budgets=st.tuples(st.integers(800, 3000), st.integers(800, 3000)))
def test_it_keeps_its_promise(module: ModuleType, case: Case, budgets: tuple[int, int]) -> None:
    view = view_of(case)[0]
    smaller, larger = (policy_of(module, budget, 400) for budget in sorted(budgets))
    assert smaller.ordering == larger.ordering
    before, after = smaller.select(view), larger.select(view)
    assert before.used <= min(budgets)
    assert _shown(before) <= _shown(after)


def test_the_code_of_the_walk_through_works() -> None:
    """The arm and the test that `docs/adding-an-arm.md` builds, run as they stand there."""
    page = (CHECKOUT / "docs" / "adding-an-arm.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    written = ModuleType("first_characters")
    sys.modules["first_characters"] = written  # where its own test imports it from
    exec(blocks[0] + blocks[1], written.__dict__)
    test: dict[str, Any] = {}
    exec(blocks[-1], test)
    test["test_the_opening_of_each_head"]()
    points = default_points([written.ARM])
    assert [str(point) for point in points] == [
        "first-characters(characters=200)",
        "first-characters(characters=400)",
    ]
