"""The made-up study of these tests, in the current folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from ...make.study import Study, make_study


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Study:
    monkeypatch.chdir(tmp_path)
    return make_study(tmp_path)
