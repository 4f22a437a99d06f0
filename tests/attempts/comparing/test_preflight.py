"""Every check of a preflight fires."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.attempts.comparing.preflight import PreflightCheck, preflight
from harness.attempts.comparing.shown_lookups import LookupSide, ShownLookups
from harness.worlds import World, load_world

from ...make.attempts import NOTE, SPEED, WHEEL, block, lookup

SPEED_BLOCK = block("/mill/wheel.md/v2#speed", f"## Speed\n\n{SPEED}")
WHEEL_BLOCK = block("/mill/wheel.md/v2#wheel", WHEEL)
PLAIN = block("/mill/wheel.md/v2", WHEEL)


@pytest.fixture(scope="module")
def world(mill_folder: Path) -> World:
    return load_world(mill_folder)


def side(*expansions: str, task: str = "wheel") -> LookupSide:
    outputs = tuple(lookup(each).output for each in expansions)
    return LookupSide("made", (ShownLookups(f"{task}#1", task, outputs),))


def checks(
    world: World, before: LookupSide, after: LookupSide, **more: bool
) -> list[PreflightCheck]:
    return preflight(before, after, world, None, stubs=more.get("stubs", False))


def test_an_arm_that_may_be_paid(world: World) -> None:
    schemas, cohort, headers, citable = checks(world, side(PLAIN), side(WHEEL_BLOCK))
    assert (schemas.passed, cohort.passed, headers.passed, citable.passed) == (None,) + (True,) * 3
    assert (headers.before, headers.after) == ("1 of 1", "1 of 1")
    assert (citable.before, citable.after) == ("0 of 2", "2 of 2")


def test_other_schemas(world: World) -> None:
    tools = {"mark_lookup": {"name": "mark_lookup"}}
    found = preflight(side(), side(), world, (tools, {}), stubs=False)[0]
    assert (found.passed, found.details) == (False, ("mark_lookup is gone",))
    assert preflight(side(), side(), world, (tools, tools), stubs=False)[0].passed


@pytest.mark.parametrize(
    ("header", "fault"),
    [
        ("/mill/wheel.md/v2#speed (supersedes)", "reads as no location"),
        ("/mill/wheel.md#speed", "names no version"),
        ("/mill/wheel.md/v3#speed", "names no existing version"),
        ("/mill/wheels.md/v2#speed", "names no document of the world"),
        ("/mill/wheel.md/v1#speed", "names no section of that version"),
    ],
)
def test_a_header_that_cannot_be_read(world: World, header: str, fault: str) -> None:
    bad = side(SPEED_BLOCK, WHEEL_BLOCK + block(header, SPEED))
    found = checks(world, side(SPEED_BLOCK), bad)[2]
    assert not found.passed
    assert (found.before, found.after) == ("1 of 1", "2 of 3")
    assert found.details == (f"after, wheel#1: {header!r} {fault}",)
    assert not checks(world, bad, side(SPEED_BLOCK))[2].passed


def test_notes_and_relation_lines_are_no_headers(world: World) -> None:
    notes = block("note: expanded 1 of 2 rows", "") + block("related: rel-x /mill/a.md", "")
    assert checks(world, side(), side(notes))[2].after == "0 of 0"


@pytest.mark.parametrize(
    "expansion",
    [PLAIN, block("/mill/wheel.md/v2#speed", SPEED), block("/mill/wheel.md/v1#wheel", WHEEL), ""],
    ids=["no anchor", "cut short", "another version", "nothing"],
)
def test_fewer_citable_passages(world: World, expansion: str) -> None:
    found = checks(world, side(SPEED_BLOCK), side(expansion))[3]
    assert not found.passed
    assert (found.before, found.after) == ("1 of 2", "0 of 2")
    assert found.details == ("wheel#1: rounds was citable",)


def test_only_the_first_lookup_is_compared(world: World) -> None:
    assert checks(world, side(), side("", SPEED_BLOCK))[3].after == "0 of 2"


def test_a_gain_elsewhere_still_names_what_was_lost(world: World) -> None:
    wood = block("/mill/wheel.md/v2#wood", "## Wood\n\nThe wheel is oak. Oak lasts.")
    found = checks(world, side(SPEED_BLOCK), side(wood))[3]
    assert (found.passed, found.details) == (True, ("wheel#1: rounds was citable",))


def test_stubs_count_where_that_is_chosen(world: World) -> None:
    stub = block("/mill/b.md/v1#note", "same text as /mill/a.md/v1#note")
    before = side(block("/mill/b.md/v1#note", NOTE), task="grease")
    after = side(block("/mill/a.md/v1#note", NOTE) + stub, task="grease")
    assert not checks(world, before, after)[3].passed
    assert checks(world, before, after, stubs=True)[3].passed


def test_other_lookups(world: World) -> None:
    found = checks(world, side(), side(task="grease"))[1]
    assert found.details == ("wheel#1 only in before", "grease#1 only in after")
    assert not found.passed
