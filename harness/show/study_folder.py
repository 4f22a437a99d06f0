"""The files of a new study: a split of own cases, a plan to fill in, a gate, and what to do."""

from __future__ import annotations

import json
import os
import shlex
from dataclasses import dataclass
from pathlib import Path

from harness.datasets.split import Split
from harness.model import Role
from harness.points import default_points, point_with
from harness.recording.recording import Recording

from .pages import rendered

_IGNORED = "recording/\nruns/\nprompts/\ngrades/\n"


@dataclass(frozen=True, slots=True)
class Study:
    """A folder with a split of the recording's questions."""

    folder: Path
    recording: Recording
    split: Split

    def files(self) -> dict[Path, str]:
        """Return the text of every file by its path."""
        values = self._values()
        texts = {
            "split.json": self.split.text(),
            "plan.toml": rendered("study_plan.toml.j2", **values),
            "gate.toml": rendered("study_gate.toml.j2"),
            "README.md": rendered("study_readme.md.j2", **values),
            ".gitignore": _IGNORED,
        }
        return {self.folder / name: text for name, text in texts.items()}

    def _values(self) -> dict[str, object]:
        title = self.folder.resolve().name
        points = default_points(kind=self.recording.kind)
        questions, dev = self.split.of, len(self.split.dev)
        return {
            "title": title,
            "name": json.dumps(title, ensure_ascii=False),
            "dataset_sha256": self.split.dataset_sha256,
            "recording_sha256": self.recording.sha256,
            "recording": shlex.quote(os.path.relpath(self.recording.folder, self.folder)),
            "control": str(point_with(Role.BASELINE, points) or points[0]),
            "questions": questions,
            "dev": dev,
            "test": questions - dev,
            "seed": self.split.seed,
        }
