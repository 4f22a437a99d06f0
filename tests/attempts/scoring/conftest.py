"""The mill, loaded once."""

from __future__ import annotations

import pytest

from harness.worlds import World

from ...make.attempts import mill


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return mill(tmp_path_factory.mktemp("mill"))
