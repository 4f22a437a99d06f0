"""What `harness record cpersona` takes from a store and from searches in it."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from harness.model import Case
from harness.recording.recording import Recording

from ...make.questions import WordEmbedder, question, turn, vector_of, write_questions
from ...make.stores import (
    CAT,
    EPISODE,
    KETTLE,
    OK,
    change,
    int8_of,
    item,
    make_store,
    response,
    search,
)
from .conftest import Record


def only_case(folder: Path) -> Case:
    (case,) = Recording.open(folder).cases()
    return case


def float32(components: list[float]) -> list[float]:
    values: list[float] = np.array(components, dtype=np.float32).tolist()
    return values


def test_windows_records_and_vectors(record: Record, tmp_path: Path) -> None:
    assert record() == 0
    case = only_case(tmp_path / "out")
    assert (case.case_id, case.category, case.gold, case.query.date) == ("q1", None, None, None)
    assert case.query.vector is not None
    assert case.query.vector.tolist() == float32(vector_of(case.query.text))
    assert [(one.head, one.claims, one.reserved) for one in case.items] == [
        ("mem:1", ("mem:3",), False),
        ("mem:2", (), False),
        ("ep:1", (), True),
    ]
    records = {one.record_id: one for one in case.records}
    assert {ref: one.text for ref, one in records.items()} == {
        "mem:1": KETTLE,
        "mem:3": OK,
        "mem:2": CAT,
        "ep:1": EPISODE,
    }
    assert records["mem:2"].timestamp == "2023-05-02T10:00:00+00:00"
    assert records["ep:1"].timestamp == "2023-06-01T08:00:00+00:00"
    assert records["mem:1"].metadata == {"mood": "good"}
    assert records["mem:3"].blocks is None
    blocks = records["mem:1"].blocks
    assert blocks is not None
    assert blocks.vectors is not None
    assert blocks.ends.tolist() == [28, 56, 75]
    assert [row.tobytes() for row in blocks.vectors] == [
        int8_of(KETTLE[:28]),
        int8_of(KETTLE[28:56]),
        int8_of(KETTLE[56:]),
    ]


def test_an_episode_without_a_start_has_the_time_it_was_made(
    record: Record, store: Path, tmp_path: Path
) -> None:
    change(store, "UPDATE episodes SET start_time = NULL")
    change(store, "UPDATE memories SET timestamp = 'lately' WHERE id = 2")
    assert record() == 0
    times = {one.record_id: one.timestamp for one in only_case(tmp_path / "out").records}
    assert times["ep:1"] == "2026-01-02 03:04:05"
    assert times["mem:2"] is None


def test_claims_are_in_order_of_relevance(record: Record, tmp_path: Path) -> None:
    """Excerpts first, as given; then by the recall's candidates, of which the last is best."""
    quoted = item("mem:1", "mem:2", "mem:3", "ep:1", excerpts=[{"ref": "mem:3"}])
    trace = {"candidate_refs": ["mem:2", "ep:1", "mem:3", "mem:1"]}
    assert record(searches=[search(response=response(quoted, trace=trace))]) == 0
    assert only_case(tmp_path / "out").items[0].claims == ("mem:3", "ep:1", "mem:2")


def test_the_place_in_the_recall_comes_from_the_trace(record: Record, tmp_path: Path) -> None:
    recall = {
        "server_version": "2.6.5a1",
        "fusion": [{"ref": "mem:2", "score": 0.5}, {"ref": "mem:1", "score": 0.25}],
        "arms": {
            "block": [
                {"ref": "mem:3", "rank": 0, "raw": 7.0},
                {"ref": "ep:1", "rank": 1, "raw": 9.0},
            ]
        },
        "reservation": [{"ref": "ep:1", "kind": "block"}],
    }
    found = response(
        item("mem:1"),
        item("mem:2"),
        item("ep:1", admission="reservation"),
        trace={
            "candidate_refs": [],
            "clusters": [["ep:1"], ["mem:2"], ["mem:1"]],
            "recall": recall,
        },
    )
    assert record(searches=[search(response=found)]) == 0
    places = [one.recall for one in only_case(tmp_path / "out").items]
    assert [(one.rank, one.score) for one in places if one is not None] == [
        (1, 0.25),
        (0, 0.5),
        (1, -9.0),
    ]
    content = Recording.open(tmp_path / "out").manifest.content
    assert content["recall"]["server_version"] == "2.6.5a1"


def test_a_missing_vector_is_embedded_again_and_labelled(
    record: Record,
    embedder: WordEmbedder,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    searches = [search("q1"), search("q2", query_vector=None, query="Is the cat loud?")]
    assert record(searches=searches) == 2
    assert "line 2: query_vector is null" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
    assert record("--embedder", "words", searches=searches) == 0
    assert embedder.asked == ["Is the cat loud?"]
    label = "1 recorded at search time and 1 embedded again by words"
    assert f"vectors of questions: {label}" in capsys.readouterr().err
    opened = Recording.open(tmp_path / "out")
    assert opened.manifest.content["embedder"]["query_vectors"] == label
    assert opened.manifest.content["embedder"]["query_embedder_fingerprint"] == "f" * 64
    vector = list(opened.cases())[1].query.vector
    assert vector is not None
    assert vector.tolist() == float32(vector_of("Is the cat loud?"))


def test_an_embedder_of_another_width_than_the_blocks_is_refused(
    record: Record,
    embedder: WordEmbedder,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    embedder.dimension = 3
    monkeypatch.setattr(embedder, "embed", lambda text: np.ones(3, dtype=np.float32))
    assert record("--embedder", "words", searches=[search(query_vector=None)]) == 2
    assert "gives 3 components, the blocks" in capsys.readouterr().err


def test_a_search_that_the_server_made_without_a_vector_needs_none(
    record: Record, tmp_path: Path
) -> None:
    found = response(item("mem:1"), quote_selection="lexical_only")
    assert record(searches=[search(response=found, query_vector=None)]) == 0
    assert only_case(tmp_path / "out").query.vector is None
    embedder = Recording.open(tmp_path / "out").manifest.content["embedder"]
    assert "1 without one, since the server had none" in embedder["query_vectors"]


NONE_TRACED = {"recall": {"config": {"embedding_mode": "none"}}}
NONE_ADVISED = {"reason": "embeddings disabled (mode=none)", "runbook": "Start a server."}


@pytest.mark.parametrize(
    ("found", "code"),
    [
        (response(item("mem:3", quote_basis="whole"), trace=NONE_TRACED), 0),
        (response(item("mem:3", quote_basis="whole"), advisory=NONE_ADVISED), 0),
        (response(advisory=NONE_ADVISED), 0),
        (response(item("mem:1", quote_basis="blocks"), advisory=NONE_ADVISED), 2),
        (response(item("mem:3", quote_basis="whole"), advisory="mode=none"), 2),
        (response(item("mem:3", quote_basis="whole")), 2),
        (response(), 2),
        (
            response(
                trace={"recall": {"config": {"embedding_mode": "http"}}}, advisory=NONE_ADVISED
            ),
            2,
        ),
    ],
)
def test_a_missing_vector_is_taken_where_the_response_tells_of_no_embedder(
    record: Record, capsys: pytest.CaptureFixture[str], found: dict[str, object], code: int
) -> None:
    assert record(searches=[search(response=found, query_vector=None)]) == code
    error = capsys.readouterr().err
    assert ("1 without one, since the server had none" in error) == (code == 0)
    assert ("line 1: query_vector is null" in error) == (code == 2)


def test_empty_windows_are_counted(
    record: Record, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    searches = [search("q1", response=response()), search("q2"), search("q3", response=response())]
    assert record(searches=searches) == 0
    assert "2 questions of 3 with an empty window" in capsys.readouterr().err
    recall = Recording.open(tmp_path / "out").manifest.content["recall"]
    assert recall["questions_with_an_empty_window"] == 2
    assert [len(case.items) for case in Recording.open(tmp_path / "out").cases()] == [0, 3, 0]
    assert record("--force") == 0
    assert "empty window" not in capsys.readouterr().err


def test_excerpts_of_the_text_are_taken(record: Record) -> None:
    """A part of a block, several ranges, and an episode's start with its label."""
    excerpts = [
        {"ref": "mem:2", "content": "The cat sat"},
        {"ref": "mem:3", "content": OK},
        {"ref": "ep:1", "content": f"[Episode] {EPISODE[:20]}"},
    ]
    one = item("mem:1", "mem:2", "mem:3", "ep:1", excerpts=excerpts)
    joined = {"ref": "mem:2", "content": f"{CAT[:25]} … {CAT[26:]}"}
    two = item("mem:1", "mem:2", excerpts=[joined])
    assert (
        record(searches=[search(f"q{n}", response=response(i)) for n, i in enumerate([one, two])])
        == 0
    )


def test_the_dataset_adds_labels_and_its_evidence_is_found_in_the_store(tmp_path: Path) -> None:
    """One session stored as the benchmark's loader writes it, one cut and known by its message id,
    one not stored at all."""
    sessions = [
        [turn("user", "Rain in Lyon again."), turn("assistant", "Take a coat.")],
        [turn("user", "The kettle went to the shed.", has_answer=True)],
        [turn("user", "So I put it there.", has_answer=True), turn("assistant", "Noted. " * 30)],
        [turn("user", "The shed is locked.", has_answer=True)],
    ]
    asked = question("q1", sessions)
    kettle = "Session date: 2023-05-02T10:00:00+00:00\n\nuser: The kettle went to the shed."
    cut = "user: So I put it there.\n\nassistant: Noted."
    store = make_store(tmp_path / "store.db", memories=["No session.", kettle, cut])
    searched = search(response=response(item("mem:2"), item("mem:3"), item("mem:1")))
    assert recorded_with(tmp_path, store, asked, searched) == 0
    case = only_case(tmp_path / "out")
    assert (case.category, case.query.date) == ("multi-session", "2023-05-30T23:40:00+00:00")
    assert case.gold is not None
    assert case.gold.sessions == ("answer_s1", "answer_s2", "answer_s3")
    texts = {"mem:2": kettle, "mem:3": cut}
    shown = [
        texts[span.record_id][span.start : span.end]
        for span in case.gold.evidence
        if span.record_id in texts
    ]
    assert shown == ["The kettle went to the shed.", "So I put it there."]
    assert case.gold.evidence[2].record_id == "q1:3"
    ids = {one.record_id: one.session_id for one in case.records}
    assert ids == {"mem:1": None, "mem:2": "answer_s1", "mem:3": "answer_s2"}
    dataset = Recording.open(tmp_path / "out").manifest.content["dataset"]
    assert dataset["name"] == "data.json"
    assert dataset["evidence_turns_not_in_the_store"] == 1
    assert "questions_asked_in_other_words" not in dataset


def test_a_dataset_of_which_the_store_holds_nothing_labelled_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = question("q1", [[turn("user", "It is in the attic.", has_answer=True)]])
    assert recorded_with(tmp_path, make_store(tmp_path / "store.db"), asked, search()) == 2
    refused = capsys.readouterr().err
    assert "of 1 answer session and 1 evidence turn, 0 are memories" in refused
    assert "each question's own agent_id" in refused
    assert not (tmp_path / "out").exists()


def recorded_with(tmp_path: Path, store: Path, asked: dict[str, object], searched: object) -> int:
    from harness.cli.main import run

    data = write_questions(tmp_path / "data.json", [asked])
    searches = tmp_path / "searches.jsonl"
    searches.write_text(json.dumps(searched) + "\n", encoding="utf-8")
    given = ["--searches", str(searches), "--dataset", str(data), "--out", str(tmp_path / "out")]
    return run(["record", "cpersona", str(store), *given])


def test_a_question_that_the_dataset_does_not_have(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = make_store(tmp_path / "store.db")
    asked = question("other", [[turn("user", "x")]])
    assert recorded_with(tmp_path, store, asked, search()) == 2
    assert "line 1: question_id 'q1' is not in" in capsys.readouterr().err


def test_recording_again_is_the_same_to_the_byte(record: Record, tmp_path: Path) -> None:
    assert record() == 0
    first = Recording.open(tmp_path / "out").sha256
    assert record() == 0
    assert record("--force") == 0
    assert Recording.open(tmp_path / "out").sha256 == first


def test_a_recording_is_replayed_with_cosines(record: Record, tmp_path: Path) -> None:
    from harness.cli.main import run

    assert record() == 0
    run_folder = tmp_path / "run"
    given = ["replay", str(tmp_path / "out"), "--out", str(run_folder), "--no-tokens", "-q"]
    assert run([*given, "--point", "evidence(budget=2800)"]) == 0


def test_a_live_store_is_read_with_what_its_log_holds_and_stops_no_writer(
    record: Record, store: Path, tmp_path: Path
) -> None:
    with closing(sqlite3.connect(store, timeout=0, isolation_level=None)) as server:
        server.execute("PRAGMA wal_autocheckpoint = 0")
        server.execute('UPDATE memories SET metadata = \'{"mood": "new"}\' WHERE id = 1')
        assert store.with_name("store.db-wal").stat().st_size
        assert record() == 0
        server.execute("UPDATE memories SET metadata = '{}' WHERE id = 1")
    metadata = {one.record_id: one.metadata for one in only_case(tmp_path / "out").records}
    assert metadata["mem:1"] == {"mood": "new"}


def test_no_file_is_left_beside_a_store_that_nobody_has_open(record: Record, store: Path) -> None:
    before = store.read_bytes()
    assert record() == 0
    beside = sorted(path.name for path in store.parent.glob("store.db*"))
    assert (beside, store.read_bytes()) == (["store.db"], before)
