"""Locations in headers and URLs."""

from __future__ import annotations

import pytest

from harness.attempts.scoring.observation import Location, located, printed_location


@pytest.mark.parametrize(
    ("header", "place"),
    [
        ("/a.md", Location("/a.md")),
        ("/a/b c.md/v12#two-1", Location("/a/b c.md", 12, "two-1")),
        ("/a#b.md/v2", Location("/a#b.md", 2)),
        ("/a.md/v3/b.md#x", Location("/a.md/v3/b.md", None, "x")),
        ("/日本.md/v1#節", Location("/日本.md", 1, "節")),
        ("/a.md/v0#x", None),
        ("/a.md/v2#two (via supersedes)", None),
        ("/a.md/v2 (via supersedes)", None),
        ("note: /a.md/v2#two", None),
        ("a.md", None),
        ("/a.txt#x", None),
    ],
)
def test_a_header_is_a_location_or_nothing(header: str, place: Location | None) -> None:
    assert printed_location(header) == place
    if place is not None:
        assert str(place) == header


SOURCE = "mark://music"


@pytest.mark.parametrize(
    "url",
    [
        "/a.md/v2#x",
        "mark:/a.md/v2#x",
        "mark:///a.md/v2#x",
        "mark://music/a.md/v2#x",
        "mark://Music:6309/a.md/v2#x",
        "//music/a.md/v2#x",
        "/%61.md/v2#x",
    ],
)
def test_spellings_of_one_place(url: str) -> None:
    assert located(url, SOURCE) == Location("/a.md", 2, "x")


@pytest.mark.parametrize(
    ("url", "fault"),
    [
        ("", "is not a URL"),
        ("/a b.md/v2#x", "is not a URL"),
        ("mark://[x/a.md", "is not a URL"),
        ("mark://music:x/a.md", "is not a URL"),
        ("http://music/a.md/v2#x", "has the scheme 'http'"),
        ("mark://user@music/a.md/v2#x", "has a query or a user"),
        ("/a.md/v2?#x", "has a query or a user"),
        ("mark://music:7000/a.md/v2#x", "is on another server than mark://music"),
        ("mark://other/a.md/v2#x", "is on another server than mark://music"),
        ("/a/v2#x", "is not a path of a document"),
        ("/a.md/v02#x", "is not a path of a document"),
        ("a.md/v2#x", "is not a path of a document"),
    ],
)
def test_urls_that_name_no_place(url: str, fault: str) -> None:
    found = located(url, SOURCE)
    assert isinstance(found, str)
    assert fault in found


def test_a_world_without_a_source_has_no_server() -> None:
    assert isinstance(located("mark://music/a.md/v2#x", None), str)
    assert located("/a.md/v2#x", None) == Location("/a.md", 2, "x")
