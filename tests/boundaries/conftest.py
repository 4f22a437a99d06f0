"""Running a verb as a user does, and the inputs of `tests/fixtures/cases`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from harness.cli.main import run

CASES = Path(__file__).resolve().parent.parent / "fixtures" / "cases"


@dataclass(frozen=True)
class Finished:
    """What a verb printed, and its exit code."""

    code: int
    out: str
    err: str


Harness = Callable[..., Finished]


@pytest.fixture
def harness(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Harness:
    """Runs the command in an empty folder, in this process; no traceback may be printed."""
    monkeypatch.chdir(tmp_path)
    capfd.readouterr()

    def call(*arguments: object) -> Finished:
        code = run([str(argument) for argument in arguments])
        captured = capfd.readouterr()
        assert "Traceback" not in captured.out + captured.err
        return Finished(code, captured.out, captured.err)

    return call
