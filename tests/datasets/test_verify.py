"""Verifying the real file: every question of it, and the one it lacks."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.datasets.register import read_register
from harness.datasets.verify import nearest_dataset, read_contents


@pytest.mark.shared
def test_the_real_file_is_read_whole(checkout: Path, shared: Path) -> None:
    folder = shared / "data" / "longmemeval"
    contents = read_contents(folder / "longmemeval_s_cleaned.499of500.json.xz")
    assert {count.question_type: count.questions for count in contents.counts} == {
        "single-session-user": 70,
        "multi-session": 133,
        "single-session-preference": 30,
        "temporal-reasoning": 132,
        "knowledge-update": 78,
        "single-session-assistant": 56,
    }
    assert sum(count.abstention for count in contents.counts) == 30
    assert sum(count.sessions for count in contents.counts) == 23_806
    comparison = nearest_dataset(
        contents.questions, read_register(checkout / "datasets" / "register.toml")
    )
    assert comparison is not None
    assert comparison.dataset == "longmemeval-s"
    assert comparison.missing == ("gpt4_7a0daae1",)
