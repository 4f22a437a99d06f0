"""What can be compared with what: files of selections, and runs."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Protocol

from harness.decode.json_lines import STANDARD_INPUT
from harness.replay.run import Run

from .run_selections import RunSelections
from .selection_lines import SelectionFile, SelectionLine


class SelectionSource(Protocol):
    """A file of selections or a run."""

    @property
    def name(self) -> str:
        """The source, as messages name it."""
        ...

    def selections(self, points: Collection[str] | None) -> Iterator[SelectionLine]:
        """The selections at `points` (by canonical spelling; None: all), one at a time; a point
        that the source does not have is refused."""
        ...


def open_source(path: str) -> SelectionSource:
    """The run in a folder, verified by hash; else a file of selections, or `-`, standard input."""
    if path != STANDARD_INPUT and Path(path).is_dir():
        return RunSelections(Run.open(Path(path)))
    return SelectionFile(path)
