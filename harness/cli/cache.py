"""`harness cache`: what the cache of vectors holds, and how to empty it."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.errors import UsageError, nearest
from harness.show.printing import OutputFormat
from harness.show.table import Column, Table
from harness.words import Kind, counted

from .options import PATH, quiet_option, table_options
from .output import chosen_format, note, print_table

if TYPE_CHECKING:
    from harness.retrieval.cache import CacheEntry

_COLUMNS = [
    Column("embedder", "embedder"),
    Column("fingerprint", "fingerprint", Kind.HASH),
    Column("dimension", "dimension", Kind.COUNT),
    Column("kind", "kind"),
    Column("vectors", "vectors", Kind.COUNT),
]

_cache_option = click.option(
    "--cache",
    "path",
    type=PATH,
    help="The cache file; by default the one of this user.",
)


@click.group()
def cache() -> None:
    """Show or clear the cache of vectors.

    Each distinct text is embedded once and kept under its hash and the embedder's fingerprint, so
    that a second recording, or one that was interrupted, embeds only what is new. Clearing it costs
    nothing but time.

    \b
      harness cache show
      harness cache clear --embedder 3f5a…
    """


@cache.command()
@_cache_option
@table_options
@quiet_option
def show(path: Path | None, as_json: bool, as_csv: bool, quiet: bool) -> None:
    """Print where the cache is, its size, and its vectors by embedder and kind.

    \b
      harness cache show
      harness cache show --cache vectors.sqlite --json
    """
    from harness.retrieval.cache import cache_bytes, default_cache_path

    form = chosen_format(as_json, as_csv)
    path = path or default_cache_path()
    size = _size(path)
    where = {"cache": str(path), "cache_bytes": cache_bytes(path)}
    rows = [asdict(entry) | where for entry in _entries(path)]
    if form is OutputFormat.TEXT and not quiet:
        click.echo(f"{path}: {size}\n")
    print_table(Table(_COLUMNS, rows), form)


@cache.command()
@_cache_option
@click.option(
    "--embedder",
    "fingerprint",
    metavar="FINGERPRINT",
    help="Only the vectors of this embedder; the first characters of its fingerprint are enough.",
)
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@quiet_option
def clear(path: Path | None, fingerprint: str | None, yes: bool, quiet: bool) -> None:
    """Remove the cache, or the vectors of one embedder.

    \b
      harness cache clear
      harness cache clear --embedder 3f5a --yes
    """
    from harness.retrieval.cache import VectorCache, default_cache_path, delete_cache

    path = path or default_cache_path()
    if not path.exists():
        note(f"{path}: {_size(path)}; nothing to clear", quiet)
        return
    if fingerprint is None:
        if _confirmed(f"Remove {path} ({_size(path)})?", yes):
            freed = delete_cache(path)
            note(f"removed {path}: {counted(freed, 'byte')}", quiet)
        return
    held = _entries(path)
    if not held:
        note(f"{path}: no vectors; nothing to clear", quiet)
        return
    entries = _of_embedder(held, fingerprint)
    vectors = sum(entry.vectors for entry in entries)
    if _confirmed(
        f"Remove {counted(vectors, 'vector')} of {entries[0].embedder} from {path}?", yes
    ):
        with VectorCache(path) as opened:
            removed = opened.remove(entries[0].fingerprint)
        note(f"removed {counted(removed, 'vector')} of {entries[0].embedder}", quiet)


def _confirmed(question: str, yes: bool) -> bool:
    return yes or click.confirm(question, err=True)


def _entries(path: Path) -> list[CacheEntry]:
    from harness.retrieval.cache import VectorCache

    if not path.exists():
        return []
    with VectorCache(path) as opened:
        return opened.entries()


def _of_embedder(entries: list[CacheEntry], start: str) -> list[CacheEntry]:
    matching = [entry for entry in entries if start and entry.fingerprint.startswith(start.lower())]
    fingerprints = {entry.fingerprint for entry in matching}
    if len(fingerprints) == 1:
        return matching
    known = sorted({entry.fingerprint for entry in entries})
    if fingerprints:
        raise UsageError(
            f"--embedder {start!r} is the start of {len(fingerprints)} fingerprints",
            f"Write more of it: {', '.join(known)}.",
        )
    raise UsageError(
        f"the cache has no embedder {start!r}{nearest(start, known)}",
        f"It has: {', '.join(known) or 'none'}. List them with: harness cache show --json",
    )


def _size(path: Path) -> str:
    from harness.retrieval.cache import cache_bytes

    return counted(cache_bytes(path), "byte") if path.exists() else "no cache yet"
