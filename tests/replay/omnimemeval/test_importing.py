"""`harness import omnimemeval`: a run like any other, with nothing left out unsaid."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from harness.cli.main import run
from harness.datasets.question_list import question_hash
from harness.decode import quoted
from harness.points import parse_point
from harness.recording.recording import Recording
from harness.replay.run import Run

from ...make.questions import SESSIONS, contents_of, question
from ...make.results import (
    CONTEXT,
    KETTLE,
    QUESTIONS,
    RAIN,
    import_results,
    memories_of,
    row,
    write_data,
    write_results,
    write_store,
)

POINT = "external(name=memo-1.0)"
CUT = "count-curve(k=1)"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write_data(tmp_path)


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """The second question's search failed."""
    rows = [row(QUESTIONS[0]), row(QUESTIONS[1], None, status="failed", error="timeout")]
    return write_results(tmp_path / "memo-1.0", rows)


def refused(capsys: pytest.CaptureFixture[str], *arguments: Any) -> str:
    assert import_results(*arguments) == 2
    return capsys.readouterr().err


def test_the_counts_of_each_point(data: Path, results: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    assert import_results(results, data, out, "--point", CUT, "-q") == 0
    opened = Run.open(out)
    assert [str(point) for point in opened.points] == [POINT, CUT]
    rows = {
        (each["case_id"], each["point"]): each
        for each in opened.evidence_rows(opened.points).to_pylist()
    }
    whole = rows["q0", POINT]
    said = len("The kettle went to the shed.")
    assert whole["answer_sessions_shown"] == whole["evidence_turns_touched"] == 1
    assert whole["evidence_turn_chars_quoted"] == whole["evidence_turn_chars"] == said
    assert whole["quoted_chars_raw"] == 10 + 19 + len(KETTLE) + 12
    assert whole["quoted_chars_in_answer_sessions"] == len(KETTLE)
    assert whole["first_item_rank"] == 2
    cut = rows["q0", CUT]  # the cat's session alone
    assert (cut["answer_sessions_shown"], cut["first_item_rank"]) == (0, None)
    assert cut["quoted_chars_raw"] == 10 + 19
    assert 0 < cut["context_tokens"] < whole["context_tokens"]
    contexts = [text for _, _, text in opened.contexts(parse_point(POINT))]
    assert contexts == [CONTEXT, ""]


def test_a_failed_search_stays_in_every_mean(
    data: Path, results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    assert import_results(results, data, out) == 0
    error = capsys.readouterr().err
    assert "failed searches: 1, in every mean with an empty context\n" in error
    assert "empty contexts" not in error
    assert run(["evidence", str(out), "--metrics", "answer_sessions_shown", "--json"]) == 0
    (shown,) = json.loads(capsys.readouterr().out)
    assert shown["answer_sessions_shown"] == 0.5
    assert shown["denominators"]["answer_sessions_shown"]["scored"] == 2
    kept = pq.read_table(out / "search_results.parquet").to_pylist()
    assert [(each["status"], each["failed"]) for each in kept] == [
        ("success", False),
        ("failed", True),
    ]
    assert Run.open(out).manifest.content["imported"]["statuses"] == {
        "failed": 1,
        "success": 1,
    }


def test_a_failed_search_that_the_results_leave_out_stays_in_every_mean(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Unless it is told to skip failed searches, OmniMemEval names them in a file of their own."""
    folder = write_results(tmp_path / "memo-1.0", [row(QUESTIONS[0])])
    status = {
        "stage": "search",
        "failed_users": [{"conv_idx": 1, "user_id": "lme_exper_user_lme1_1"}],
    }
    (folder / "memo_lme_search_status.json").write_text(json.dumps(status), encoding="utf-8")
    assert import_results(folder, data, tmp_path / "run") == 0
    assert "failed searches: 1, in every mean with an empty context\n" in capsys.readouterr().err
    run_ = Run.open(tmp_path / "run")
    assert [text for *_, text in run_.contexts(run_.points[0])] == [CONTEXT, ""]
    assert run_.manifest.work["without_row"] == ["lme_exper_user_lme1_1"]
    assert run_.manifest.content["imported"]["statuses"] == {"failed": 1, "success": 1}
    status = {"failed_users": [{"user_id": 1}]}
    (folder / "memo_lme_search_status.json").write_text(json.dumps(status), encoding="utf-8")
    message = refused(capsys, folder, data, tmp_path / "other")
    assert "search_status.json: failed_users[0].user_id is the number 1" in message
    assert "no row for question 1, 'q1'" in message


def test_contexts_that_no_empty_one_stands_for_are_told(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A reader was given one, with an error beside it; the library answered the other itself."""
    rows = [row(QUESTIONS[0], error="slow"), row(QUESTIONS[1], reflect_answer="The cat.")]
    folder = write_results(tmp_path / "memo-1.0", rows)
    assert import_results(folder, data, tmp_path / "run") == 0
    error = capsys.readouterr().err
    assert "failed searches: 1, in every mean with an empty context, but for 1 whose" in error
    assert (
        "answered by the library itself, so no reader was given the contexts: 1 question\n"
    ) in error


@pytest.mark.parametrize("context", ["", "Conversation memories:\n\n"])
def test_an_empty_context_of_a_search_that_did_not_fail_is_told(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], context: str
) -> None:
    out = tmp_path / "run"
    folder = write_results(tmp_path / "m", [row(QUESTIONS[0]), row(QUESTIONS[1], context)])
    assert import_results(folder, data, out, "--json") == 0
    captured = capsys.readouterr()
    assert "empty contexts: 1, of searches that did not fail" in captured.err
    printed = {each["check"]: each["count"] for each in json.loads(captured.out)}
    assert printed["empty_contexts"] == 1
    kept = pq.read_table(out / "search_results.parquet").column("empty_contexts").to_pylist()
    assert kept == [0, 1]


def test_every_check_is_printed_and_kept(
    data: Path, results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    assert import_results(results, data, out, "--json", "-q") == 0
    printed = {each["check"]: each["count"] for each in json.loads(capsys.readouterr().out)}
    assert printed["parts_located"] == printed["parts"] == 3
    assert printed["records"] == printed["sessions"] == 6
    assert printed["evidence_turns"] == 2
    assert Run.open(out).manifest.content["imported"]["checks"] == printed


def test_the_run_has_a_recording_of_what_was_shown(
    data: Path, results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    assert import_results(results, data, out, "-q") == 0
    described = Run.open(out).manifest.content["recording"]
    recording = Recording.open(Path(described["folder"]))
    assert recording.sha256 == described["sha256"]
    first, second = recording.cases()
    assert [item.head for item in first.items] == ["q0:2", "q0:1"]
    assert first.gold is not None
    assert first.gold.sessions == ("answer_s1",)
    assert (second.case_id, second.items, second.records) == ("q1", (), ())
    assert recording.manifest.content["recall"] is None
    assert run(["report", str(out), "--out", str(tmp_path / "report"), "-q"]) == 0
    assert POINT in (tmp_path / "report" / "README.md").read_text(encoding="utf-8")
    assert run(["export", "prompts", str(out), "--point", POINT]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["question_id"] == "q1"


def test_the_same_import_gives_the_same_bytes(data: Path, results: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    assert import_results(results, data, out, "-q") == 0
    first = contents_of(out)
    assert import_results(results, data, out, "-q") == 0
    assert import_results(results, data, out, "-q", "--force") == 0
    assert contents_of(out) == first


def test_an_interrupted_import_is_continued(
    data: Path, results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    out = tmp_path / "run"
    assert import_results(results, data, out, "-q") == 0
    first = contents_of(out)
    with monkeypatch.context() as patch:
        patch.setattr("harness.replay.sources.omnimemeval.importing.write_tables", interrupt)
        assert import_results(results, data, out, "-q", "--force") == 130
    assert (out / "started.json").is_file()
    assert run(["evidence", str(out)]) == 2
    assert import_results(results, data, out, "-q") == 0
    assert contents_of(out) == first


def test_other_work_is_not_replaced_unasked(
    data: Path, results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    assert import_results(results, data, out, "-q") == 0
    assert "holds a run of another points" in refused(capsys, results, data, out, "--name", "other")
    assert import_results(results, data, out, "-q", "--name", "other", "--force") == 0
    assert str(Run.open(out).points[0]) == "external(name=other)"


def test_a_question_without_a_row_is_refused(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_results(tmp_path / "memo-1.0", [row(QUESTIONS[0])])
    message = refused(capsys, folder, data, tmp_path / "run")
    assert "no row for question 1, 'q1'" in message
    assert not (tmp_path / "run").exists()


def test_all_that_does_not_fit_is_reported_together(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [row(QUESTIONS[0], "Memories: none"), row(QUESTIONS[0]), row(QUESTIONS[0])]
    folder = write_results(tmp_path / "memo-1.0", rows)
    message = refused(capsys, folder, data, tmp_path / "run")
    assert "3 faults" in message
    assert "question 'q0': its context cannot be split into items: it begins with" in message
    assert "the row asks 'Where did the kettle go?', the dataset 'Who sat?'" in message
    assert "'lme_exper_user_lme1_2': the dataset has no question 2" in message


def test_a_search_time_that_is_a_string_is_refused(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [row(asked, search_duration_ms="12") for asked in QUESTIONS]
    message = refused(capsys, write_results(tmp_path / "m", rows), data, tmp_path / "run")
    assert "search_duration_ms is the string '12', expected a finite number" in message


def test_user_ids_count_in_the_full_list(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The data lacks the first question of the list, and the results have it."""
    data = write_data(tmp_path, QUESTIONS[1:])
    listed = tmp_path / "questions.jsonl"
    listed.write_text(
        "".join(
            json.dumps({key: each[key] for key in ("question_id", "question_type")}) + "\n"
            for each in QUESTIONS
        ),
        encoding="utf-8",
    )
    folder = write_results(tmp_path / "memo-1.0", [row(asked) for asked in QUESTIONS])
    assert "--questions" in refused(capsys, folder, data, tmp_path / "run")
    assert import_results(folder, data, tmp_path / "run", "--questions", str(listed)) == 0
    assert "left out: 1 row, not in the dataset" in capsys.readouterr().err
    assert Run.open(tmp_path / "run").cases()["case_id"].to_pylist() == ["q1"]
    other = question_hash("Where did the cat go?")
    lines = listed.read_text(encoding="utf-8").splitlines()
    lines[0] = json.dumps(json.loads(lines[0]) | {"question_sha256": other})
    listed.write_text("\n".join(lines) + "\n", encoding="utf-8")
    message = refused(capsys, folder, data, tmp_path / "run", "--questions", str(listed))
    assert "asks 'Where did the kettle go?', which question 0, 'q0', of" in message


def test_a_part_of_a_split(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = write_data(tmp_path)
    split = tmp_path / "split.json"
    dev = [{"index": 1, "question_id": "q1", "question_type": "single-session-user"}]
    split.write_text(json.dumps({"seed": 0, "drawn": 1, "of": 2, "dev": dev}), encoding="utf-8")
    folder = write_results(tmp_path / "memo-1.0", [row(asked) for asked in QUESTIONS])
    assert "needs --split" in refused(capsys, folder, data, tmp_path / "run", "--part", "dev")
    given = ("--split", str(split), "--part", "dev")
    assert import_results(folder, data, tmp_path / "run", *given) == 0
    assert "left out: 1 row, other part of the split" in capsys.readouterr().err
    opened = Run.open(tmp_path / "run")
    assert opened.cases()["case_id"].to_pylist() == ["q1"]
    assert opened.manifest.work["part"] == "dev"


def test_a_name_that_is_no_word_is_refused(
    data: Path, results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    message = refused(capsys, results, data, tmp_path / "run", "--name", "a (b)")
    assert "'a (b)' cannot name a point" in message
    assert "--name memo-1.0" in message


def test_a_point_that_contexts_cannot_give_is_refused(
    data: Path, results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    quotes = "quote-curve(head=320, tail=160)"
    message = refused(capsys, results, data, tmp_path / "run", "--point", quotes)
    assert f"{quotes} cannot be cut from contexts" in message
    assert "harness record cpersona" in message


def test_the_exit_code_tells_of_a_quote_in_no_record(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    strange = "Conversation memories:\n\n[2023-05-02T10:00:00+00:00]\nNobody said this.\n"
    rows = [row(QUESTIONS[0], strange), row(QUESTIONS[1])]
    folder = write_results(tmp_path / "memo-1.0", rows)
    assert import_results(folder, data, tmp_path / "run", "--exit-code") == 1
    error = capsys.readouterr().err
    assert "1 of 4 quotes were not located in the records" in error
    assert "are these the records that were searched?" in error
    assert import_results(folder, data, tmp_path / "run") == 0


def test_records_of_a_store(data: Path, results: Path, tmp_path: Path) -> None:
    """Their times are spelled otherwise, which does not keep a header from being one of them."""
    store = write_store(tmp_path / "store.db", [*memories_of(0), *memories_of(1)])
    assert import_results(results, data, tmp_path / "stored", "-q", "--records", str(store)) == 0
    assert import_results(results, data, tmp_path / "run", "-q") == 0
    stored, own = Run.open(tmp_path / "stored"), Run.open(tmp_path / "run")
    assert stored.evidence_rows(stored.points).equals(own.evidence_rows(own.points))
    quoted = stored.table("quotes").column("record_id").unique().to_pylist()
    assert quoted == ["mem:1", "mem:2", "mem:3"]
    described = stored.manifest.content["imported"]["records"]
    assert (described["kind"], described["name"]) == ("store", "store.db")
    checks = stored.manifest.content["imported"]["checks"]
    assert checks["parts_located"] == 3
    assert checks["rendered_differently"] == 1  # Z and +00:00


def test_the_agents_of_a_store(
    data: Path, results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    agent = "lme_exper_user_old_{i}"
    memories = [*memories_of(0, agent), *memories_of(1, agent)]
    store = write_store(tmp_path / "store.db", memories)
    given = (results, data, tmp_path / "run", "--records", str(store))
    message = refused(capsys, *given)
    assert "the store has no memory of the agent 'lme_exper_user_lme1_0'" in message
    assert import_results(*given, "--agent", agent, "-q") == 0


@pytest.mark.parametrize(
    ("message_id", "message"),
    [
        ("note", "none has a msg_id that ends with _session_<position>"),
        ("x_lme_exper_session_3", "has mem:1 as session 3, the dataset has 3 sessions"),
    ],
)
def test_a_store_of_another_dataset_is_refused(
    data: Path,
    results: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    message_id: str,
    message: str,
) -> None:
    memories = [(f"lme_exper_user_lme1_{index}", message_id, KETTLE, "") for index in (0, 1)]
    store = write_store(tmp_path / "store.db", memories)
    assert message in refused(capsys, results, data, tmp_path / "run", "--records", str(store))


def test_memories_that_are_not_of_their_session_are_refused(
    data: Path, results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two memories of the first question have each other's message id."""
    cat, kettle, rain = memories_of(0)
    swapped = [(rain[0], kettle[1], *rain[2:]), (kettle[0], rain[1], *kettle[2:]), cat]
    store = write_store(tmp_path / "store.db", [*memories_of(1), *swapped])
    message = refused(capsys, results, data, tmp_path / "run", "--records", str(store))
    assert "1 fault" in message
    assert (
        "question 'q0': the store has mem:4 as session 1, but it has no text that this" in message
    )
    assert f"it is {quoted(RAIN)} of 2023-05-01T10:00:00Z, the session {quoted(KETTLE)}" in message


def test_memories_in_other_words_are_known_by_their_time(
    data: Path, results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def summarised(memory: tuple[str, str, str, str], time: str) -> tuple[str, str, str, str]:
        return (memory[0], memory[1], f"Summary of {memory[1]}", time or memory[3])

    told = [summarised(memory, "") for index in (0, 1) for memory in memories_of(index)]
    store = write_store(tmp_path / "store.db", told)
    assert import_results(results, data, tmp_path / "run", "--records", str(store)) == 0
    undated = [summarised(memory, "once") for index in (0, 1) for memory in memories_of(index)]
    store = write_store(tmp_path / "undated.db", undated)
    message = refused(capsys, results, data, tmp_path / "run2", "--records", str(store))
    assert "has no text that this session alone has, and not its time" in message
    assert "of None, the session" in message


def test_a_store_of_another_schema_is_refused(
    data: Path, results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = write_store(tmp_path / "store.db", memories_of(0), version=21)
    message = refused(capsys, results, data, tmp_path / "run", "--records", str(store))
    assert "has schema 21, expected schema 18" in message


def test_records_of_another_file_of_the_same_questions(
    data: Path, results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The other file has a question more, and no labels; the records are its own."""
    plain = [[{**each, "has_answer": False} for each in session] for session in SESSIONS]
    (tmp_path / "other").mkdir()
    others = [question("more", plain), *({**asked, "answer": "?"} for asked in QUESTIONS)]
    other = write_data(tmp_path / "other", others)
    assert import_results(results, data, tmp_path / "run", "-q", "--records", str(other)) == 0
    described = Run.open(tmp_path / "run").manifest.content["imported"]["records"]
    assert described["sha256"] != Run.open(tmp_path / "run").manifest.work["dataset"]["sha256"]
    shorter = write_data(tmp_path / "other", others[:2])
    message = refused(capsys, results, data, tmp_path / "run2", "--records", str(shorter))
    assert "question 'q1' is not in data.json" in message
