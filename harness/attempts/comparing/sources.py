"""Where attempts come from: a report that keeps its traces, or JSON Lines."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from harness.attempts.scoring.attempts import Attempt, check_tasks, read_attempts
from harness.decode import STANDARD_INPUT, json_tree
from harness.errors import InputError
from harness.worlds import World

from .report import REPORT_NAME, Report, is_report, read_report
from .superseded import refuse_superseded


@dataclass(frozen=True, slots=True, eq=False)
class AttemptSource:
    """`name`: as it was given. `report`: where one was, which keeps its traces."""

    name: str
    report: Report | None = None

    def attempts(self, world: World) -> tuple[Attempt, ...]:
        """Return the attempts at tasks of the world. Raises `InputError` naming every fault."""
        if self.report is None:
            return read_attempts(self.name, world)
        check_tasks(self.report.attempts, world, self.name)
        return self.report.attempts


def open_attempts(source: str) -> AttemptSource:
    """Open a file of attempts, or a report.

    Raises `InputError` for a report that is superseded, or that keeps no traces.
    """
    path = Path(source)
    if source == STANDARD_INPUT or not (path.is_dir() or _is_report(path)):
        return AttemptSource(source)
    report = read_report(path)
    refuse_superseded(report.path, report.lineage)
    if report.metrics_only:
        raise InputError(
            f"{report.path} is metrics-only: it keeps no inputs, no outputs and no answers, so "
            "there is nothing to score or to check",
            f"Take the report that it was made from, {report.source_sha256}.",
        )
    return AttemptSource(source, report)


def _is_report(path: Path) -> bool:
    """Return whether a file is one JSON object, and no line of attempts. What is neither is read as
    lines, so that each fault is named with its line."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}", "Check the path.") from error
    first = data.lstrip()[:4096].split(b"\n")[0].strip()
    if first == b"{" or path.name == REPORT_NAME:  # an object over several lines
        return True
    if b'"format"' not in first and b'"attempts"' not in first:
        return False
    try:
        value, _ = json_tree(data)
    except ValueError:  # JSON Lines, or cut short: the first line names a report's keys
        return b'"trace"' not in first
    return is_report(value)
