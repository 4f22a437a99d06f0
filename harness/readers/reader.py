"""What a reader is, its TOML file, and which kinds there are.

A kind is a plug-in, found through the entry-point group `harness.readers`; the file is described in
`docs/formats/readers.md`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Protocol, runtime_checkable

from harness.decode import (
    KEEP,
    Count,
    FieldError,
    Format,
    Positive,
    Text,
    Via,
    decode_toml,
    named,
)
from harness.errors import InputError, UsageError, nearest
from harness.registry import Registry, lacks
from harness.storage.hashing import sha256_of_json, sha256_of_text

from .reply import Prompt, Reply

IDENTITY_VERSION = 1
READERS_FOLDER = Path("readers")
"""Where a reader that is named, not given as a file, is looked for."""

_HINT = "docs/formats/readers.md describes a reader's file."
_PRICE_DECIMALS = 6


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | Decimal | float):
        raise FieldError("", f"is {named(value)}, expected a number")
    return float(value)


def _seconds(value: Any) -> float:
    seconds = _number(value)
    if not 0 < seconds <= 86_400:
        raise FieldError("", f"is {named(value)}, expected more than 0 and at most 86400 seconds")
    return seconds


def _price(value: Any) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise FieldError("", f"is {named(value)}, expected a price per million tokens")
    price = Decimal(value)
    if not 0 <= price <= 1_000_000 or price != round(price, _PRICE_DECIMALS):
        raise FieldError(
            "",
            f"is {named(value)}, expected 0 to 1000000 with at most {_PRICE_DECIMALS} decimals",
        )
    return price


def _json(value: Any) -> Any:
    """Return a value of TOML as JSON has it."""
    if isinstance(value, Mapping):
        return {key: _json(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_json(entry) for entry in value]
    if isinstance(value, Decimal):
        return float(value)
    if not isinstance(value, str | int | float):
        raise FieldError("", f"holds {named(value)}, which JSON does not have")
    return value


Number = Annotated[float, Via(Any, _number)]
Seconds = Annotated[float, Via(Any, _seconds)]
Money = Annotated[Decimal, Via(Any, _price)]
JsonTable = Annotated[Mapping[str, Any], Via(Mapping[str, Any], _json)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderParameters:
    """What is sent with every prompt; `more` are further keys of the request, sent as they are."""

    temperature: Number | None = None
    top_p: Number | None = None
    max_tokens: Positive | None = None
    seed: Count | None = None
    system: Text | None = None
    more: JsonTable = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return what is set, by key."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: value for name, value in values.items() if value not in (None, {})}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderLimits:
    """How fast and how patiently a reader is asked.

    A call ends at `deadline_seconds`, a prompt after so many `attempts` with pauses between them,
    of `pause_seconds` first, and everything after `stop_after` prompts in a row without an answer.
    """

    concurrency: Positive = 8
    requests_per_minute: Positive | None = None
    tokens_per_minute: Positive | None = None
    deadline_seconds: Seconds = 120.0
    largest_answer_bytes: Positive = 4 << 20
    attempts: Positive = 5
    pause_seconds: Seconds = 0.5
    stop_after: Positive = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """Price per million tokens; `cached` input costs what other input does unless it is said."""

    input: Money
    output: Money
    cached: Money | None = None
    currency: Text = "USD"


@dataclass(frozen=True, kw_only=True)
class ReaderFile:
    """What every reader's file may say; a kind adds keys of its own in a type derived from this.

    `template` is a file with the answer prompt, relative to the reader's; `encoding` is what prompt
    tokens are counted in before a service counts them.
    """

    kind: Text
    model: Text
    template: Text | None = None
    encoding: Text = "o200k_base"
    parameters: ReaderParameters = ReaderParameters()
    limits: ReaderLimits = ReaderLimits()
    price: Price | None = None


@runtime_checkable
class Reader(Protocol):
    """Answers prompts, from several threads at once."""

    def ask(self, prompt: Prompt) -> Reply:
        """Make one call; raises `ReaderError` where it gives no answer."""
        ...

    def close(self) -> None:
        """Let go of connections and processes."""
        ...


@runtime_checkable
class ReaderKind(Protocol):
    """A way to reach readers. `form` is the format of its files, of a type from `ReaderFile`."""

    @property
    def name(self) -> str: ...

    @property
    def about(self) -> str:
        """One line for `--help` and messages."""
        ...

    @property
    def form(self) -> Format[Any]: ...

    def source(self, file: Any, folder: Path) -> str:
        """Say where answers come from, for the identity: a host, a hash of a file; no secret."""
        ...

    def connect(self, file: Any, folder: Path) -> Reader:
        """Return the reader of a file in `folder`; raises `UsageError` where it cannot be used."""
        ...


READERS: Registry[ReaderKind] = Registry(
    "harness.readers",
    lacks(ReaderKind, "name", "about", "form", "source", "connect"),
    "kind of reader",
    wanted="a harness.readers.reader.ReaderKind",
)


@dataclass(frozen=True)
class ReaderDefinition:
    """A reader's file with its kind; `template` is the text of the file that it names."""

    path: Path
    file: ReaderFile
    kind: ReaderKind
    template: str | None
    source: str

    @property
    def name(self) -> str:
        """The file's name without its ending: for people, never a part of the identity."""
        return self.path.stem

    @cached_property
    def about(self) -> dict[str, Any]:
        """What makes its answers what they are: kind, model, template, parameters and source.

        Never concurrency, limits, prices or secrets.
        """
        template = None if self.template is None else sha256_of_text(self.template)
        return {
            "version": IDENTITY_VERSION,
            "kind": self.file.kind,
            "model": self.file.model,
            "template": template,
            "parameters": self.file.parameters.as_json(),
            "source": self.source,
        }

    @cached_property
    def identity(self) -> str:
        """Hex SHA-256 of `about` as canonical JSON."""
        return sha256_of_json(self.about)

    def connect(self) -> Reader:
        """Return the reader itself."""
        return self.kind.connect(self.file, self.path.parent)


@dataclass(frozen=True)
class _Kind:
    kind: Text


_KIND = Format("a reader", _Kind, unknown=KEEP, hint=_HINT)


def read_reader(name: str) -> ReaderDefinition:
    """Read a reader's file, by its path or as NAME of `readers/NAME.toml`.

    Raises `UsageError` for a name that is neither and for a kind that is not installed, and
    `InputError` with every fault of the file.
    """
    path = _path_of(name)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}", "Check --reader.") from error
    kind = READERS.load(decode_toml(_KIND, data, place=str(path)).kind)
    file: ReaderFile = decode_toml(kind.form, data, place=str(path))
    template = None if file.template is None else _template(path.parent / file.template)
    return ReaderDefinition(path, file, kind, template, kind.source(file, path.parent))


def _path_of(name: str) -> Path:
    path = Path(name)
    if path.suffix == ".toml" or path.is_file():
        return path
    named = READERS_FOLDER / f"{name}.toml"
    if named.is_file():
        return named
    known = sorted(found.stem for found in READERS_FOLDER.glob("*.toml"))
    raise UsageError(
        f"no reader {name!r}{nearest(name, known)}",
        f"Name a reader's file, or a file of the folder {READERS_FOLDER}/ without its ending.",
    )


def _template(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read the template {path}: {error}", _HINT) from error
