"""The section rule: headings, anchors, ranges and line counts, written out by hand."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from harness.model import Section, find_section, slug
from harness.worlds import anchored_section, outline_of


def anchors(body: str) -> list[str]:
    return [section.anchor for section in outline_of(body).sections]


def test_a_section_runs_to_the_next_heading_of_its_level_or_above() -> None:
    body = "Before.\n\n# One\n\ntext\n\n## Two\n\n### Three\n## Four\nlast"
    assert outline_of(body).sections == (
        Section("one", 1, 9, 52, 9, "One"),
        Section("two", 2, 22, 40, 3, "Two"),
        Section("three", 3, 30, 40, 1, "Three"),
        Section("four", 2, 40, 52, 2, "Four"),
    )
    assert body[9:14] == "# One"
    assert body[40:52] == "## Four\nlast"


def test_a_second_heading_of_level_1_ends_the_first() -> None:
    first, second = outline_of("# A\ntext\n# B\n").sections
    assert (first.start, first.end, second.start, second.end) == (0, 9, 9, 13)


def test_setext_headings_count_from_their_first_line() -> None:
    body = "Title\nin two lines\n===\n\nSub\n---\nx\n"
    first, second = outline_of(body).sections
    assert (first.anchor, first.level, first.start) == ("title-in-two-lines", 1, 0)
    assert first.title == "Title in two lines"
    assert anchors("\u3000wide\u3000\n---\n") == ["-wide-"]
    assert (second.anchor, second.level, second.start, second.lines) == ("sub", 2, 24, 3)


@pytest.mark.parametrize(
    "body",
    [
        "```\n# in a fence\n```\n",
        "    # in indented code\n",
        "#no blank\n",
        "<div>\n# in raw html\n</div>\n",
        "####### seven\n",
        "\r# after a carriage return alone\n",
        "##\n# \n### ###\n",
        "## <http://a.b><i></i>\n",
        "",
        "text\n",
    ],
)
def test_what_is_not_a_section(body: str) -> None:
    assert anchors(body) == []


@pytest.mark.parametrize(
    ("heading", "anchor", "title"),
    [
        ("Héllo, Wörld!", "héllo-wörld", "Héllo, Wörld!"),
        ("`code_x` and [label](http://a.b)", "code_x-and-label", "code_x and label"),
        ("A  &amp; B", "a--amp-b", "A  &amp; B"),
        ("R&amp;D&nbsp;&#50;&unknown;", "rampdnbsp50unknown", "R&amp;D&nbsp;&#50;&unknown;"),
        ("<http://a.b/c> seen", "-seen", " seen"),
        ("by <me@a.b>, *<http://a.b>*", "by--", "by , "),
        ("![a &gt; <http://c.d>](x.png)", "a-gt-", "a &gt; "),
        ("\u3000wide \u3000", "-wide--", "\u3000wide \u3000"),
        ("a\rb", "a-b", "a b"),
        ("🎸", "", "🎸"),
        ("*Very* **bold**", "very-bold", "Very bold"),
        ("観測の手順", "観測の手順", "観測の手順"),
        ("データ・ベース 2", "データベース-2", "データ・ベース 2"),
        ("![a picture](x.png) of it", "a-picture-of-it", "a picture of it"),
        ("<b>raw</b> html", "raw-html", "raw html"),
        ("Under_score - dash", "under_score---dash", "Under_score - dash"),
        ("½ pound №5", "½-pound-5", "½ pound №5"),
        ("ΟΔΟΣ", "οδοσ", "ΟΔΟΣ"),
        ("[ref]", "ref", "ref"),
        ("closed ##", "closed", "closed"),
        ("\\# escaped \\*", "-escaped-", "\\# escaped \\*"),
    ],
)
def test_the_anchor_is_the_slug_of_the_text_as_it_is_written(
    heading: str, anchor: str, title: str
) -> None:
    (section,) = outline_of(f"## {heading}\n\n[ref]: http://x.y\n").sections
    assert (section.anchor, section.title) == (anchor, title)


def test_duplicates_are_numbered_against_all_that_is_taken() -> None:
    body = "# A\n# A 1\n# a\n# A\n# A-1\n"
    assert anchors(body) == ["a", "a-1", "a-2", "a-3", "a-1-1"]


def test_a_heading_whose_text_gives_no_anchor_is_a_section() -> None:
    body = "# A\n##\ntext\n## !!!\n## …\n"
    assert [(each.anchor, each.start, each.end) for each in outline_of(body).sections] == [
        ("a", 0, len(body)),
        ("", 12, 19),
        ("-1", 19, len(body)),
    ]


def test_headings_in_quotes_and_lists_count_at_any_depth() -> None:
    body = "# A\n\n> one\n> - ## B\n>   two\n>   # C\n\nend\n"
    assert [(each.anchor, each.start, each.end) for each in outline_of(body).sections] == [
        ("a", 0, 28),
        ("b", 11, 28),
        ("c", 28, len(body)),
    ]
    assert anchors("> " * 90 + "# Deep") == anchors("- " * 45 + "# Deep") == ["deep"]


def test_a_label_with_wide_space_is_one_label() -> None:
    (section,) = outline_of("## [one][a\u3000b]\n\n[A \u3000 B]: /x\n").sections
    assert section.title == "one"


def test_wide_space_next_to_a_star_is_white_space() -> None:
    assert anchors("## **注意：**\u3000次") == ["注意-次"]


def test_a_block_that_the_text_ends_is_read() -> None:
    assert anchors("# A\n> ```\n> x\n> - <!-- c\n>") == ["a"]


def test_lines_end_at_a_line_feed_alone() -> None:
    body = "# A\n\rx\r# no heading\n\u2028# nor this\n# B\r\n"
    first, second = outline_of(body).sections
    assert (first.anchor, first.lines) == ("a", 3)
    assert (second.anchor, body[second.start :]) == ("b", "# B\r\n")


def test_the_first_paragraph_is_outside_quotes_and_lists() -> None:
    body = "# T\n\n> quoted\n\n- item\n\n```\ncode\n```\n\nFirst *line*\nand second.\n\nOther.\n"
    assert outline_of(body).first_paragraph == "First *line*\nand second."
    assert outline_of("# T\n").first_paragraph == ""
    assert outline_of("preamble").first_paragraph == "preamble"
    assert outline_of("\n  \u3000a \r\n\r\nb").first_paragraph == "  \u3000a \r"


def test_finding_is_forgiving_and_the_anchor_is_not() -> None:
    sections = outline_of("# The First\n## SECOND thing!\n").sections
    assert find_section(sections, "#The-FIRST") == sections[0]
    assert find_section(sections, "second thing!") == sections[1]
    assert find_section(sections, "##second-thing") == sections[1]
    assert find_section(sections, "third") is None
    assert anchored_section(sections, "the-first") == sections[0]
    assert anchored_section(sections, "The-First") is None


MARKDOWN = st.text(st.sampled_from("# ab\n\r\t->`*[]()=_!\\&é観\u2028\x00"), max_size=80)


@given(MARKDOWN)
@example("# a\n\n# a\n## a-1\n")
def test_sections_of_any_text_are_lines_of_it_and_nest(body: str) -> None:
    sections = outline_of(body).sections
    assert len({section.anchor for section in sections}) == len(sections)
    for place, section in enumerate(sections):
        text = body[section.start : section.end]
        assert section.start == 0 or body[section.start - 1] == "\n"
        assert section.end == len(body) or body[section.end - 1] == "\n"
        assert section.lines == text.count("\n") + (not text.endswith("\n"))
        for later in sections[place + 1 :]:
            assert section.start < later.start
            inside = later.end <= section.end
            assert inside or section.end <= later.start
            assert inside == all(
                between.level > section.level
                for between in sections[place + 1 : sections.index(later) + 1]
            )


@given(MARKDOWN)
def test_the_first_paragraph_stands_in_the_text(body: str) -> None:
    assert outline_of(body).first_paragraph in body


@given(st.text())
def test_a_slug_is_its_own_slug(text: str) -> None:
    assert slug(slug(text)) == slug(text)
