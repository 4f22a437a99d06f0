"""A report says which signals are absent: in the index, on an arm's page, in the figure."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from harness.replay.run import Run
from harness.show.report import ReportRequest, report_pages

from ..make.manifests import edit_manifest
from ..make.once import copied
from ..make.questions import made_questions
from ..make.recordings import long_run, recording_of_questions, run_beside

OF_SEA = (
    "`metadata`, `authority`, `graph`, `contradiction` and `task_fit`, 5 of the 8 signals of "
    "`sea`, are absent in 3 of 3 questions: no record has metadata."
)


@pytest.fixture(scope="module")
def with_vectors() -> Mapping[str, str]:
    """The report of questions as of LongMemEval: with vectors and times, without metadata."""
    recording = recording_of_questions(made_questions(3))
    run = Run.open(run_beside(recording, ("sea", "2.6.5a1(budget=800)")))
    return report_pages(run, ReportRequest())


def test_the_index_lists_what_is_absent(with_vectors: Mapping[str, str]) -> None:
    index = with_vectors["README.md"]
    assert index.count(f"- {OF_SEA}\n") == 1
    (sea,) = (line for line in index.splitlines() if line.startswith("| [`sea`]"))
    assert sea.endswith("| 5 of 8 |")
    (fused,) = (line for line in index.splitlines() if line.startswith("| [`2.6.5a1`]"))
    assert fused.endswith("|  |")


def test_the_page_of_an_arm_says_what_it_lacks(with_vectors: Mapping[str, str]) -> None:
    assert with_vectors["sea/README.md"].count(f"- {OF_SEA}\n") == 1
    assert "signals of" not in with_vectors["2.6.5a1/README.md"]


def test_the_figure_marks_the_arm_and_has_a_note(with_vectors: Mapping[str, str]) -> None:
    figure = with_vectors["cost-evidence.svg"]
    assert ">sea*</text>" in figure
    assert ">2.6.5a1</text>" in figure
    assert ">* metadata, authority, graph, contradiction and task_fit, 5 of the 8" in figure


def test_without_vectors_every_arm_that_ranks_by_them_is_marked(pages: Mapping[str, str]) -> None:
    index = pages["README.md"]
    assert "`cosine_rank`, 1 of the 3 signals of `2.6.5a1` and `evidence`, is absent in" in index
    assert ">items*</text>" in pages["cost-evidence.svg"]


def test_where_the_recording_is_not_at_hand_nothing_is_said(tmp_path: Path) -> None:
    alone = copied(long_run().folder, tmp_path / "run")

    def elsewhere(value: dict[str, object]) -> None:
        content = value["content"]
        assert isinstance(content, dict)
        content["recording"]["folder"] = str(tmp_path / "gone")

    edit_manifest(alone, elsewhere)
    index = report_pages(Run.open(alone), ReportRequest())["README.md"]
    assert "absent" not in index.split("## Paired differences")[0]
