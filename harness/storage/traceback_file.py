"""Tracebacks: written to files, never shown."""

from __future__ import annotations

import os
import tempfile
import traceback
from pathlib import Path


def write_traceback(error: BaseException) -> Path | None:
    """Write the whole traceback to a new file among the system's temporary ones.

    Return its path; None where that cannot be written.
    """
    text = "".join(traceback.format_exception(error))
    try:
        descriptor, name = tempfile.mkstemp(prefix="harness-traceback-", suffix=".txt")
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as stream:
            stream.write(text)
    except OSError:
        return None
    return Path(name)


def exception_line(error: BaseException) -> str:
    """Return the last line of the traceback: the exception's type and message, as one line."""
    lines = "".join(traceback.format_exception_only(error)).split("\n")
    return " ".join(line.strip() for line in lines if line.strip())
