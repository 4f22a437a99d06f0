"""The notes are as long as the table in docs/lookups.md says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from .made import Fetcher, document, expanded, rows

BIG = [document(f"/{n}.md", f"# {n}\n\n" + str(n) * 95) for n in range(5)]
ONE = document("/1.md", "# 1\n\n## Two\n\ntwo", rel_a="/2.md")
TWO = document("/2.md", "# 2\n\nother")
FITTED = "expanded X of R rows within the budget"
OMITTED = "did not fit: A (~n tokens)"

CASES = {
    "the table alone used S of B result tokens; raise budget or fetch a row": expanded(
        rows("/1.md"), Fetcher(ONE), spent=400, tokens=90
    ),
    "could not fetch P: R": expanded(rows("/no.md"), Fetcher()),
    "stopped after N fetches": expanded(rows("/1.md", "/2.md"), Fetcher(ONE, TWO), max_fetches=1),
    "stopped: R": expanded(rows("/1.md"), Fetcher(ONE, cancel_after=0)),
    "P has no section #A": expanded(rows("/1.md#x"), Fetcher(ONE)),
    "A is within B above": expanded(rows("/1.md", "/1.md#two"), Fetcher(ONE)),
    "A encloses B above; skipped": expanded(rows("/1.md#two", "/1.md"), Fetcher(ONE)),
    OMITTED: expanded(rows("/1.md"), Fetcher(*BIG), tokens=12),
    FITTED: expanded(rows("/1.md"), Fetcher(ONE), hop="none"),
    "expanded X of R rows and K related documents within the budget": expanded(
        rows("/1.md"), Fetcher(ONE, TWO)
    ),
}


def documented(checkout: Path) -> dict[str, int]:
    text = (checkout / "docs/lookups.md").read_text(encoding="utf-8")
    lines = re.findall(r"^\| (?:… [^`]*)?`([^`]+)` \| (\d+) \|", text, re.MULTILINE)
    return {wording: int(size) for wording, size in lines}


@pytest.mark.parametrize("wording", CASES)
def test_a_note_is_as_long_as_documented(checkout: Path, wording: str) -> None:
    parts = [re.escape(part) for part in re.split(r"\b[A-Z]\b|\bn\b", wording)]
    end = "\n" if wording.startswith("expanded") else "\n\n"
    (found,) = re.finditer(f">>> note: {'(.+?)'.join(parts)}{end}", CASES[wording].text)
    inserted = sum(len(group.encode()) for group in found.groups())
    assert len(found[0].encode()) - inserted == documented(checkout)[wording]


def test_a_list_of_omissions_is_as_long_as_documented(checkout: Path) -> None:
    sizes = documented(checkout)
    text = expanded(rows(*[each.path for each in BIG]), Fetcher(*BIG), tokens=12).text
    (line,) = re.findall(r">>> note: did not fit: .*\n\n", text)
    inserted = 3 * len("/0.md#025") + len("2")
    assert (
        len(line) - inserted == sizes[OMITTED] + 2 * sizes[", B (~n tokens)"] + sizes[", +K more"]
    )


def test_every_documented_note_is_checked(checkout: Path) -> None:
    assert documented(checkout).keys() - {", B (~n tokens)", ", +K more"} == CASES.keys()
