"""One process at a time writes into a folder.

The lock is the operating system's, on the folder itself: a process that dies leaves none behind,
and nothing but a temporary file, which says who holds it.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import socket
import sys
from pathlib import Path

from harness.errors import InputError

from .atomic import storage_error

HOLDER = f".holder.{'0' * 16}.part"
"""Temporary by its name, so that a folder with nothing else in it counts as empty."""


class FolderLock:
    """A folder that is held until `release`, or until nothing refers to the lock any more."""

    def __init__(self, path: Path) -> None:
        """Create the folder if it is missing, and lock it.

        Raises `InputError` naming the process that holds it.
        """
        self.path = path
        self._descriptor: int | None = None
        try:
            path.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(path, os.O_RDONLY)
        except OSError as error:
            raise storage_error(error, path) from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(descriptor)
            holder = _holder(path)
            if holder.get("process") != os.getpid():
                raise InputError(
                    f"{path} is being written by {_said(holder)}",
                    "Wait until it has finished, or choose another --out.",
                ) from error
        except OSError:  # a file system without locks
            os.close(descriptor)
        else:
            self._descriptor = descriptor
            self.say_who()

    def say_who(self) -> None:
        """Write down who holds the folder, if this lock does."""
        if self._descriptor is None:
            return
        command = " ".join(["harness", *sys.argv[1:3]])
        value = {"process": os.getpid(), "computer": socket.gethostname(), "command": command}
        with contextlib.suppress(OSError):  # a full disk is for the work itself to tell
            (self.path / HOLDER).write_text(json.dumps(value), encoding="utf-8")

    def release(self) -> None:
        """Let others write; does nothing the second time."""
        if self._descriptor is not None:
            (self.path / HOLDER).unlink(missing_ok=True)
            os.close(self._descriptor)
            self._descriptor = None

    def __del__(self) -> None:
        with contextlib.suppress(OSError):
            self.release()


def _holder(path: Path) -> dict[str, object]:
    try:
        value = json.loads((path / HOLDER).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def _said(holder: dict[str, object]) -> str:
    if "process" not in holder:
        return "another process"
    return "process {process} on {computer} ({command} …)".format_map(
        {"computer": "this computer", "command": "harness", **holder}
    )
