"""Reports that must not be compared any more, and why.

`superseded.jsonl` lies beside the reports that it names; a line marks one by the SHA-256 of its
bytes. Lines are chained as those of the ledger of openings: `harness.storage.chain`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.decode import json_of_file
from harness.errors import InputError, UsageError
from harness.storage.chain import BrokenChainError, ChainLine, locked_chain, read_chain
from harness.storage.hashing import sha256_of_file

from .report import FORMAT, is_report, report_file

SUPERSEDED_NAME = "superseded.jsonl"
KIND = "superseded"


@dataclass(frozen=True, slots=True)
class Superseded:
    """One line: its `number`, the report's file name and hash (hex) at the time, and the reason."""

    number: int
    report: str
    report_sha256: str
    reason: str
    line_sha256: str


def read_superseded(path: Path) -> tuple[Superseded, ...]:
    """Read every line of the file; none where there is none. Raises `BrokenChainError`."""
    return tuple(_line(path, line) for line in read_chain(path))


def supersede(report: Path, reason: str) -> Superseded:
    """Mark a report; the line is on the disk when this returns.

    A report that is marked already with this reason stays so. Raises `InputError` where there is no
    such file, `UsageError` without a reason and for a report that is marked with another one.
    """
    if not reason.strip():
        raise UsageError("--reason is empty", "Say why the report must not be compared any more.")
    report = report_file(report)
    if not report.is_file():
        raise InputError(f"{report} is not a file", "Name the report that is superseded.")
    value = json_of_file(report)
    if not is_report(value) or value.get("format", FORMAT) != FORMAT:
        raise InputError(
            f"{report} is not a report of attempts: it has another format than "
            f"{FORMAT!r}, or no attempts",
            "Name the report that is superseded.",
        )
    digest, path = sha256_of_file(report), report.resolve().parent / SUPERSEDED_NAME
    with locked_chain(path) as chain:
        for mark in (_line(path, stored) for stored in chain.lines):
            if mark.report_sha256 == digest and mark.reason == reason:
                return mark
            if mark.report_sha256 == digest:
                raise UsageError(
                    f"{report} is superseded already: {path}, line {mark.number}: {mark.reason}",
                    "Lines are only ever appended; there is nothing to do.",
                )
        line = {"kind": KIND, "report": report.name, "report_sha256": digest, "reason": reason}
        return _line(path, chain.append(line))


def mark_of(report: Path, hashes: Sequence[str]) -> tuple[Path, Superseded] | None:
    """Return the line that marks the report, or one that it was made from, with its file.

    `hashes`: hex, of the report and of those.
    """
    folders = dict.fromkeys((report.parent, report.resolve().parent))  # a link's, and its target's
    for path in (folder / SUPERSEDED_NAME for folder in folders):
        for line in read_superseded(path):
            if line.report_sha256 in hashes:
                return path, line
    return None


def refuse_superseded(report: Path, hashes: Sequence[str]) -> None:
    """Raise `InputError` where the report, or one that it was made from, is marked in its folder.

    `hashes`: hex, of the report and of those.
    """
    marked = mark_of(report, hashes)
    if marked is not None:
        path, line = marked
        own = line.report_sha256 == hashes[0]
        made = f"was made from {line.report}, which is superseded"
        raise InputError(
            f"{report} {'is superseded' if own else made}: {line.reason} "
            f"({path}, line {line.number})",
            "Compare the report that took its place.",
        )


def _line(path: Path, line: ChainLine) -> Superseded:
    value = line.value
    texts = [value.get(key) for key in ("report", "report_sha256", "reason")]
    if value["kind"] != KIND or not all(isinstance(text, str) for text in texts):
        raise BrokenChainError(path, line.number, f"is not a line of kind {KIND!r}")
    report, digest, reason = (str(text) for text in texts)
    return Superseded(line.number, report, digest, reason, line.text_sha256)
