"""What a set of reports cost altogether, those that are superseded among them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.decode import json_of_file
from harness.errors import InputError

from .report import REPORT_NAME, Report, is_report, read_report
from .superseded import mark_of


@dataclass(frozen=True, slots=True)
class SpentReport:
    """A report, why it is superseded if it is, and the report whose attempts it has too, if that is
    among the others: what those cost counts once."""

    report: Report
    superseded: str | None
    made_from: Path | None

    @property
    def tokens(self) -> int:
        """Known tokens of all attempts."""
        return int(self.report.summary["known_total_tokens"])


def read_spent(sources: Sequence[Path]) -> list[SpentReport]:
    """Read reports; of a folder without a `report.json` every report in it.

    Raises `InputError` for a report that is damaged, and for a folder without any.
    """
    reports: dict[str, Report] = {}
    for path in (path for source in sources for path in _files(source)):
        report = read_report(path)
        reports.setdefault(report.sha256, report)
    return [_spent(report, reports.values()) for report in reports.values()]


def _files(source: Path) -> Iterator[Path]:
    if not source.is_dir() or (source / REPORT_NAME).is_file():
        yield source
        return
    found = [path for path in sorted(source.glob("*.json")) if is_report(json_of_file(path))]
    if not found:
        raise InputError(
            f"{source} is a folder without reports of attempts",
            "harness score WORLD ATTEMPTS --out REPORT makes one.",
        )
    yield from found


def _spent(report: Report, others: Iterable[Report]) -> SpentReport:
    marked = mark_of(report.path, report.lineage)
    sources = report.lineage[1:]
    own = (other.path for other in others if other.sha256 in sources)
    return SpentReport(report, None if marked is None else marked[1].reason, next(own, None))
