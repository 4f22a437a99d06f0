"""Places in a world: as blocks print them, and as readers cite and fetch them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

_SCHEME = "mark"
_DEFAULT_PORT = 6309
_VERSIONED = re.compile(r"(?P<path>/.+?\.md)(?:/v(?P<version>[1-9][0-9]*))?")
_PRINTED = re.compile(r"(?P<path>/.+\.md)(?:/v(?P<version>[1-9][0-9]*))?(?:#(?P<anchor>[^#\s]+))?")


@dataclass(frozen=True, slots=True)
class Location:
    """A document, and its version and section where they are named."""

    path: str
    version: int | None = None
    anchor: str | None = None

    def __str__(self) -> str:
        version = "" if self.version is None else f"/v{self.version}"
        return f"{self.path}{version}" + ("" if self.anchor is None else f"#{self.anchor}")


def printed_location(header: str) -> Location | None:
    """Return the location that a block's header is, after `>>> `; None for any other header."""
    match = _PRINTED.fullmatch(header)
    return None if match is None else _location(match, match["anchor"])


def located(url: str, source: str | None) -> Location | str:
    """Return the place that a URL names, or why it names none.

    The scheme is empty or `mark`; the host is empty or that of `source`, whose default port is
    ignored; there is neither a query nor a user.
    """
    if not url or any(letter.isspace() or not letter.isprintable() for letter in url):
        return f"{url!r} is not a URL"
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        return f"{url!r} is not a URL ({error})"
    if parts.scheme not in ("", _SCHEME):
        return f"{url!r} has the scheme {parts.scheme!r}, expected {_SCHEME!r} or none"
    if "?" in url.partition("#")[0] or "@" in parts.netloc:
        return f"{url!r} has a query or a user"
    if parts.netloc and _server(parts.hostname, port) != _server_of(source):
        return f"{url!r} is on another server than {source or 'the world, which names none'}"
    match = _VERSIONED.fullmatch(unquote(parts.path))
    if match is None:
        return f"{url!r} is not a path of a document, such as /folder/name.md/v1#section"
    return _location(match, unquote(parts.fragment) or None)


def _location(match: re.Match[str], anchor: str | None) -> Location:
    version = match["version"]
    return Location(match["path"], None if version is None else int(version), anchor)


def _server_of(source: str | None) -> tuple[str, int] | None:
    if source is None:
        return None
    try:
        parts = urlsplit(source)
        return _server(parts.hostname, parts.port)
    except ValueError:
        return None


def _server(host: str | None, port: int | None) -> tuple[str, int]:
    return (host or "").lower(), _DEFAULT_PORT if port is None else port
