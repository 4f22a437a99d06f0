"""What `harness doctor` looks at: each finding with its state, and how to get what is missing."""

from __future__ import annotations

import importlib
import platform
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from importlib import metadata
from pathlib import Path

from harness import __version__
from harness.errors import HarnessError, exception_line
from harness.registry import OWN_PACKAGE, Registry

REGISTRIES = (
    "harness.points.arms:ARMS",
    "harness.retrieval.recall:RECALLS",
    "harness.retrieval.embedder:EMBEDDERS",
    "harness.datasets.layout:LAYOUTS",
    "harness.readers.reader:READERS",
    "harness.grading.graders.grader:GRADERS",
)
_NAME = re.compile(r"[A-Za-z0-9._-]+")
_EXTRA = re.compile(r"extra\s*==\s*[\"']([^\"']+)[\"']")
_TOKENS = {"cl100k_base": 2, "o200k_base": 2}
"""Tokens of `_TEXT`, in every version of the encodings."""
_TEXT = "hello world"
_EMBEDDER = "default embedder"
_LITTLE_SPACE = 1_000_000_000


class State(Enum):
    """What a finding comes to: an optional part that is not installed is not broken."""

    OK = "ok"
    NOT_INSTALLED = "not installed"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at; `remedy` says how to repair what is not as it should be."""

    area: str
    name: str
    state: State
    detail: str
    remedy: str = ""


def findings() -> Iterator[Finding]:
    """Look at everything, one after the other."""
    yield from _versions()
    yield from _libraries()
    yield from _tokenizer()
    yield _embedder()
    yield from _disk()
    yield from _plug_ins()


def _versions() -> Iterator[Finding]:
    from harness.storage.manifest import code_version

    code = code_version()
    commit = f", commit {str(code['commit'])[:12]}" if code.get("commit") else ""
    place = Path(__file__).resolve().parent.parent
    yield Finding("version", OWN_PACKAGE, State.OK, f"{__version__}{commit}, in {place}")
    system = f"{platform.python_implementation()} {platform.python_version()}"
    found = State.OK if (3, 11) <= sys.version_info[:2] < (3, 14) else State.BROKEN
    yield Finding(
        "version",
        "python",
        found,
        f"{system}, {platform.system()} {platform.machine()}, {sys.executable}",
        "" if found is State.OK else "Use Python 3.11, 3.12 or 3.13.",
    )


def _libraries() -> Iterator[Finding]:
    """Yield what the harness needs, and each of its extras."""
    needed: dict[str, list[str]] = {"": []}
    try:
        requirements = metadata.requires(OWN_PACKAGE) or []
    except metadata.PackageNotFoundError:
        found = "not installed as a package, so that no plug-in is found"
        yield Finding("library", OWN_PACKAGE, State.BROKEN, found, "pip install . in the checkout")
        return
    for requirement in requirements:
        extra, named = _EXTRA.search(requirement), _NAME.match(requirement)
        if named is not None:
            needed.setdefault(extra[1] if extra else "", []).append(named[0])
    for name in needed.pop(""):
        version = _version_of(name)
        yield Finding(
            "library",
            name,
            State.OK if version else State.BROKEN,
            version or "missing",
            "" if version else f"pip install {name}",
        )
    for group, names in needed.items():
        versions = {name: _version_of(name) for name in names}
        missing = [name for name, version in versions.items() if version is None]
        yield Finding(
            "extra",
            group,
            State.NOT_INSTALLED if missing else State.OK,
            f"lacks {', '.join(missing)}"
            if missing
            else ", ".join(f"{name} {version}" for name, version in versions.items()),
            f"pip install '{OWN_PACKAGE}[{group}]', or '.[{group}]' in a checkout"
            if missing
            else "",
        )


def _version_of(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _tokenizer() -> Iterator[Finding]:
    from harness.evidence.tokens import ENCODINGS, LIBRARY, Tokenizer

    for encoding in ENCODINGS:
        try:
            counted = Tokenizer(encoding).count(_TEXT)
        except Exception as error:  # noqa: BLE001 - a library of others, perhaps half installed
            state, detail = State.BROKEN, exception_line(error)
        else:
            right = counted == _TOKENS[encoding]
            state = State.OK if right else State.BROKEN
            detail = f"{LIBRARY}: {_TEXT!r} has {counted} tokens"
        remedy = "" if state is State.OK else f"pip install --force-reinstall {LIBRARY}"
        yield Finding("tokenizer", encoding, state, detail, remedy)


def _embedder() -> Finding:
    from harness.recording.sources.dataset import DEFAULT_EMBEDDER
    from harness.retrieval import load_embedder

    needed = "only to record a dataset or to embed cases"
    try:
        embedder = load_embedder(DEFAULT_EMBEDDER, {})
        dimension = len(embedder.embed(_TEXT))
    except HarnessError as error:
        return Finding(
            _EMBEDDER,
            DEFAULT_EMBEDDER,
            State.NOT_INSTALLED,
            f"{error.message}; needed {needed}",
            error.hint,
        )
    except Exception as error:  # noqa: BLE001 - likewise
        return Finding(
            _EMBEDDER,
            DEFAULT_EMBEDDER,
            State.BROKEN,
            exception_line(error),
            f"pip install --force-reinstall '{OWN_PACKAGE}[embed]'",
        )
    detail = f"{dimension} dimensions, {embedder.licence}, fingerprint {embedder.fingerprint[:12]}…"
    return Finding(_EMBEDDER, embedder.name, State.OK, detail)


def _disk() -> Iterator[Finding]:
    from harness.retrieval.cache import cache_bytes, default_cache_path

    cache = default_cache_path()
    used = f", {cache_bytes(cache) / 1e6:,.0f} MB used" if cache.exists() else ", not made yet"
    yield _room("cache of vectors", cache, used)
    yield _room("temporary files", Path(tempfile.gettempdir()))
    yield _room("current folder", Path.cwd())


def _room(name: str, path: Path, more: str = "") -> Finding:
    """Look at the space where `path` is, or would be made."""
    existing = next(folder for folder in (path, *path.parents) if folder.is_dir())
    try:
        free = shutil.disk_usage(existing).free
        with tempfile.TemporaryFile(dir=existing):
            pass
    except OSError as error:
        detail = f"{path}: {error.strerror or error}"
        return Finding("disk", name, State.BROKEN, detail, "Make the folder writable.")
    state = State.OK if free >= _LITTLE_SPACE else State.BROKEN
    remedy = "" if state is State.OK else "Free some space: less than 1 GB is left."
    return Finding("disk", name, state, f"{path}{more}, {free / 1e9:,.1f} GB free", remedy)


def _plug_ins() -> Iterator[Finding]:
    for place in REGISTRIES:
        module, _, attribute = place.partition(":")
        registry: Registry[object] = getattr(importlib.import_module(module), attribute)
        for offer in registry.offers():
            fault = offer.fault
            yield Finding(
                registry.noun,
                offer.name,
                State.OK if fault is None else State.BROKEN,
                offer.place if fault is None else fault.message,
                "" if fault is None else fault.hint,
            )
