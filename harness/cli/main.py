"""`harness`: the group of all verbs.

`harness --help` must answer at once, so the group knows each verb's one-line help without importing
the verb.
"""

from __future__ import annotations

import importlib
import io
import os
import sys
import warnings
from collections.abc import Callable
from contextlib import redirect_stdout
from typing import Any, TextIO, cast

import click

from harness import __version__
from harness.errors import ExitCode, HarnessError, PlugInWarning, exception_line, write_traceback
from harness.escapes import terminal

from .folding import FoldingFormatter
from .standard_output import ForPeople

click.Context.formatter_class = FoldingFormatter  # of every verb, also below a group

# verb -> (module, attribute, one-line help), in the order in which they are used
VERBS: dict[str, tuple[str, str, str]] = {
    "dataset": ("harness.cli.dataset", "dataset", "List, fetch, verify and split datasets."),
    "init": ("harness.cli.init", "init", "Make the folder of a study on your own cases."),
    "record": ("harness.cli.record", "record", "Freeze a dataset into a recording of cases."),
    "show": ("harness.cli.show", "show", "Print what a recording holds, or one case of it."),
    "arms": ("harness.cli.arms", "arms", "List the selection policies, or explain one."),
    "select": ("harness.cli.select", "select", "Try one point on cases from a file or a pipe."),
    "explain": ("harness.cli.explain", "explain", "Explain why each passage was or was not taken."),
    "replay": ("harness.cli.replay", "replay", "Replay a recording through points, into a run."),
    "evidence": ("harness.cli.evidence", "evidence", "Print a run's evidence metrics and costs."),
    "instrument": (
        "harness.cli.instrument",
        "instrument",
        "Measure curves, evidence, losses and ranks of a run.",
    ),
    "sweep": ("harness.cli.sweep", "sweep", "Replay a grid of settings on dev, in one pass."),
    "choose": ("harness.cli.choose", "choose", "Choose a point on dev by a stated rule."),
    "register": ("harness.cli.register", "register", "Fix the rule and the cohort of a test."),
    "gate": ("harness.cli.gate", "gate", "Check that a change keeps what is shown, for CI."),
    "report": ("harness.cli.report", "report", "Write a run's report: one README per arm."),
    "answer": (
        "harness.cli.answer",
        "answer",
        "Ask a reader for the prompts of a run, each once.",
    ),
    "answers": (
        "harness.cli.answers",
        "answers",
        "Export answers, and compare two points' answers.",
    ),
    "grade": ("harness.cli.grade", "grade", "Grade stored answers, by a rule or by a judge."),
    "grades": ("harness.cli.grades", "grades", "Import, show and compare grades of answers."),
    "interval": ("harness.cli.interval", "interval", "Print the interval of a paired difference."),
    "test": ("harness.cli.mcnemar_test", "mcnemar_test", "Run McNemar's test on paired answers."),
    "power": ("harness.cli.power", "power", "Print a rule's power, or its detectable difference."),
    "judge": ("harness.cli.judge", "judge", "Open the test split once, and apply the rules."),
    "parity": ("harness.cli.parity", "parity", "Compare selections with recorded ones, exactly."),
    "diff": ("harness.cli.diff", "diff", "Compare two selection files or runs, case by case."),
    "world": ("harness.cli.world", "world", "Verify, show, lint, compare and freeze worlds."),
    "expand": ("harness.cli.expand", "expand", "Show one lookup, expanded under a budget."),
    "lookups": (
        "harness.cli.lookups",
        "lookups",
        "Summarise a lookup run: cost and citable passages.",
    ),
    "ablate": ("harness.cli.ablate", "ablate", "Measure the effect of each part of a lookup arm."),
    "score": ("harness.cli.score", "score", "Score recorded reader attempts on a world."),
    "compare": ("harness.cli.compare", "compare", "Compare two reports of reader attempts."),
    "profile": (
        "harness.cli.profile",
        "profile",
        "Show what reader attempts spent their tokens on.",
    ),
    "ledger": ("harness.cli.ledger", "ledger", "Show how often each test split was opened."),
    "export": ("harness.cli.exchange", "export", "Write cases or prompts as JSON Lines."),
    "import": ("harness.cli.exchange", "import_", "Make a recording from cases in JSON Lines."),
    "cache": ("harness.cli.cache", "cache", "Show or clear the cache of vectors."),
    "doctor": ("harness.cli.doctor", "doctor", "Check the installation, and what is missing."),
    "completion": (
        "harness.cli.completion",
        "completion",
        "Print the script that completes in a shell.",
    ),
}

HELP = """Replay recorded questions through evidence-selection policies, offline.

\b
  1. harness dataset fetch longmemeval-s --out DATA   get a dataset, by hash
  2. harness record longmemeval DATA --out REC        freeze windows and vectors
  3. harness replay REC --out RUN                     every policy, every question
  4. harness evidence RUN --against items             what is shown, at what cost
  5. harness report RUN --out REPORT                  a README for each policy
  6. harness register PLAN.toml --out REGISTRATION    fix the rule of a test
  7. harness answer RUN --reader FILE --store STORE   ask a reader, each prompt once
  8. harness grade STORE --grader NAME --out GRADES   which answers are right
  9. harness judge REGISTRATION --grades GRADES       open the test once
To try one policy by hand:
  harness select CASES.jsonl --point '2.6.5a1(budget=2800)'
"""


class LazyGroup(click.Group):
    """A group that imports a verb's module when the verb is called."""

    def list_commands(self, context: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in VERBS:
            return None
        module, attribute, _ = VERBS[name]
        command = getattr(importlib.import_module(module), attribute)
        if not isinstance(command, click.Command):
            raise TypeError(f"{module}:{attribute} is not a command")
        return command

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        from harness.errors import nearest

        if args and args[0] not in VERBS and not args[0].startswith("-"):
            context.fail(f"no verb {args[0]!r}{nearest(args[0], VERBS)}")
        return super().resolve_command(context, args)

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Verbs"):
            formatter.write_dl([(name, line) for name, (_, _, line) in VERBS.items()])
        with formatter.section("Exit codes"):
            formatter.write_dl([(str(code.value), code.meaning) for code in ExitCode])


@click.group(cls=LazyGroup, help=HELP, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="harness")
def cli() -> None:
    """Hold all verbs."""


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit with one of `ExitCode`. Output is UTF-8 in every locale."""
    for stream, errors in ((sys.stdout, "strict"), (sys.stderr, "backslashreplace")):
        if isinstance(stream, io.TextIOWrapper):  # messages may quote what is not Unicode text
            stream.reconfigure(encoding="utf-8", errors=errors)
    if isinstance(raw := getattr(sys.stdout, "buffer", None), io.RawIOBase):
        # An unbuffered interpreter writes once and forgets what did not fit.
        sys.stdout = io.TextIOWrapper(io.BufferedWriter(raw), "utf-8", line_buffering=True)
    if instruction := os.environ.get("_HARNESS_COMPLETE"):
        from .completing import complete

        sys.exit(complete(cli, instruction))
    sys.exit(run(arguments))


def run(arguments: list[str] | None = None) -> int:
    """Run the command line; return its exit code. All errors become one message on stderr."""
    try:
        outcome = _invoke(sys.argv[1:] if arguments is None else arguments)
    except click.exceptions.Exit as finished:
        return finished.exit_code
    except HarnessError as error:
        _say(f"error: {error}")
        return int(error.exit_code)
    except click.ClickException as error:
        error.show(shown := io.StringIO())
        click.echo(terminal(shown.getvalue()), err=True, nl=False)
        return int(ExitCode.ERROR)
    except (KeyboardInterrupt, click.Abort):
        click.echo("interrupted; run the same command again to continue", err=True)
        return int(ExitCode.INTERRUPTED)
    except BrokenPipeError:
        _silence_stdout()
        return int(ExitCode.SUCCESS)
    except OSError as error:
        from harness.storage.atomic import storage_error

        _say(f"error: {_system_error(error, storage_error)}")
        _drop_unwritable_output()
        return int(ExitCode.ERROR)
    except Exception as error:  # noqa: BLE001 - nobody is shown a traceback; it goes to a file
        _say(f"error: {internal_error(error)}")
        _drop_unwritable_output()
        return int(ExitCode.INTERNAL)
    return int(outcome) if isinstance(outcome, int) else int(ExitCode.SUCCESS)


def _invoke(arguments: list[str]) -> Any:
    """Call the verb. Not by `cli.main`, which would turn a closed pipe into exit code 1."""
    stdout = cast(TextIO, ForPeople(sys.stdout))
    with (
        redirect_stdout(stdout),
        warnings.catch_warnings(),
        cli.make_context("harness", list(arguments)) as context,
    ):
        warnings.simplefilter("always", PlugInWarning)
        warnings.showwarning = _shown_by(warnings.showwarning)
        outcome = cli.invoke(context)
        sys.stdout.flush()  # what does not fit on the disk is an error of this command
        return outcome


def internal_error(error: Exception) -> str:
    """Write the traceback to a file of its own; return one line on the error and where that is."""
    what = f"an internal error of the harness: {exception_line(error)}"
    where = write_traceback(error)
    if where is None:
        return f"{what}\n  Its traceback could not be written. Report the command and this message."
    return f"{what}\n  The traceback is in {where}: report it, with the command that was run."


def _shown_by(others: Callable[..., None]) -> Callable[..., None]:
    """Show warnings of the harness's own as messages, and `others` as they were."""

    def show(message: Warning | str, category: type[Warning], *rest: Any, **named: Any) -> None:
        if issubclass(category, PlugInWarning):
            _say(f"warning: {message}")
        else:
            others(message, category, *rest, **named)

    return show


def _say(message: str) -> None:
    click.echo(terminal(message), err=True)


def _system_error(error: OSError, describe: Any) -> str:
    if error.filename is None:
        return str(describe(error, "an output file"))
    return f"{error.filename}: {error.strerror}"


def _drop_unwritable_output() -> None:
    """Keep the interpreter from trying again, at exit, to write what found no room."""
    try:
        sys.stdout.flush()
    except OSError:
        _silence_stdout()


def _silence_stdout() -> None:
    """Keep the interpreter from complaining about a closed pipe at exit."""
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, sys.stdout.fileno())


if __name__ == "__main__":
    main()
