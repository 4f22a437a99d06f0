"""The snapshots of a small run's report: our own output, kept to see every change of it.

Hashes are replaced, since the bytes of a Parquet file are those of one version of its library.
Write them anew, and read the difference, with `python -m tests.show.snapshots_of`.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from pathlib import Path

from harness.replay.run import Run
from harness.show.report import ReportRequest, write_report

from ..make.recordings import long_run
from .conftest import PUBLISHED

SNAPSHOTS = Path(__file__).parent / "snapshots"


def snapshots_of(run: Run, folder: Path) -> Mapping[str, str]:
    """Every file of the report of `run`, written below `folder`, without hashes."""
    published, out = folder / "published.json", folder / "report"
    published.write_text(PUBLISHED, encoding="utf-8")
    write_report(run, out, ReportRequest(published=published))
    return {
        path.relative_to(out).as_posix(): re.sub(
            r"\b[0-9a-f]{64}\b", "SHA256", path.read_text(encoding="utf-8")
        )
        for path in sorted(out.rglob("*"))
        if path.is_file()
    }


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for page, text in snapshots_of(long_run(), folder).items():
            path = SNAPSHOTS / page
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
