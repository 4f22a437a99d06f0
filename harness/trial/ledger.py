"""The ledger: every opening of a test split, appended before an outcome is read; and what stays
unread until then.

One JSON line per opening, chained by hash (`harness.storage.chain`). `docs/formats/verdict.md`
describes every key.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.datasets.split import Part
from harness.decode import KEEP, Format, typed
from harness.errors import Faults, UsageError
from harness.storage.chain import BrokenChainError, ChainLine, locked_chain, read_chain
from harness.storage.git import ask_git

from .grade import Outcome
from .grades import Grades
from .json_text import json_value
from .verdict import verdict_of_opening

LEDGER_NAME = "ledger.jsonl"
REGISTRATIONS = Path("registrations")
"""Where the ledger is searched for when grades do not name a registration."""


@dataclass(frozen=True, slots=True)
class OpeningRequest:
    """What a judgment would open. Hashes are of the registration's file, the split's file and the
    content of each grades folder; `grades` has the folder that is judged for each point, `passes`
    the further folders of a point, `sources` the files that its judged grades were read from;
    `registration` and `verdict` are paths relative to the ledger's folder."""

    registration: str
    registration_sha256: str
    split_sha256: str
    part: str
    points: tuple[str, ...]
    grades: Mapping[str, str]
    passes: Mapping[str, tuple[str, ...]]
    sources: Mapping[str, tuple[str, ...]]
    verdict: str

    @property
    def spent(self) -> tuple[Any, ...]:
        """What an opening spends: equal for two that read the same outcomes by the same rule."""
        return self.registration_sha256, self.split_sha256, dict(self.grades), dict(self.passes)


@dataclass(frozen=True, slots=True)
class OpeningLine(OpeningRequest):
    """What a line of the ledger says beyond its place in the chain: what was opened, and the reason
    of a repeat, None for a first opening."""

    repeat: str | None


KIND = "opening"
LINE = Format("an opening", OpeningLine, unknown=KEEP)


@dataclass(frozen=True, slots=True)
class Opening:
    """One line of the ledger: its `number`, what was opened, and the hash of the line's text, by
    which a verdict names it."""

    number: int
    request: OpeningLine
    line_sha256: str

    @property
    def repeat(self) -> str | None:
        return self.request.repeat


def default_ledger(registration: Path) -> Path:
    """Return the path of the ledger in a registration's folder."""
    return registration.parent / LEDGER_NAME


def read_ledger(path: Path) -> tuple[Opening, ...]:
    """Read every opening, in order; none if the file does not exist. Raises `BrokenChainError`."""
    return tuple(_opening(path, line) for line in read_chain(path))


def openings_of(openings: Sequence[Opening], request: OpeningRequest) -> list[Opening]:
    """Select the openings of the same registration: of its file, or the same bytes elsewhere."""
    return [
        opening
        for opening in openings
        if opening.request.registration == request.registration
        or opening.request.registration_sha256 == request.registration_sha256
    ]


@contextmanager
def opened_split(
    ledger: Path, request: OpeningRequest, again: str | None
) -> Iterator[tuple[Opening, bool]]:
    """Open the split and hold the ledger until the block ends: the opening, and whether it resumes
    one that was interrupted before its verdict.

    The line is on the disk before the block runs. An opening of the same registration without its
    verdict is resumed when the grades are the same; any other second opening needs a reason.
    Raises `UsageError` for a second opening without `again`, for `again` without a first, and
    `BrokenChainError`.
    """
    if not ledger.exists() and again is not None:
        raise _nothing_to_repeat(ledger)
    with locked_chain(ledger) as chain:
        before = openings_of([_opening(ledger, line) for line in chain.lines], request)
        resumed = _interrupted(ledger, before, request)
        if resumed is not None:
            yield resumed, True
            return
        if before and again is None:
            raise _second_opening(ledger, before[-1], request)
        if again is not None and not before:
            raise _nothing_to_repeat(ledger)
        value = {"kind": KIND, **json_value(request), "repeat": again}
        yield _opening(ledger, chain.append(value)), False


def _interrupted(
    ledger: Path, before: Sequence[Opening], request: OpeningRequest
) -> Opening | None:
    """Find the last opening, if it is of the same registration and grades and has no verdict."""
    if not before or before[-1].request.spent != request.spent:
        return None
    last = before[-1]
    places = {last.request.verdict, request.verdict}
    if any(verdict_of_opening(ledger.parent / place, last.line_sha256) for place in places):
        return None
    return last


def _second_opening(ledger: Path, last: Opening, request: OpeningRequest) -> UsageError:
    same = last.request.spent == request.spent
    of = "the same grades" if same else "other grades or another text of the registration"
    return UsageError(
        f"{ledger}, line {last.number}: the {request.part} split was opened for this registration, "
        f"with {of}; a test is spent once",
        f"Its verdict is {ledger.parent / last.request.verdict}. A repeat needs a reason, which "
        'the ledger and the verdict keep: --again "reason".',
    )


def _nothing_to_repeat(ledger: Path) -> UsageError:
    return UsageError(
        f"--again: {ledger} has no opening of this registration to repeat",
        "Leave --again out, or name the ledger of the first opening with --ledger.",
    )


def _opening(ledger: Path, line: ChainLine) -> Opening:
    kind = line.value["kind"]
    if kind != KIND:
        raise BrokenChainError(ledger, line.number, f"is of kind {kind!r}, not {KIND!r}")
    faults = Faults()
    value = {key: entry for key, entry in line.value.items() if key != "kind"}
    request = typed(LINE, value, faults)
    if request is None:
        raise BrokenChainError(ledger, line.number, f"is not an opening ({'; '.join(faults)})")
    return Opening(line.number, request, line.text_sha256)


def ledger_of(grades: Grades) -> Path:
    """Find the ledger next to the grades' registration; without one, that of `registrations/`."""
    if grades.registration is None:
        return REGISTRATIONS / LEDGER_NAME
    return default_ledger(Path(grades.registration.path))


def opening_of(grades: Grades, ledger: Path | None) -> int | None:
    """Find the number of the last opening in the ledger that covers the grades' split and point.

    None without one, and without a ledger. Raises `InputError` where the ledger's chain is broken.
    """
    numbers = [
        opening.number
        for opening in (() if ledger is None else read_ledger(ledger))
        if opening.request.split_sha256 == grades.split_sha256
        and str(grades.point) in opening.request.points
    ]
    return max(numbers, default=None)


def sealed(grades: Grades, ledger: Path | None) -> bool:
    """Return whether the accuracy of the grades may not be shown: they have test questions, and the
    ledger has no opening that covers their split and point."""
    return grades.part != Part.DEV.value and opening_of(grades, ledger) is None


def unsealed_outcomes(grades: Grades, ledger: Path | None) -> tuple[Outcome, ...] | None:
    """Read the outcomes, for every verb but `judge`; None, and none read, while they are sealed."""
    return None if sealed(grades, ledger) else grades.outcomes()


def committed_problem(ledger: Path) -> str | None:
    """Say how the file differs from its last commit other than by added lines; None where it does
    not, and where git has nothing of it."""
    committed = _committed(ledger)
    if not committed:
        return None
    try:
        data = ledger.read_bytes()
    except FileNotFoundError:
        data = b""
    if data.startswith(committed):
        return None
    lines = committed.count(b"\n")
    return (
        f"{ledger} does not begin with the {lines} line{'s' if lines != 1 else ''} that its last "
        f"commit has: git checkout -- {ledger} restores it"
    )


def other_ledgers(ledger: Path, registration: Path) -> list[Path]:
    """List other ledgers that may know of an opening: in the registration's folder, and wherever
    the git checkout has one, but for ignored files."""
    folder = registration.resolve().parent
    ledgers = {folder / LEDGER_NAME}
    top = ask_git(folder, "rev-parse", "--show-toplevel")
    if top is not None:
        listed = ask_git(
            Path(top), "ls-files", "-z", "-co", "--exclude-standard", "--", f"*{LEDGER_NAME}"
        )
        ledgers |= {Path(top) / name for name in (listed or "").split("\0") if name}
    ledgers.discard(ledger.resolve())
    return sorted(path for path in ledgers if path.is_file())


def _committed(path: Path) -> bytes | None:
    try:
        finished = subprocess.run(
            ["git", "-C", str(path.resolve().parent), "show", f"HEAD:./{path.name}"],
            capture_output=True,
            check=False,
        )
    except OSError:
        return None
    return finished.stdout if finished.returncode == 0 else None
