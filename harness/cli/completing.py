"""What a shell completes: verbs and options by click, points, metrics and cases here.

A shell calls the program for every press of the key, so nothing heavy is imported for a verb, an
option, a point or a metric; pyarrow is, for the cases of a recording or a run, which only its table
knows. What goes wrong completes nothing and prints nothing.
"""

from __future__ import annotations

import shlex
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ShellComplete,
    ZshComplete,
)
from click.types import StringParamType

VARIABLE = "_HARNESS_COMPLETE"
"""Set by the scripts of `harness completion` alone: the shell, and that it asks for completions."""
PROGRAM = "harness"
METRIC_NAMES = (
    "answer_sessions_shown",
    "all_answer_sessions_shown",
    "evidence_turns_touched",
    "evidence_turn_chars_macro",
    "evidence_turn_chars_pooled",
    "evidence_share_pooled",
    "answer_sessions_per_1k_tokens",
    "duplicate_share_pooled",
    "first_item_rank",
    "context_tokens",
    "prompt_tokens_estimated",
    "session_precision",
)
"""The names of `harness.evidence`, which is heavy to import; a test compares."""
_MOST_BYTES = 50_000_000
"""Of a file of cases that is read for its ids."""

Found = Iterable[tuple[str, str | None]]
"""Values with what a shell may show beside them."""


class _Bash(BashComplete):
    """Completion for bash, which takes brackets, spaces and quotes of a value as its own."""

    _in_quotes = False

    def get_completion_args(self) -> tuple[list[str], str]:
        import os

        try:
            shlex.split(os.environ["COMP_WORDS"])
        except ValueError:  # a quote is open: the shell closes it
            self._in_quotes = True
        return super().get_completion_args()

    def format_completion(self, item: CompletionItem[Any]) -> str:
        if item.type == "plain" and not self._in_quotes:
            return f"{item.type},{shlex.quote(item.value)}"
        return super().format_completion(item)


SHELLS: dict[str, type[ShellComplete]] = {"bash": _Bash, "zsh": ZshComplete, "fish": FishComplete}


def script(shell: str) -> str:
    """Return what a shell has to run once, to complete `harness`."""
    return SHELLS[shell](click.Group(PROGRAM), {}, PROGRAM, VARIABLE).source()


def complete(cli: click.Group, instruction: str) -> int:
    """Print the completions of what `instruction`, such as `bash_complete`, asks for."""
    shell = SHELLS.get(instruction.partition("_")[0])
    if shell is None:
        return 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a package that is broken is told of by the verbs
        try:
            group = _Completing(cli)
            asked = shell(group, {}, PROGRAM, VARIABLE)
            group.words, _ = asked.get_completion_args()
            found = asked.complete()
        except Exception:  # noqa: BLE001 - whatever is on the line, the shell shows nothing of it
            return 1
    click.echo(found)
    return 0


class _Completing(click.Group):
    """The group of verbs, whose options know what their values may be; `words` are on the line.

    Click's own context lacks the arguments while an option is without its value.
    """

    words: Sequence[str] = ()

    def __init__(self, cli: click.Group) -> None:
        super().__init__(PROGRAM, params=cli.params)
        self._verbs = cli

    def list_commands(self, ctx: click.Context) -> list[str]:
        return self._verbs.list_commands(ctx)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        command = self._verbs.get_command(ctx, cmd_name)
        return None if command is None else _with_values(command)


def _with_values(command: click.Command) -> click.Command:
    for inner in command.commands.values() if isinstance(command, click.Group) else ():
        _with_values(inner)
    for parameter in command.params:
        values = _values_of(parameter)
        if values is not None and isinstance(parameter.type, StringParamType):
            parameter.type = _Known(values)
    return command


Values = Callable[[click.Context, str], Found]


def _values_of(parameter: click.Parameter) -> Values | None:
    if {"--metric", "--metrics"} & {*parameter.opts}:
        return _metrics
    return {"SPEC": _points, "ID": _cases, "CASE": _cases}.get(parameter.metavar or "")


class _Known(StringParamType):
    """A text of which values are known."""

    def __init__(self, values: Values) -> None:
        self._values = values

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem[str]]:
        return [
            CompletionItem(value, help=about)
            for value, about in self._values(ctx, incomplete)
            if value.startswith(incomplete) and value.isprintable()
        ]


def _metrics(context: click.Context, incomplete: str) -> Found:
    """Yield the names, after those that stand before a comma."""
    before, comma, _ = incomplete.rpartition(",")
    for name in METRIC_NAMES:
        yield f"{before}{comma}{name}", None


def _points(context: click.Context, incomplete: str) -> Found:
    """Yield the points of a run that stands on the line, else the names of arms."""
    from harness.decode.tree import json_of_file

    for folder in _given(context):
        manifest = json_of_file(folder / "manifest.json")
        content = manifest.get("content") if isinstance(manifest, dict) else None
        points = content.get("points") if isinstance(content, dict) else None
        if isinstance(points, list):
            yield from ((str(point), None) for point in points)
            return
    for name in sorted({offer.name for offer in entry_points(group="harness.arms")}):
        yield name, None


def _cases(context: click.Context, incomplete: str) -> Found:
    """Yield the ids of the cases of what stands on the line, with their questions."""
    for place in _given(context):
        if place.is_dir():
            for table, text in (("queries", "text"), ("cases", "question")):
                if (place / f"{table}.parquet").is_file():
                    yield from _rows(place / f"{table}.parquet", text)
                    return
        elif place.is_file() and place.stat().st_size <= _MOST_BYTES:
            yield from _lines(place)
            return


def _rows(path: Path, text: str) -> Found:
    from harness.storage.parquet import read_table

    columns = read_table(path, ["case_id", text]).to_pydict()
    return zip(columns["case_id"], columns[text], strict=True)


def _lines(path: Path) -> Found:
    import json

    from harness.decode import SourceLines

    for _, line in SourceLines(str(path)):
        value = json.loads(line)
        if isinstance(value, dict) and isinstance(value.get("case_id"), str):
            query = value.get("query")
            text = query.get("text") if isinstance(query, dict) else query
            yield value["case_id"], text if isinstance(text, str) else None


def _given(context: click.Context) -> Iterator[Path]:
    """Yield the files and folders that stand on the line, in its order."""
    for word in getattr(context.find_root().command, "words", ()):
        if Path(word).exists():
            yield Path(word)
