"""What verbs share at the command line: types of values, and options with one meaning."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from enum import Enum
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from harness.escapes import public_address

if TYPE_CHECKING:
    from harness.datasets.split import Split
    from harness.replay.writer import TokenCounting

Command = TypeVar("Command", bound=Callable[..., Any])

_NOT_THE_WORK = ("out", "jobs", "force", "quiet", "cache", "as_json", "as_csv", "dry_run")
"""Arguments that do not decide a result."""

PATH = click.Path(path_type=Path)
FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


class LazyChoice(click.Choice[str]):
    """The names in a registry, imported when a value is parsed or the verb's help is shown.

    `registry` is `module:attribute`: a mapping by name, an enumeration, names, or an object with
    `names()`. `also` are further words that this option takes, which follow. `checked` is False
    where the verb itself refuses other words, together with its other faults.
    """

    def __init__(self, registry: str, *, also: tuple[str, ...] = (), checked: bool = True) -> None:
        # not of click.Choice, which would want the choices now
        self.case_sensitive = True
        self.registry = registry
        self.also = also
        self.checked = checked

    @cached_property
    def _entries(self) -> Any:
        module, _, attribute = self.registry.partition(":")
        return getattr(importlib.import_module(module), attribute)

    @cached_property
    def choices(self) -> tuple[str, ...]:  # type: ignore[override]
        return (*_names(self._entries), *self.also)

    def listing(self) -> list[tuple[str, str]]:
        """List each name with what its entry says `about` itself; nothing where they say
        nothing."""
        if not isinstance(self._entries, Mapping):
            return []
        named = [(name, getattr(entry, "about", "")) for name, entry in self._entries.items()]
        return [(name, about) for name, about in named if about]

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return super().convert(value, param, ctx) if self.checked else value


def _names(entries: Any) -> Iterable[str]:
    if isinstance(entries, type) and issubclass(entries, Enum):
        return [str(member.value) for member in entries]
    if hasattr(entries, "names"):
        return list(entries.names())
    return [str(getattr(entry, "name", entry)) for entry in entries]


class ListingCommand(click.Command):
    """A verb whose help ends with what each choice of its options means, as the registry says."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_options(ctx, formatter)
        for option in self.params:
            if isinstance(option.type, LazyChoice) and (listing := option.type.listing()):
                with formatter.section(f"Values of {option.opts[-1]}"):
                    formatter.write_dl(listing)


def table_options(command: Command) -> Command:
    """Add `--json` and `--csv`; the command takes `as_json` and `as_csv`."""
    command = click.option(
        "--csv", "as_csv", is_flag=True, help="Print the table as CSV, full precision."
    )(command)
    return click.option(
        "--json", "as_json", is_flag=True, help="Print the table as JSON, full precision."
    )(command)


def quiet_option(command: Command) -> Command:
    """Add `-q/--quiet`; the command takes `quiet`."""
    return click.option(
        "-q", "--quiet", is_flag=True, help="No progress and no notes on standard error."
    )(command)


def force_option(command: Command) -> Command:
    """Add `--force`; the command takes `force`."""
    return click.option(
        "--force",
        is_flag=True,
        help="Replace the file at --out, or what the harness wrote in that folder.",
    )(command)


def jobs_option(command: Command) -> Command:
    """Add `--jobs`; the command takes `jobs`."""
    return click.option(
        "-j",
        "--jobs",
        type=click.IntRange(min=1),
        default=1,
        show_default=True,
        help="Processes to use; the result does not depend on it.",
    )(command)


def part_option(text: str) -> Callable[[Command], Command]:
    """Add `--part`, with this help; the command takes `part`."""
    return click.option(
        "--part",
        type=LazyChoice("harness.datasets.split:Part", also=("all",)),
        default="all",
        show_default=True,
        help=text,
    )


def sample_options(of: str, seed: str) -> Callable[[Command], Command]:
    """Add `--sample`, for the option `of`, and `--seed`, with this help; the command takes both."""

    def add(command: Command) -> Command:
        drawn = click.option(
            "--seed", type=click.IntRange(min=0), default=0, show_default=True, help=seed
        )(command)
        return click.option(
            "--sample",
            type=click.IntRange(min=1),
            default=100,
            show_default=True,
            metavar="N",
            help=f"For {of}: so many questions, the same at every point.",
        )(drawn)

    return add


def split_options(text: str) -> Callable[[Command], Command]:
    """Add `--split` and `--part`, with this help; the command takes `split` and `part`. See
    `chosen_part`."""

    def added(command: Command) -> Command:
        command = part_option(text)(command)
        return click.option("--split", type=FILE, metavar="FILE", help="The split file.")(command)

    return added


def chosen_part(split: Path | None, part: str) -> Split | None:
    """Return the split that a part was asked of; None where none was given, and then every
    question is meant."""
    if split is None:
        if part != "all":
            raise click.UsageError(f"--part {part} is of a split; give it with --split FILE.")
        return None
    from harness.datasets.split import read_split

    return read_split(split)


def by_option(text: str) -> Callable[[Command], Command]:
    """Add `--by category`, with this help; the command takes `by`."""
    return click.option("--by", type=click.Choice(["category"]), help=text)


def cost_option(command: Command) -> Command:
    """Add `--cost`: a measure that a run has; the command takes `cost`."""
    return click.option(
        "--cost",
        type=LazyChoice("harness.evidence:COST_METRICS"),
        default="context_tokens",
        show_default=True,
        help="Cost measure, in tokens per question.",
    )(command)


def counting_options(command: Command) -> Command:
    """Add `--prompt-template` and `--reader-encoding`; see `token_counting`."""
    command = click.option(
        "--reader-encoding",
        type=LazyChoice("harness.evidence.tokens:ENCODINGS"),
        default="o200k_base",
        show_default=True,
        help="Encoding of the reader, for prompt_tokens_estimated.",
    )(command)
    return click.option(
        "--prompt-template",
        type=FILE,
        help="Answer prompt with {context}, {date} and {question}; default: the bundled one.",
    )(command)


def token_counting(prompt_template: Path | None, reader_encoding: str) -> TokenCounting:
    """Return how tokens are counted for these options."""
    from harness.evidence.prompt import DEFAULT_TEMPLATE, PromptTemplate
    from harness.evidence.tokens import CONTEXT_ENCODING
    from harness.replay.writer import TokenCounting

    template = PromptTemplate.read(prompt_template) if prompt_template else DEFAULT_TEMPLATE
    return TokenCounting(CONTEXT_ENCODING, reader_encoding, template)


def embedder_options_option(command: Command) -> Command:
    """Add `--embedder-url` and `--embedder-option`; see `embedder_options_of`."""
    command = click.option(
        "--embedder-option",
        "embedder_options",
        multiple=True,
        metavar="NAME=VALUE",
        help="Further option of the embedder; repeatable.",
    )(command)
    return click.option("--embedder-url", metavar="URL", help="Server of the embedder `http`.")(
        command
    )


def embedder_options_of(pairs: tuple[str, ...], url: str | None) -> dict[str, str]:
    """Return the options of an embedder, from `--embedder-option` and `--embedder-url`."""
    address = {} if url is None else {"url": url}
    return address | named_values("--embedder-option", pairs)


def named_values(option: str, pairs: tuple[str, ...]) -> dict[str, str]:
    """Return the values by name of an option NAME=VALUE that may be repeated."""
    values = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise click.UsageError(f"{option} {pair!r} is not spelled NAME=VALUE")
        values[name] = value
    return values


def amount_of(option: str, text: str | None) -> Decimal | None:
    """Return an amount of money as it was written; None where it was not."""
    if text is not None and not re.fullmatch(r"[0-9]{1,7}(\.[0-9]{1,6})?", text):
        raise click.UsageError(f"{option} {text!r} is not an amount, such as 2.50.")
    return None if text is None else Decimal(text)


def command_arguments() -> dict[str, Any]:
    """Return the arguments as given that decide the result, for the manifest."""
    context = click.get_current_context()
    return {
        name: _without_secrets(value)
        for name, value in context.params.items()
        if name not in _NOT_THE_WORK
        and context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
    }


def _without_secrets(value: Any) -> Any:
    """Return an argument as a manifest holds it: an address loses user, password and query."""
    if isinstance(value, Path):
        return value.as_posix()
    if isinstance(value, str):
        return public_address(value)
    return tuple(map(_without_secrets, value)) if isinstance(value, tuple) else value
