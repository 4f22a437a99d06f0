"""What the harness says is plain English: help, messages, pages, docs and docstrings.

The phrases below were once common here. Each is grammatical, and each makes a reader stop.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

NOUNS = "(?:line|question|point|lookup|case|control|field|row|token|window|store|resample|metric)"
COUNTED = (
    "(?:one|[0-9]+|tokens?|bytes|objects?|rows?|lines?|tables?|texts?|items|answers?|means?|"
    "labels?|queries|search|searches|call|calls)"
)
INSTEAD_OF = {
    r"\banew\b": "again, over, re-…, or a new …",
    r"(?<![Tt]here )\b(?:is|are) no (?!longer\b|more\b|room\b)(?=\w)": "is not a …, is not …",
    r"\bdeare(?:r|st)\b": "more expensive, most expensive",
    r"\bstands? beside\b": "is listed next to, is reported with",
    r"\btold by\b": "recognised by",
    r"\bless (?:that|those) of\b": "minus, the difference from",
    rf"\b{COUNTED} a {NOUNS}\b": "per",
    r"\bpassed over\b": "skipped",
    r"\b[Mm]end\b": "fix",
    r"\breckoned\b": "computed",
    r"\bthat is none\b": "that is not one",
}
"""The phrase, and what to say."""

GOOD_ENGLISH = {
    "once a case": "an adverb of time",
    "answer a question": "a verb and its object",
    'not "tokens a question"': "CHANGELOG.md says what it was",
    "call a question": "a verb and its object",
    'not "anew"': "CONTRIBUTING.md says what not to say",
    'not "is no"': "likewise",
}
"""Texts that a pattern finds and that are right as they are, with the reason."""


def texts_of_code(path: Path) -> Iterator[tuple[int, str]]:
    """Every text of a module, docstrings included, with its line."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.JoinedStr):
            yield node.lineno, "".join(_text(part) for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value


def _text(part: ast.expr) -> str:
    return str(part.value) if isinstance(part, ast.Constant) else "…"


def slips_of(text: str) -> list[str]:
    plain = " ".join(text.split())
    for phrase in GOOD_ENGLISH:
        plain = plain.replace(phrase, "")
    return [
        f"{plain[max(0, match.start() - 30) : match.end() + 20]!r}; say: {better}"
        for pattern, better in INSTEAD_OF.items()
        for match in re.finditer(pattern, plain)
    ]


def files(checkout: Path, folder: str, *endings: str) -> list[Path]:
    return sorted(path for ending in endings for path in (checkout / folder).rglob(f"*{ending}"))


def test_docs(checkout: Path) -> None:
    pages = [
        *(checkout / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "Makefile")),
        *files(checkout, "docs", ".md"),
        *files(checkout, "examples", ".md"),
        *(page for page in files(checkout, "datasets", "README.md")),
    ]
    slips = [
        f"{page.relative_to(checkout)}: {slip}"
        for page in pages
        for slip in slips_of(page.read_text("utf-8"))
    ]
    assert slips == []


@pytest.mark.parametrize("folder", ["arms", "harness"])
def test_help_messages_and_docstrings(folder: str, checkout: Path) -> None:
    slips = [
        f"{path.relative_to(checkout)}:{line}: {slip}"
        for path in files(checkout, folder, ".py")
        for line, text in texts_of_code(path)
        for slip in slips_of(text)
    ]
    assert slips == []


def test_templates(checkout: Path) -> None:
    slips = [
        f"{path.relative_to(checkout)}: {slip}"
        for path in files(checkout, "harness", ".j2")
        for slip in slips_of(path.read_text("utf-8"))
    ]
    assert slips == []


@pytest.mark.parametrize(
    "text",
    ["made anew", "it is no rule", "tokens a question", "X less that of Y", "the dearest"],
)
def test_a_slip_is_found(text: str) -> None:
    assert len(slips_of(text)) == 1


@pytest.mark.parametrize(
    "text", ["there is no such file", "it is no longer there", "one per question", "once a case"]
)
def test_good_english_is_left_alone(text: str) -> None:
    assert slips_of(text) == []
