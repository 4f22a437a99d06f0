"""`harness sweep`: a grid of settings over the dev questions, ranked."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

import click

from harness.show.printing import OutputFormat
from harness.words import counted

from .options import (
    FILE,
    PATH,
    command_arguments,
    counting_options,
    force_option,
    jobs_option,
    quiet_option,
    table_options,
    token_counting,
)
from .output import chosen_format, next_after_replay, note, print_table

if TYPE_CHECKING:
    from harness.measure.ranking import Ranking
    from harness.measure.survival import Survival
    from harness.measure.sweep import SweepRequest, Swept
    from harness.points import Point


@click.command()
@click.argument("recordings", metavar="RECORDING…", nargs=-1, required=True, type=PATH)
@click.option(
    "-p",
    "--point",
    "grids",
    multiple=True,
    required=True,
    metavar="GRID",
    help="A point with lists of values, a point, or an arm for its default points; repeatable. "
    "The first setting is what the others are compared with.",
)
@click.option("--split", required=True, type=FILE, help="The split file, for its dev questions.")
@click.option("--out", required=True, type=PATH, help="Folder of the run.")
@click.option(
    "--metric",
    "metric_name",
    metavar="NAME",
    default="evidence_turns_touched",
    show_default=True,
    help="What to rank by (harness evidence --help lists them).",
)
@click.option(
    "--cap",
    metavar="COST",
    help="Rank only settings whose mean cost per question satisfies this, such as 'context_tokens "
    "<= 1000' or "
    "'prompt_tokens_estimated <= 1200'. Default: no cap.",
)
@click.option(
    "--report",
    type=PATH,
    metavar="DIR",
    help="Write the ranking to DIR/sweep.md; DIR holds nothing but that report.",
)
@counting_options
@jobs_option
@force_option
@table_options
@quiet_option
def sweep(
    recordings: tuple[Path, ...],
    grids: tuple[str, ...],
    split: Path,
    out: Path,
    metric_name: str,
    cap: str | None,
    report: Path | None,
    prompt_template: Path | None,
    reader_encoding: str,
    jobs: int,
    force: bool,
    as_json: bool,
    as_csv: bool,
    quiet: bool,
) -> None:
    """Replay a grid of settings over the dev questions of RECORDING, and rank them.

    One pass over the recording serves every setting; settings that differ only in a budget share
    one search. Only dev questions are replayed, and the run is like any other: harness evidence,
    report and choose read it. If interrupted, run the same command again: it resumes.

    A grid is a point with lists. A list holds values and ranges, first..last:step, and the grid
    means every combination. Aliases of one policy count once.

    \b
      2.6.5a2(budget=[2400, 2800], step=[3, 5, 8], keep_first=[0, 2])    12 settings
      evidence(budget=[2420..4400:20])                                  100 settings

    The best of many settings looks better than it is. So the number of settings tried is printed
    next to the winner. The interval of each setting's paired difference from the first holds for
    that setting only; the band next to it holds for all of them at once.

    With several recordings of the same questions (another recall, another embedder) each gets a run
    below --out, and the table says whether the ranking survives.

    \b
    Example:
      harness sweep datasets/sample/recording --split datasets/splits/sample.json \\
        --point '2.6.5a2(budget=[2400,2800], step=[3,5,8], keep_first=[0,2])' \\
        --cap 'context_tokens <= 700' --out build/sweep --report build/sweep-report
      harness sweep BM25 HYBRID --split SPLIT --point 'evidence(budget=[2000..4000:100])' --out RUNS
      harness sweep REC --split SPLIT --point 'count-curve(k=4)' --point 2.6.5a1 --out RUN --json
    """
    from harness.measure.ranking import rank_settings, ranking_metric, sweep_cap
    from harness.measure.survival import survival_of
    from harness.measure.sweep import run_sweep

    form = chosen_format(as_json, as_csv)
    metric = ranking_metric(metric_name)
    limit = None if cap is None else sweep_cap(cap)
    request = _request(recordings, grids, split, prompt_template, reader_encoding)
    if report is not None:
        from harness.show.sweep_page import check_report_folder

        check_report_folder(report, out, request, force=force)
    command = _command_of(command_arguments())
    swept = run_sweep(
        request, out, jobs=jobs, quiet=quiet, force=force, given=_replay_arguments(request.points)
    )
    _note_replayed(swept, quiet)
    rankings = [
        rank_settings(each.name, each.run, request.split, request.points, metric=metric, cap=limit)
        for each in swept
    ]
    survival = survival_of(rankings) if len(rankings) > 1 else None
    _print(rankings, survival, form)
    if report is not None:
        from harness.show.sweep_page import sweep_page, write_sweep_page

        runs = [each.run for each in swept]
        page = sweep_page(rankings, runs, survival, grids=grids, command=command)
        write_sweep_page(report, page, runs, force=force)
        note(f"{report}: read {report / 'sweep.md'}", quiet)
    _note_next(swept, quiet)


def _request(
    recordings: Sequence[Path],
    grids: Sequence[str],
    split: Path,
    prompt_template: Path | None,
    reader_encoding: str,
) -> SweepRequest:
    from harness.datasets.split import read_split
    from harness.measure.grid import grid_points
    from harness.measure.sweep import SweepRequest

    points = grid_points(grids)
    counting = token_counting(prompt_template, reader_encoding)
    return SweepRequest(tuple(recordings), tuple(points), read_split(split), counting)


def _replay_arguments(points: Sequence[Point]) -> dict[str, Any]:
    """Return what a run's manifest says was given: the arguments of the replay that makes the same
    run, which its report prints as the command to reproduce it."""
    given = command_arguments()
    spelled = [str(point) if "(" in str(point) else f"{point}()" for point in points]
    replayed: dict[str, Any] = {"points": spelled, "split": given["split"], "part": "dev"}
    further = ("prompt_template", "reader_encoding")
    return replayed | {name: given[name] for name in further if name in given}


def _note_replayed(swept: Sequence[Swept], quiet: bool) -> None:
    from harness.measure.subject import absences_of
    from harness.storage.folder import FolderState
    from harness.words import plain_of

    for each in swept:
        done = each.outcome
        if done.state is FolderState.FINISHED:
            note(f"{each.run.folder}: holds these settings already", quiet)
        else:
            count = (
                f"{counted(done.points, 'setting')} of "
                f"{counted(done.cases, 'dev question')} replayed"
            )
            note(f"{each.run.folder}: {count}", quiet)
        for absence in absences_of(each.run, each.run.points):
            note(f"{each.run.folder}: {plain_of(absence.sentence())}", quiet)


def _note_next(swept: Sequence[Swept], quiet: bool) -> None:
    note(next_after_replay(swept[0].run.folder), quiet)


def _print(rankings: Sequence[Ranking], survival: Survival | None, form: OutputFormat) -> None:
    """Print every setting of every recording, then what may be said of the best."""
    from harness.show import sweep_tables as tables
    from harness.show.table import Table

    rows = {ranking.name: tables.setting_rows(ranking, survival) for ranking in rankings}
    if form is not OutputFormat.TEXT:
        print_table(Table((), [row for part in rows.values() for row in part]), form)
        return
    for ranking in rankings:
        if survival is not None:
            click.echo(f"{ranking.name}\n")
        print_table(tables.settings_table(ranking, rows[ranking.name]), form)
        sentences = tables.ranking_sentences(ranking)
        if ranking.absent:
            absent = counted(ranking.absent, "dev question")
            sentences.append(f"Not in the recording: {absent} of the split.")
        click.echo("\n".join(["", *sentences, ""]))
    if survival is not None:
        click.echo("\n".join([*tables.survival_sentences(survival, rankings), ""]))
    if reasons := tables.misleading(rankings):
        click.echo(reasons)
    unit = tables.unit_of_differences(rankings[0].metric)
    click.echo(f"Differences in {unit}. {tables.interval_sentence()} Dev questions only.")


def _command_of(arguments: Mapping[str, Any]) -> str:
    """Return the sweep's command line, with its folders called RUN and REPORT and no path of a
    machine."""
    words = ["harness", "sweep", *(_spelled(path) for path in arguments["recordings"])]
    for grid in arguments["grids"]:
        words += ["--point", grid]
    for name in ("split", "metric_name", "cap", "prompt_template", "reader_encoding"):
        if name in arguments:
            option = "--" + name.removesuffix("_name").replace("_", "-")
            words += [option, _spelled(arguments[name]) if name in _PATHS else arguments[name]]
    return " ".join(shlex.quote(word) for word in [*words, "--out", "RUN", "--report", "REPORT"])


_PATHS = ("split", "prompt_template")


def _spelled(path: Any) -> str:
    pure = PurePath(path)
    return pure.name if pure.is_absolute() else pure.as_posix()
