"""`harness instrument`: curves, what was shown, where turns were lost, and ranks of a run."""

from __future__ import annotations

from pathlib import Path

import click

from .instrument_options import (
    graded_for,
    grades_options,
    opened_for,
    point_option,
    recording_option,
    subject_options,
)
from .options import cost_option, quiet_option, table_options
from .output import chosen_format


@click.group()
def instrument() -> None:
    """Measure a run: curves, what the contexts showed, where evidence was lost, and ranks.

    RUN is a run. You may pass a recording (REC) instead: it is replayed at the default points into
    a temporary run. Use harness replay to keep the run. Definitions are in docs/instruments.md;
    harness report makes a page of each.

    \b
    Example:
      harness instrument curves build/run
      harness instrument evidence build/run --point 'count-curve(k=4)'
      harness instrument loss build/run --point '2.6.5a1(budget=2800)' --against 'count-curve(k=4)'
      harness instrument rank datasets/sample/recording --point items
    """


@instrument.command()
@subject_options
@click.option(
    "--curve",
    "arms",
    metavar="ARM",
    multiple=True,
    help="An arm whose points make a curve; repeatable. The others are compared with the first.  "
    "[default: those that say that they are curves, such as count-curve and quote-curve]",
)
@click.option(
    "--full",
    metavar="SPEC",
    help="The point of every item.  [default: the run's, such as items]",
)
@click.option(
    "--metric",
    metavar="NAME",
    default="evidence_turns_touched",
    show_default=True,
    help="What is measured without --grades: a share that is a mean over questions.",
)
@cost_option
@click.option(
    "--margin",
    metavar="MARGIN",
    default="-2.0 points",
    show_default=True,
    help="What a point may lose to every item: it holds where the interval's lower limit is not "
    "below this.",
)
@grades_options
@table_options
@quiet_option
def curves(
    subject: Path,
    split: Path | None,
    part: str,
    by: str | None,
    arms: tuple[str, ...],
    full: str | None,
    metric: str,
    cost: str,
    margin: str,
    folders: tuple[Path, ...],
    as_json: bool,
    as_csv: bool,
    quiet: bool,
) -> None:
    """Print a measure against its cost along curves, each point compared with every item.

    The count curve shows fewer items at full quotes, the quote curve every item at shorter quotes.
    The measure is an evidence metric, or with --grades the accuracy, over the points that have
    grades. Every point has its paired difference from every item with an interval, and a band that
    holds for all points at once. Below: the smallest point of each curve that holds the margin, and
    the curves at equal cost, interpolated and at the nearest measured points.

    \b
    Example:
      harness instrument curves build/run
      harness instrument curves RUN --curve count-curve --curve 2.6.5a1 --margin '-1.0 points'
      harness instrument curves RUN --split SPLIT --part dev --grades GRADES/full --grades GRADES/k4
    """
    from harness.measure.curves import (
        curves_of,
        full_point,
        margin_rule,
        points_of_curves,
    )
    from harness.measure.equal_cost import at_equal_cost
    from harness.measure.measured import measured_accuracy, measured_evidence
    from harness.model import Role
    from harness.points import curve_arms, role_points

    from . import instrument_text as text

    form = chosen_format(as_json, as_csv)
    rule = margin_rule(margin)
    chosen = tuple(dict.fromkeys(arms)) or curve_arms()
    wanted = [*([full] if full else map(str, role_points(Role.EVERY_ITEM)[:1])), *chosen]
    with opened_for(subject, wanted, split, part, None, quiet) as opened:
        run = opened.run
        every = full_point(run, full)
        points = points_of_curves(run, chosen, every)
        graded = graded_for(opened, folders, quiet)
        if folders:
            measured = measured_accuracy(opened, points, graded, every, cost)
        else:
            measured = measured_evidence(opened, points, metric, cost)
        parts = measured.by_category() if by else [(None, measured)]
        made = []
        for category, one in parts:
            found = curves_of(one, run.computed_as, chosen, every, rule)
            made.append((category, found, at_equal_cost(one, found)))
    text.print_curves(made, form, by_category=by is not None)


@instrument.command()
@subject_options
@point_option
@grades_options
@table_options
@quiet_option
def evidence(
    subject: Path,
    split: Path | None,
    part: str,
    by: str | None,
    specs: tuple[str, ...],
    folders: tuple[Path, ...],
    as_json: bool,
    as_csv: bool,
    quiet: bool,
) -> None:
    """Print the evidence metrics, the first items, and what the contexts showed.

    The histogram counts questions by the place of the first item that quotes an answer session.
    Every question is in one class by what its context showed: no answer session; a session, no
    turn; some turns; every turn; none labelled. With --grades, wrong answers are put into the same
    classes.

    \b
    Example:
      harness instrument evidence build/run
      harness instrument evidence RUN --point count-curve --by category
      harness instrument evidence RUN --split SPLIT --part dev --grades GRADES/k4-dev --json
    """
    from harness.evidence import evidence_table
    from harness.measure.shown import shown_rows

    from . import instrument_text as text

    form = chosen_format(as_json, as_csv)
    with opened_for(subject, specs, split, part, None, quiet) as opened:
        points = opened.run.chosen(specs)
        graded = graded_for(opened, folders, quiet)
        cohort = opened.cohort(points)
        names = [str(point) for point in points]
        metrics = evidence_table(opened.rows(points), names, by_category=by is not None)
        parts = cohort.by_category() if by else [(None, cohort)]
        rows = [
            row
            for category, one in parts
            for row in shown_rows(one, points, graded.answers, category=category)
        ]
        text.print_shown(
            rows, metrics, graded, opened.run, points, form, by_category=by is not None
        )


@instrument.command()
@subject_options
@point_option
@click.option(
    "--against",
    metavar="SPEC",
    help="Add which turns moved to which class, compared with this point.",
)
@recording_option
@table_options
@quiet_option
def loss(
    subject: Path,
    split: Path | None,
    part: str,
    by: str | None,
    specs: tuple[str, ...],
    against: str | None,
    recording: Path | None,
    as_json: bool,
    as_csv: bool,
    quiet: bool,
) -> None:
    """Print where evidence turns were lost: each is quoted, or in one of four classes.

    \b
    session not in the window  the record that holds the turn is not in the window
    no passage taken           its record is in the window, and nothing of it is quoted
    outside the quote          its record is quoted, elsewhere
    cut off                    its record is quoted, and the turn is in the part of a shown
                               passage that was too long and was cut off

    A turn of which one character is quoted counts as quoted. Shares are of all evidence turns.

    \b
    Example:
      harness instrument loss build/run
      harness instrument loss RUN --point '2.6.5a1(budget=2800)' --against 'count-curve(k=4)'
      harness instrument loss RUN --point items --by category --json
    """
    from harness.measure.loss import attribute_losses
    from harness.show.figures import chosen_against

    from . import instrument_text as text

    form = chosen_format(as_json, as_csv)
    wanted = [*specs, against] if specs and against is not None else specs
    with opened_for(subject, wanted, split, part, recording, quiet) as opened:
        points = opened.run.chosen(specs)
        base = None if against is None else chosen_against(opened.run, against)
        needed = list(dict.fromkeys([*points, *([] if base is None else [base])]))
        losses = attribute_losses(opened, needed, quiet=quiet)
    groups = [(name,) for name in losses.categories] if by else [None]
    rows = [losses.row(point, by=group) for group in groups for point in points]
    moves = [
        losses.moves(point, base, by=group)
        for group in groups
        for point in points
        if base is not None and point != base
    ]
    text.print_losses(rows, moves, losses, form)


@instrument.command()
@subject_options
@point_option
@click.option(
    "--ranking",
    metavar="SPEC",
    help="The point whose order ranks the passages of points without one, as items and the curves."
    "  [default: that of the arm which says that it does, evidence(budget=2800)]",
)
@recording_option
@table_options
@quiet_option
def rank(
    subject: Path,
    split: Path | None,
    part: str,
    by: str | None,
    specs: tuple[str, ...],
    ranking: str | None,
    recording: Path | None,
    as_json: bool,
    as_csv: bool,
    quiet: bool,
) -> None:
    """Print how the best passage that reaches an evidence turn ranks inside its record.

    Counts the turns in quoted records. The ranking is recomputed from the recording, and two checks
    say how many quoted ranges it reproduces: by the policy itself, and, for a point that borrows a
    ranking, whether its heads are quoted in that order.

    \b
    Example:
      harness instrument rank build/run --point items
      harness instrument rank RUN --point items --point evidence --by category
      harness instrument rank datasets/sample/recording --point items --json
    """
    from harness.measure.rank import rank_turns
    from harness.points import parse_point

    from . import instrument_text as text

    form = chosen_format(as_json, as_csv)
    with opened_for(subject, specs, split, part, recording, quiet) as opened:
        points = opened.run.chosen(specs)
        lender = None if ranking is None else parse_point(ranking)
        ranks = rank_turns(opened, points, ranking=lender, quiet=quiet)
    groups = [(name,) for name in ranks.categories] if by else [None]
    rows = [ranks.row(point, by=group) for group in groups for point in points]
    checks = [ranks.row(point) for point in points]
    text.print_ranks(rows, checks, form)
