"""Rendering: from what a page shows to its text. Templates take tables, sentences and values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from harness.escapes import page, terminal
from harness.words import (
    MISSING,
    Code,
    Emphasis,
    Link,
    Strong,
    code,
    count,
    counted,
    markdown_of,
    percent,
)

from .printing import table_markdown
from .provenance import recorded
from .table import Table


def _in_markdown(value: Any) -> Any:
    """Return what stands on the page for a value that a template prints."""
    if isinstance(value, Table):
        return table_markdown(value)
    is_sentence = isinstance(value, tuple | Code | Strong | Emphasis | Link)
    return markdown_of(value) if is_sentence else value


def _codes(texts: Sequence[object]) -> str:
    """Return code spans in a row, or a dash."""
    return ", ".join(map(code, texts)) or MISSING


def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("harness.show"),
        autoescape=select_autoescape(enabled_extensions=("svg.j2",)),
        undefined=StrictUndefined,
        finalize=_in_markdown,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "code": code,
        "codes": _codes,
        "number": count,
        "counted": counted,
        "percent": percent,
        "recorded": recorded,
        "pinned": lambda text: "not pinned" if text is None else code(text),
    }
    return environment


_ENVIRONMENT = _environment()


def rendered(template: str, **values: Any) -> str:
    """Return the text of `template`; it ends with one line break, and no line with a space."""
    lines = _ENVIRONMENT.get_template(template).render(**values).split("\n")
    text = "\n".join(line.rstrip() for line in lines).strip("\n") + "\n"
    while "\n\n\n" in text:
        text = text.replace("\n\n\n", "\n\n")
    return terminal(text) if template.endswith(".svg.j2") else page(text)
