"""Relations of a document: its metadata `rel-…`, resolved against its own path."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from functools import lru_cache

from .authority import SCHEME, authority_of, is_mark
from .lookup import Document
from .white_space import SPACES, trimmed

RELATION_PREFIX = "rel-"
"""Metadata keys that start so name a relation to other documents."""

_HAS_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


@dataclass(frozen=True, slots=True)
class Relation:
    """A reference to another document: its predicate without `rel-`, the target's resolved path or
    URL, and the fragment if it names a section."""

    predicate: str
    target: str
    fragment: str | None

    @property
    def reference(self) -> str:
        """As the relation line prints it."""
        return self.target if self.fragment is None else f"{self.target}#{self.fragment}"


@lru_cache(maxsize=512)
def relations_of(document: Document) -> tuple[Relation, ...]:
    """Return all references, keys in byte order, then in the order of the value.

    A reference with white space inside, without a predicate, or to the document itself is dropped.
    """
    relations = []
    for key in sorted(document.metadata, key=lambda name: name.encode("utf-8", "surrogatepass")):
        value = document.metadata[key]
        predicate = key.removeprefix(RELATION_PREFIX)
        if not key.startswith(RELATION_PREFIX) or not predicate or not isinstance(value, str):
            continue
        for item in value.split(","):
            relation = _relation(predicate, trimmed(item), document.path)
            if relation is not None:
                relations.append(relation)
    return tuple(relations)


def same_authority(first: str, second: str) -> bool:
    """Return whether two resolved references are of one server: both bare paths, or `mark://` URLs
    of the same host and port."""
    authority = authority_of(first)
    return authority is not None and authority == authority_of(second)


def _relation(predicate: str, reference: str, base: str) -> Relation | None:
    if not reference or SPACES.search(reference):
        return None
    path, mark, fragment = reference.partition("#")
    target = resolved(path, base)
    if not path or target == resolved(base, base):
        return None
    return Relation(predicate, target, fragment if mark and fragment else None)


def resolved(path: str, base: str) -> str:
    """Return `path` seen from the document at `base`; a URL of another scheme stays as it is."""
    if path.startswith("//") or _HAS_SCHEME.match(path):
        return path
    server, folder = _split(base)
    if not path.startswith("/"):
        if not folder.startswith("/"):
            return path
        path = posixpath.join(posixpath.dirname(folder), path)
    return server + "/" + posixpath.normpath(path).lstrip("/")


def _split(base: str) -> tuple[str, str]:
    """Return the server part of a `mark://` URL (empty for a bare path) and its path."""
    if not is_mark(base):
        return "", base
    host, slash, path = base[len(SCHEME) :].partition("/")
    return SCHEME + host, slash + path
