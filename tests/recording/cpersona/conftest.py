"""A store made by hand, and the verb that records it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from harness.cli.main import run

from ...make.stores import Object, make_store, search, write_searches

Record = Callable[..., int]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A sound store, in the journal mode that servers use."""
    return make_store(tmp_path / "store.db")


@pytest.fixture
def record(store: Path, tmp_path: Path) -> Record:
    """Records the store with searches (one by default) into tmp_path/out; gives the exit code."""

    def recorded(*more: str, searches: Iterable[Object] | None = None) -> int:
        made = write_searches(tmp_path / "searches.jsonl", searches or [search()])
        given = ["record", "cpersona", str(store), "--searches", str(made)]
        cache = ["--cache", str(tmp_path / "cache")]
        return run([*given, "--out", str(tmp_path / "out"), *cache, *more])

    return recorded
