"""Embedding servers: what they are known by, what they may take, and what is never written."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from harness.errors import InputError, UsageError
from harness.escapes import one_address, public_address
from harness.retrieval import http as http_embedder
from harness.retrieval.embedder import load_embedder

from .conftest import CASES, Harness

Answer = Callable[[str], bytes]
DATA = CASES / "url-password" / "data.json"


def vector(text: str, factor: float) -> list[float]:
    return [((sum(map(ord, text)) * factor * (i + 1)) % 97) / 97 - 0.5 for i in range(8)]


def by_factor(factor: float) -> Answer:
    return lambda text: json.dumps({"embeddings": [vector(text, factor)], "model": "m"}).encode()


class _Listening(ThreadingHTTPServer):
    """Says nothing of a client that hangs up, as one with a limit does: another test that is
    running by then would take the message for its own."""

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class Server:
    """A server at one address whose answers can be changed; `sent` holds the headers it got."""

    def __init__(self) -> None:
        self.answer: Answer = by_factor(1.7)
        self.sent: list[str | None] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                outer.sent.append(self.headers.get("Authorization"))
                (text,) = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["texts"]
                body = outer.answer(text)
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self._server = _Listening(("127.0.0.1", 0), Handler)
        self.place = f"127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.close()


def record(harness: Harness, url: str, out: str, *options: str) -> tuple[int, str]:
    finished = harness(
        *("record", "longmemeval", DATA, "--out", out, "--embedder", "http"),
        *("--embedder-url", url, "--cache", f"cache-{out[0]}.db", *options),
    )
    return finished.code, finished.out + finished.err


def tables(folder: str) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in Path(folder).glob("*.parquet")}


def test_another_model_at_the_same_address_gives_its_own_vectors(
    server: Server, harness: Harness
) -> None:
    url = f"http://{server.place}"
    assert record(harness, url, "R1")[0] == 0
    server.answer = by_factor(3.3)
    assert record(harness, url, "R2")[0] == 0  # one cache: its name begins with R
    assert record(harness, url, "empty-cache")[0] == 0
    assert tables("R2") == tables("empty-cache") != tables("R1")


def test_another_model_under_the_same_identity_is_refused(server: Server, harness: Harness) -> None:
    url, identity = f"http://{server.place}", ("--embedder-option", "identity=m-1")
    assert record(harness, url, "R1", *identity)[0] == 0
    server.answer = by_factor(3.3)
    code, said = record(harness, url, "R2", *identity)
    assert code == 2
    assert "answers a probe otherwise than" in said
    assert not Path("R2").exists()


def every_byte(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_a_password_is_never_written_or_printed(
    server: Server, harness: Harness, tmp_path: Path
) -> None:
    code, said = record(harness, f"http://reader:pass-7f3a@{server.place}", "R1")
    assert code == 0
    assert server.sent[0] is not None
    assert record(harness, f"http://reader:other@{server.place}", "R2")[0] == 0
    assert tables("R1") == tables("R2")
    manifests = [json.loads(Path(out, "manifest.json").read_text()) for out in ("R1", "R2")]
    assert manifests[0] == manifests[1]
    server.close()
    code, down = record(harness, f"http://reader:pass-7f3a@{server.place}", "S1")
    assert code == 2
    assert "pass-7f3a" not in said + down
    assert b"pass-7f3a" not in every_byte(tmp_path)


def test_a_key_in_a_query_is_refused_and_not_repeated(
    server: Server, harness: Harness, tmp_path: Path
) -> None:
    for url in (f"http://{server.place}/?key=query-9c1d", f"http://{server.place}#query-9c1d"):
        code, said = record(harness, url, "R1")
        assert code == 2
        assert "--embedder-option key=VARIABLE" in said
        assert "query-9c1d" not in said
    assert b"query-9c1d" not in every_byte(tmp_path)


def test_a_key_comes_from_the_variable_that_an_option_names(
    server: Server, harness: Harness, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, option = f"http://{server.place}", ("--embedder-option", "key=MY_KEY")
    assert record(harness, url, "R1", *option)[0] == 2
    monkeypatch.setenv("MY_KEY", "key-51aa")
    assert record(harness, url, "R1", *option)[0] == 0
    assert set(server.sent) == {"Bearer key-51aa"}
    server.answer = lambda text: b"you sent Bearer key-51aa"
    code, said = record(harness, url, "R2", *option)
    assert code == 2
    assert "key-51aa" not in said
    assert b"key-51aa" not in every_byte(tmp_path)


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("http://a:b@host:1/p?q=1#f", "http://host:1/p"),
        ("url=https://a@host/p", "url=https://host/p"),
        ("see http://x/?k=1 and https://u:p@y", "see http://x/ and https://y"),
        ("mark://music", "mark://music"),
        ("a@b?c#d", "a@b?c#d"),
    ],
)
def test_an_address_is_shown_without_its_secrets(address: str, shown: str) -> None:
    assert public_address(address) == shown


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("http://a:b@host:1/p?q=1#f", "http://host:1/p"),
        ("http:/a:b@host:1", "…@host:1"),
        ("a:b@host:1", "…@host:1"),
        ("http:/host/p?key=1", "http:/host/p"),
        ("host#key", "host"),
    ],
)
def test_a_misspelled_address_is_shown_without_its_secrets(address: str, shown: str) -> None:
    assert one_address(address) == shown


@pytest.mark.parametrize("address", ["http:/reader:pass-7f3a@127.0.0.1:1", "reader:pass-7f3a@host"])
def test_a_misspelled_address_is_refused_without_its_secrets(address: str) -> None:
    with pytest.raises(UsageError) as raised:
        http_embedder.parse_url(address)
    assert "pass-7f3a" not in str(raised.value)
    assert "is not the address of a server" in str(raised.value)


@pytest.mark.parametrize("url", ["ftp://u:hidden@host", "http://u:hidden@[::1", "http://u:hidden@"])
def test_no_message_repeats_a_bad_address(url: str) -> None:
    with pytest.raises(UsageError) as raised:
        http_embedder.parse_url(url)
    assert "hidden" not in str(raised.value)


def test_an_answer_has_a_largest_size(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_embedder, "MOST_BYTES", 1 << 20)
    server.answer = lambda text: b" " * (2 << 20)
    with pytest.raises(InputError, match="an answer of more than 1 MB"):
        load_embedder("http", {"url": f"http://{server.place}"})


def test_a_vector_has_a_largest_dimension(server: Server) -> None:
    server.answer = lambda text: json.dumps({"embeddings": [[0.5] * 70_000]}).encode()
    with pytest.raises(InputError, match="70,000 components, more than 65,536"):
        load_embedder("http", {"url": f"http://{server.place}"})


def test_a_server_that_drips_is_cut_off(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_embedder, "DEADLINE_SECONDS", 1.0)
    waiting = threading.Event()

    def drip(text: str) -> bytes:
        waiting.wait(20)
        return b"{}"

    server.answer = drip
    with pytest.raises(InputError, match="took more than 1 seconds for one text"):
        load_embedder("http", {"url": f"http://{server.place}"})
    waiting.set()
