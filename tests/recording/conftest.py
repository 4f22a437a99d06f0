"""Recordings that the tests of this folder share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ..make.questions import (
    Object,
    WordEmbedder,
    made_questions,
    word_embedder,
    write_questions,
)
from ..make.recordings import recording_of_questions


@pytest.fixture(scope="session")
def questions() -> list[Object]:
    """Forty made-up questions: more than two row groups of cases."""
    return made_questions(40)


@pytest.fixture(scope="session")
def recording(questions: list[Object]) -> Path:
    """Their recording. Tests must leave it as it is."""
    return recording_of_questions(questions)


@pytest.fixture
def embedder() -> Iterator[WordEmbedder]:
    """The embedder of every recording that the test makes."""
    with word_embedder() as made:
        yield made


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A file of six made-up questions."""
    return write_questions(tmp_path / "data.json", made_questions(6))
