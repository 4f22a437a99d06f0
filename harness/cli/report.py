"""`harness report`: a run's report, one README per arm."""

from __future__ import annotations

from pathlib import Path

import click

from harness.words import counted

from .options import FILE, FOLDER, PATH, force_option, quiet_option
from .output import note


@click.command()
@click.argument("subject", metavar="RUN|FILE", type=PATH)
@click.option("--out", type=PATH, help="Folder of a run's report.")
@click.option(
    "--against",
    metavar="SPEC",
    help="Point of the paired differences. Default: count-curve(k=4), else the run's first point.",
)
@click.option(
    "--published", type=FILE, help="JSON of published figures, to compare the run with them."
)
@click.option(
    "--causes",
    type=FILE,
    help="With --published: TOML file of established causes: one table per point, one text per "
    "metric.",
)
@click.option(
    "--split",
    type=FILE,
    help="With --published: the split file, to compare the dev and test parts on the same part.",
)
@click.option("--registration", type=FILE, help="A registration: adds a page about it.")
@click.option("--verdict", type=FILE, help="With --registration: its verdict, on another page.")
@click.option(
    "--grades",
    multiple=True,
    type=FOLDER,
    metavar="DIR",
    help="Grades of a point of the run, for accuracies and wrong answers; repeatable. Sealed "
    "grades are named, not read.",
)
@click.option(
    "--recording",
    type=FOLDER,
    metavar="DIR",
    help="The run's recording, for losses and ranks.  [default: the path that the run names]",
)
@click.option(
    "--note",
    "sentence",
    metavar="TEXT",
    help="A sentence for the top of the index, such as what the questions are.",
)
@force_option
@quiet_option
def report(
    subject: Path,
    out: Path | None,
    against: str | None,
    published: Path | None,
    causes: Path | None,
    split: Path | None,
    registration: Path | None,
    verdict: Path | None,
    grades: tuple[Path, ...],
    recording: Path | None,
    sentence: str | None,
    force: bool,
    quiet: bool,
) -> None:
    """Write the report of a run: an index that compares all points, and a README for each arm.

    \b
    OUT/README.md          all points side by side, paired differences, hashes
    OUT/cost-evidence.svg  evidence over tokens, one line per arm
    OUT/ARM/README.md      one arm: its points, by question type, what it lost
    OUT/instruments/       curves, what was shown, where turns were lost, ranks
    OUT/published.md       with --published: ours next to the published figures
    OUT/registration.md    with --registration, and OUT/verdict.md with --verdict

    For the file of a registration or a verdict, print its page.

    The same run, with its recording available, gives the same bytes. Files that the harness did not
    write are left alone; those of an earlier report of the same recording are replaced.

    \b
    Example:
      harness report build/run --out reports
      harness report RUN --out REPORT --against '2.6.5a1(budget=2800)'
      harness report registrations/sample.json
    """
    from harness.replay.run import Run
    from harness.show.report import ReportRequest, page_of_file, write_report

    if subject.is_file():
        click.echo(page_of_file(subject), nl=False)
        return
    if out is None:
        raise click.UsageError("the report of a run needs --out DIR.")
    request = ReportRequest(
        against=against,
        published=published,
        causes=causes,
        split=split,
        registration=registration,
        verdict=verdict,
        grades=grades,
        recording=recording,
        note=None if sentence is None else " ".join(sentence.split()),
    )
    done = write_report(Run.open(subject), out, request, force=force, quiet=quiet)
    total = done.written + done.same
    changes = f"{done.written} of {counted(total, 'file')} written" if done.written else "as it was"
    removed = f", {done.removed} old ones removed" if done.removed else ""
    note(f"{out}: {changes}{removed}. Read {out / 'README.md'}", quiet)
