"""`harness export trec`: what a point shows, or a recall retrieved, for the tools of TREC."""

from __future__ import annotations

from pathlib import Path

import click

from .options import FOLDER, PATH, force_option, quiet_option
from .output import note

_FILES = ("run.trec", "qrels.trec")


@click.command(name="trec", short_help="Write what a point shows as a TREC run, and qrels.")
@click.argument("run", type=PATH)
@click.option("-p", "--point", "spec", metavar="SPEC", help="The point whose sessions are ranked.")
@click.option("--window", is_flag=True, help="Rank the window of the recall, in place of a point.")
@click.option(
    "--recording",
    type=FOLDER,
    metavar="DIR",
    help="The run's recording.  [default: where the run says that it was]",
)
@click.option("--out", required=True, type=PATH, metavar="DIR", help="Folder of the two files.")
@force_option
@quiet_option
def export_trec(
    run: Path,
    spec: str | None,
    window: bool,
    recording: Path | None,
    out: Path,
    force: bool,
    quiet: bool,
) -> None:
    """Write the sessions that a point shows as a run (run.trec), and the labels as qrels.trec.

    Queries are case ids, documents session ids: each at its first occurrence, in shown order, with
    scores that fall strictly. A session counts as shown if at least one character of it is quoted.
    With --window, the ranking is the recall's own, whatever a policy chose from it. White space and
    % in an id are percent-encoded. Read them with ir_measures, ranx or trec_eval: SetR is
    answer_sessions_shown, SetP session_precision (docs/metrics.md).

    \b
    Example:
      harness export trec RUN --point '2.6.5a1(budget=2400)' --out trec/budget
      harness export trec RUN --window --out trec/recall
      ir_measures trec/budget/qrels.trec trec/budget/run.trec 'SetR SetP'
    """
    from harness.errors import UsageError
    from harness.measure.sessions import answer_sessions, shown_sessions, window_sessions
    from harness.measure.subject import recording_of
    from harness.measure.trec import qrels_text, run_text
    from harness.replay.run import Run
    from harness.words import counted

    from .single_file import write_all_new

    if (spec is None) == (not window):
        raise UsageError(
            "what is ranked is a point or the window", "Give --point SPEC or --window."
        )
    opened = Run.open(run)
    ids = opened.cohort.ids
    if spec is None:
        source = recording_of(opened, recording)
        rankings, tag = window_sessions(source, ids), "window"
    else:
        point = opened.one(spec)
        source = recording_of(opened, recording)
        rankings, tag = shown_sessions(opened, point, source), str(point)
    labelled = answer_sessions(source, ids)
    texts = run_text(rankings, tag), qrels_text(labelled)
    files = {out / name: text for name, text in zip(_FILES, texts, strict=True)}
    written = write_all_new(files, force=force)
    empty = sum(not sessions for sessions in rankings.values())
    done = "" if written else "; there already, nothing to do"
    note(
        f"{out}: {counted(len(ids), 'question')}, {empty:,} without a session, "
        f"{len(labelled):,} with labels{done}",
        quiet,
    )
