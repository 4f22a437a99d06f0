"""Which required passages can be cited from which blocks."""

from __future__ import annotations

import pytest

from harness.model import Document, LookupGold, PrintedBlock, RequiredPassage, Section
from harness.worlds.citable import citable_fields, holds_passage

BODY = "# T\n\nlead\n\n## A\n\nred  fox\nruns\n\n### B\n\nblue hen\n\n## C\n\nblue hen\n"
A, B, C = (BODY.index(mark) for mark in ("## A", "### B", "## C"))
DOCUMENT = Document(
    "/d.md",
    2,
    BODY,
    {},
    (
        Section("t", 1, 0, len(BODY), 15),
        Section("a", 2, A, C, 9),
        Section("b", 3, B, C, 4),
        Section("c", 2, C, len(BODY), 3),
    ),
)


def block(anchor: str | None, start: int, end: int, form: str = "section") -> PrintedBlock:
    return PrintedBlock(0, "x", False, form, start, end, anchor, 0)


WHOLE = block("t", 0, len(BODY), "document")
FOX = RequiredPassage("/d.md", 2, "a", "red fox runs")
HEN = RequiredPassage("/d.md", 2, "b", "blue hen")


@pytest.mark.parametrize(
    ("printed", "passage", "citable"),
    [
        (block("a", A, C), FOX, True),  # white space is folded
        (block("b", B, C), HEN, True),
        (block("a", A, C), HEN, True),  # an ancestor that has it once
        (WHOLE, FOX, True),
        (WHOLE, HEN, False),  # an ancestor that has it twice
        (block("c", C, len(BODY)), HEN, False),  # a sibling
        (block("b", B, C), FOX, False),
        (block("a", A, C), RequiredPassage("/d.md", 1, "a", "red fox"), False),
        (block("a", A, C), RequiredPassage("/e.md", 2, "a", "red fox"), False),
        (block("a", A, C), RequiredPassage("/d.md", 2, "nowhere", "red fox"), False),
    ],
)
def test_whether_a_block_holds_a_passage(
    printed: PrintedBlock, passage: RequiredPassage, citable: bool
) -> None:
    assert holds_passage(printed, DOCUMENT, passage) is citable


def fields(*printed: PrintedBlock, stubs: bool = False) -> list[str]:
    gold = LookupGold({}, "answered", {"both": (FOX, HEN), "fox": (FOX,), "none": ()})
    return citable_fields(gold, printed, (DOCUMENT,), stubs=stubs)


def test_a_field_needs_all_of_its_passages() -> None:
    assert fields(block("a", A, B)) == ["fox"]
    assert fields(block("a", A, B), block("b", B, C)) == ["both", "fox"]
    assert fields() == []


def test_blocks_without_an_anchor_outlines_and_stubs_do_not_count() -> None:
    assert fields(block(None, 0, len(BODY), "document")) == []
    assert fields(block("a", A, C, "outline")) == []
    stub = block("a", A, C, "stub")
    assert fields(stub) == []
    assert fields(stub, stubs=True) == ["both", "fox"]
