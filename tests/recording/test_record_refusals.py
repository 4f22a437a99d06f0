"""What `harness record longmemeval` refuses, and what a full disk leaves behind."""

from __future__ import annotations

import errno
import gzip
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from harness.errors import InputError
from harness.recording import schema
from harness.retrieval import Place
from harness.retrieval.recall import RECALLS

from ..make.offers import offer
from ..make.questions import (
    SESSIONS,
    Object,
    WordEmbedder,
    contents_of,
    question,
    record,
    turn,
    write_questions,
)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--recall", "bm52"], "no recall 'bm52'; did you mean 'bm25'?"),
        (["--embedder", "htp"], "no embedder 'htp'; did you mean 'http'?"),
        (["--embedder", "http"], "needs the option url"),
        (["--embedder-option", "url"], "is not spelled NAME=VALUE"),
        (["--items", "0"], "Invalid value for '--items'"),
        (["--json", "--csv"], "--json and --csv exclude each other"),
    ],
)
def test_bad_names_and_options(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], more: list[str], message: str
) -> None:
    assert record(data, tmp_path / "out", *more) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def empty_evidence() -> list[Object]:
    said = [turn("user", "x"), turn("user", " ", has_answer=True)]
    return [question("q1", SESSIONS), question("q2", [said]), question("q3", [SESSIONS[0], said])]


def without(field: str) -> list[Object]:
    made = question("q1", SESSIONS)
    del made[field]
    return [made]


@pytest.mark.parametrize("recall", ["bm25", "hybrid"])
@pytest.mark.parametrize(
    ("made", "messages"),
    [
        (
            empty_evidence(),
            [
                "data.json: 2 faults",
                "question 'q2': the evidence turn 1 of session 'answer_s0' (position 0) has no",
                "question 'q3': the evidence turn 1 of session 'answer_s1' (position 1) has no",
            ],
        ),
        (without("haystack_sessions"), ["question 'q1'", "haystack_sessions: is missing"]),
        ([question("q1", [])], ["is empty; a question needs a haystack"]),
        (
            [question("q1", SESSIONS, haystack_session_ids=["answer_s1"])],
            ["lengths differ: haystack_dates has 3, haystack_session_ids has 1"],
        ),
        ([], ["holds no question"]),
    ],
)
def test_a_faulty_dataset_is_named_and_nothing_is_recorded(
    embedder: WordEmbedder,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    made: list[Object],
    messages: list[str],
    recall: str,
) -> None:
    data = write_questions(tmp_path / "data.json", made)
    assert record(data, tmp_path / "out", "--recall", recall) == 2
    error = capsys.readouterr().err
    for message in messages:
        assert message in error
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"kettle", "not JSON, it begins"),
        (gzip.compress(b"[]" * 500, mtime=0)[:-9], "gzip stream ends early"),
    ],
)
def test_a_file_that_cannot_be_read(
    embedder: WordEmbedder,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    content: bytes,
    message: str,
) -> None:
    (tmp_path / "data.json").write_bytes(content)
    assert record(tmp_path / "data.json", tmp_path / "out") == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_corrected_dataset_is_recorded_into_the_same_folder(
    embedder: WordEmbedder, tmp_path: Path
) -> None:
    data = write_questions(tmp_path / "data.json", empty_evidence())
    assert record(data, tmp_path / "out") == 2
    write_questions(data, [question("q1", SESSIONS)])
    assert record(data, tmp_path / "out") == 0


def full(*arguments: object, **options: object) -> Any:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize(
    "step", ["pyarrow.parquet.ParquetWriter.write_table", "os.fsync", "pathlib.Path.replace"]
)
@pytest.mark.parametrize("after", [0, 1, 5])
def test_a_full_disk_leaves_nothing_half_written(
    embedder: WordEmbedder,
    data: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    step: str,
    after: int,
) -> None:
    out = tmp_path / "out"
    with monkeypatch.context() as patch:
        patch.setattr(step, failing_after(after, step))
        assert record(data, out) == 2
    assert capsys.readouterr().err.startswith(
        f"error: no room left on the disk while writing {out}"
    )
    assert set(contents_of(out)) < {"started.json", *schema.TABLES}
    assert record(data, out) == 0
    assert record(data, tmp_path / "plain") == 0
    assert contents_of(out) == contents_of(tmp_path / "plain")


def failing_after(calls: int, step: str) -> Callable[..., Any]:
    """What stands at `step`, which finds the disk full after so many calls."""
    module, _, name = step.rpartition(".")
    owner: Any
    if module == "os":
        owner = os
    else:
        owner = {"pyarrow.parquet.ParquetWriter": pq.ParquetWriter, "pathlib.Path": Path}[module]
    plain = getattr(owner, name)
    made = 0

    def call(*arguments: Any, **options: Any) -> Any:
        nonlocal made
        made += 1
        return full() if made > calls else plain(*arguments, **options)

    return call


def test_an_embedder_that_fails_leaves_unfinished_work(
    embedder: WordEmbedder, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(text: str) -> None:
        raise InputError("the embedder words is out of order")

    monkeypatch.setattr(embedder, "embed", fail)
    assert record(data, tmp_path / "out") == 2
    assert set(contents_of(tmp_path / "out")) == {"started.json"}


class _Recall:
    """A recall of another package that gives what it was made with."""

    name = "theirs"
    needs_user_turn_vectors = False

    def __init__(self, window: Callable[[int], Any]) -> None:
        self._window = window

    def fingerprint(self) -> dict[str, Any]:
        return {"name": self.name}

    def window(self, question: str, records: Any, **_: Any) -> Any:
        return self._window(len(records))


def place(position: int, score: float = 1.0, rank: int = 0, reserved: bool = False) -> Place:
    return Place(position, rank, score, reserved)


@pytest.mark.parametrize(
    ("window", "problem"),
    [
        (lambda n: [place(0), place(0)], "gave two places to the record at position 0"),
        (lambda n: [place(n)], "place 0 has position"),
        (lambda n: [place(0, float("nan"))], "has score nan, expected a finite number"),
        (lambda n: [place(0, rank=-1)], "has rank -1, expected a whole number from 0"),
        (lambda n: [place(0, reserved=True), place(1)], "put a reserved place before one"),
        (lambda n: [0], "expected a sequence of harness.retrieval.Place"),
        (lambda n: 1 / 0, "raised ZeroDivisionError: division by zero\n  The traceback is in /"),
    ],
)
def test_a_recall_that_breaks_a_promise_is_named(
    window: Callable[[int], Any],
    problem: str,
    data: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    offer(monkeypatch, RECALLS, theirs=_Recall(window))
    assert record(data, tmp_path / "out", "--recall", "theirs") == 2
    message = capsys.readouterr().err
    assert "the recall 'theirs' of" in message
    assert problem in message
    assert not (tmp_path / "out" / "manifest.json").exists()
