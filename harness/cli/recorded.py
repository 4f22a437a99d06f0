"""What every verb that makes a recording says at its end."""

from __future__ import annotations

from pathlib import Path

from harness.storage.folder import FolderState

from .output import note


def note_recording(out: Path, done: str, state: FolderState, quiet: bool) -> None:
    """Say what was done, how many labels name nothing in any window, and what comes next."""
    from harness.recording.labels import label_counts
    from harness.recording.recording import Recording

    if quiet:
        return
    labels = label_counts(Recording.open(out, verify=False)).note()
    if labels is not None:
        note(f"{labels}; they count as not shown")
    done = "holds this recording already" if state is FolderState.FINISHED else done
    note(f"{out}: {done}. Next: harness replay {out} --out RUN")
