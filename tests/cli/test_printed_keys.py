"""The keys that verbs print as JSON and CSV are a promise: they are listed, and none goes away.

`printed_keys.json` lists them per command: `both` where the rows of JSON have the columns of CSV. A
new key is added there; taking one away breaks the scripts of others, and the test below.
"""

from __future__ import annotations

import csv
import io
import json
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from harness.cli.main import cli, run

from ..make.questions import word_embedder

FIXTURES = Path(__file__).parent.parent / "fixtures" / "f76bb23"
LISTED = json.loads(Path(__file__).with_name("printed_keys.json").read_text("utf-8"))
ELSEWHERE = {
    "answer": "its own tests, which bring a reader",
    "doctor": "its own tests: it takes no argument",
    "gate": "its own tests, which bring a gate's file",
    "dataset verify": "its own tests, which bring a dataset",
    "grade": "its own tests, which bring a judge",
    "grades audit": "its own tests, which bring answers",
    "judge": "prints the verdict, whose format is documented",
    "parity": "prints what `diff` does",
}


@pytest.fixture(scope="module")
def earlier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shutil.copytree(FIXTURES, tmp_path_factory.mktemp("printed") / "files")


@pytest.mark.parametrize("row", LISTED, ids=lambda row: row["command"])
@pytest.mark.parametrize("form", ["json", "csv"])
def test_keys(
    row: dict[str, Any],
    form: str,
    earlier: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    listed = row.get("both", row.get(form))
    monkeypatch.chdir(earlier)
    command = row["command"].replace("OUT", str(tmp_path / "out"))
    with word_embedder():
        code = run([*shlex.split(command), f"--{form}"])
    printed = capsys.readouterr().out
    if listed is None:
        assert code == 2
        return
    assert code in (0, 1)
    if form == "csv":
        assert next(csv.reader(io.StringIO(printed)), []) == listed
        return
    value = json.loads(printed)
    rows = value if isinstance(value, list) else [value]
    assert all(list(found) == listed for found in rows)
    assert rows or not listed


def commands(group: click.Command, name: str = "") -> Iterator[tuple[str, click.Command]]:
    if not isinstance(group, click.Group):
        yield name.strip(), group
        return
    context = click.Context(group)
    for verb in group.list_commands(context):
        command = group.get_command(context, verb)
        assert command is not None
        yield from commands(command, f"{name} {verb}")


def test_every_verb_that_prints_rows_is_listed() -> None:
    printing = {
        name
        for name, command in commands(cli)
        if any({"--json", "--csv"} & set(parameter.opts) for parameter in command.params)
    }
    listed = {name for name in printing for row in LISTED if row["command"].startswith(f"{name} ")}
    assert printing == listed | ELSEWHERE.keys()
