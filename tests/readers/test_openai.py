"""The kind `openai`, against a server that fails in every way that services do."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email.utils import formatdate
from pathlib import Path

import pytest

from harness.errors import HarnessError, InputError, UsageError
from harness.readers.reader import Reader, ReaderDefinition, read_reader
from harness.readers.reply import NOT_REPORTED, Prompt, ReaderError, Reply, ReportedUsage

from .conftest import Define
from .faulty_server import (
    FAULTS,
    GIGABYTE,
    MODEL,
    FaultyServer,
    answer_to,
    changed,
    right,
    status,
    without_usage,
)

PROMPT = Prompt("Who lives in Lyon? " * 4)


@contextmanager
def connected(definition: ReaderDefinition) -> Iterator[Reader]:
    reader = definition.connect()
    try:
        yield reader
    finally:
        reader.close()


@pytest.fixture
def fault(server: FaultyServer, define: Define) -> Callable[..., ReaderError]:
    """Ask once for something that comes to nothing; the error."""

    def ask(plan: object, head: str = "", deadline: float = 0.4) -> ReaderError:
        server.plan = lambda prompt, before: plan  # type: ignore[assignment, return-value]
        with (
            connected(define(head, deadline=deadline)) as reader,
            pytest.raises(ReaderError) as raised,
        ):
            reader.ask(PROMPT)
        return raised.value

    return ask


def asked(definition: ReaderDefinition, prompt: Prompt = PROMPT) -> Reply:
    with connected(definition) as reader:
        return reader.ask(prompt)


def test_an_answer(server: FaultyServer, define: Define) -> None:
    reply = asked(define())
    tokens = len(PROMPT.text) // 4
    usage = ReportedUsage(input=tokens, cached=tokens // 2, output=5)
    assert reply == Reply(answer_to(PROMPT.text), "stop", MODEL, usage)
    (body,) = server.bodies
    assert body == {
        "model": MODEL,
        "messages": [{"role": "user", "content": PROMPT.text}],
        "max_tokens": 50,
        "temperature": 0.0,
    }
    assert server.paths == ["/v1/chat/completions"]


def test_everything_that_a_file_may_send(server: FaultyServer, define: Define) -> None:
    parameters = 'top_p = 0.5\nseed = 7\nsystem = "Be brief."\n[parameters.more]\nreasoning = "low"'
    head = 'limit_key = "max_completion_tokens"\napi_version = "2024-10-21"'
    definition = define(head, parameters=parameters)
    with connected(definition) as reader:
        for repeat in (1, 2):
            reader.ask(Prompt("Hello", repeat))
    first, second = server.bodies
    assert first == {
        "model": MODEL,
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Hello"},
        ],
        "reasoning": "low",
        "max_completion_tokens": 50,
        "temperature": 0.0,
        "top_p": 0.5,
        "seed": 7,
    }
    assert second == {**first, "seed": 8}  # or two answers would be one
    assert server.paths[0] == "/v1/chat/completions?api-version=2024-10-21"


@pytest.mark.parametrize(
    ("name", "says", "may_cost"),
    [
        ("429 with Retry-After", "answered with status 429: slow down", False),
        ("429", "answered with status 429: slow down", False),
        ("500", "answered with status 500: it failed", False),
        ("503", "answered with status 503: overloaded", False),
        ("time-out", "took more than 0.4 seconds", True),
        ("slow drip", "took more than 0.4 seconds", True),
        ("cut body", "broke off", True),
        ("empty choices", "gave 0 choices, expected 1", True),
        ("empty choice", "gave an empty answer, finish reason stop", True),
        ("HTML", "is not JSON (at character 1: Expecting value): <html><body>Please", True),
        ("reset", "broke off", True),
    ],
)
def test_a_fault_of_the_moment(
    name: str, says: str, may_cost: bool, server: FaultyServer, fault: Callable[..., ReaderError]
) -> None:
    error = fault(FAULTS[name])
    assert error.message.startswith(f"{server.url} ")
    assert says in error.message
    assert (error.momentary, error.may_cost) == (True, may_cost)
    assert error.retry_after == (0.0 if name == "429 with Retry-After" else None)


@pytest.mark.parametrize("name", ["time-out", "slow drip"])
def test_a_deadline_is_of_the_whole_call(name: str, fault: Callable[..., ReaderError]) -> None:
    """Every byte of the drip comes within 0.05 s; all of them would take 20 s."""
    start = time.monotonic()
    fault(FAULTS[name], deadline=0.3)
    assert 0.3 <= time.monotonic() - start < 10


def test_no_more_of_a_body_is_read_than_the_largest_answer(
    server: FaultyServer, fault: Callable[..., ReaderError]
) -> None:
    error = fault(FAULTS["gigabyte"], deadline=10)
    assert "gave an answer of more than 4,194,304 bytes" in error.message
    assert not error.momentary
    assert server.most_sent < GIGABYTE // 10


@pytest.mark.parametrize(
    ("code", "hint"),
    [
        (400, ""),
        (401, "The key comes from the environment variable OPENAI_API_KEY."),
        (404, "It must answer POST "),
        (301, ""),
    ],
)
def test_what_another_try_does_not_help(
    code: int, hint: str, fault: Callable[..., ReaderError]
) -> None:
    error = fault(status(code, "the model does not exist", Location="http://127.0.0.1:9/"))
    assert f"answered with status {code}: the model does not exist" in error.message
    assert hint in error.hint
    assert (error.momentary, error.may_cost) == (False, False)


@pytest.mark.parametrize(
    ("returned", "is_right"),
    [
        (MODEL, True),
        (f"{MODEL}-2025-04-14", True),
        (f"{MODEL}-0613", True),
        (f"{MODEL}-turbo", False),
        ("another", False),
        (None, True),
    ],
)
def test_the_model_that_answers(
    returned: str | None, is_right: bool, server: FaultyServer, define: Define
) -> None:
    server.plan = lambda prompt, before: changed(model=returned)
    if is_right:
        assert asked(define()).model == returned
        return
    with pytest.raises(ReaderError, match=f"answered as model '{returned}', asked for") as raised:
        asked(define())
    assert f'answers_as = "{returned}"' in raised.value.hint
    assert raised.value.usage.output == 5  # it was worked on, and costs
    assert asked(define(f'answers_as = "{returned}"')).model == returned


def test_usage_that_is_not_reported(server: FaultyServer, define: Define) -> None:
    server.plan = lambda prompt, before: without_usage
    assert asked(define()).usage == NOT_REPORTED


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"choices": "none"}, "choices is the string 'none', expected a list"),
        ({"usage": {"prompt_tokens": "many"}}, "usage.prompt_tokens is the string 'many'"),
        ({"usage": {"prompt_tokens": -1}}, "usage.prompt_tokens is -1, expected 0 or more"),
        ({"model": 4}, "model is the number 4, expected a string"),
    ],
)
def test_a_completion_is_read_strictly(
    change: dict[str, object], says: str, fault: Callable[..., ReaderError]
) -> None:
    error = fault(changed(**change))
    assert f"gave no chat completion: {says}" in error.message


def test_no_message_quotes_an_answer(fault: Callable[..., ReaderError]) -> None:
    for plan in (FAULTS["cut body"], FAULTS["empty choices"], changed(usage=3)):
        assert answer_to(PROMPT.text)[:12] not in str(fault(plan))


def test_a_server_that_is_not_there(define: Define) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
        definition = define()
        path = definition.path
        path.write_text(path.read_text().replace(str(definition.file.base_url), url))  # type: ignore[attr-defined]

        with pytest.raises(ReaderError, match="cannot be reached") as raised:
            asked(read_reader(str(path)))
    assert (raised.value.momentary, raised.value.may_cost) == (True, False)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("7", 7.0), (formatdate(0), 0.0), ("soon", None), ("-1", None)],
)
def test_retry_after(value: str, seconds: float | None, fault: Callable[..., ReaderError]) -> None:
    assert fault(status(503, Retry_After=value)).retry_after == seconds


def test_retry_after_a_date_to_come(fault: Callable[..., ReaderError]) -> None:
    error = fault(status(429, Retry_After=formatdate(time.time() + 100, usegmt=True)))
    assert error.retry_after == pytest.approx(100, abs=30)


def test_connections_are_kept(server: FaultyServer, define: Define) -> None:
    connections = set()

    def noting(handler: object, prompt: str) -> None:
        connections.add(handler.client_address)  # type: ignore[attr-defined]
        right(handler, prompt)  # type: ignore[arg-type]

    server.plan = lambda prompt, before: noting
    with connected(define()) as reader:
        for number in range(5):
            reader.ask(Prompt(f"question {number}"))
    assert len(connections) == 1


class TestKeys:
    """A key goes where the file says, and nowhere else."""

    def test_the_default(
        self, server: FaultyServer, define: Define, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("OPENAI_API_KEY", raising=False)
        asked(define())
        monkeypatch.setenv("OPENAI_API_KEY", "sk-default")
        asked(define())
        asked(define('key = ""'))
        sent = [headers.get("Authorization") for headers in server.headers]
        assert sent == [None, "Bearer sk-default", None]

    def test_a_named_one(
        self, server: FaultyServer, define: Define, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-default")
        monkeypatch.setenv("MINE", "k-mine")
        asked(define('key = "MINE"'))
        asked(define('key = "MINE"\nkey_header = "api-key"'))
        first, second = server.headers
        assert first["Authorization"] == "Bearer k-mine"
        assert second["api-key"] == "k-mine"
        assert "Authorization" not in second

    def test_one_that_is_not_there(self, define: Define, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("MINE", raising=False)
        with pytest.raises(UsageError, match="the environment variable MINE, which should hold"):
            define('key = "MINE"').connect()
        monkeypatch.setenv("MINE", "k-\nmine")
        with pytest.raises(UsageError, match="the key in MINE is not printable ASCII"):
            define('key = "MINE"').connect()

    def test_the_default_one_is_not_sent_in_the_clear(
        self, define: Define, monkeypatch: pytest.MonkeyPatch
    ) -> None:

        monkeypatch.setenv("OPENAI_API_KEY", "sk-default")
        path = define().path
        text = path.read_text()
        start = text.index("base_url")
        line = text[start : text.index("\n", start)]
        for url in ("http://reader.example.org/v1", "http://192.168.0.7/v1"):
            path.write_text(text.replace(line, f'base_url = "{url}"'))
            with pytest.raises(UsageError, match="OPENAI_API_KEY would be sent in the clear"):
                read_reader(str(path)).connect()
        for url in ("https://reader.example.org/v1", "http://[::1]:8080/v1", "http://localhost"):
            path.write_text(text.replace(line, f'base_url = "{url}"'))
            read_reader(str(path)).connect().close()

    def test_what_a_server_sends_back_is_shown_without_it(
        self, monkeypatch: pytest.MonkeyPatch, fault: Callable[..., ReaderError]
    ) -> None:
        monkeypatch.setenv("MINE", "k-secret")
        error = fault(status(401, "the key k-secret is wrong"), 'key = "MINE"')
        assert "the key … is wrong" in error.message
        assert "k-secret" not in str(error)

    def test_it_is_no_part_of_the_identity(
        self, define: Define, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("MINE", "k-secret")
        definition = define('key = "MINE"')
        assert definition.identity == define().identity
        assert "k-secret" not in str(definition)


def test_no_environment_variable_diverts_a_call(
    server: FaultyServer, define: Define, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-secret")
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere")
    asked(define())
    assert "org-secret" not in str(server.headers)


def test_a_proxy_that_the_file_names(server: FaultyServer, define: Define) -> None:
    """The faulty server stands in for a proxy: it is asked for the whole address."""
    definition = define(f'proxy = "{server.url.removesuffix("/v1")}"')
    path = definition.path
    text = path.read_text().replace(
        f'base_url = "{server.url}"', 'base_url = "http://127.0.0.2/v1"'
    )
    path.write_text(text)

    asked(read_reader(str(path)))
    assert server.paths == ["http://127.0.0.2/v1/chat/completions"]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('base_url = "http://me:pw@127.0.0.1/v1"', "with a user, a query or a fragment"),
        ('base_url = "http://127.0.0.1/v1?key=pw"', "with a user, a query or a fragment"),
        ('base_url = "ftp://127.0.0.1/v1"', "expected the address of a server"),
        ('base_url = "http://[::1/v1"', "which cannot be read"),
        ('base_url = "http://bücher.example/v1"', "expected the address of a server, in ASCII"),
        ('base_url = "http://a/v1"\nproxy = "http://me:pw@b"', "proxy is 'http://b' with a user"),
        ('base_url = "http://a/v1"\napi_version = "1&x=2"', "api_version is '1&x=2', expected"),
        (
            'base_url = "http://a/v1"\n[parameters.more]\nstream = true',
            "parameters.more.stream is set by the harness itself",
        ),
        ('base_ur = "http://a/v1"', "base_ur is an unknown key; did you mean 'base_url'?"),
    ],
)
def test_a_file_that_is_wrong(line: str, says: str, tmp_path: Path) -> None:

    path = tmp_path / "reader.toml"
    path.write_text(f'kind = "openai"\nmodel = "m"\n{line}\n', encoding="utf-8")
    with pytest.raises(HarnessError, match="fault") as raised:
        read_reader(str(path))
    assert says in str(raised.value)
    assert "pw" not in str(raised.value)


def test_certificates(define: Define, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot read certificates from .*own\.pem"):
        define('certificates = "own.pem"').connect()
    (tmp_path / "own.pem").write_text("not a certificate")
    with pytest.raises(InputError, match=r"cannot read certificates from .*own\.pem"):
        define('certificates = "own.pem"').connect()


def test_many_threads_ask_at_once(server: FaultyServer, define: Define) -> None:
    prompts = [Prompt(f"question {number}") for number in range(40)]
    replies: dict[str, str] = {}
    with connected(define()) as reader:

        def ask(some: list[Prompt]) -> None:
            for prompt in some:
                replies[prompt.text] = reader.ask(prompt).text

        threads = [threading.Thread(target=ask, args=(prompts[i::8],)) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert replies == {prompt.text: answer_to(prompt.text) for prompt in prompts}
