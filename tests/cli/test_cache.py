"""`harness cache`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from harness.cli.main import run
from harness.retrieval.cache import VectorCache, VectorKind


@dataclass
class Named:
    name: str
    fingerprint: str
    dimension: int = 8
    licence: str = "MIT"

    def embed(self, text: str) -> None: ...


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    path = tmp_path / "vectors.sqlite"
    with VectorCache(path) as opened:
        for name, start, vectors in (("small", "ab12", 3), ("large", "ab34", 1200)):
            number = opened.register(Named(name, start.ljust(64, "0")))  # type: ignore[arg-type]
            keys = [key.to_bytes(32, "big") for key in range(vectors)]
            opened.add(number, VectorKind.BLOCK, [(key, b"12345678") for key in keys])
    return path


def rows(path: Path, capsys: pytest.CaptureFixture[str]) -> list[dict[str, object]]:
    capsys.readouterr()
    assert run(["cache", "show", "--cache", str(path), "--json"]) == 0
    found: list[dict[str, object]] = json.loads(capsys.readouterr().out)
    return found


def test_show_prints_place_size_and_counts(cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    size = cache.stat().st_size
    assert run(["cache", "show", "--cache", str(cache)]) == 0
    assert capsys.readouterr().out == (
        f"{cache}: {size:,} bytes\n\n"
        "embedder    fingerprint      dimension  kind      vectors\n"
        "----------  -------------  -----------  ------  ---------\n"
        "large       ab3400000000…            8  block       1,200\n"
        "small       ab1200000000…            8  block           3\n"
    )
    assert rows(cache, capsys)[1] == {
        "embedder": "small",
        "fingerprint": "ab12".ljust(64, "0"),
        "dimension": 8,
        "kind": "block",
        "vectors": 3,
        "cache": str(cache),
        "cache_bytes": size,
    }


def test_show_and_clear_without_a_cache_make_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "none" / "vectors.sqlite"
    assert run(["cache", "show", "--cache", str(path)]) == 0
    assert capsys.readouterr().out == f"{path}: no cache yet\n\n(none)\n"
    assert run(["cache", "clear", "--cache", str(path), "--yes"]) == 0
    assert "nothing to clear" in capsys.readouterr().err
    assert not path.parent.exists()


def test_clear_asks_and_no_leaves_everything(
    cache: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("click.termui.visible_prompt_func", lambda prompt: "n")
    assert run(["cache", "clear", "--cache", str(cache)]) == 0
    assert len(rows(cache, capsys)) == 2
    monkeypatch.setattr("click.termui.visible_prompt_func", lambda prompt: "y")
    assert run(["cache", "clear", "--cache", str(cache)]) == 0
    assert not cache.exists()


def test_clear_one_embedder_by_the_start_of_its_fingerprint(
    cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["cache", "clear", "--cache", str(cache), "--embedder", "AB3", "--yes"]) == 0
    assert capsys.readouterr().err == "removed 1,200 vectors of large\n"
    assert [row["embedder"] for row in rows(cache, capsys)] == ["small"]


@pytest.mark.parametrize(
    ("start", "message"),
    [
        ("ab", "is the start of 2 fingerprints"),
        ("cd", "the cache has no embedder 'cd'"),
        ("", "the cache has no embedder ''"),
    ],
)
def test_an_unclear_embedder_is_refused(
    start: str, message: str, cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["cache", "clear", "--cache", str(cache), "--embedder", start, "--yes"]) == 2
    errors = capsys.readouterr().err
    assert message in errors
    assert "ab12".ljust(64, "0") in errors
    assert len(rows(cache, capsys)) == 2


def test_a_damaged_cache_is_named_and_can_be_cleared(
    cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = bytearray(cache.read_bytes())
    content[4096:] = b"\xa5" * (len(content) - 4096)
    cache.write_bytes(content)
    assert run(["cache", "show", "--cache", str(cache)]) == 2
    errors = capsys.readouterr().err
    assert f"harness cache clear --cache {cache}" in errors
    assert run(["cache", "clear", "--cache", str(cache), "--yes", "-q"]) == 0
    assert capsys.readouterr().err == ""
    assert not cache.exists()


def test_somebody_elses_file_is_not_deleted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "thesis.txt"
    path.write_text("chapter one " * 100)
    assert run(["cache", "clear", "--cache", str(path), "--yes"]) == 2
    assert "may be something else" in capsys.readouterr().err
    assert path.exists()
