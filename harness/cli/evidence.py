"""`harness evidence`: a run's evidence metrics and costs, at every point."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from harness.show.printing import OutputFormat

from .options import FOLDER, PATH, by_option, table_options
from .output import chosen_format, print_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.evidence import Metric
    from harness.points import Point

GLOSSARY = "docs/metrics.md"


class _CommandWithMetrics(click.Command):
    """A command whose help ends with the definition of every metric, imported when help is asked
    for."""

    def format_epilog(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        from harness.evidence import FURTHER_METRICS, METRICS

        for title, metrics in (("Metrics", METRICS), ("By name alone", FURTHER_METRICS)):
            with formatter.section(title):
                formatter.write_dl([(metric.name, metric.definition) for metric in metrics])
        formatter.write_paragraph()
        formatter.write_text(f"Denominators, exclusions and intervals: {GLOSSARY}.")


@click.command(cls=_CommandWithMetrics)
@click.argument("run", type=PATH)
@click.option(
    "-p",
    "--point",
    "specs",
    metavar="SPEC",
    multiple=True,
    help="A point of the run, or an arm for its default points; repeatable. Default: all.",
)
@by_option("Print a table per question type.")
@click.option(
    "--against",
    metavar="SPEC",
    help="Add the paired difference of every point from this one, with an interval.",
)
@click.option(
    "--metrics",
    "names",
    metavar="NAME[,NAME…]",
    multiple=True,
    help="Only these metrics, in this order; repeatable. Default: all that the run alone gives, "
    "costs first.",
)
@click.option(
    "--recording",
    type=FOLDER,
    metavar="DIR",
    help="The run's recording, which session_precision needs.  [default: where the run says that "
    "it was]",
)
@click.option(
    "--grades",
    multiple=True,
    type=FOLDER,
    metavar="DIR",
    help="Grades of a point of RUN, for accuracy and prompt tokens per right answer; repeatable. "
    "Sealed grades are named, not read.",
)
@table_options
def evidence(
    run: Path,
    specs: tuple[str, ...],
    by: str | None,
    against: str | None,
    names: tuple[str, ...],
    recording: Path | None,
    grades: tuple[Path, ...],
    as_json: bool,
    as_csv: bool,
) -> None:
    """Print what each point of RUN shows of the labelled evidence, and at what cost.

    Shares are percentages in the table and fractions in JSON and CSV. Every value has its
    denominators: how many questions are expected, scored and excluded, and why.

    \b
    Example:
      harness evidence build/run
      harness evidence RUN --point '2.6.5a1(budget=2800)' --point count-curve --by category
      harness evidence RUN --against 'count-curve(k=4)' --metrics answer_sessions_shown
      harness evidence RUN --metrics session_precision,answer_sessions_shown,context_tokens
      harness evidence RUN --json | jq '.[] | [.point, .answer_sessions_shown]'
      harness evidence RUN --grades 'grades/dev/items' --grades 'grades/dev/count-curve(k=4)'
    """
    from harness.evidence import SESSION_PRECISION, cohort_of, evidence_table
    from harness.measure.answers import read_answers
    from harness.measure.sessions import with_sessions_shown
    from harness.measure.subject import absences_of, every_question, recording_of
    from harness.replay.run import Run
    from harness.show.accuracy_tables import with_answers
    from harness.show.evidence_tables import run_notes
    from harness.show.figures import chosen_against
    from harness.show.table import Table

    form = chosen_format(as_json, as_csv)
    metrics = _metrics(names)
    opened = Run.open(run)
    points = opened.chosen(specs)
    base = None if against is None else chosen_against(opened, against)
    needed = list(dict.fromkeys([*points, *([] if base is None else [base])]))
    counts = opened.evidence_rows(needed)
    if SESSION_PRECISION in metrics:
        counts = with_sessions_shown(counts, opened, needed, recording_of(opened, recording))
    rows = evidence_table(
        counts,
        [str(point) for point in points],
        by_category=by is not None,
        against=None if base is None else str(base),
        metrics=metrics,
    )
    if grades:
        graded = read_answers(grades, every_question(opened))
        cohort = cohort_of(counts, list(map(str, points)))
        rows = with_answers(rows, cohort, graded, by_category=by is not None)
    if form is OutputFormat.JSON:
        print_table(Table((), rows), form)
    elif form is OutputFormat.CSV:
        print_table(Table((), [_flat(row, metrics) for row in rows]), form)
    else:
        _print_text(rows, metrics, base)
        notes = run_notes(opened, points, metrics, absences_of(opened, needed, recording))
        click.echo("\n".join(notes))


def _metrics(names: Sequence[str]) -> tuple[Metric, ...]:
    """Return the metrics asked for, else those of a run alone, costs first; report unknown names
    together."""
    from harness.errors import UsageError
    from harness.evidence import (
        COST_METRICS,
        EVIDENCE_METRICS,
        FURTHER_METRICS,
        METRICS,
        metric_named,
    )

    asked = [part.strip() for name in names for part in name.split(",") if part.strip()]
    if not asked:
        return (*COST_METRICS, *EVIDENCE_METRICS)
    metrics, unknown = [], []
    for name in dict.fromkeys(asked):
        try:
            metrics.append(metric_named(name, (*METRICS, *FURTHER_METRICS)))
        except UsageError as error:
            unknown.append(error)
    if unknown:
        raise UsageError("\n  ".join(error.message for error in unknown), unknown[0].hint)
    return tuple(metrics)


def _flat(row: dict[str, Any], metrics: Sequence[Metric]) -> dict[str, Any]:
    """Return a row for CSV: `<metric>`, `<metric>_expected`, `…_scored`, `…_excluded`, and with
    --against `…_difference`, `…_lower` and so on, empty in the rows of the point compared with.
    With --grades `answers_accuracy` and so on, empty where a point has none."""
    from harness.evidence import DIFFERENCE_KEYS
    from harness.show.accuracy_tables import KEYS

    flat: dict[str, Any] = {key: row[key] for key in ("point", "category") if key in row}
    for metric in metrics:
        flat[metric.name] = row[metric.name]
        for key, value in row["denominators"][metric.name].items():
            flat[f"{metric.name}_{key}"] = value
        if "differences" in row:
            difference = row["differences"].get(metric.name, {})
            flat |= {f"{metric.name}_{key}": difference.get(key) for key in DIFFERENCE_KEYS}
    if "answers" in row:
        answers = row["answers"] or {}
        flat |= {f"answers_{key}": answers.get(key) for key in KEYS}
    return flat


def _print_text(
    rows: Sequence[dict[str, Any]],
    metrics: Sequence[Metric],
    base: Point | None,
) -> None:
    from harness.show import evidence_tables as tables
    from harness.show.accuracy_tables import answers_table

    if "category" in rows[0]:
        parts = {
            name: [row for row in rows if row["category"] == name]
            for name in dict.fromkeys(row["category"] for row in rows)
        }
    else:
        parts = {"": list(rows)}
    for name, part in parts.items():
        if "category" in part[0]:
            click.echo(f"{name or 'without a category'}\n")
        print_table(tables.values_table(part, metrics), OutputFormat.TEXT)
        click.echo()
        if "answers" in part[0] and (answers := answers_table(part)) is not None:
            print_table(answers, OutputFormat.TEXT)
            click.echo()
        if base is not None:
            _print_differences(part, metrics, str(base))


def _print_differences(
    rows: Sequence[dict[str, Any]], metrics: Sequence[Metric], against: str
) -> None:
    """Return, for each metric, the paired difference of every other point from `against`."""
    from harness.show import evidence_tables as tables

    others = [row for row in rows if row["point"] != against]
    if not others:
        click.echo(f"No other point to compare with {against}: name some with --point.\n")
        return
    for metric in metrics:
        print_table(tables.metric_differences_table(others, metric, against), OutputFormat.TEXT)
        click.echo()
    made = others[0]["differences"][metrics[0].name]
    words = tables.interval_words(made["level"], made["resamples"], made["seed"])
    click.echo(f"In brackets the {words}. Better in, worse in: questions.\n")
