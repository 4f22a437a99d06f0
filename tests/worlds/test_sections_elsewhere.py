"""Sections as others have them: given ones, and those of a second CommonMark implementation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyromark
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.worlds import outline_of

from ..golden import golden_rows

GIVEN = golden_rows("sections/bodies")


@pytest.mark.parametrize("case", GIVEN, ids=[case["name"] for case in GIVEN])
def test_sections_are_the_given_ones(case: dict[str, Any]) -> None:
    found = outline_of(case["body"]).sections
    assert [[each.anchor, each.level, each.start, each.end] for each in found] == case["sections"]


# Where the parsers differ from each other no line is taken from: a definition of a link that is
# followed by text, and a line that is indented by four columns after a quote.
MARKERS = (
    "",
    "",
    "",
    "> ",
    ">",
    "- ",
    "* ",
    "-   ",
    "1. ",
    "2) ",
    "  ",
    "   ",
    "> - ",
    "- > ",
    ">  > ",
)
LINES = (
    *("# A", "## B *c*", "### `x` d ##", "#### ", "##", "# A #", "#\tT", "# -", "#no", "# 観測"),
    *("## !!!", "## 🎸", "# \\#", "## &#35;", "## R&amp;D", "#  \u3000", "## <http://a.b>"),
    *("## <i></i>", "## ![](b)", "# ![d](b)", "## [r]", "a", "b *c*", "&amp; x", "\\# y", "日本"),
    *(
        "\u3000x",
        "x  ",
        "x\\",
        "===",
        "---",
        "=",
        "- -",
        "***",
        "===\u3000",
        "",
        "",
        "",
        "```",
        "~~~",
    ),
    *("<div>", "</div>", "<b>x</b>", "<!-- c", "-->", "[r]: /u\n", "[r]: /u 't'\n", "\n    # code"),
)


@st.composite
def documents(draw: st.DrawFn) -> str:
    """A document of headings and what may hold, end or hide them; no carriage return alone."""
    line = st.tuples(st.sampled_from(MARKERS), st.sampled_from(LINES)).map("".join)
    body = "\n".join(draw(st.lists(line, max_size=9))) + draw(st.sampled_from(("", "\n")))
    return body.replace("\n", draw(st.sampled_from(("\n", "\r\n"))))


@settings(max_examples=500)
@given(documents())
def test_sections_stand_where_another_parser_has_them(body: str) -> None:
    found = [(each.level, each.start, each.end) for each in outline_of(body).sections]
    assert found == sections_of_another_parser(body)


def sections_of_another_parser(body: str) -> list[tuple[int, int, int]]:
    """Level, start and end of the headings with text, by pulldown-cmark."""
    headings = [(level, start) for level, start, text in _headings(body) if text]
    return [
        (level, start, next((at for depth, at in headings[place:] if depth <= level), len(body)))
        for place, (level, start) in enumerate(headings, start=1)
    ]


def _headings(body: str) -> Iterator[tuple[int, int, str]]:
    """Level, start of the line, and text without addresses in angle brackets."""
    level, start, text, in_address = 0, 0, "", False
    data = body.encode("utf-8")
    for event, place in pyromark.events_with_range(body):
        match event:
            case {"Start": {"Heading": heading}}:
                before = data[: place["start"]].decode("utf-8")
                level, start, text = int(heading["level"][1]), before.rfind("\n") + 1, ""
            case {"End": {"Heading": _}}:
                yield level, start, text
            case {"Start": {"Link": link}}:
                in_address = link["link_type"] == "Autolink"
            case {"End": "Link"}:
                in_address = False
            case {"Text": words} | {"Code": words} if not in_address:
                text += str(words)
            case "SoftBreak" | "HardBreak":
                text += " "
