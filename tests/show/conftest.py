"""A run that the tests of this folder share; they leave it as it is."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from harness.replay.run import Run
from harness.show.report import ReportRequest, report_pages

from ..make.recordings import long_run


@pytest.fixture(scope="session")
def run() -> Run:
    return long_run()


@pytest.fixture(scope="session")
def pages(run: Run) -> Mapping[str, str]:
    """The pages of the run's report, against its first point."""
    return report_pages(run, ReportRequest())


@pytest.fixture
def published(tmp_path: Path) -> Path:
    """Made-up published figures of eight questions."""
    path = tmp_path / "published.json"
    path.write_text(PUBLISHED, encoding="utf-8")
    return path


PUBLISHED = """\
{
 "dataset_sha256_prefix": "cdcdcdcdcdcd",
 "n_by_type": {"all500": {"multi-session": 2, "single-session": 6}, "dev100": {"multi-session": 1}},
 "studies": [
  {
   "id": "curve", "results": "curve.md", "split": "all500", "n": 8,
   "points": [
    {"point": "k=1", "cl100k_context_tokens": 300.0, "accuracy": 42.2,
     "evidence": {"sessions_shown": 30.0, "all_shown": 28.6, "turn_chars_mean": 40.0}},
    {"point": "k=full", "cl100k_context_tokens": 1272.2,
     "evidence": {"turn_chars_pooled": 99.9, "evidence_share_pooled": 20.0}},
    {"point": "k=3", "evidence": {"turns_touched": 50.0}},
    {"point": "coverage b2800", "sessions_shown": 95.5},
    {"point": "2.6.3a1 (arm A)", "cl100k_context_tokens": 2112.3}
   ]
  },
  {
   "id": "again", "split": "all500", "n": 8,
   "first_item": {"item1": 1, "items2_10": 6, "items11_12": 0, "never": 1},
   "points": [
    {"point": "k=1", "evidence": {"sessions_shown": 30.0}},
    {"point": "evidence b800", "evidence": {"turns_touched": 33.3}}
   ],
   "dev100": [{"point": "four items", "shown": 87.5}, {"point": "k=1", "shown": 50.0}],
   "all_items_by_type": [{"type": "multi-session", "n": 2, "sessions_shown": 97.0}]
  }
 ]
}
"""
