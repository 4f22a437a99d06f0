"""A recording and a run of it that the tests of this folder share; they leave both as they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.cli.main import run as call

from ..recording.made_data import made_questions, make_recording


@pytest.fixture(scope="session")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Seventy made-up questions: three shards."""
    return make_recording(tmp_path_factory.mktemp("recorded"), made_questions(70))


@pytest.fixture(scope="session")
def default_run(recording: Path) -> Path:
    """Every default point over all cases, in one process."""
    out = recording.parent / "default-run"
    assert call(["replay", str(recording), "--out", str(out), "-q"]) == 0
    return out
