"""The mill of the scoring tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from ...make.attempts import write_mill


@pytest.fixture(scope="session")
def mill_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_mill(tmp_path_factory.mktemp("mill"))
