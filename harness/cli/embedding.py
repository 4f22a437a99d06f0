"""The options that set up an embedder, shared by the verbs that record."""

from __future__ import annotations

import click

from .output import Command


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
