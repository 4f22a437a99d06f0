"""White space as Unicode's property has it, which is what lookups trim and split at."""

from __future__ import annotations

import re

WHITE_SPACE = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
"""Python's own would take U+001C to U+001F as well."""

SPACES = re.compile(f"[{WHITE_SPACE}]+")


def trimmed(text: str) -> str:
    """Return `text` without white space at its ends."""
    return text.strip(WHITE_SPACE)
