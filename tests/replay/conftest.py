"""A recording and a run of it that the tests of this folder share; they leave both as they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..make.questions import made_questions
from ..make.recordings import recording_of_questions, run_of


@pytest.fixture(scope="session")
def recording() -> Path:
    """Seventy made-up questions: three shards."""
    return recording_of_questions(made_questions(70))


@pytest.fixture(scope="session")
def default_run(recording: Path) -> Path:
    """Every default point over all cases, in one process."""
    return run_of(recording)
