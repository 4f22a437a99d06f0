"""The made-up study of these tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from ...make.study import Study, make_study


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Study:
    """A study in the current folder."""
    monkeypatch.chdir(tmp_path)
    return make_study(tmp_path)
