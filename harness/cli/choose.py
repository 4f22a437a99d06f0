"""`harness choose`: pick a point on dev questions, by a stated rule."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.show.printing import OutputFormat

from .options import (
    PATH,
    LazyChoice,
    ListingCommand,
    cost_option,
    force_option,
    quiet_option,
    table_options,
)
from .output import chosen_format, note, print_table

if TYPE_CHECKING:
    from harness.trial.choice import Choice
    from harness.trial.choosing import ChoosingRule


@click.command(cls=ListingCommand)
@click.argument("run", type=PATH)
@click.option("--split", required=True, type=PATH, metavar="FILE", help="The split file.")
@click.option(
    "--rule",
    "rule_name",
    required=True,
    type=LazyChoice("harness.trial.choosing:RULES"),
    help="How to choose; see below.",
)
@click.option("--to", metavar="SPEC", help="closest-cost: the point whose cost to aim for.")
@click.option("--at-most", metavar="TOKENS", help="max-cost, best: the highest mean cost.")
@click.option("--metric", metavar="NAME", help="best: the metric (harness evidence --help).")
@click.option(
    "-p",
    "--point",
    "specs",
    metavar="SPEC",
    multiple=True,
    help="What to choose from: a point of the run, or an arm; repeatable. Default: all others.",
)
@cost_option
@click.option("--out", type=PATH, metavar="FILE", help="Write the rule and the table, as JSON.")
@force_option
@table_options
@quiet_option
def choose(
    run: Path,
    split: Path,
    rule_name: str,
    to: str | None,
    at_most: str | None,
    metric: str | None,
    specs: tuple[str, ...],
    cost: str,
    out: Path | None,
    force: bool,
    as_json: bool,
    as_csv: bool,
    quiet: bool,
) -> None:
    """Choose a point of RUN by its dev questions, before anyone looks at the test.

    Rows of test questions are dropped before anything is computed, and a run of the test part is
    refused. Costs are exact means over the dev questions. Ties go to the lower cost, then to the
    spelling. Aliases of one policy count once.

    \b
    Example:
      harness choose build/run --split datasets/splits/sample.json \\
        --rule closest-cost --to 'count-curve(k=4)' --point 2.6.5a1 --out build/choice.json
      harness choose RUN --split SPLIT --rule max-cost --at-most 1000 \\
        --cost prompt_tokens_estimated
      harness choose RUN --split SPLIT --rule best --metric answer_sessions_shown --at-most 800
    """
    form = chosen_format(as_json, as_csv)
    rule = _rule(rule_name, {"to": to, "at_most": at_most, "metric": metric})
    choice = _choice(run, split, rule, specs, cost)
    if out is not None:
        from .single_file import write_new

        written = write_new(out, choice.text(), force=force)
        note(f"{out}: {'written' if written else 'holds this choice already'}", quiet)
    _print(choice, form)


def _rule(name: str, arguments: dict[str, str | None]) -> ChoosingRule:
    """Build the rule with what it needs; refuse what is missing or does not belong to it."""
    from dataclasses import fields

    from harness.points import parse_point
    from harness.trial.choosing import RULES

    kind = RULES[name]
    needs = [field.name for field in fields(kind)]
    values = {}
    for option, value in arguments.items():
        flag = "--" + option.replace("_", "-")
        if option in needs and value is None:
            raise click.UsageError(f"--rule {name} needs {flag}.")
        if option not in needs and value is not None:
            raise click.UsageError(f"{flag} does not belong to --rule {name}.")
        if value is not None:
            values[option] = value
    if "to" in values:
        values["to"] = str(parse_point(values["to"]))
    if "at_most" in values:
        values["at_most"] = _tokens(values["at_most"])
    return kind(**values)


def _tokens(text: str) -> str:
    import re

    if not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,6})?", text):
        raise click.UsageError(f"--at-most {text!r} is not a number of tokens, such as 1000.")
    return text


def _choice(
    run: Path, split: Path, rule: ChoosingRule, specs: tuple[str, ...], cost: str
) -> Choice:
    from harness.datasets.split import read_split
    from harness.replay.run import Run
    from harness.trial.choice import choice_of
    from harness.trial.choosing import BestMetric, ClosestCost, read_dev_table
    from harness.trial.choosing import choose as pick

    opened = Run.open(run)
    drawn = read_split(split)
    aimed = opened.chosen([rule.to]) if isinstance(rule, ClosestCost) else ()
    points = list(dict.fromkeys([*opened.chosen(specs), *aimed]))
    metric = rule.metric if isinstance(rule, BestMetric) else None
    table = read_dev_table(opened, drawn, points, cost=cost, metric=metric)
    target = table.of(aimed[0]) if aimed else None
    chosen = pick(rule, table, target)
    return choice_of(
        rule,
        table,
        chosen,
        target,
        run_sha256=opened.manifest.content_sha256,
        split_sha256=str(drawn.sha256),
    )


def _print(choice: Choice, form: OutputFormat) -> None:
    from harness.show.registration_page import choice_table

    print_table(choice_table(choice), form)
    if form is OutputFormat.TEXT:
        click.echo(f"\nChosen: {choice.chosen}")
        click.echo(f"Rule: {choice.sentence}.")
        lacking = f" ({choice.absent} more are not in the run)" if choice.absent else ""
        click.echo(f"Over {choice.questions} dev questions{lacking}; test questions were left out.")
