"""`harness world`: verify, show, lint, compare and freeze worlds."""

from __future__ import annotations

from pathlib import Path

import click

from harness.errors import ExitCode
from harness.show.printing import OutputFormat
from harness.storage.folder import FolderState

from .options import PATH, LazyChoice, force_option, quiet_option, table_options
from .output import chosen_format, note


@click.group()
def world() -> None:
    """Verify, show, lint, compare and freeze worlds.

    A world is a frozen corpus of documents with versions, tasks over it, and a rubric: each task's
    answer and the passages that a correct answer must cite. A WORLD is a folder: one that `freeze`
    wrote, a folder of Markdown files, or one in a reference format (docs/worlds.md).
    """


@world.command(short_help="Check a world against what it records.")
@click.argument("world_folder", metavar="WORLD", type=PATH)
@click.option(
    "--against",
    type=PATH,
    metavar="OLD",
    help="Prove that corpus, tasks and rubric are those of OLD, and list what changed.",
)
@table_options
def verify(world_folder: Path, against: Path | None, as_json: bool, as_csv: bool) -> int:
    """Check WORLD against the hashes, sizes and counts that it records, and prove its quotes.

    It names what cannot be checked: a world may come without its bodies, or record no hashes; then
    the computed ones are printed. Exit code 1 if anything is not as recorded, or not proven.

    \b
    Example:
      harness world verify build/worlds/observatory
      harness world verify music-v4 --against music-v3
    """
    from harness.worlds.opening import open_world
    from harness.worlds.repinning import against as compare

    from .world_text import print_verification, verification_rows

    form = chosen_format(as_json, as_csv)
    opened = open_world(world_folder)
    repinning = compare(opened, open_world(against)) if against else None
    rows, sound = verification_rows(opened, repinning)
    print_verification(opened, rows, form)
    return int(ExitCode.SUCCESS if sound else ExitCode.DIFFERENCE)


@world.command(short_help="Print what a world holds.")
@click.argument("world_folder", metavar="WORLD", type=PATH)
@click.option("--tasks", is_flag=True, help="List the tasks.")
@click.option("--documents", is_flag=True, help="List the documents.")
@click.option(
    "--document",
    metavar="PATH[/vN]",
    help="List the sections of a document: of its current version, or of version N.",
)
@table_options
def show(
    world_folder: Path,
    tasks: bool,
    documents: bool,
    document: str | None,
    as_json: bool,
    as_csv: bool,
) -> None:
    """Print what WORLD holds: its counts, tasks, documents, or one document's sections.

    \b
    Example:
      harness world show build/worlds/observatory
      harness world show build/worlds/observatory --document /telescope/focus.md/v1
    """
    from harness.worlds.loading import load_world

    from .world_text import print_document, print_documents, print_properties, print_tasks

    form = chosen_format(as_json, as_csv)
    if tasks + documents + (document is not None) > 1:
        raise click.UsageError("--tasks, --documents and --document exclude each other.")
    loaded = load_world(world_folder, bodies=documents or document is not None)
    if tasks:
        print_tasks(loaded, form)
    elif documents:
        print_documents(loaded, form)
    elif document is not None:
        print_document(loaded, document, form)
    else:
        print_properties(loaded, form)


@world.command(short_help="Find everything that is wrong in a world.")
@click.argument("world_folder", metavar="WORLD", type=PATH)
@quiet_option
@table_options
def lint(world_folder: Path, quiet: bool, as_json: bool, as_csv: bool) -> int:
    """Find every fault of WORLD except in its hashes.

    Every quote must be raw text of that section of that version, in the task's scope; answers must
    have the fields and types of their tasks; unknown keys and files are faults. Works on a folder
    of Markdown files before it is frozen. Exit code 1 if anything is found.

    Example: harness world lint datasets/worlds/observatory
    """
    from harness.worlds.lint import findings
    from harness.worlds.opening import open_world

    from .world_text import print_findings, size_of

    form = chosen_format(as_json, as_csv)
    opened = open_world(world_folder)
    faults = findings(opened)
    print_findings(world_folder, faults, form)
    note(f"looked at {size_of(opened.world)}", quiet)
    return int(ExitCode.DIFFERENCE if faults else ExitCode.SUCCESS)


@world.command(short_help="Say what an update of a corpus breaks.")
@click.argument("before", type=PATH)
@click.argument("after", type=PATH)
@quiet_option
@table_options
def diff(before: Path, after: Path, quiet: bool, as_json: bool, as_csv: bool) -> int:
    """Say which quotes, anchors and versions of world BEFORE are broken in the corpus of AFTER.

    A published version stays as it is: one that is gone or overwritten is a break, and so is a
    document that is gone. An anchor that the newer current version lacks breaks readers who name no
    version; a quote that it lacks may mean another answer. Exit code 1 if anything is broken.

    \b
    Example:
      harness world diff build/worlds/observatory build/worlds/observatory-next
    """
    from harness.worlds.difference import compare_corpora
    from harness.worlds.opening import open_world

    from .world_text import print_breaks

    form = chosen_format(as_json, as_csv)
    difference = compare_corpora(open_world(before).world, open_world(after).world)
    print_breaks(difference, form)
    if form is OutputFormat.TEXT:
        note(
            f"{len(difference.breaks)} broken; new: documents {difference.new_documents}, "
            f"versions {difference.new_versions}",
            quiet,
        )
    return int(ExitCode.DIFFERENCE if difference.breaks else ExitCode.SUCCESS)


@world.command(short_help="Make a world from Markdown files.")
@click.argument("folder", metavar="DIR", type=PATH)
@click.option("--out", required=True, type=PATH, metavar="WORLD", help="Folder of the world.")
@click.option("--id", "world_id", metavar="NAME", help="The world's name  [default: DIR's name]")
@click.option(
    "--source", metavar="URL", help="What serves its documents  [default: mark:// and the name]"
)
@click.option(
    "--pack",
    type=LazyChoice("harness.worlds.packing:PACKINGS"),
    default="none",
    show_default=True,
    help="How the corpus file is packed.",
)
@force_option
@quiet_option
def freeze(
    folder: Path,
    out: Path,
    world_id: str | None,
    source: str | None,
    pack: str,
    force: bool,
    quiet: bool,
) -> None:
    """Make a world from a folder of Markdown files with front matter.

    \b
    DIR/documents/ops/audit.md      document /ops/audit.md, its newest version
    DIR/documents/ops/audit.v1.md   its version 1
    DIR/tasks.json, DIR/rubric.json the tasks and what marks them; both optional

    Without a folder `documents`, the documents start in DIR itself. Front matter is lines of
    `key: value` between two lines `---`: title, tags, importance, type, rel-NAME, archived. The
    world is linted first, and nothing is written if anything is found; the same files give the
    same bytes.

    \b
    Example:
      harness world freeze datasets/worlds/observatory --out build/worlds/observatory
    """
    from harness.worlds.freezing import freeze as freeze_folder
    from harness.worlds.markdown_folder import other_files
    from harness.worlds.packing import PACKINGS

    from .world_text import size_of

    state, opened = freeze_folder(
        folder, out, world_id=world_id, source=source, suffix=PACKINGS[pack], force=force
    )
    done = "holds this world already" if state is FolderState.FINISHED else "frozen"
    note(f"{out}: {done}: {size_of(opened.world)}", quiet)
    if others := other_files(folder):
        names = ", ".join(path.relative_to(folder).as_posix() for path in others[:3])
        note(f"skipped (not .md files): {names} (of {len(others)})", quiet)
    if not opened.world.tasks:
        note("it has no tasks: write tasks.json and rubric.json to record or score any", quiet)
