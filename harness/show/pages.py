"""Rendering: from what a page shows to its text. Templates take tables, sentences and values.

What a template prints is escaped for its language where it enters the page: HTML in drawings,
Markdown in pages, but for what is Markdown already (`harness.escapes.Markdown`). Files of TOML are
not escaped: their templates print what they spell themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from harness.escapes import Markdown, code_span, terminal, verbatim
from harness.words import MISSING, Link, count, counted, markdown_of, percent

from .printing import table_markdown
from .provenance import recorded
from .table import Table

_PAGE = ".md.j2"


def _in_markdown(value: Any) -> str:
    """Return what stands on the page for a value that a template prints."""
    if isinstance(value, Table):
        return table_markdown(value)
    return markdown_of(value if isinstance(value, str | tuple | Link) else str(value))


def _codes(texts: Sequence[object]) -> str:
    """Return code spans in a row, or a dash."""
    return Markdown(", ".join(map(code_span, texts)) or MISSING)


def _environment(finalize: Any = None) -> Environment:
    environment = Environment(
        loader=PackageLoader("harness.show"),
        autoescape=select_autoescape(enabled_extensions=("svg.j2",)),
        undefined=StrictUndefined,
        finalize=finalize,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "code": code_span,
        "codes": _codes,
        "number": count,
        "counted": counted,
        "percent": percent,
        "recorded": recorded,
        "pinned": lambda text: "not pinned" if text is None else code_span(text),
        "verbatim": verbatim,
        "as_markdown": Markdown,
    }
    return environment


_ENVIRONMENT = _environment()
_PAGES = _environment(_in_markdown)


def rendered(template: str, **values: Any) -> str:
    """Return the text of `template`; it ends with one line break, and no line with a space."""
    environment = _PAGES if template.endswith(_PAGE) else _ENVIRONMENT
    lines = environment.get_template(template).render(**values).split("\n")
    text = "\n".join(line.rstrip() for line in lines).strip("\n") + "\n"
    while "\n\n\n" in text:
        text = text.replace("\n\n\n", "\n\n")
    return terminal(text)
