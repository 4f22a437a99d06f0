"""What is located of contexts without dated headers: lines that stand in one place alone."""

from __future__ import annotations

import pytest

from harness.replay.sources.omnimemeval.lines import trace_lines
from harness.replay.sources.omnimemeval.tracing import QuoteOrigin, TracedPart

from ...make.results import CAT, KETTLE, RAIN

RECORDS = [QuoteOrigin(text, None) for text in (RAIN, KETTLE, CAT)]
SHED = "The kettle went to the shed."
LOUD = "The kettle is loud."


def located(context: str) -> list[tuple[int, str] | str]:
    """Each part: the record and the text of what was located, or the text of what was not."""
    found: list[tuple[int, str] | str] = []
    for part in trace_lines(f"Conversation memories:\n\n{context}", RECORDS):
        if not part.located:
            found.append(part.text)
            continue
        ((start, end),) = part.ranges
        found.append((part.matches[0], RECORDS[part.matches[0]].text[start:end]))
    return found


@pytest.mark.parametrize(
    "line",
    [
        SHED,
        f"- {SHED}",
        f"  - {SHED}",
        f"12. {SHED}",
        f"• {SHED}",
        f"Tool Memory: {SHED}",
        f"- (2023-05-02) SESSION 1 TURN 0 user: {SHED}",
        f"[2023-05-02 10:00] user: {SHED}",
    ],
)
def test_a_line_is_located_without_its_mark_and_label(line: str) -> None:
    assert located(line) == [(1, SHED)]


def test_a_role_that_the_record_has_is_part_of_the_quote() -> None:
    assert located(f"user: {SHED}") == [(1, f"user: {SHED}")]


def test_lines_that_stand_together_are_one_quote() -> None:
    assert located(f"- user: {SHED}\n\nassistant: Noted.\n- a fact about kettles") == [
        (1, f"user: {SHED}\n\nassistant: Noted."),
        "a fact about kettles",
    ]


def test_a_short_line_is_located_with_its_neighbours_alone() -> None:
    """`Noted.` stands in one place of all records, by itself as much as by chance."""
    assert located("Noted.") == ["Noted."]


def test_what_stands_in_several_places_is_not_located() -> None:
    twice = [*RECORDS, QuoteOrigin(f"user: {SHED}", None)]
    (part,) = trace_lines(SHED, twice)
    assert part == TracedPart(SHED, (), ((0, len(SHED)),), several_places=True)
    (longer,) = trace_lines(f"user: {SHED}\n\nassistant: Noted.", twice)
    assert longer.matches == (1,)  # a longer run tells the two apart
    (within,) = trace_lines(LOUD * 2, [QuoteOrigin(LOUD * 4, None)])
    assert (within.located, within.several_places) == (False, True)


@pytest.mark.parametrize(
    "context",
    ["", "Conversation memories:\n\n", "Conversation memories:\n\n\n  \n"],
)
def test_a_context_that_says_nothing_has_no_part(context: str) -> None:
    assert trace_lines(context, RECORDS) == ()


def test_no_line_reaches_from_one_record_into_the_next() -> None:
    context = f"{RAIN[-20:]}\0{KETTLE[:20]}"
    assert [part.located for part in trace_lines(context, RECORDS)] == [False]
    two = [QuoteOrigin("a line of some length\n", None), QuoteOrigin("and one after it here", None)]
    assert [
        part.matches for part in trace_lines("a line of some length\nand one after it here", two)
    ] == [
        (0,),
        (1,),
    ]


def test_words_of_the_library_are_not_located() -> None:
    context = (
        f"<FACTS>\n  - The user's kettle is in the shed (event_time: unknown)\n</FACTS>\n{LOUD}!"
    )
    assert located(context) == [
        "<FACTS>",
        "The user's kettle is in the shed (event_time: unknown)",
        "</FACTS>",
        f"{LOUD}!",
    ]
