"""Which processes are at work in a folder: each keeps a file locked while it lives.

The lock is the operating system's, so a process that is killed leaves none behind.
"""

from __future__ import annotations

import fcntl
import os
import secrets
from pathlib import Path

from harness.storage.atomic import storage_error

_ENDING = ".owner"


class Owner:
    """This process, as others see it until `release`."""

    def __init__(self, folder: Path) -> None:
        """Say so in a file of the folder, and take away those of processes that were killed."""
        for path in folder.glob(f".*{_ENDING}"):
            is_alive(folder, path.name[1 : -len(_ENDING)])
        self.token = secrets.token_hex(8)
        self._path = _place(folder, self.token)
        new = self._path.with_name(f"{self._path.name}.new")
        try:
            self._descriptor: int | None = os.open(new, os.O_CREAT | os.O_RDWR, 0o600)
            fcntl.flock(self._descriptor, fcntl.LOCK_EX)
            new.rename(self._path)  # only now: who finds it unlocked takes it away
        except OSError as error:
            raise storage_error(error, self._path) from error

    def release(self) -> None:
        """Be gone; does nothing the second time."""
        if self._descriptor is not None:
            self._path.unlink(missing_ok=True)
            os.close(self._descriptor)
            self._descriptor = None


def is_alive(folder: Path, token: str) -> bool:
    """Return whether the owner is still at work; forget one that is not."""
    path = _place(folder, token)
    try:
        descriptor = os.open(path, os.O_RDWR)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise storage_error(error, path) from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    path.unlink(missing_ok=True)
    return False


def _place(folder: Path, token: str) -> Path:
    return folder / f".{token}{_ENDING}"
