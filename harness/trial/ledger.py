"""The ledger: every opening of test outcomes, appended before one of them is read.

There is one: `registrations/ledger.jsonl` at the top of the git repository or, outside git, of the
folder that the command runs in. One JSON line per opening, chained by hash
(`harness.storage.chain`). `docs/formats/verdict.md` describes every key.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from harness.decode import KEEP, Format, typed
from harness.errors import Faults, UsageError
from harness.points import Point, parse_point
from harness.storage.chain import BrokenChainError, Chain, ChainLine, locked_chain, read_chain
from harness.storage.git import ask_git

from .grades import Grades
from .json_text import json_value

LEDGER_NAME = "ledger.jsonl"
REGISTRATIONS = Path("registrations")

JUDGMENT, EXPLORATORY, DEMONSTRATION = "opening", "exploratory", "demonstration"
"""Kinds of lines: a judgment, a look at an exploratory set, a rehearsal that exposes nothing."""
LINE_SCHEMA = "harness.opening/2"

SetKind = Literal["grades", "attempts", "metric"]
"""What outcomes are of: answers of a reader, attempts on a world, a metric of a run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedSet:
    """One outcome set that an opening covers: of what kind, of which point, in which role (`point`,
    `control`, `pass` for a further pass of either, `shown`), and its identity.

    `costs` is the hash of the tokens that its reader reported.
    """

    kind: SetKind
    point: str
    role: str
    identity: str
    costs: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OpeningLine:
    """What an opening fixes. `questions` are those whose outcomes it opens. Of a look at an
    exploratory set there is no registration, no run, no stamp and no verdict.

    `dataset_sha256` is None where the split does not say of which data it is. `clusters_sha256` is
    of the clusters of the judged questions, None where the dataset was not given. `registration`
    and `verdict` are paths relative to the ledger's folder.
    """

    schema: str = LINE_SCHEMA
    registration: str | None = None
    registration_sha256: str | None = None
    dataset_sha256: str | None
    split_sha256: str
    part: str
    sets: tuple[OpenedSet, ...]
    run_sha256: str | None = None
    recording_sha256: str | None = None
    clusters_sha256: str | None = None
    stamp: str | None = None
    not_checked: tuple[str, ...] = ()
    stamp_reasons: tuple[str, ...] = ()
    seen_elsewhere: int | None = None
    questions: tuple[str, ...]
    verdict: str | None = None

    @property
    def points(self) -> tuple[str, ...]:
        """Every point whose outcomes are opened, the judged one first."""
        return tuple(dict.fromkeys(opened.point for opened in self.sets))

    def differences(self, other: OpeningLine) -> Iterator[str]:
        """Say in what the outcomes, the costs and the run of `other` are not those of this line."""
        ours, theirs = self._identities(), other._identities()
        for name in dict.fromkeys((*ours, *theirs)):
            fixed, given = ours.get(name), theirs.get(name)
            if fixed != given:
                yield f"{name}: fixed {_short(fixed)}, given {_short(given)}"

    def _identities(self) -> dict[str, str | None]:
        found = {"registration": self.registration_sha256}
        places: dict[tuple[str, str], int] = {}
        for opened in self.sets:
            place = places[opened.role, opened.point] = (
                places.get((opened.role, opened.point), 0) + 1
            )
            name = f"{opened.role} {opened.point}" + (f" ({place})" if place > 1 else "")
            found[f"outcomes of the {name}"] = opened.identity
            found[f"reported tokens of the {name}"] = opened.costs
        found["run"] = self.run_sha256
        found["recording"] = self.recording_sha256
        found["clusters (--data)"] = self.clusters_sha256
        return found


def _short(sha256: str | None) -> str:
    return "none" if sha256 is None else f"{sha256[:12]}…"


@dataclass(frozen=True, slots=True)
class EarlierLine:
    """A line of the ledger's first version: hashes of files, and of whole folders of grades;
    `grades` has the folder that was judged for each point, `passes` the further ones."""

    registration: str
    registration_sha256: str
    split_sha256: str
    part: str
    points: tuple[str, ...]
    grades: Mapping[str, str]
    passes: Mapping[str, tuple[str, ...]]
    sources: Mapping[str, tuple[str, ...]]
    verdict: str
    repeat: str | None

    @property
    def folders(self) -> frozenset[str]:
        """Content hashes of all folders that were opened."""
        further = [sha256 for folders in self.passes.values() for sha256 in folders]
        return frozenset((*self.grades.values(), *further))


LINE = Format("an opening", OpeningLine, unknown=KEEP)
EARLIER = Format("an opening", EarlierLine, unknown=KEEP)


@dataclass(frozen=True)
class Opening:
    """One line of a ledger: its `number`, what was opened, and the hash of the line's text, by
    which a verdict names it."""

    ledger: Path
    number: int
    kind: str
    line: OpeningLine | EarlierLine
    line_sha256: str

    @property
    def repeat(self) -> str | None:
        """Reason of a second opening, which only the first version had."""
        return self.line.repeat if isinstance(self.line, EarlierLine) else None

    @cached_property
    def identities(self) -> frozenset[str]:
        """Identities of the outcome sets that were opened; none in a line of the first version."""
        if isinstance(self.line, EarlierLine):
            return frozenset()
        return frozenset(opened.identity for opened in self.line.sets)

    @cached_property
    def opened_points(self) -> tuple[Point | str, ...]:
        """Points whose outcomes were opened; as text where no arm of that name is installed."""
        return tuple(point_of(spelling) for spelling in self.line.points)

    def holds(self, grades: Grades) -> bool:
        """Return whether the outcomes of the grades, every pass of them, were opened by it."""
        if isinstance(self.line, EarlierLine):
            return grades.sha256 in self.line.folders
        return set(grades.identities.values()) <= self.identities

    def is_of(self, registration: str, sha256: str) -> bool:
        """Return whether it judged that registration: its file, or the same bytes elsewhere."""
        if self.line.registration is None:
            return False
        return self.line.registration == registration or self.line.registration_sha256 == sha256


def point_of(spelling: str) -> Point | str:
    try:
        return parse_point(spelling)
    except UsageError:
        return spelling


def the_ledger(near: Path | None = None) -> Path:
    """Return the path of the one ledger: at the top of the git repository that holds `near`, else
    of the one that the command runs in; outside git, of the folder that it runs in."""
    folders = [Path.cwd()] if near is None else [near.resolve().parent, Path.cwd()]
    top = next((found for folder in folders if (found := top_of(folder)) is not None), None)
    path = (top or Path.cwd()) / REGISTRATIONS / LEDGER_NAME
    here = Path.cwd().resolve()
    return path.resolve().relative_to(here) if path.resolve().is_relative_to(here) else path


def top_of(folder: Path) -> Path | None:
    """Return the top of the git work tree that holds the folder; None outside one."""
    while not folder.is_dir() and folder != folder.parent:
        folder = folder.parent
    top = ask_git(folder, "rev-parse", "--show-toplevel")
    return None if not top else Path(top)


def relative_to(folder: Path, path: Path) -> str:
    """Return `path` as seen from `folder`, with forward slashes, the same on every machine; `..`
    where it is not below."""
    return Path(os.path.relpath(path.resolve(), folder.resolve())).as_posix()


def read_ledger(path: Path) -> tuple[Opening, ...]:
    """Read every opening, in order; none if the file does not exist. Raises `BrokenChainError`."""
    return tuple(opening_of_line(path, line) for line in read_chain(path))


def opening_of_line(ledger: Path, line: ChainLine) -> Opening:
    """Read a line of either version. Raises `BrokenChainError` for one that is not an opening."""
    kind = line.value["kind"]
    if kind not in (JUDGMENT, EXPLORATORY, DEMONSTRATION):
        raise BrokenChainError(ledger, line.number, f"is of kind {kind!r}, not {JUDGMENT!r}")
    faults = Faults()
    value = {key: entry for key, entry in line.value.items() if key != "kind"}
    schema = value.get("schema")
    if schema not in (None, LINE_SCHEMA):
        raise BrokenChainError(
            ledger, line.number, f"has the schema {schema!r}, and {LINE_SCHEMA!r} is the newest"
        )
    form: Format[Any] = EARLIER if schema is None else LINE
    read = typed(form, value, faults)
    if read is None:
        raise BrokenChainError(ledger, line.number, f"is not an opening ({'; '.join(faults)})")
    return Opening(ledger, line.number, kind, read, line.text_sha256)


@contextmanager
def locked_ledger(path: Path) -> Iterator[LockedLedger]:
    """Hold the ledger for this process alone until the block ends. Raises `BrokenChainError`."""
    with locked_chain(path) as chain:
        yield LockedLedger(path, chain)


class LockedLedger:
    """A ledger that nobody else appends to: its openings so far, and `append`."""

    def __init__(self, path: Path, chain: Chain) -> None:
        self.path = path
        self._chain = chain
        self.openings = [opening_of_line(path, line) for line in chain.lines]

    def append(self, kind: str, line: OpeningLine) -> Opening:
        """Append an opening; it is on the disk when this returns, and no outcome was read."""
        opening = opening_of_line(self.path, self._chain.append({"kind": kind, **json_value(line)}))
        self.openings.append(opening)
        return opening


def openings_of(openings: Sequence[Opening], registration: str, sha256: str) -> list[Opening]:
    """Select the openings that judged the registration."""
    return [opening for opening in openings if opening.is_of(registration, sha256)]
