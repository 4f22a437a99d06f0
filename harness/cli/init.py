"""`harness init`: a folder for a study on one's own cases."""

from __future__ import annotations

from pathlib import Path

import click

from harness.words import counted

from .options import PATH, force_option, quiet_option
from .output import note
from .single_file import write_all_new

_SEED = 20261003


@click.command()
@click.argument("folder", metavar="DIR", type=PATH)
@click.argument("source", metavar="REC|CASES", type=PATH)
@click.option(
    "--dev", type=click.IntRange(min=1), help="How many dev questions.  [default: one in five]"
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=_SEED,
    show_default=True,
    help="The seed of the draw.",
)
@force_option
@quiet_option
def init(folder: Path, source: Path, dev: int | None, seed: int, force: bool, quiet: bool) -> None:
    """Make DIR, the folder of a study: a split of your own questions, and a plan to fill in.

    The questions are those of a recording, or of a file of cases, which is then imported into
    DIR/recording as it is; import it first to embed it. DIR/README.md has the commands from here to
    a verdict. No register of datasets is needed.

    \b
    Example:
      harness init studies/mine recordings/mine
      harness init studies/mine cases.jsonl --dev 40
    """
    from harness.datasets.split_draw import draw_split
    from harness.recording.questions import questions_of
    from harness.recording.recording import Recording
    from harness.recording.sources.from_cases import import_cases
    from harness.show.study_folder import Study

    place = source
    if not source.is_dir():
        place = folder / "recording"
        given = {"file": source.as_posix()}
        import_cases(str(source), place, quiet=quiet, force=force, given=given)
    own = questions_of(place)
    drawn = draw_split(
        own.questions,
        seed=seed,
        dev=dev or max(1, len(own.questions) // 5),
        dataset_sha256=own.dataset_sha256,
        keep_list=True,
    )
    study = Study(folder, Recording.open(place), drawn)
    made = write_all_new(study.files(), force=force)
    done = "made" if made else "is this study already; nothing to do"
    note(f"{folder}: {done}, {counted(len(drawn.dev), 'dev question')} of {drawn.of}", quiet)
    note(f"Next: cd {folder}, and read README.md", quiet)
