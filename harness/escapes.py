"""Text from outside, made harmless for each kind of output; and addresses without their secrets.

Texts of questions, records, ids and messages come from files that anyone may have written. What an
output takes as its own language is escaped where the text enters it, by one function per kind of
output, and nowhere else.
"""

from __future__ import annotations

import html as _html
import re
from typing import TypeVar

# C0 without tab and line feed, DEL, C1, marks and overrides of direction, line and paragraph
# separators, lone surrogates
_STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff"
    "\ud800-\udfff]"
)
_SECRET_PARTS = re.compile(
    r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]{0,20}://)(?:[^\s/?#\"'<>]*@)?(?P<rest>[^\s?#\"'<>@]*)"
    r"(?:[?#][^\s\"'<>]*)?"
)
_FORMULA = re.compile(r"[=+\-@\t\r]")
_MARKUP = re.compile(r"[\\`*\[\]]|<|(?<!\w)_|_(?!\w)|&(?=#?\w+;)")
_HTML_IN_MARKDOWN = re.compile(
    r"(?P<code>(?<!`)(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`))|<(?=[A-Za-z/!?])"
)
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")

Value = TypeVar("Value")


def terminal(text: str) -> str:
    """Show control and bidi characters as escapes, such as `\\x1b`; keep tabs and line breaks."""
    return _STEERING.sub(_escape, text)


def one_line(text: str) -> str:
    """Do as `terminal`, with line breaks and tabs as escapes too: for a name in a
    message."""
    return terminal(text).replace("\t", "\\t").replace("\n", "\\n")


def public_address(text: str) -> str:
    """Take user, password, query and fragment out of every address in a text."""
    return _SECRET_PARTS.sub(lambda found: found["scheme"] + found["rest"], text)


def one_address(text: str) -> str:
    """Do as `public_address` for a text that should be one address, and may be misspelled: what
    would be a user, a password, a query or a fragment goes wherever it stands."""
    shown = public_address(text).partition("?")[0].partition("#")[0]
    return "…" + shown[shown.rindex("@") :] if "@" in shown else shown


def html(text: str) -> str:
    """Escape `& < > " '` for the text and the attributes of HTML and SVG.

    XML has no control characters, not even as references: they are shown as `terminal` does.
    """
    return _html.escape(terminal(text), quote=True)


def markdown(text: str) -> str:
    """Escape what Markdown reads as markup in running text, HTML included.

    Line breaks become blanks: a line could begin a block. A bar is left to the table's writer.
    """
    return _MARKUP.sub(_literal, " ".join(terminal(text).split("\n")))


def page(text: str) -> str:
    """Escape every tag of a whole Markdown page, outside spans and blocks of code.

    Pages of the harness have no HTML, so that a tag in one came from outside.
    """
    lines = terminal(text).split("\n")
    fence = ""
    for number, line in enumerate(lines):
        opened = _FENCE.match(line)
        if fence:
            closes = opened is not None and opened[1].startswith(fence)
            fence = "" if closes and not line.strip(" `~") else fence
        elif opened is not None:
            fence = opened[1]
        elif "<" in line:
            lines[number] = _HTML_IN_MARKDOWN.sub(lambda found: found["code"] or "&lt;", line)
    return "\n".join(lines)


def csv_cell(value: Value) -> Value | str:
    """Put an apostrophe before a text that a spreadsheet would run as a formula; keep the rest."""
    if isinstance(value, str) and _FORMULA.match(value):
        return f"'{value}"
    return value


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    # JSON never holds a character below the blank as it is, and reads the other spelling
    return f"\\x{code:02x}" if code < 0x20 else f"\\u{code:04x}"


def _literal(match: re.Match[str]) -> str:
    letter = match.group()
    return {"<": "&lt;", "&": "&amp;"}.get(letter, f"\\{letter}")
