"""The kind `openai`: any endpoint that speaks the OpenAI chat protocol."""

from __future__ import annotations

import ssl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import SplitResult, urlsplit

from harness.decode import Check, Example, FieldError, Format, Text, matching
from harness.errors import InputError, UsageError
from harness.escapes import one_address
from harness.keys import is_set, key_of
from harness.words import counted

from .chat import OURS, reply_of, request_body, said
from .reader import Reader, ReaderFile
from .reply import Prompt, ReaderError, Reply

if TYPE_CHECKING:
    from .transport import HttpAnswer

DEFAULT_KEY = "OPENAI_API_KEY"
_HINT = "docs/formats/readers.md describes a reader's file."
_MOMENTARY = frozenset({408, 409, 425, 429, *range(500, 600)})
_PATH = "/chat/completions"


def _address_wrong(url: str) -> str | None:
    shown = one_address(url)
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return f"is {shown!r}, which cannot be read"
    if parts.scheme not in ("http", "https") or not parts.hostname or not url.isascii():
        return f"is {shown!r}, expected the address of a server, in ASCII"
    if "@" in parts.netloc or parts.query or parts.fragment:
        return (
            f"is {shown!r} with a user, a query or a fragment, which may hold a secret; name the "
            "environment variable that holds a key under `key`"
        )
    return None


Address = Annotated[str, Check(_address_wrong), Example('"https://api.openai.com/v1"')]


@dataclass(frozen=True, kw_only=True)
class OpenAiFile(ReaderFile):
    """A reader's file of this kind.

    `key` names the environment variable that holds the key, "" none; `key_header` is where it is
    sent if not as a bearer token. `limit_key` is what the service calls the most output tokens,
    `answers_as` the model name that it answers with.
    """

    base_url: Address
    api_version: Annotated[Text, matching(r"[\w.-]+", "a version, such as 2024-10-21")] | None = (
        None
    )
    key: str | None = None
    key_header: Text | None = None
    answers_as: Text | None = None
    limit_key: Text = "max_tokens"
    proxy: Address | None = None
    certificates: Text | None = None

    def __post_init__(self) -> None:
        reserved = sorted(OURS & set(self.parameters.more))
        if reserved:
            raise FieldError(f"parameters.more.{reserved[0]}", "is set by the harness itself")


class OpenAiReader:
    """Asks one endpoint, over connections that are kept."""

    def __init__(self, file: OpenAiFile, folder: Path) -> None:
        from .transport import Endpoint

        self._file = file
        self._key = _key_of(file)
        self._shown = one_address(file.base_url)
        headers = {
            "Accept": "application/json",
            "Accept-Encoding": "identity",  # so that the largest answer is that of what is sent
            "Content-Type": "application/json",
            "User-Agent": "evidence-harness",
        }
        if self._key is not None:
            name = file.key_header or "Authorization"
            headers[name] = self._key if file.key_header else f"Bearer {self._key}"
        self._endpoint = Endpoint(
            _url(file),
            headers,
            verify=_certificates(file, folder),
            proxy=file.proxy,
        )

    def ask(self, prompt: Prompt) -> Reply:
        """Make one call; see `harness.readers.reader.Reader`."""
        file = self._file
        body = request_body(file.model, file.parameters, prompt, limit_key=file.limit_key)
        with self._named():
            answer = self._post(body)
            if answer.status != 200:
                raise self._failure(answer)
            if "content-encoding" in answer.headers:
                raise ReaderError("gave an encoded answer, which was not asked for")
            return reply_of(answer.body, file.model, file.answers_as)

    def close(self) -> None:
        self._endpoint.close()

    def _post(self, body: bytes) -> HttpAnswer:
        import httpcore

        from .transport import TooLongError

        limits = self._file.limits
        seconds, most = limits.deadline_seconds, limits.largest_answer_bytes
        try:
            return self._endpoint.post(body, seconds=seconds, most_bytes=most)
        except TooLongError as error:
            raise ReaderError(f"gave an answer of more than {counted(most, 'byte')}") from error
        except httpcore.TimeoutException as error:
            raise ReaderError(f"took more than {seconds:g} seconds", momentary=True) from error
        except httpcore.ConnectError as error:
            raise ReaderError(
                f"cannot be reached ({error or 'no connection'})", momentary=True, may_cost=False
            ) from error
        except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.ProxyError) as error:
            what = str(error) or type(error).__name__
            raise ReaderError(f"broke off ({what})", momentary=True) from error

    def _failure(self, answer: HttpAnswer) -> ReaderError:
        momentary = answer.status in _MOMENTARY
        return ReaderError(
            f"answered with status {answer.status}{said(answer.body)}",
            _status_hint(answer.status, self._file),
            momentary=momentary,
            retry_after=_retry_after(answer.headers.get("retry-after")) if momentary else None,
            may_cost=False,
        )

    @contextmanager
    def _named(self) -> Iterator[None]:
        """Name the service in what a call raises, and take the key out of what it sent back."""
        try:
            yield
        except ReaderError as error:
            message = error.message if self._key is None else error.message.replace(self._key, "…")
            error.message = f"{self._shown} {message}"
            raise


class OpenAi:
    """The kind itself."""

    name = "openai"
    about = "any endpoint that speaks the OpenAI chat protocol"
    form: Format[Any] = Format("a reader", OpenAiFile, hint=_HINT)

    def source(self, file: OpenAiFile, folder: Path) -> str:
        """Return the address, which holds no secret."""
        return _url(file)

    def connect(self, file: OpenAiFile, folder: Path) -> Reader:
        try:
            return OpenAiReader(file, folder)
        except ImportError as error:
            raise UsageError(
                f"the kind of reader 'openai' needs a package that is missing ({error})",
                "Install the extra: pip install 'evidence-harness[answer]'",
            ) from error


KIND = OpenAi()


def _url(file: OpenAiFile) -> str:
    version = "" if file.api_version is None else f"?api-version={file.api_version}"
    return file.base_url.rstrip("/") + _PATH + version


def _key_of(file: OpenAiFile) -> str | None:
    """Return the key; None where the file wants none, or names none and the default is not set."""
    if file.key == "":
        return None
    otherwise = 'say key = "" in the reader\'s file'
    if file.key is not None:
        return key_of(file.key, otherwise)
    if not is_set(DEFAULT_KEY):
        return None
    if not _is_private(urlsplit(file.base_url)):
        raise UsageError(
            f"{DEFAULT_KEY} would be sent in the clear to {file.base_url}",
            f"Use https, name the key that it gets, or {otherwise}.",
        )
    return key_of(DEFAULT_KEY, otherwise)


def _is_private(parts: SplitResult) -> bool:
    """Return whether what is sent there can be read by nobody else."""
    if parts.scheme == "https" or parts.hostname == "localhost":
        return True
    try:
        return ip_address(str(parts.hostname)).is_loopback
    except ValueError:
        return False


def _certificates(file: OpenAiFile, folder: Path) -> ssl.SSLContext:
    import httpx

    context = httpx.create_ssl_context(trust_env=False)
    if file.certificates is not None:
        path = folder / file.certificates
        try:
            context.load_verify_locations(path)
        except OSError as error:
            raise InputError(f"cannot read certificates from {path}: {error}", _HINT) from error
    return context


def _retry_after(value: str | None) -> float | None:
    """Return seconds from a header that holds them, or a date."""
    if value is None:
        return None
    if value.strip().isdecimal():
        return float(value)
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except ValueError:
        return None


def _status_hint(status: int, file: OpenAiFile) -> str:
    if status in (401, 403):
        return f"The key comes from the environment variable {file.key or DEFAULT_KEY}."
    if status in (404, 405):
        return f"It must answer POST {file.base_url.rstrip('/')}{_PATH}."
    return ""
