"""The cache file."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from harness.errors import HarnessError, InputError
from harness.retrieval import VectorCache
from harness.retrieval.cache import (
    CacheEntry,
    VectorKind,
    cache_bytes,
    default_cache_path,
    delete_cache,
)

from .conftest import FakeEmbedder

KEYS = [bytes([number]) * 32 for number in range(4)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "vectors.sqlite"


def fill(path: Path, rows: int = 2, embedder: FakeEmbedder | None = None) -> None:
    with VectorCache(path) as cache:
        number = cache.register(embedder or FakeEmbedder())
        cache.add(number, VectorKind.BLOCK, [(key, b"block") for key in KEYS[:rows]])
        cache.add(number, VectorKind.QUERY, [(KEYS[0], b"query")])


def test_round_trip_by_embedder_and_kind(path: Path) -> None:
    fill(path)
    with VectorCache(path) as cache:
        first = cache.register(FakeEmbedder())
        other = cache.register(FakeEmbedder(fingerprint="0" * 64))
        assert cache.find(first, VectorKind.BLOCK, KEYS) == {KEYS[0]: b"block", KEYS[1]: b"block"}
        assert cache.find(first, VectorKind.QUERY, KEYS) == {KEYS[0]: b"query"}
        assert cache.known(first, VectorKind.BLOCK, KEYS[1:]) == {KEYS[1]}
        assert cache.find(other, VectorKind.BLOCK, KEYS) == {}


def test_a_vector_that_is_there_stays(path: Path) -> None:
    fill(path)
    with VectorCache(path) as cache:
        number = cache.register(FakeEmbedder())
        cache.add(number, VectorKind.BLOCK, [(KEYS[0], b"other"), (KEYS[3], b"new")])
        found = cache.find(number, VectorKind.BLOCK, [KEYS[0], KEYS[3]])
    assert found == {KEYS[0]: b"block", KEYS[3]: b"new"}


def test_entries_and_removal_of_one_embedder(path: Path) -> None:
    fill(path)
    fill(path, 3, FakeEmbedder("other", fingerprint="0" * 64))
    with VectorCache(path) as cache:
        assert cache.entries() == [
            CacheEntry("fake", "f" * 64, 8, "block", 2),
            CacheEntry("fake", "f" * 64, 8, "query", 1),
            CacheEntry("other", "0" * 64, 8, "block", 3),
            CacheEntry("other", "0" * 64, 8, "query", 1),
        ]
        assert cache.remove("0" * 64) == 4
        assert cache.remove("0" * 64) == 0
        assert {entry.embedder for entry in cache.entries()} == {"fake"}


WRITER = """
import hashlib, sys
from pathlib import Path
from harness.retrieval.cache import VectorKind, VectorCache

class Embedder:
    name, dimension, licence, fingerprint = "fake", 8, "CC0-1.0", "f" * 64

cache = VectorCache(Path(sys.argv[1]))
number = cache.register(Embedder())
for start in range(0, 400, 5):
    texts = range(start, start + 5)
    keys = [hashlib.sha256(str(text).encode()).digest() for text in texts]
    cache.add(number, VectorKind.BLOCK, [(key, b"12345678") for key in keys])
"""


def test_several_processes_write_at_once(path: Path) -> None:
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stderr=subprocess.PIPE)
        for _ in range(3)
    ]
    assert [(writer.communicate()[1], writer.returncode) for writer in writers] == [(b"", 0)] * 3
    with VectorCache(path) as cache:
        assert [entry.vectors for entry in cache.entries()] == [400]


def test_a_file_that_is_no_cache_is_refused_and_left_alone(path: Path) -> None:
    path.write_bytes(b"a diary\n" * 200)
    with pytest.raises(InputError, match=r"vectors\.sqlite is not a cache of vectors"):
        VectorCache(path)
    with pytest.raises(InputError, match="may be something else"):
        delete_cache(path)
    assert path.read_bytes() == b"a diary\n" * 200


def test_another_sqlite_file_is_refused_and_left_alone(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE diary (day, text)")
    before = path.read_bytes()
    with pytest.raises(InputError, match="an SQLite file, but not a cache of vectors"):
        VectorCache(path)
    with pytest.raises(InputError, match="may be something else"):
        delete_cache(path)
    assert path.read_bytes() == before


def test_a_damaged_cache_is_named_with_the_command_that_removes_it(path: Path) -> None:
    with VectorCache(path) as cache:
        number = cache.register(FakeEmbedder())
        keys = [number.to_bytes(32, "big") for number in range(500)]
        cache.add(number, VectorKind.BLOCK, [(key, b"12345678") for key in keys])
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xa5" * (len(content) - 4096)
    path.write_bytes(content)
    with pytest.raises(InputError, match="the cache of vectors is damaged") as raised:
        VectorCache(path).entries()
    assert str(path) in raised.value.message
    assert f"harness cache clear --cache {path}" in raised.value.hint
    assert delete_cache(path) >= len(content)
    assert list(path.parent.iterdir()) == []


def test_another_format_is_refused_by_its_number(path: Path) -> None:
    fill(path)
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 7")
    with pytest.raises(InputError, match="the cache of vectors has format 7, this harness reads 1"):
        VectorCache(path)


def test_a_full_disk_loses_nothing_that_was_committed(path: Path) -> None:
    fill(path)
    cache = VectorCache(path)
    number = cache.register(FakeEmbedder())
    [(pages,)] = cache.connection.execute("PRAGMA page_count")
    cache.connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(HarnessError, match="no room left on the disk"):
        cache.add(number, VectorKind.BLOCK, [(KEYS[3], bytes(100_000))])
    assert len(cache.find(number, VectorKind.BLOCK, KEYS)) == 2


def test_a_path_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(HarnessError, match=r"cannot write .*vectors\.sqlite"):
        VectorCache(tmp_path / "file" / "vectors.sqlite")
    with pytest.raises(HarnessError, match="cannot use"):
        VectorCache(tmp_path)


def test_size_counts_the_files_beside_it(path: Path) -> None:
    assert cache_bytes(path) == 0
    cache = VectorCache(path)
    cache.register(FakeEmbedder())
    files = list(path.parent.iterdir())
    assert len(files) == 3
    assert cache_bytes(path) == sum(file.stat().st_size for file in files)


def test_default_path_is_the_users_cache() -> None:
    assert default_cache_path().parts[-2:] == ("evidence-harness", "vectors.sqlite")
