"""Markdown tables that every forge renders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from harness.words import code


@dataclass(frozen=True, slots=True)
class Table:
    """Cells as Markdown. The first `left` columns are aligned left, the others right."""

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    left: int = 1

    def __str__(self) -> str:
        rules = ["---" if place < self.left else "---:" for place in range(len(self.headings))]
        lines = [self.headings, rules, *self.rows]
        return "\n".join(f"| {' | '.join(_cell(cell) for cell in line)} |" for line in lines)


def code_or_not_recorded(text: object | None) -> str:
    """A code span, or the words for what a recording does not say."""
    return "not recorded" if text is None else code(text)


def codes(texts: Sequence[object]) -> str:
    """Code spans in a row, or a dash."""
    return ", ".join(code(text) for text in texts) or "–"


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())
