"""The ledger: every opening of a test split, appended before an outcome is read.

One JSON line an opening, chained by hash (`harness.storage.chain`). `docs/formats/verdict.md`
describes every key.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.errors import UsageError
from harness.storage.chain import BrokenChainError, ChainLine, locked_chain, read_chain

from .verdict_file import verdict_of_opening

LEDGER_NAME = "ledger.jsonl"
KIND = "opening"


@dataclass(frozen=True, slots=True)
class OpeningRequest:
    """What a judgment would open. Hashes are of the registration's file, the split's file and the
    content of each grades folder; `grades` has the folder that is judged for each point, `passes`
    the further folders of a point, `sources` the files that its judged grades were read from;
    `registration` and `verdict` are paths relative to the ledger's
    folder."""

    registration: str
    registration_sha256: str
    split_sha256: str
    part: str
    points: tuple[str, ...]
    grades: Mapping[str, str]
    passes: Mapping[str, Sequence[str]]
    sources: Mapping[str, Sequence[str]]
    verdict: str


@dataclass(frozen=True, slots=True)
class Opening:
    """One line of the ledger: its `number`, what was opened, the reason of a repeat (None for a
    first opening) and the hash of the line's text, by which a verdict names it."""

    number: int
    asked: OpeningRequest
    repeat: str | None
    line_sha256: str


def default_ledger(registration: Path) -> Path:
    """The ledger beside a registration."""
    return registration.parent / LEDGER_NAME


def read_ledger(path: Path) -> tuple[Opening, ...]:
    """Every opening, in order; none if the file does not exist. Raises `BrokenChainError`."""
    return tuple(_opening(path, line) for line in read_chain(path))


def openings_of(openings: Sequence[Opening], asked: OpeningRequest) -> list[Opening]:
    """The openings of the same registration: of the same file, or of the same bytes elsewhere."""
    return [
        opening
        for opening in openings
        if opening.asked.registration == asked.registration
        or opening.asked.registration_sha256 == asked.registration_sha256
    ]


@contextmanager
def opened_split(
    ledger: Path, asked: OpeningRequest, again: str | None
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
        before = openings_of([_opening(ledger, line) for line in chain.lines], asked)
        resumed = _interrupted(ledger, before, asked)
        if resumed is not None:
            yield resumed, True
            return
        if before and again is None:
            raise _second_opening(ledger, before[-1], asked)
        if again is not None and not before:
            raise _nothing_to_repeat(ledger)
        yield _opening(ledger, chain.append(_value(asked, again))), False


def _interrupted(ledger: Path, before: Sequence[Opening], asked: OpeningRequest) -> Opening | None:
    """The last opening, if it is of the same registration and grades and its verdict is missing."""
    if not before or _spent(before[-1].asked) != _spent(asked):
        return None
    last = before[-1]
    places = {last.asked.verdict, asked.verdict}
    if any(verdict_of_opening(ledger.parent / place, last.line_sha256) for place in places):
        return None
    return last


def _spent(asked: OpeningRequest) -> tuple[Any, ...]:
    """What an opening spends: equal for two that read the same outcomes by the same rule."""
    passes = {point: tuple(hashes) for point, hashes in asked.passes.items()}
    return asked.registration_sha256, asked.split_sha256, dict(asked.grades), passes


def _second_opening(ledger: Path, last: Opening, asked: OpeningRequest) -> UsageError:
    same = _spent(last.asked) == _spent(asked)
    of = "the same grades" if same else "other grades or another text of the registration"
    return UsageError(
        f"{ledger}, line {last.number}: the {asked.part} split was opened for this registration, "
        f"with {of}; a test is spent once",
        f"Its verdict is {ledger.parent / last.asked.verdict}. A repeat needs a reason, which the "
        'ledger and the verdict keep: --again "reason".',
    )


def _nothing_to_repeat(ledger: Path) -> UsageError:
    return UsageError(
        f"--again: {ledger} has no opening of this registration to repeat",
        "Leave --again out, or name the ledger of the first opening with --ledger.",
    )


def _value(asked: OpeningRequest, repeat: str | None) -> dict[str, Any]:
    return {
        "kind": KIND,
        "registration": asked.registration,
        "registration_sha256": asked.registration_sha256,
        "split_sha256": asked.split_sha256,
        "part": asked.part,
        "points": list(asked.points),
        "grades": dict(asked.grades),
        "passes": {point: list(hashes) for point, hashes in asked.passes.items()},
        "sources": {point: list(hashes) for point, hashes in asked.sources.items()},
        "verdict": asked.verdict,
        "repeat": repeat,
    }


def _opening(ledger: Path, line: ChainLine) -> Opening:
    value = line.value
    if value["kind"] != KIND:
        raise BrokenChainError(ledger, line.number, f"is of kind {value['kind']!r}, not {KIND!r}")
    try:
        asked = OpeningRequest(
            registration=value["registration"],
            registration_sha256=value["registration_sha256"],
            split_sha256=value["split_sha256"],
            part=value["part"],
            points=tuple(value["points"]),
            grades=dict(value["grades"]),
            passes={point: tuple(hashes) for point, hashes in value["passes"].items()},
            sources={point: tuple(hashes) for point, hashes in value["sources"].items()},
            verdict=value["verdict"],
        )
        return Opening(line.number, asked, value["repeat"], line.text_sha256)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BrokenChainError(ledger, line.number, f"is not an opening ({error!r})") from error
