"""What calls show: only that can be cited."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.attempts.scoring import Call
from harness.attempts.scoring.observation import observed
from harness.worlds import World

from ...make.attempts import GREASE, NOTE, OAK, SPEED, WHEEL, block, fetch, lookup

SPEED_SECTION = f"## Speed\n\n{SPEED}\n"


def shows(world: World, call: Call, place: str, quote: str, *, stubs: bool = False) -> bool:
    path, _, anchor = place.partition("#")
    path, _, version = path.rpartition("/v")
    return observed([call], world, stubs=stubs).shows(path, int(version), anchor, quote)


@pytest.mark.parametrize(
    ("call", "seen"),
    [
        (fetch("/mill/wheel.md", 2, WHEEL), True),
        (fetch("mark:///mill/wheel.md/v2", 2, WHEEL), True),
        (fetch("/mill/wheel.md#speed", 2, SPEED_SECTION, "speed"), True),
        (fetch("/mill/wheel.md#Speed", 2, SPEED_SECTION, "speed"), True),
        (fetch("/mill/wheel.md#wheel", 2, WHEEL, "wheel"), True),
        (fetch("/mill/wheel.md", 2, WHEEL[:40]), False),
        (fetch("/mill/wheel.md", 2, WHEEL, status="not-found"), False),
        (fetch("/mill/wheel.md", 2, WHEEL, mode="outline"), False),
        (fetch("/mill/wheel.md/v1", 2, WHEEL), False),
        (fetch("/mill/wheel.md", 1, WHEEL), False),
        (fetch("/mill/wheel.md", "two", WHEEL), False),
        (fetch("/mill/wheel.md#wood", 2, SPEED_SECTION, "speed"), False),
        (fetch("/mill/wheel.md#speed", 2, SPEED_SECTION), False),
        (fetch("/mill/wheel.md", 2, SPEED_SECTION, "speed"), False),
        (Call("mark_fetch", {"url": "/mill/wheel.md"}, WHEEL), False),
        (Call("mark_list", {"url": "/mill"}, f"status: ok\nversion: 2\n\n{WHEEL}"), False),
    ],
    ids=[
        "whole",
        "pinned url",
        "section",
        "section in another case",
        "section around it",
        "cut short",
        "not ok",
        "outline",
        "another version asked",
        "another version printed",
        "no number",
        "another section asked",
        "no section printed",
        "no section asked",
        "no envelope",
        "another tool",
    ],
)
def test_a_fetch_shows_its_sections(world: World, call: Call, seen: bool) -> None:
    assert shows(world, call, "/mill/wheel.md/v2#speed", SPEED) is seen


def test_a_call_with_an_error_shows_nothing(world: World) -> None:
    good = fetch("/mill/wheel.md", 2, WHEEL)
    bad = Call(good.name, good.input, good.output, "closed")
    assert not shows(world, bad, "/mill/wheel.md/v2#speed", SPEED)


@pytest.mark.parametrize(
    ("expansion", "seen"),
    [
        (block("/mill/wheel.md/v2#speed", SPEED_SECTION), True),
        (block("/mill/wheel.md#speed", SPEED_SECTION), True),
        (block("/mill/wheel.md/v2#wheel", WHEEL), True),
        (block("/mill/wheel.md/v2", WHEEL), True),
        (block("/mill/wheel.md/v2", SPEED_SECTION + "part of it"), True),
        (block("/mill/wheel.md/v2", SPEED), False),
        (block("/mill/wheel.md/v2#speeds", SPEED_SECTION), False),
        (block("/mill/wheel.md/v9#speed", SPEED_SECTION), False),
        (block("/mill/wheel.md/v2#speed (supersedes)", SPEED_SECTION), False),
        (block("note: /mill/wheel.md/v2#speed is within it", SPEED_SECTION), False),
        (block("related: rel-x /mill/wheel.md/v2#speed", SPEED_SECTION), False),
        (f"| /mill/wheel.md#speed | 0.50 | T | t | {SPEED} |", False),
    ],
    ids=[
        "section",
        "current version",
        "section around it",
        "without an anchor",
        "without an anchor, a section whole",
        "without an anchor, part of a section",
        "unknown anchor",
        "unknown version",
        "suffix",
        "note",
        "relation line",
        "snippet of the table",
    ],
)
def test_a_lookup_shows_its_blocks(world: World, expansion: str, seen: bool) -> None:
    assert shows(world, lookup(expansion), "/mill/wheel.md/v2#speed", SPEED) is seen


def test_a_note_ends_a_block(world: World) -> None:
    expansion = block("/mill/wheel.md/v2#speed", "## Speed") + block("note: cut", SPEED)
    assert not shows(world, lookup(expansion), "/mill/wheel.md/v2#speed", SPEED)


def test_a_block_without_an_anchor_shows_no_section_it_prints_in_part(world: World) -> None:
    assert not shows(
        world, lookup(block("/mill/wheel.md/v2", SPEED_SECTION)), "/mill/wheel.md/v2#wheel", SPEED
    )


def test_a_lookup_that_failed_shows_nothing(world: World) -> None:
    call = lookup(block("/mill/wheel.md/v2#speed", SPEED_SECTION), status="error")
    assert not shows(world, call, "/mill/wheel.md/v2#speed", SPEED)


def test_white_space_and_escaped_frames_are_folded(world: World) -> None:
    folded = SPEED.replace(" ", "\n  ")
    call = lookup(block("/mill/wheel.md/v2#speed", folded))
    assert shows(world, call, "/mill/wheel.md/v2#speed", SPEED)
    assert not shows(world, call, "/mill/wheel.md/v2#wood", OAK)


def test_a_stub_shows_its_words_or_what_it_names(world: World) -> None:
    expansion = block("/mill/a.md/v1#note", NOTE) + block(
        "/mill/b.md/v1#note", "same text as /mill/a.md/v1#note"
    )
    place = "/mill/b.md/v1#note"
    assert not shows(world, lookup(expansion), place, GREASE)
    assert shows(world, lookup(expansion), place, "same text as /mill/a.md/v1#note")
    assert shows(world, lookup(expansion), place, GREASE, stubs=True)


def test_a_stub_of_what_was_not_printed_before_shows_no_text(world: World) -> None:
    stub = block("/mill/b.md/v1#note", "same text as /mill/a.md/v1#note")
    after = stub + block("/mill/a.md/v1#note", NOTE)
    for expansion in (stub, after):
        assert not shows(world, lookup(expansion), "/mill/b.md/v1#note", GREASE, stubs=True)


PARTS = st.sampled_from(
    [
        ">>> ",
        "\n",
        "note: ",
        "/mill/wheel.md",
        "/v2",
        "#speed",
        "same text as ",
        SPEED,
        "status: ok",
    ]
)


@given(st.lists(PARTS | st.text(max_size=5), max_size=12), st.booleans())
def test_any_output_is_read_and_shows_no_more_than_it_holds(
    world: World, parts: list[str], stubs: bool
) -> None:
    text = "".join(parts)
    call = Call("mark_lookup", {}, f"status: ok\n\n{text}")
    if shows(world, call, "/mill/wheel.md/v2#speed", SPEED, stubs=stubs):
        assert SPEED in text
