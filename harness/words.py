"""How values are spelled in sentences, wherever the sentence stands."""

from __future__ import annotations


def code(text: object) -> str:
    """Spell `text` as a code span of Markdown."""
    spelled = str(text)
    fence = "``" if "`" in spelled else "`"
    return f"{fence}{spelled}{fence}"
