"""An arm declares the signals that it ranks by; where a case lacks what they need, that is said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.model import CaseInput
from harness.points import load_arm
from harness.recording.absent import Absence, absences, absences_in
from harness.recording.recording import Recording
from harness.words import plain_of

from ..make.questions import word_embedder
from ..make.splits import write_split
from .conftest import CASES, Harness

EARLIER = CASES.parent / "f76bb23" / "recordings"
ARMS = ("items", "2.6.5a1", "2.6.5a2", "sea", "lookup-table")
NO_VECTORS = "the question has no vector and no block has a vector"
WITHOUT_VECTORS = (
    f"cosine, 1 of the 2 signals of items, is absent in 8 of 8 cases: {NO_VECTORS}",
    f"cosine_rank, 1 of the 3 signals of 2.6.5a1, is absent in 8 of 8 cases: {NO_VECTORS}",
    f"semantic, 1 of the 8 signals of sea, is absent in 8 of 8 cases: {NO_VECTORS}",
    "metadata, authority, graph, contradiction and task_fit, 5 of the 8 signals of sea, are absent "
    "in 8 of 8 cases: no record has metadata",
)
POINTS = ("--point", "2.6.5a1(budget=800)", "--point", "sea", "--point", "items")


def test_a_replay_and_its_evidence_say_so_once(harness: Harness) -> None:
    finished = harness("replay", EARLIER / "cases", "--out", "RUN", *POINTS)
    assert finished.code == 0
    shown = harness("evidence", "RUN").out
    for sentence in WITHOUT_VECTORS:
        assert finished.err.count(f"{sentence}\n") == 1
        assert shown.count(f"Signals: {sentence}.\n") == 1


def test_a_sweep_says_so(harness: Harness) -> None:
    ids = dict.fromkeys(Recording.open(EARLIER / "cases").case_ids, "x")
    write_split(Path("split.json"), ids, seed=1, dev=4, dataset_sha256="ab" * 32)
    swept = harness(
        "sweep", EARLIER / "cases", "--split", "split.json", "--point", "sea", "--out", "RUN"
    )
    assert swept.code == 0
    assert "5 of the 8 signals of sea, are absent in 4 of 4 cases: no record" in swept.err


def test_an_explanation_says_so_of_its_case(harness: Harness) -> None:
    recording = EARLIER / "cases"
    first = Recording.open(recording).case_ids[0]
    explained = harness("explain", recording, first, "--point", "2.6.5a1(budget=800)")
    of_fusion = "cosine_rank, 1 of the 3 signals of 2.6.5a1, is absent in this case"
    assert f"{of_fusion}: {NO_VECTORS}\n" in explained.err
    assert "absent" not in harness("explain", EARLIER / "questions", "q0", "--point", "items").err


@pytest.mark.parametrize("name", ["cases", "with-vectors", "store", "lookups", "questions"])
def test_the_tables_say_what_the_cases_say(name: str) -> None:
    recording = Recording.open(EARLIER / name)
    of_cases: dict[tuple[str, str], int] = {}
    for case in recording.cases():
        for arm in ARMS:
            for absence in absences_in(case, arm):
                for signal in absence.signals:
                    of_cases[arm, signal] = of_cases.get((arm, signal), 0) + 1
    found = absences(recording, recording.case_ids, ARMS)
    assert {
        (arm, signal): absence.cases
        for absence in found
        for arm in absence.arms
        for signal in absence.signals
    } == of_cases


def test_what_is_declared_is_what_the_selector_leaves_out(harness: Harness) -> None:
    """The selector says in its own trace which signals it left out of a question's sum."""
    recording = EARLIER / "store"
    for case in Recording.open(recording).cases():
        explained = harness("explain", recording, case.case_id, "--point", "sea", "--json")
        rows = json.loads(explained.out)["reasons"]
        left_out = {
            name
            for row in rows
            for name, product in row["contributions"].items()
            if product is None
        }
        declared = {name for absence in absences_in(case, "sea") for name in absence.signals}
        assert declared == left_out


def test_a_replay_with_everything_says_nothing(harness: Harness) -> None:
    finished = harness("replay", EARLIER / "questions", "--out", "RUN", "--point", "2.6.5a1")
    assert finished.code == 0
    assert "absent" not in finished.err


def test_cases_without_a_record_lack_nothing() -> None:
    """One of the two lookups found no document."""
    recording = Recording.open(EARLIER / "lookups")
    (absence,) = absences(recording, recording.case_ids, ["items"])
    assert (absence.cases, absence.of_cases, absence.empty) == (1, 1, 1)
    assert "is absent in 1 of 1 case with records: " in plain_of(absence.sentence())


def test_some_cases_and_several_arms_are_one_sentence() -> None:
    absence = Absence(("items", "quote-curve"), ("cosine",), 2, 3, 1500, (CaseInput.QUERY_VECTOR,))
    assert plain_of(absence.sentence("question")) == (
        "cosine, 1 of the 2 signals of items and quote-curve, is absent in 3 of 1,500 questions: "
        "the question has no vector"
    )


def test_the_eight_signals_of_sea_are_declared() -> None:
    signals = load_arm("sea").reads
    assert [signal.name for signal in signals if CaseInput.METADATA in signal.needs] == [
        "metadata",
        "authority",
        "graph",
        "contradiction",
        "task_fit",
    ]
    assert len(signals) == 8


@pytest.mark.shared
def test_five_of_eight_signals_are_absent_on_longmemeval(shared: Path, harness: Harness) -> None:
    data = shared / "data" / "longmemeval" / "longmemeval_s_subset35.jsonl.gz"
    assert data.is_file()
    with word_embedder():
        recorded = harness(
            "record", "longmemeval", data, "--out", "REC", "--cache", "cache", "--items", "3", "-q"
        )
    assert recorded.code == 0
    replayed = harness("replay", "REC", "--out", "RUN", "--point", "sea", "--no-tokens")
    assert (
        "metadata, authority, graph, contradiction and task_fit, 5 of the 8 signals of sea, are "
        "absent in 35 of 35 cases: no record has metadata"
    ) in replayed.err
