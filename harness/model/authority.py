"""The server that a reference names, and references compared across their spellings."""

from __future__ import annotations

SCHEME = "mark://"
DEFAULT_PORT = "6309"


def authority_of(reference: str) -> str | None:
    """Return `host:port` of a `mark://` URL, an empty text for a bare path, None for anything
    else."""
    if reference.startswith("/"):
        return None if reference.startswith("//") else ""
    if not is_mark(reference):
        return None
    host = reference[len(SCHEME) :].partition("/")[0].lower()
    name, colon, port = host.rpartition(":")
    if colon and port.isdigit():
        return f"{name}:{port}"
    return f"{host}:{DEFAULT_PORT}" if host else None


def is_mark(reference: str) -> bool:
    """Return whether `reference` is a `mark://` URL; the scheme's case does not matter."""
    return reference[: len(SCHEME)].lower() == SCHEME


def normalised(reference: str) -> str:
    """Return one spelling for all spellings of a reference, with scheme, host and port written
    out."""
    authority = authority_of(reference)
    if not authority:
        return reference
    _, slash, path = reference[len(SCHEME) :].partition("/")
    return f"{SCHEME}{authority}{slash}{path}"
