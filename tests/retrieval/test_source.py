"""Vectors from the cache, embedding what is missing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from harness.errors import InputError
from harness.retrieval import Embedded, VectorSource, quantise
from harness.retrieval import source as source_module

from .conftest import DIMENSION, FakeEmbedder, vector_of


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "vectors.sqlite"


def open_source(cache: Path) -> VectorSource:
    return VectorSource("fake", {}, cache, quiet=True)


def test_each_distinct_text_is_embedded_once_and_alone(fake: FakeEmbedder, cache: Path) -> None:
    source = open_source(cache)
    texts = ["a", "b", "a", " \n", "", "茶", "b"]
    assert source.count_missing(texts) == 3
    assert source.ensure_blocks(iter(texts)) == Embedded(new=3, cached=0)
    assert fake.asked == ["a", "b", "茶"]
    assert source.ensure_blocks([*texts, "c"]) == Embedded(new=1, cached=3)
    assert open_source(cache).ensure_blocks(texts) == Embedded(new=0, cached=3)
    assert source.count_missing(["a", "d", "d", "\t"]) == 1
    assert fake.asked == ["a", "b", "茶", "c"]


def test_blocks_are_quantised_and_blank_ones_are_zero(fake: FakeEmbedder, cache: Path) -> None:
    found = open_source(cache).blocks(["a", "\u3000\n", "b", "a"])
    assert found.dtype == np.int8
    expected = [quantise(np.array(vector_of(text), dtype=np.float32)) for text in "ab"]
    assert np.array_equal(
        found, [expected[0], np.zeros(DIMENSION, dtype=np.int8), expected[1], expected[0]]
    )
    assert fake.asked == ["a", "b"]


def test_queries_are_kept_as_they_are(fake: FakeEmbedder, cache: Path) -> None:
    source = open_source(cache)
    source.ensure_queries(["why?"])
    found = open_source(cache).queries(["", "why?"])
    assert found.dtype == np.float32
    assert np.array_equal(found, np.array([[0] * DIMENSION, vector_of("why?")], dtype=np.float32))
    assert fake.asked == ["why?"]
    assert source.ensure_blocks(["why?"]) == Embedded(new=1, cached=0)


def test_no_texts(fake: FakeEmbedder, cache: Path) -> None:
    source = open_source(cache)
    assert source.ensure_blocks([]) == Embedded(0, 0)
    assert source.blocks([]).shape == (0, DIMENSION)
    assert source.queries([" "]).tolist() == [[0.0] * DIMENSION]
    assert fake.asked == []


def test_more_texts_than_one_lookup_takes(fake: FakeEmbedder, cache: Path) -> None:
    texts = [f"text {number}" for number in range(1_700)]
    source = open_source(cache)
    source.ensure_blocks(texts[:900])
    assert source.ensure_blocks(texts) == Embedded(new=800, cached=900)
    expected = [quantise(np.array(vector_of(text), dtype=np.float32)) for text in texts]
    assert np.array_equal(source.blocks(texts), expected)


def test_the_name_of_the_embedder_and_its_licence_are_passed_on(
    fake: FakeEmbedder, cache: Path
) -> None:
    source = open_source(cache)
    found = (source.name, source.dimension, source.licence, source.fingerprint)
    assert found == ("fake", DIMENSION, "CC0-1.0", "f" * 64)


def test_another_fingerprint_has_its_own_vectors(fake: FakeEmbedder, cache: Path) -> None:
    open_source(cache).ensure_blocks(["a"])
    fake.fingerprint = "e" * 64
    assert open_source(cache).ensure_blocks(["a"]) == Embedded(new=1, cached=0)


def test_an_interrupt_keeps_what_was_committed(
    fake: FakeEmbedder, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop_at(text: str) -> list[float]:
        if text == "25":
            raise KeyboardInterrupt
        return vector_of(text)

    monkeypatch.setattr(source_module, "COMMIT_EVERY", 10)
    fake.answer = stop_at
    texts = [str(number) for number in range(40)]
    with pytest.raises(KeyboardInterrupt):
        open_source(cache).ensure_blocks(texts)
    fake.answer = vector_of
    assert open_source(cache).ensure_blocks(texts) == Embedded(new=20, cached=20)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda text: [1.0] * (DIMENSION - 1), r"a vector of shape \(7,\), expected \(8,\)"),
        (lambda text: [[1.0] * DIMENSION], r"shape \(1, 8\)"),
        (lambda text: [float("nan")] * DIMENSION, "NaN or infinity"),
        (lambda text: [1.0] * 7 + [float("inf")], "NaN or infinity"),
        (lambda text: [0.0] * DIMENSION, "all zeros"),
    ],
)
def test_bad_vectors_are_refused_and_not_kept(
    answer: Callable[[str], object], message: str, fake: FakeEmbedder, cache: Path
) -> None:
    fake.answer = answer
    source = open_source(cache)
    with pytest.raises(InputError, match=message) as raised:
        source.ensure_blocks(["some text"])
    assert "fake" in str(raised.value)
    assert "'some text'" in str(raised.value)
    assert source.count_missing(["some text"]) == 1
