"""`harness grades audit`: a second judge, or people, on the answers that a judge has graded."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.show.printing import OutputFormat

from .options import FILE, PATH, force_option, quiet_option, sample_options, table_options
from .output import chosen_format, note, print_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.grading.auditing import AuditedGrades


@click.command()
@click.argument("folders", nargs=-1, required=True, type=PATH, metavar="GRADES...")
@click.option(
    "--write",
    "written",
    type=PATH,
    metavar="FILE",
    help="Write a sample as CSV for people: question, gold answer, response, no more.",
)
@sample_options("--write", "For --write: draws the sample and shuffles it.")
@click.option(
    "--labels",
    type=FILE,
    metavar="FILE",
    help="What people wrote into that file: yes or no in the column right.",
)
@click.option(
    "--registration",
    type=FILE,
    metavar="FILE",
    help="Also print what its rules come to by each judge.",
)
@force_option
@table_options
@quiet_option
def audit(
    folders: tuple[Path, ...],
    written: Path | None,
    sample: int,
    seed: int,
    labels: Path | None,
    registration: Path | None,
    force: bool,
    as_json: bool,
    as_csv: bool,
    quiet: bool,
) -> None:
    """Print how far another judge, or people, agree with the judge of GRADES.

    GRADES are folders of harness grade. The second judge is that of harness grade --second-judge,
    found next to them. Agreement is over the answers that both judged, with the interval of Wilson
    (1927) and Cohen's kappa (1960). With --registration each rule is applied to what either judge
    says of the questions that both judged, at the rule's own level, its cost aside.

    Grades of test questions must be open: nothing of sealed ones is written or compared.

    \b
    Example:
      harness grades audit grades/dev/* --write audit.csv --sample 50
      harness grades audit grades/dev/* --labels audit.csv
      harness grades audit grades/test/* --registration registrations/four-items.json
    """
    from harness.grading.auditing import AuditedGrades

    audited = [AuditedGrades.open(folder) for folder in folders if folder.name != "second-judge"]
    if written is not None:
        if labels is not None or registration is not None:
            raise click.UsageError("--write writes the file alone; read it back with --labels.")
        _write(audited, written, sample, seed, force=force, quiet=quiet)
        return
    _compare(audited, labels, registration, chosen_format(as_json, as_csv), quiet)


def _write(
    audited: Sequence[AuditedGrades],
    path: Path,
    sample: int,
    seed: int,
    *,
    force: bool,
    quiet: bool,
) -> None:
    from harness.grading.auditing import audit_file
    from harness.grading.grade_answers import Sample
    from harness.words import counted

    from .single_file import write_new

    text, answers = audit_file(audited, Sample(sample, seed))
    write_new(path, text, force=force)
    note(f"{path}: {counted(answers, 'answer')}; write yes or no into the column right.", quiet)


def _compare(
    audited: Sequence[AuditedGrades],
    labels: Path | None,
    registration: Path | None,
    form: OutputFormat,
    quiet: bool,
) -> None:
    from harness.grading.auditing import opinions, rules_by_judge
    from harness.show.audit_tables import agreement_of_judges, rules_table
    from harness.trial.registration import Registration

    found = opinions(audited, labels)
    comparisons = [
        opinion.of(each) for opinion in found for each in audited if each.point in opinion.verdicts
    ]
    if registration is None:
        print_table(agreement_of_judges(comparisons), form)
        return
    plan = Registration.read(registration).plan
    judged = [
        rule
        for opinion in found
        for rule in rules_by_judge(plan.rules, plan.point.spec, audited, opinion)
    ]
    if form is OutputFormat.TEXT:
        print_table(agreement_of_judges(comparisons), form)
        click.echo("\nThe rules by each judge, over the questions that both judged")
    print_table(rules_table(judged), form)
    if not judged:
        note("No rule has both its points among these grades.", quiet)
