"""`harness choose`: pick a point on dev questions, by a stated rule."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.show.printing import OutputFormat
from harness.words import counted

from .options import (
    PATH,
    LazyChoice,
    ListingCommand,
    force_option,
    named_values,
    quiet_option,
    table_options,
)
from .output import chosen_format, note, print_table

if TYPE_CHECKING:
    from harness.trial.choice import Choice
    from harness.trial.choosing import ChoosingRule


@click.command(cls=ListingCommand)
@click.argument("run", type=PATH, required=False)
@click.option("--split", type=PATH, metavar="FILE", help="The split file, with RUN.")
@click.option(
    "--grades",
    "grades",
    multiple=True,
    type=PATH,
    metavar="GRADES",
    help="In place of RUN: grades of dev questions, one folder per point and split; repeatable.",
)
@click.option(
    "--weigh",
    "weights",
    multiple=True,
    metavar="SPLIT=W",
    help="With grades of several splits: how much the dev questions of each weigh together; "
    "repeatable.",
)
@click.option(
    "--rule",
    "rule_name",
    required=True,
    type=LazyChoice("harness.trial.choosing:RULES"),
    help="How to choose; see below.",
)
@click.option("--to", metavar="SPEC", help="closest-cost: the point whose cost to aim for.")
@click.option("--at-most", metavar="TOKENS", help="All other rules: the highest mean cost.")
@click.option("--metric", metavar="NAME", help="best: the metric (harness evidence --help).")
@click.option(
    "-p",
    "--point",
    "specs",
    metavar="SPEC",
    multiple=True,
    help="What to choose from: a point of the run, or an arm; repeatable. Default: all others.",
)
@click.option(
    "--cost",
    type=LazyChoice("harness.trial.plan:COST_MEASURES"),
    default="context_tokens",
    show_default=True,
    help="Cost measure, in tokens per question; prompt_tokens_api is known of grades alone.",
)
@click.option("--out", type=PATH, metavar="FILE", help="Write the rule and the table, as JSON.")
@force_option
@table_options
@quiet_option
def choose(
    run: Path | None,
    split: Path | None,
    grades: tuple[Path, ...],
    weights: tuple[str, ...],
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
    """Choose a point of RUN, or of grades, by dev questions, before anyone looks at the test.

    Rows of test questions are dropped before anything is computed, and a run of the test part is
    refused. Costs are exact means over the dev questions. Ties go to the lower cost, then to the
    spelling. Aliases of one policy count once.

    With --grades costs and accuracies are those of answers to dev questions, in the first pass;
    grades of the test part are refused, and so are points that were graded on other questions.
    Over several splits, such as a private pack and LongMemEval's 100, a mean is the weighted mean
    of theirs, with the weights of --weigh.

    \b
    Example:
      harness choose build/run --split datasets/splits/sample.json \\
        --rule closest-cost --to 'count-curve(k=4)' --point 2.6.5a1 --out build/choice.json
      harness choose RUN --split SPLIT --rule max-cost --at-most 1000 \\
        --cost prompt_tokens_estimated
      harness choose RUN --split SPLIT --rule best --metric answer_sessions_shown --at-most 800
      harness choose --grades grades/dev/A --grades grades/dev/B --rule best-accuracy \\
        --cost prompt_tokens_api --at-most 1000
    """
    form = chosen_format(as_json, as_csv)
    rule = _rule(rule_name, {"to": to, "at_most": at_most, "metric": metric})
    if grades:
        if run is not None or split is not None:
            raise click.UsageError("--grades stands in place of RUN and --split; give one of them.")
        choice = _choice_of_grades(grades, weights, rule, specs, cost)
    elif run is None or split is None:
        raise click.UsageError("Name a RUN with its --split, or --grades.")
    else:
        _check_of_run(rule_name, cost, weights)
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


def _check_of_run(rule_name: str, cost: str, weights: tuple[str, ...]) -> None:
    from harness.trial.plan import API_MEASURE

    if rule_name == "best-accuracy" or cost == API_MEASURE or weights:
        wanted = "--weigh" if weights else f"--cost {cost}" if cost == API_MEASURE else rule_name
        raise click.UsageError(f"{wanted} needs --grades in place of RUN: a run has no answers.")


def _choice_of_grades(
    folders: tuple[Path, ...],
    weights: tuple[str, ...],
    rule: ChoosingRule,
    specs: tuple[str, ...],
    cost: str,
) -> Choice:
    from harness.points import parse_point
    from harness.trial.choice import choice_of
    from harness.trial.choosing import BestMetric, ClosestCost
    from harness.trial.choosing import choose as pick
    from harness.trial.dev_packs import packs_table, read_packs

    if isinstance(rule, BestMetric):
        raise click.UsageError("--rule best needs RUN: grades have no evidence metrics.")
    packs = read_packs(folders, _weights(weights))
    aimed = [parse_point(rule.to)] if isinstance(rule, ClosestCost) else []
    named = [parse_point(spec) for spec in specs]
    points = list(dict.fromkeys([*named, *aimed])) if named else []
    table = packs_table(packs, points, cost)
    target = table.of(aimed[0]) if aimed else None
    return choice_of(rule, table, pick(rule, table, target), target, packs=packs)


def _weights(pairs: tuple[str, ...]) -> dict[str, str]:
    import re

    weights = named_values("--weigh", pairs)
    for file, weight in weights.items():
        if not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,6})?", weight) or not float(weight):
            raise click.UsageError(f"--weigh {file}={weight}: a weight is a number above 0.")
    return weights


def _print(choice: Choice, form: OutputFormat) -> None:
    from harness.show.registration_page import choice_table

    print_table(choice_table(choice), form)
    if form is OutputFormat.TEXT:
        click.echo(f"\nChosen: {choice.chosen}")
        click.echo(f"Rule: {choice.sentence}.")
        lacking = f" ({choice.absent} more are not in the run)" if choice.absent else ""
        left_out = "" if choice.packs else "; test questions were left out"
        click.echo(f"Over {counted(choice.questions, 'dev question')}{lacking}{left_out}.")
