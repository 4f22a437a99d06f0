"""What the published package answered over a small store, selection by selection."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.explain.parity.check import WHOLE_LINE, check
from harness.explain.parity.selections import ExpectedFile
from harness.recording.case_lines import CaseLines

pytestmark = pytest.mark.shared

LINES = {
    "deep": {"items": 195, "evidence": 191, "whole": 195},
    "default": {"items": 194, "evidence": 192, "whole": 196},
}
LEFT_OUT = {  # lines without a sequence, and without cosine ranks
    "deep": {"evidence": (7, 7), "whole": (4, 44)},
    "default": {"evidence": (24, 25), "whole": (18, 48)},
}
OF_EVERY_LINE = (WHOLE_LINE, "items", "ranges", "excerpts", "content", "used")


@pytest.mark.parametrize("recall", ["deep", "default"])
def test_every_recorded_selection_is_the_same(shared: Path, recall: str) -> None:
    folder = shared / "golden" / "cpersona"
    expected = ExpectedFile(str(folder / f"expected.{recall}.jsonl.gz"))
    cases = CaseLines(str(folder / f"cases.{recall}.jsonl.gz"))
    report = check(cases, list(expected), expected.name)
    assert report.differences == ()
    compared = {(one.arm, one.field): (one.compared, one.left_out) for one in report.counts}
    every = {(arm, name): (n, 0) for arm, n in LINES[recall].items() for name in OF_EVERY_LINE}
    sequences = {
        (arm, name): (LINES[recall][arm] - left_out, left_out)
        for arm, counts in LEFT_OUT[recall].items()
        for name, left_out in zip(("sequence", "cosine_ranks"), counts, strict=True)
    }
    assert compared == {**every, **sequences}
    assert all(one.same == one.compared for one in report.counts)
