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
# separators, lone surrogates, and the two that XML has not either
_STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff"
    "\ud800-\udfff\ufffe\uffff]"
)
_SECRET_PARTS = re.compile(
    r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]{0,20}://)(?:[^\s/?#\"'<>]*@)?(?P<rest>[^\s?#\"'<>@]*)"
    r"(?:[?#][^\s\"'<>]*)?"
)
_FORMULA = re.compile(r"\n*[=+\-@\t\r＝＋－＠]")  # Excel takes the wide ones for the others
_BLANKS = re.compile(r"[ \t\n]+")
_TICKS = re.compile(r"(`+)")
_MARKUP = re.compile(
    r"[\\*~]|(?<![^\W_])_|_(?![^\W_])"  # emphasis, and what is struck out
    r"|\](?=[(\[:])|\[(?=\^)"  # without which there is no link, image, definition or footnote
    r"|<(?=[A-Za-z/!?])|&(?=#?\w+;)"  # tags, addresses in brackets, entities
)
_ACTIVE = re.compile(r"://|www\.|mailto:|xmpp:|@|(?<!\w)#[0-9]", re.IGNORECASE)
"""What a forge makes a link of without any mark: addresses, mail, mentions, numbers of issues."""
_BLOCK = re.compile(
    r"(?P<before> ?)(?:(?P<digits>[0-9]{1,9})(?P<end>[.)])|#{1,6}|[-+>]|[-=~]{2,}|\[[ xX]\])"
    r"(?=\s|\Z|(?<=>))"
)
"""What begins a block at the start of a line: a list or its box, a heading, a quotation, a rule."""
_CLOSING = re.compile(r"(?<=\s)#+\s*\Z")
"""What a heading ends with, and does not show."""

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


class Markdown(str):
    """Text that is Markdown already, and is not escaped again."""

    __slots__ = ()


def code_span(text: object) -> Markdown:
    """Return `text` as a code span, whatever it holds."""
    spelled = " ".join(terminal(str(text)).splitlines()) or " "
    fence = "`" * (1 + max(map(len, _TICKS.findall(spelled)), default=0))
    edge = " " if spelled[0] == "`" or spelled[-1] == "`" else ""
    return Markdown(f"{fence}{edge}{spelled}{edge}{fence}")


def verbatim(text: object) -> Markdown:
    """Return a line of a block of code, whose fences a line break could end."""
    return Markdown(one_line(str(text)))


def markdown(text: str) -> Markdown:
    """Escape what Markdown reads as markup in running text, HTML included; code spans stay.

    Line breaks and tabs become blanks: they could begin a block. A word that a forge would make a
    link of, an address or a mention, becomes a code span, since no escape keeps it from that. A bar
    is left to the table's writer.
    """
    if isinstance(text, Markdown):
        return text
    pieces = _TICKS.split(_BLANKS.sub(" ", terminal(text)))
    ends, following = [0] * len(pieces), dict[str, int]()
    for place in range(len(pieces) - 2, 0, -2):
        ends[place] = following.get(pieces[place], 0)
        following[pieces[place]] = place
    made, place = "", 0
    while place < len(pieces):
        end = ends[place] or place
        if end > place:
            piece = "".join(pieces[place : end + 1])
        elif place % 2:
            piece = "".join(f"\\{tick}" for tick in pieces[place])
        else:
            piece = _escaped(pieces[place], begins=place == 0)
        made += f" {piece}" if made.endswith("`") and piece.startswith("`") else piece
        place = end + 1
    return Markdown(_CLOSING.sub(r"\\\g<0>", made))


def _escaped(text: str, *, begins: bool) -> str:
    """Escape a text without code spans; `begins` says whether a line may begin with it."""
    words = re.split(r"(\s+)", text)
    made = "".join(
        code_span(word) if _ACTIVE.search(word) else _MARKUP.sub(_literal, word) for word in words
    )
    begun = _BLOCK.match(made) if begins else None
    if begun is None:
        return made
    place = begun.start("end") if begun["end"] else begun.end("before")
    return f"{made[:place]}\\{made[place:]}"


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
