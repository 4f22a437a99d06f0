"""Every arm answers the same under every Python version that is at hand."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from harness.recording.case_writer import case_object
from harness.recording.recording import Recording

from .selection_digests import cases_of, digests, made_lookups

NEEDED = "numpy, bm25s"
"""What arms and the reading of cases import."""


@pytest.fixture(scope="module")
def cases_file(tmp_path_factory: pytest.TempPathFactory, checkout: Path) -> Path:
    """A few cases of the bundled recording."""
    recording = Recording.open(checkout / "datasets" / "sample" / "recording")
    path = tmp_path_factory.mktemp("versions") / "cases.jsonl"
    lines = [json.dumps(case_object(case)) for case in recording.cases(range(0, 150, 19))]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13"])
def test_the_answers_are_those_of_this_version(
    version: str, cases_file: Path, checkout: Path
) -> None:
    if version == f"{sys.version_info.major}.{sys.version_info.minor}":
        pytest.skip(f"the tests run on Python {version}")
    python = shutil.which(f"python{version}")
    if python is None:
        pytest.skip(f"no python{version} on the path")
    probe = subprocess.run([python, "-c", f"import {NEEDED}"], capture_output=True, text=True)
    if probe.returncode != 0:
        said = [line for line in probe.stderr.splitlines() if "rror" in line or "not found" in line]
        pytest.skip(f"python{version} cannot import {NEEDED}: {' '.join(said[-1:])}")
    command = [python, "-m", "tests.arms.selection_digests", str(cases_file)]
    there = subprocess.run(command, cwd=checkout, capture_output=True, text=True)
    assert there.returncode == 0, there.stderr
    here = digests([*cases_of(cases_file), *made_lookups()])
    assert json.loads(there.stdout) == here
    assert hashlib.sha256().hexdigest() not in here.values()  # every arm had something to answer
