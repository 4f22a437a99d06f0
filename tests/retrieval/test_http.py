"""The embedder `http` against a server on this machine."""

from __future__ import annotations

import base64
import json
import socket

import numpy as np
import pytest

from harness.errors import InputError, UsageError
from harness.retrieval import http, load_embedder

from .conftest import DIMENSION, EmbeddingServer, embeddings, vector_of


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "PAUSES_SECONDS", (0.0, 0.0, 0.0))


def answered(value: object, status: int = 200) -> tuple[int, bytes]:
    return status, json.dumps(value).encode()


def test_one_text_a_request_over_one_connection(server: EmbeddingServer) -> None:
    embedder = load_embedder("http", {"url": server.url})
    found = [embedder.embed(text) for text in ("a", "茶\n", "a")]
    assert server.asked == [[http.PROBE], ["a"], ["茶\n"], ["a"]]
    assert server.connections == 1
    assert embedder.dimension == DIMENSION
    assert found[1].dtype == np.float32
    assert found[1].tolist() == vector_of("茶\n")


def test_a_given_dimension_is_not_asked_for(server: EmbeddingServer) -> None:
    options = {"url": server.url, "dimension": str(DIMENSION), "licence": "MIT", "name": "small"}
    options["identity"] = "m"
    embedder = load_embedder("http", options)
    assert (embedder.name, embedder.dimension, embedder.licence) == ("small", DIMENSION, "MIT")
    assert server.asked == []
    asked = load_embedder("http", {"url": server.url, "identity": "m"})
    assert (asked.name, asked.licence) == ("http", "unknown")
    assert asked.fingerprint == embedder.fingerprint


def test_fingerprint_is_of_the_identity_not_of_the_address() -> None:
    def fingerprint(**options: str) -> str:
        return load_embedder("http", {"dimension": "8"} | options).fingerprint

    first, second = "http://one:1", "http://two:2"
    assert fingerprint(url=first, identity="m-1") == fingerprint(url=second, identity="m-1")
    assert fingerprint(url=first, identity="m-1") != fingerprint(url=first, identity="m-2")
    assert fingerprint(url=first, identity="m") != fingerprint(
        url=first, identity="m", dimension="9"
    )


def test_without_an_identity_it_is_of_what_the_server_answers(server: EmbeddingServer) -> None:
    first = load_embedder("http", {"url": server.url}).fingerprint
    with_user = server.url.replace("http://", "http://me:secret@")
    assert load_embedder("http", {"url": with_user}).fingerprint == first
    server.answer = lambda texts: (200, embeddings([f"{text}!" for text in texts]))
    assert load_embedder("http", {"url": server.url}).fingerprint != first
    named = json.loads(embeddings(["dimension"])) | {"model": "m-2"}
    server.answer = lambda texts: (200, json.dumps(named).encode())
    assert load_embedder("http", {"url": server.url}).fingerprint != first


def test_credentials_are_sent_and_never_shown(server: EmbeddingServer) -> None:
    url = server.url.replace("http://", "http://me:p%40ss@")
    server.answer = lambda texts: (401, b"who?")
    with pytest.raises(InputError, match="status 401: who") as raised:
        load_embedder("http", {"url": url})
    sent = server.headers[0]["Authorization"].removeprefix("Basic ")
    assert base64.b64decode(sent) == b"me:p@ss"
    assert "p@ss" not in str(raised.value)
    assert "p%40ss" not in str(raised.value)
    assert server.url in raised.value.message


@pytest.mark.parametrize(
    ("url", "path", "shown"),
    [
        ("http://host:80", "/embed", "http://host:80"),
        ("https://host/", "/embed", "https://host"),
        ("http://host/v1/", "/v1/embed", "http://host/v1"),
        ("http://host/v1/embed", "/v1/embed", "http://host/v1"),
        ("http://[::1]:8080", "/embed", "http://[::1]:8080"),
    ],
)
def test_addresses(url: str, path: str, shown: str) -> None:
    found = http.parse_url(url)
    assert (found.path, found.shown, found.secure) == (path, shown, url.startswith("https"))


@pytest.mark.parametrize(
    "url", ["host:80", "ftp://host", "http://", "http://host:port", "http://a:b@host:99999999"]
)
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(UsageError, match="url '") as raised:
        load_embedder("http", {"url": url})
    assert "a:b" not in str(raised.value)


def test_bad_options_are_refused() -> None:
    with pytest.raises(UsageError, match="needs the option url"):
        load_embedder("http", {})
    for dimension in ("0", "-3", "many", "1.5"):
        with pytest.raises(UsageError, match=f"dimension '{dimension}' is not a positive"):
            load_embedder("http", {"url": "http://host", "dimension": dimension})


def test_what_fails_for_the_moment_is_tried_again(server: EmbeddingServer) -> None:
    statuses = iter([503, 429, 200])
    server.answer = lambda texts: (next(statuses), embeddings(texts))
    embedder = load_embedder(
        "http", {"url": server.url, "dimension": str(DIMENSION), "identity": "m"}
    )
    assert embedder.embed("a").tolist() == vector_of("a")
    assert len(server.asked) == 3


def test_a_lasting_failure_ends_with_the_last_answer(server: EmbeddingServer) -> None:
    server.answer = lambda texts: (503, b"still loading")
    with pytest.raises(InputError, match="status 503: still loading") as raised:
        load_embedder("http", {"url": server.url})
    assert len(server.asked) == 4
    assert "run the same command again" in raised.value.hint


def test_a_refusal_is_not_tried_again(server: EmbeddingServer) -> None:
    with pytest.raises(InputError, match="status 404") as raised:
        load_embedder("http", {"url": f"{server.url}/v2"})
    assert len(server.asked) == 1
    assert "POST /embed" in raised.value.hint


def test_a_server_that_is_not_there_is_named() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"
        with pytest.raises(InputError, match="cannot be reached") as raised:
            load_embedder("http", {"url": url})
    assert url in raised.value.message
    assert "Start the server" in raised.value.hint


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ((200, b"<html>"), "gave no vectors .*: <html>"),
        ((200, b"\xff\xfe"), "gave no vectors"),
        (answered({"vectors": []}), "missing required field `embeddings`"),
        (answered({"embeddings": "x"}), r"`\$.embeddings`"),
        (answered({"embeddings": []}), "gave 0 vectors for one text"),
        (answered({"embeddings": [[1.0]] * 2}), "gave 2 vectors for one text"),
        (answered({"embeddings": [[]]}), "gave an empty vector"),
        (answered({"embeddings": [[1.0] * 7]}), "gave 7 components, expected 8"),
        (answered({"embeddings": [[True] * 8]}), "Expected `float`, got `bool`"),
        (answered({"embeddings": [["1"] * 8]}), "Expected `float`, got `str`"),
        (answered({"embeddings": [[None] * 8]}), "Expected `float`, got `null`"),
        (answered({"embeddings": [[float("nan")] * 8]}), "gave no vectors"),
        (answered({"embeddings": [[1e300] * 8]}), "not a finite float32"),
        (answered({"detail": "bad"}, 422), 'status 422: {"detail": "bad"}'),
    ],
)
def test_bad_answers_are_named_with_the_server(
    answer: tuple[int, bytes], message: str, server: EmbeddingServer
) -> None:
    server.answer = lambda texts: answer
    embedder = load_embedder(
        "http", {"url": server.url, "dimension": str(DIMENSION), "identity": "m"}
    )
    with pytest.raises(InputError, match=message) as raised:
        embedder.embed("a")
    assert server.url in raised.value.message
    assert raised.value.hint
