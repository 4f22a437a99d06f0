"""`harness register`: fix the question, the rule and the cohort before a test grade is read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.show.printing import OutputFormat

from .dataset import register_option
from .options import (
    PATH,
    LazyChoice,
    ListingCommand,
    force_option,
    quiet_option,
    table_options,
)
from .output import chosen_format, note, print_table

if TYPE_CHECKING:
    from harness.trial.registration import Registration


@click.command(cls=ListingCommand)
@click.argument("plan", type=PATH)
@click.option(
    "--out",
    required=True,
    type=PATH,
    metavar="FILE",
    help="The registration to write, such as registrations/NAME.json.",
)
@click.option(
    "--dev-grades",
    type=PATH,
    metavar="GRADES",
    multiple=True,
    help="Grades of the point or a control on dev questions, for the power; repeatable.",
)
@click.option(
    "--choice", type=PATH, metavar="FILE", help="What harness choose --out wrote, for the record."
)
@click.option(
    "--accept-warning",
    "accept",
    type=LazyChoice("harness.trial.plan_warnings:PlanWarning"),
    multiple=True,
    help="Register in spite of this warning, which the registration records; repeatable.",
)
@register_option
@force_option
@table_options
@quiet_option
def register(
    plan: Path,
    out: Path,
    dev_grades: tuple[Path, ...],
    choice: Path | None,
    accept: tuple[str, ...],
    register: Path | None,
    force: bool,
    as_json: bool,
    as_csv: bool,
    quiet: bool,
) -> None:
    """Register PLAN, a TOML file, before any test grade exists.

    Every fault of the plan is reported by its key. The files that it names are pinned by hash;
    their paths are relative to the directory this runs in. It prints the power of the primary
    rules: how often each would be met, and the smallest difference that it can detect. No outcome
    of a test question is read.

    What is sound and yet seldom meant is a warning, and refused unless it is accepted by its name.

    Commit the registration before test grades are imported: the commit that added it shows the
    order.

    \b
    Example:
      harness register plan.toml --out registrations/four-items.json \\
        --dev-grades grades/dev-2.6.5a1 --dev-grades grades/dev-four-items
    """
    from harness.datasets.register import known_datasets
    from harness.trial.registering import accepted_registration

    from .single_file import write_new

    form = chosen_format(as_json, as_csv)
    registration = accepted_registration(
        plan,
        known_datasets(register),
        dev_grades=dev_grades,
        choice=choice,
        accept=accept,
    )
    written = write_new(
        out,
        registration.text(),
        force=force,
        force_means=", which makes verdicts on grades that are there exploratory",
    )
    _print(registration, form)
    held = "written" if written else "holds this registration already"
    note(f"{out}: {held}, sha256 {registration.sha256}", quiet)
    note(_next(out, registration), quiet)


def _print(registration: Registration, form: OutputFormat) -> None:
    from harness.show.registration_page import false_met_table, power_table

    print_table(power_table(registration), form)
    if form is OutputFormat.TEXT:
        for power in registration.power:
            click.echo(f"\n{power.rule}: {power.statement}")
        click.echo("\nFalse MET: how often each rule is met where the truth is just at its margin")
        print_table(false_met_table(registration), form)


def _next(out: Path, registration: Registration) -> str:
    """Return the commands that come next, in order."""
    import shlex

    from harness.trial.clearance import NO_CHECKOUT, no_order

    path = shlex.quote(out.as_posix())
    spec = shlex.quote(str(registration.plan.point.spec))
    split = shlex.quote(registration.plan.split.file)
    message = shlex.quote(f"Register {out.stem}")
    commit = f"git add {path} && git commit -m {message} -- {path}"
    reason = no_order(out)
    if reason is not None:
        first = "git init && " if reason == NO_CHECKOUT else ""
        commit = f"{first}{commit}\n  ({reason} now, where no order can be shown)"
    return (
        "Commit it before test grades are imported:\n"
        f"  {commit}\n"
        f"Then: harness grades import FILE --format FORMAT --point {spec} --split {split} "
        f"--part test --registration {path} --out GRADES"
    )
