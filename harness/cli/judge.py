"""`harness judge`: open the test split once, and say what the registered rules come to."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from .dataset import register_option
from .options import PATH, quiet_option
from .output import note

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.trial.verdict import Verdict


@click.command(
    options_metavar="REGISTRATION --grades GRADES… [OPTIONS]",
)
@click.argument("paths", type=PATH, nargs=-1, metavar="")
@click.option(
    "--grades",
    "grades",
    type=PATH,
    metavar="GRADES…",
    multiple=True,
    help="Grades of the point and of each control that the plan does not name; several at once, "
    "or repeated.",
)
@click.option(
    "--run",
    type=PATH,
    metavar="RUN",
    help="The run that made the contexts: compares them, and adds costs and evidence metrics.",
)
@click.option(
    "--data",
    type=PATH,
    metavar="FILE",
    help="The registered dataset: adds the interval over clusters of questions that share a "
    "haystack or an answer session.",
)
@click.option(
    "--demonstration",
    is_flag=True,
    help="Show how a verdict is made, on the bundled sample graded without a reader: stamped so, "
    "with a ledger of its own next to the verdict.",
)
@click.option(
    "--out",
    type=PATH,
    metavar="FILE",
    help="The verdict. Default: NAME.verdict.json next to the registration.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the verdict as JSON.")
@click.option(
    "--exit-code", is_flag=True, help="Exit 1 unless every rule is MET, for continuous integration."
)
@register_option
@quiet_option
def judge(
    paths: tuple[Path, ...],
    grades: tuple[Path, ...],
    run: Path | None,
    data: Path | None,
    demonstration: bool,
    out: Path | None,
    as_json: bool,
    exit_code: bool,
    register: Path | None,
    quiet: bool,
) -> int:
    """Judge REGISTRATION on recorded grades.

    \b
    1. Everything that must hold is checked without reading an outcome: hashes, the commit of the
       registration, the questions, the contexts, the token reports. All problems are reported at
       once.
    2. The opening is appended to the ledger, registrations/ledger.jsonl at the top of the git
       repository: it fixes outcomes, contexts, costs, run and stamp.
    3. The outcomes are read once, the rules applied, and the verdict is written.

    Each rule is MET, NOT MET or CANNOT SAY, with the reason. The exit code is 0 whenever a verdict
    was reached. Judging again on the same adds nothing, and writes the verdict where it is gone;
    judging again on something else is refused. The stamp says what was checked: confirmatory only
    where everything was, and held.

    \b
    Example:
      harness judge registrations/four-items.json --grades grades/2.6.5a1 grades/four-items
      harness judge registrations/four-items.json --grades grades/2.6.5a1 --run RUN --data DATA
    """
    from harness.errors import ExitCode
    from harness.trial.checks import JudgmentInputs
    from harness.trial.judge import judge as judge_registration
    from harness.trial.ledger import LEDGER_NAME, the_ledger
    from harness.trial.verdict import RuleState, default_verdict, verdict_text

    registration, further = _registration(paths)
    written = out or default_verdict(registration)
    inputs = JudgmentInputs(
        registration=registration,
        grades=(*grades, *further),
        ledger=written.parent / LEDGER_NAME if demonstration else the_ledger(registration),
        run=run,
        register=register,
        data=data,
        demonstration=demonstration,
        quiet=quiet,
    )
    if demonstration and inputs.ledger.resolve() == the_ledger(registration).resolve():
        raise click.UsageError(
            f"--demonstration keeps a ledger next to its verdict, and {inputs.ledger} is the "
            "ledger of real openings: name another folder with --out."
        )
    verdict, done = judge_registration(inputs, written)
    if as_json:
        # what lies there may be of the first version, and is printed as it is
        text = written.read_text(encoding="utf-8") if done else verdict_text(verdict)
        click.echo(text, nl=False)
    else:
        _print(verdict)
    _notes(verdict, written, inputs.ledger, done, quiet)
    every = all(rule.state is RuleState.MET for rule in verdict.rules)
    return int(ExitCode.SUCCESS if every or not exit_code else ExitCode.DIFFERENCE)


def _registration(paths: Sequence[Path]) -> tuple[Path, tuple[Path, ...]]:
    """Return the registration, which is a file, and the grades after the first of `--grades A B`,
    which are folders."""
    files = [path for path in paths if not path.is_dir()]
    if len(files) != 1:
        named = ", ".join(map(str, files)) or "none"
        raise click.UsageError(
            f"Name one registration, a file such as registrations/NAME.json (given: {named})."
        )
    return files[0], tuple(path for path in paths if path.is_dir())


def _print(verdict: Verdict) -> None:
    from harness.show.verdict_page import verdict_lines

    click.echo("\n".join(verdict_lines(verdict)))


def _notes(verdict: Verdict, written: Path, ledger: Path, done: bool, quiet: bool) -> None:
    opening = verdict.opening
    if done:
        note(
            f"{written}: done already, by line {opening.number} of {ledger}; nothing was added.",
            quiet,
        )
        return
    note(f"{ledger}, line {opening.number}: opening {opening.of_split} of this split.", quiet)
    note(f"{written}: the verdict. Commit it with the ledger.", quiet)
