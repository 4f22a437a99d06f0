"""Asking a server: what `--live` needs, copies and keeps, without the published package."""

from __future__ import annotations

import asyncio
import http.client
import json
import sqlite3
from collections.abc import Awaitable, Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest

from harness.cli.main import run
from harness.errors import HarnessError, InputError
from harness.recording.recording import Recording
from harness.recording.sources.cpersona import live, server
from harness.recording.sources.cpersona.relay import EmbeddingRelay

from ...make.questions import SESSIONS, WordEmbedder, question, vector_of, write_questions
from ...make.results import memories_of, write_store
from ...make.stores import (
    AGENT,
    KETTLE,
    LABEL,
    OK,
    change,
    item,
    make_store,
    response,
    write_searches,
)

Captured = pytest.CaptureFixture[str]
QUERY = "Where did the kettle go?"


def post(url: str, body: bytes) -> tuple[int, Any]:
    parts = urlsplit(url)
    with closing(http.client.HTTPConnection(parts.hostname or "", parts.port)) as connection:
        connection.request("POST", parts.path, body)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())


def test_the_relay_gives_vectors_and_remembers_them() -> None:
    with EmbeddingRelay(WordEmbedder()) as relay:
        status, answer = post(relay.url, json.dumps({"texts": ["cat", " "]}).encode())
        assert status == 200
        assert answer["dimensions"] == 16
        given = [np.float32(value) for value in vector_of("cat")]
        assert answer["embeddings"] == [[float(value) for value in given], [0.0] * 16]
        assert relay.vectors["cat"].tolist() == given
        assert post(relay.url, b"[]")[0] == 400
        assert post(relay.url.replace("/embed", "/other"), b"{}")[0] == 404
        assert relay.fault is None


def test_the_relay_keeps_what_the_embedder_said(monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = WordEmbedder()

    def fail(text: str) -> None:
        raise InputError("the embedder words is out of order")

    monkeypatch.setattr(embedder, "embed", fail)
    with EmbeddingRelay(embedder) as relay:
        assert post(relay.url, b'{"texts": ["cat"]}')[0] == 500
        assert str(relay.fault) == "the embedder words is out of order"


class FakeServer:
    """Stands in for the package's process: remembers settings and calls, embeds each query."""

    def __init__(self) -> None:
        self.settings: dict[str, str] = {}
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.store: dict[str, bytes] = {}
        self.without_vector = response(item("mem:1"), quote_selection="lexical_only")

    def run(
        self,
        store: Path,
        settings: Mapping[str, str],
        work: Callable[[server.Call], Awaitable[Any]],
    ) -> Any:
        self.settings = dict(settings)
        self.store = {path.name: path.read_bytes() for path in store.parent.iterdir()}

        async def call(tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
            self.calls.append((tool, dict(arguments)))
            if "CPERSONA_EMBEDDING_URL" in settings:
                texts = json.dumps({"texts": [arguments["query"]]}).encode()
                status, _ = await asyncio.to_thread(post, settings["CPERSONA_EMBEDDING_URL"], texts)
                if status == 200:
                    return response(item("mem:1"), item("mem:2"))
            return self.without_vector

        return asyncio.run(work(call))  # type: ignore[arg-type]


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> FakeServer:
    made = FakeServer()
    monkeypatch.setattr(live, "run_server", made.run)
    monkeypatch.setattr(server, "find_spec", lambda name: True)
    monkeypatch.setattr(live, "load_embedder", lambda name, options: WordEmbedder())
    return made


@pytest.fixture
def asked(tmp_path: Path) -> Path:
    one = {"question_id": "q1", "agent_id": AGENT, "query": QUERY}
    return write_searches(tmp_path / "questions.jsonl", [one])


def record_live(store: Path, *more: str) -> int:
    out = store.with_name("out")
    return run(["record", "cpersona", str(store), "--live", "--out", str(out), *more])


def test_a_copy_is_asked_and_the_question_keeps_its_vector(
    store: Path, asked: Path, fake: FakeServer
) -> None:
    store.with_name("store.db.calibration.json").write_text('{"threshold": 0.3}')
    kept = store.with_name("kept.jsonl")
    given = ["--embedder", "words", "--request", "deep=true", "--request", "top_k=40"]
    setting = ["--server-setting", "CPERSONA_RECALL_MODE=rsf"]
    questions = ["--questions", str(asked), "--save-searches", str(kept)]
    with closing(sqlite3.connect(store)):
        assert record_live(store, *questions, *given, *setting) == 0
    assert set(fake.store) == {"store.db", "store.db.calibration.json"}
    assert fake.settings["CPERSONA_RECALL_MODE"] == "rsf"
    assert fake.settings["CPERSONA_EMBEDDING_MODEL"] == LABEL
    assert fake.settings["CPERSONA_RECONSTRUCT_SEQUENCE"] == "items"
    asked_for = {"agent_id": AGENT, "query": QUERY, "budget": 20000, "trace": True}
    assert fake.calls == [("reconstruct", asked_for | {"deep": True, "top_k": 40})]
    opened = Recording.open(store.with_name("out"))
    (case,) = opened.cases()
    assert case.query.vector is not None
    assert case.query.vector.tolist() == [np.float32(value) for value in vector_of(QUERY)]
    content = opened.manifest.content
    assert content["embedder"]["query_vectors"] == "1 recorded at search time"
    assert content["recall"]["request"] == "{'deep': True, 'top_k': 40}"
    again = ["record", "cpersona", str(store), "--searches", str(kept), "-q"]
    assert run([*again, "--out", str(store.with_name("again"))]) == 0
    assert Recording.open(store.with_name("again")).sha256 == opened.sha256


def test_a_server_without_an_embedder(store: Path, asked: Path, fake: FakeServer) -> None:
    assert record_live(store, "--questions", str(asked)) == 0
    assert fake.settings["CPERSONA_EMBEDDING_MODE"] == "none"
    (case,) = Recording.open(store.with_name("out")).cases()
    assert case.query.vector is None


NO_EMBEDDER = {"recall": {"config": {"embedding_mode": "none"}}}
WHOLE = {"content": OK, "ranges": [[0, 2]], "quote_basis": "whole"}


@pytest.mark.parametrize("items", [[item("mem:3", **WHOLE)], []])
def test_without_an_embedder_nothing_needs_to_say_lexical_only(
    store: Path, asked: Path, fake: FakeServer, capsys: Captured, items: list[Any]
) -> None:
    """A window of short records, and an empty one: the server chose among no blocks."""
    fake.without_vector = response(*items)
    assert record_live(store, "--questions", str(asked)) == 0
    label = "1 without one, since the server had none (ranked lexically)"
    assert f"vectors of questions: {label}" in capsys.readouterr().err
    opened = Recording.open(store.with_name("out"))
    (case,) = opened.cases()
    assert (case.query.vector, len(case.items)) == (None, len(items))
    assert opened.manifest.content["embedder"]["query_vectors"] == label


def test_searches_kept_from_a_server_without_an_embedder_are_taken(
    store: Path, asked: Path, fake: FakeServer
) -> None:
    fake.without_vector = response(item("mem:3", **WHOLE), trace=NO_EMBEDDER)
    kept = store.with_name("kept.jsonl")
    assert record_live(store, "--questions", str(asked), "--save-searches", str(kept)) == 0
    again = ["record", "cpersona", str(store), "--searches", str(kept), "-q"]
    assert run([*again, "--out", str(store.with_name("again"))]) == 0


def test_a_setting_that_gives_the_server_an_embedder_needs_it_named(
    store: Path, asked: Path, fake: FakeServer, capsys: Captured
) -> None:
    fake.without_vector = response(item("mem:3", **WHOLE))
    setting = ["--server-setting", "CPERSONA_EMBEDDING_MODE=http"]
    assert record_live(store, "--questions", str(asked), *setting) == 2
    assert "line 1: query_vector is null" in capsys.readouterr().err


def test_the_questions_of_a_dataset(tmp_path: Path, fake: FakeServer) -> None:
    stored = "user: Rain in Lyon again."
    store = make_store(tmp_path / "store.db", memories=[stored, KETTLE])
    change(store, "UPDATE memories SET agent_id = 'of-q1-0'")
    data = write_questions(
        store.with_name("data.json"), [question("q1", SESSIONS, answer_session_ids=["s0"])]
    )
    agent = ["--agent", "of-{question_id}-{index}"]
    assert record_live(store, "--dataset", str(data), *agent) == 0
    assert fake.calls[0][1]["agent_id"] == "of-q1-0"
    (case,) = Recording.open(store.with_name("out")).cases()
    assert case.gold is not None
    assert case.gold.answer == "to the shed"


def test_an_agent_by_place_must_hold_its_question(
    store: Path, fake: FakeServer, capsys: Captured
) -> None:
    """The store was filled from a file with a question more, so every agent is one further."""
    change(store, "UPDATE memories SET agent_id = 'of-0'")
    data = write_questions(store.with_name("data.json"), [question("q1", SESSIONS)])
    assert record_live(store, "--dataset", str(data), "--agent", "of-{index}") == 2
    error = capsys.readouterr().err
    assert "question 'q1' is at 0, but the agent 'of-0' has no session of it" in error
    assert "its first record is 'The kettle went to the shed. However" in error
    assert "the first session 'Session date: 2023-05-01T10:00:00+00:00" in error
    assert (fake.calls, store.with_name("out").exists()) == ([], False)


def test_agents_that_hold_their_question_or_nothing_are_asked(tmp_path: Path) -> None:
    store = write_store(tmp_path / "store.db", memories_of(1, "of-{i}"))
    data = write_questions(tmp_path / "data.json", [question(name, SESSIONS) for name in "ab"])
    live.check_agents(store, data, live.questions_of(data, "of-{index}"))


def test_a_failing_embedder_is_named(
    store: Path, asked: Path, fake: FakeServer, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    class Broken(WordEmbedder):
        def embed(self, text: str) -> Any:
            raise HarnessError("the embedder words is out of order")

    monkeypatch.setattr(live, "load_embedder", lambda name, options: Broken())
    assert record_live(store, "--questions", str(asked), "--embedder", "words") == 2
    assert "the embedder words is out of order" in capsys.readouterr().err
    assert not store.with_name("out").exists()


def test_a_stale_store_is_refused_before_anything_is_asked(
    store: Path, asked: Path, fake: FakeServer, capsys: Captured
) -> None:
    change(store, "DELETE FROM record_blocks WHERE parent_id = 2")
    assert record_live(store, "--questions", str(asked)) == 2
    assert f"{store} is stale" in capsys.readouterr().err
    assert fake.calls == []


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ([], "--live needs what to ask: --questions FILE, or --dataset DATA with --agent NAME"),
        (["--searches", "x"], "give either --searches FILE or --live"),
        (["--questions", "x", "--agent", "a"], "leave --agent out"),
        (["--questions", "x", "--request", "deap=true"], "no argument 'deap'; did you mean 'deep'"),
        (["--questions", "x", "--request", "deep"], "--request 'deep' is not spelled NAME=VALUE"),
        (
            ["--questions", "x", "--server-setting", "PATH=x"],
            "'PATH' is not a setting of the server",
        ),
        (
            ["--questions", "x", "--server-setting", "CPERSONA_RECONSTRUCT_SEQUENCE=whole"],
            "CPERSONA_RECONSTRUCT_SEQUENCE is set by the harness",
        ),
        (["--questions", "x", "--embedder-url", "http://x"], "need --embedder NAME"),
    ],
)
def test_options_that_do_not_go_together(
    store: Path, fake: FakeServer, capsys: Captured, more: list[str], message: str
) -> None:
    assert record_live(store, *more) == 2
    assert message in capsys.readouterr().err


def test_options_of_live_are_refused_without_it(store: Path, capsys: Captured) -> None:
    given = ["record", "cpersona", str(store), "--searches", "x", "--out", "out"]
    assert run([*given, "--agent", "a", "--request", "deep=true"]) == 2
    assert "--agent and --request without --live: nothing is asked then" in capsys.readouterr().err


def test_the_package_is_needed(
    store: Path, asked: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setattr(server, "find_spec", lambda name: None)
    assert record_live(store, "--questions", str(asked)) == 2
    error = capsys.readouterr().err
    assert "the published package is asked, but cpersona is not installed" in error
    assert "pip install 'evidence-harness[parity]'" in error
