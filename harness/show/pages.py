"""Rendering: from what a page shows to its text."""

from __future__ import annotations

from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from harness.escapes import page, terminal
from harness.words import code

from .markdown import code_or_not_recorded, codes


def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("harness.show"),
        autoescape=select_autoescape(enabled_extensions=("svg.j2",)),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["code"] = code
    environment.filters["codes"] = codes
    environment.filters["recorded"] = code_or_not_recorded
    return environment


_ENVIRONMENT = _environment()


def rendered(template: str, **values: Any) -> str:
    """The text of `template`; it ends with one line break, and no line with a space."""
    lines = _ENVIRONMENT.get_template(template).render(**values).split("\n")
    text = "\n".join(line.rstrip() for line in lines).strip("\n") + "\n"
    while "\n\n\n" in text:
        text = text.replace("\n\n\n", "\n\n")
    return terminal(text) if template.endswith(".svg.j2") else page(text)
