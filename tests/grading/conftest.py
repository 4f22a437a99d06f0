"""The made-up project with answers, in the test's own folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..make.answered import Answered, make_answered


@pytest.fixture
def answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Answered:
    monkeypatch.chdir(tmp_path)
    return make_answered(tmp_path)
