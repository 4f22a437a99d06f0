"""What the harness says when it cannot go on.

Every error that a user can cause is a `HarnessError`: it says what is wrong, where, and what to do
next. The command line prints it on standard error and exits with its code; nothing else is printed.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum
from pathlib import Path


class ExitCode(IntEnum):
    """The exit codes of every verb; `docs/exit-codes.md` and `harness --help` print this table."""

    SUCCESS = 0
    DIFFERENCE = 1
    ERROR = 2
    INTERNAL = 3
    INTERRUPTED = 130

    @property
    def meaning(self) -> str:
        return {
            ExitCode.SUCCESS: "done",
            ExitCode.DIFFERENCE: "a check ran and found a difference",
            ExitCode.ERROR: "bad input or usage, or no room to write; nothing half written",
            ExitCode.INTERNAL: "a fault of the harness; the message names a file with the details",
            ExitCode.INTERRUPTED: "interrupted; run the same command again to continue",
        }[self]


class HarnessError(Exception):
    """An error with a message for the person at the terminal.

    `message` says what and where, with the value seen and the value wanted; `hint` says what to do
    next and may be empty.
    """

    exit_code = ExitCode.ERROR

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n  {self.hint}" if self.hint else self.message


class InputError(HarnessError):
    """A file, line or field that is not as its format says."""


class UsageError(HarnessError):
    """A name, option or combination of options that does not exist or does not go together."""


class PlugInWarning(UserWarning):
    """An entry of an installed package that cannot be used; nothing asked for it by name."""


class Faults:
    """Collects faults so that all of them are reported together.

    `limit` bounds what is printed, never what is counted.
    """

    def __init__(self, limit: int = 50) -> None:
        self._messages: list[str] = []
        self._limit = limit

    def add(self, message: str) -> None:
        self._messages.append(message)

    def __len__(self) -> int:
        return len(self._messages)

    def __iter__(self) -> Iterator[str]:
        return iter(self._messages)

    def raise_if_any(self, where: str, hint: str = "") -> None:
        """Raise one `InputError` naming `where` and every fault; do nothing without a fault."""
        if not self._messages:
            return
        count = len(self._messages)
        shown = self._messages[: self._limit]
        lines = [f"{where}: {count} fault{'s' if count != 1 else ''}"]
        lines += [f"  {message}" for message in shown]
        if count > len(shown):
            lines.append(f"  … and {count - len(shown)} more")
        raise InputError("\n".join(lines), hint)


LIKENESS = 0.5
"""How alike two names are of which one may be meant by the other, from 0 to 1."""


def nearest(name: str, known: Iterable[str]) -> str:
    """Suggest `; did you mean 'x'?` for the known name nearest to `name`, or an empty string."""
    matches = difflib.get_close_matches(name, list(known), n=1, cutoff=LIKENESS)
    return f"; did you mean {matches[0]!r}?" if matches else ""


def listed(names: Sequence[str]) -> str:
    """Join names as in `a, b and c`."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def write_traceback(error: BaseException) -> Path | None:
    """Write the whole traceback to a new file among the system's temporary ones.

    Return its path; None where that cannot be written.
    """
    import tempfile
    import traceback

    text = "".join(traceback.format_exception(error))
    try:
        descriptor, name = tempfile.mkstemp(prefix="harness-traceback-", suffix=".txt")
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as stream:
            stream.write(text)
    except OSError:
        return None
    return Path(name)


def traceback_note(error: BaseException) -> str:
    """Write the traceback of a plug-in's exception to a file; return a sentence on where it is."""
    where = write_traceback(error)
    return f"The traceback is in {where}." if where else "Its traceback was not written."


def exception_line(error: BaseException) -> str:
    """Return the last line of the traceback: the exception's type and message, as one line."""
    import traceback

    lines = "".join(traceback.format_exception_only(error)).split("\n")
    return " ".join(line.strip() for line in lines if line.strip())
