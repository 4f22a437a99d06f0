"""The note of a look at attempts on test tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .output import note

if TYPE_CHECKING:
    from harness.attempts.scoring.attempts import Attempt
    from harness.datasets.split import Split


def note_look(
    arms: Mapping[str, Sequence[Attempt]], split: Split, part: str, near: Path, quiet: bool
) -> None:
    """Record that the attempts of arms, by name, are shown, where they are at test tasks."""
    from harness.held_out.looks import record_look

    opening = record_look(arms, split, part, near)
    if opening is not None:
        line = f"{opening.ledger}, line {opening.number}"
        note(f"{line}: a look at attempts on test tasks. Commit it.", quiet)
