"""A run that the tests of this folder share; they leave it as it is."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from harness.measure.subject import MeasuredRun, subject_of
from harness.model import Case
from harness.replay.run import Run

from ...make.recordings import labelled_run


@pytest.fixture(scope="session")
def run() -> Run:
    return labelled_run()


@pytest.fixture(scope="session")
def subject(run: Run) -> MeasuredRun:
    return subject_of(run)


@pytest.fixture(scope="session")
def cases(subject: MeasuredRun) -> Mapping[str, Case]:
    """The recording's cases by id."""
    return {case.case_id: case for case in subject.open_recording().cases()}
