"""The server that a reference names, and references compared across their spellings."""

from __future__ import annotations

SCHEME = "mark://"
DEFAULT_PORT = "6309"


def authority_of(reference: str) -> str | None:
    """Empty for a bare path, `host:port` for a `mark://` URL, None for anything else."""
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
    """Whether it is a `mark://` URL, whatever the case of its scheme."""
    return reference[: len(SCHEME)].lower() == SCHEME


def normalised(reference: str) -> str:
    """The same for every spelling of a reference: scheme, host and default port written out."""
    authority = authority_of(reference)
    if not authority:
        return reference
    _, slash, path = reference[len(SCHEME) :].partition("/")
    return f"{SCHEME}{authority}{slash}{path}"
