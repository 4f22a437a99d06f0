"""`harness record cpersona`: freeze a store and the searches made in it into a recording."""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from harness.errors import listed

from .options import (
    FILE,
    PATH,
    LazyChoice,
    command_arguments,
    embedder_options_option,
    force_option,
    quiet_option,
)
from .output import note
from .recorded import note_recording

if TYPE_CHECKING:
    from harness.recording.sources.cpersona.live import LivePlan
    from harness.recording.sources.cpersona.query_vectors import QueryEmbedder
    from harness.recording.sources.cpersona.searches import SearchQuery


@click.command(short_help="Record a CPersona store and the searches made in it.")
@click.argument("store", type=FILE)
@click.option(
    "--searches",
    metavar="FILE",
    help="JSON Lines of what was asked and answered; - for standard input.",
)
@click.option("--live", is_flag=True, help="Ask the installed package on a copy of the store.")
@click.option(
    "--dataset",
    type=FILE,
    metavar="DATA",
    help="LongMemEval file: adds gold, category and date by question_id.",
)
@click.option("--out", required=True, type=PATH, help="Folder of the recording.")
@click.option(
    "--embedding-model",
    "labels",
    multiple=True,
    metavar="LABEL",
    help="Embedder label that the server reports, once or twice; default: the store's only one.",
)
@click.option(
    "--allow-stale",
    is_flag=True,
    help="Record a store with tasks to do or blocks out of date: such records are ranked by "
    "shared words only, and the recording says so.",
)
@click.option(
    "--embedder",
    type=LazyChoice("harness.retrieval.embedder:EMBEDDERS", checked=False),
    help="Embeds questions whose vector was not recorded; with --live: embeds for the server.",
)
@embedder_options_option
@click.option("--cache", type=PATH, help="File of cached vectors (harness cache show).")
@click.option(
    "--questions",
    metavar="FILE",
    help="With --live: JSON Lines of question_id, agent_id and query.",
)
@click.option(
    "--agent",
    metavar="NAME",
    help="With --live and --dataset: whose memory is asked; {question_id} and {index} are "
    "replaced by the question's id and its place in DATA.",
)
@click.option(
    "--server-setting",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="With --live: a CPERSONA_ setting of the server; repeatable.",
)
@click.option(
    "--request",
    multiple=True,
    metavar="NAME=VALUE",
    help="With --live: an argument of each search, such as deep=true or top_k=40.",
)
@click.option(
    "--save-searches",
    type=PATH,
    metavar="FILE",
    help="With --live: keep the searches as a file for --searches.",
)
@force_option
@quiet_option
def cpersona(
    store: Path,
    searches: str | None,
    live: bool,
    dataset: Path | None,
    out: Path,
    labels: tuple[str, ...],
    allow_stale: bool,
    embedder: str | None,
    embedder_url: str | None,
    embedder_options: tuple[str, ...],
    cache: Path | None,
    questions: str | None,
    agent: str | None,
    settings: tuple[str, ...],
    request: tuple[str, ...],
    save_searches: Path | None,
    force: bool,
    quiet: bool,
) -> None:
    """Record a CPersona store (a SQLite file of schema 18) with searches made in it.

    The store is opened read-only, also while a server uses it. Records, current block sets and int8
    vectors come from it; windows come from the responses of the tool reconstruct, read from a file
    or requested now (--live, on a copy; needs the extra `parity`). docs/stores.md describes the
    file and what is refused.

    \b
    Example:
      harness record cpersona memories.db --searches searches.jsonl --out recordings/mine
      harness record cpersona lme.db --searches searches.jsonl --dataset DATA --out recordings/lme
      harness record cpersona memories.db --live --questions questions.jsonl \\
        --embedder http --embedder-url http://127.0.0.1:8401 --out recordings/mine
    """
    from harness.recording.sources.cpersona.recorder import StorePlan, record_cpersona
    from harness.recording.sources.cpersona.searches import read_searches

    if live == (searches is not None):
        raise click.UsageError("give either --searches FILE or --live.")
    asking = _Asking(questions, agent, settings, request, save_searches)
    if not live:
        asking.refuse()
    query_embedder = _query_embedder(embedder, embedder_url, embedder_options, cache)
    given = command_arguments()
    with tempfile.TemporaryDirectory() as folder:
        copy: Path | None = None
        asked: LivePlan | None = None
        if live:
            copy, asked, searches = _ask(
                asking, store, Path(folder), dataset, labels, query_embedder, allow_stale, quiet
            )
        plan = StorePlan(
            store=store,
            copy=copy,
            searches=read_searches(str(searches)),
            dataset=dataset,
            labels=labels,
            allow_stale=allow_stale,
            query_embedder=query_embedder,
            asked={} if asked is None else asked.described(),
            server_had_no_embedder=asked is not None and asked.without_embedder,
        )
        recorded = record_cpersona(plan, out, quiet=quiet, force=force, given=given)
    for line in recorded.notes:
        note(line, quiet)
    note_recording(out, "recorded", recorded.state, quiet)


@dataclass(frozen=True, slots=True)
class _Asking:
    """The options that belong to --live, as given."""

    questions: str | None
    agent: str | None
    settings: tuple[str, ...]
    request: tuple[str, ...]
    save_searches: Path | None

    def refuse(self) -> None:
        """Refuse those that are used without --live."""
        given = {
            "--questions": self.questions,
            "--agent": self.agent,
            "--server-setting": self.settings,
            "--request": self.request,
            "--save-searches": self.save_searches,
        }
        if unfit := [name for name, value in given.items() if value]:
            raise click.UsageError(f"{listed(unfit)} without --live: nothing is asked then.")


def _ask(
    asking: _Asking,
    store: Path,
    folder: Path,
    dataset: Path | None,
    labels: tuple[str, ...],
    embedder: QueryEmbedder | None,
    allow_stale: bool,
    quiet: bool,
) -> tuple[Path, LivePlan, str]:
    """Ask a copy of the store; return the copy, how it was asked, and the file of searches."""
    from harness.recording.sources.cpersona.live import (
        LivePlan,
        ask,
        check_agents,
        check_settings,
        copy_store,
    )
    from harness.recording.sources.cpersona.server import require_package

    from .options import named_values

    require_package()
    settings = named_values("--server-setting", asking.settings)
    request = {
        name: _json_or_text(value)
        for name, value in named_values("--request", asking.request).items()
    }
    check_settings(settings, request)
    questions = _questions(asking, dataset)
    agent = asking.agent or ""
    if dataset is not None and "{index}" in agent and "{question_id}" not in agent:
        check_agents(store, dataset, questions)
    agents = [question.agent_id for question in questions]
    copy, chosen = copy_store(store, folder, agents, labels, allow_stale=allow_stale)
    plan = LivePlan(questions, embedder, chosen[0] if chosen else "", settings, request)
    out = asking.save_searches or folder / "searches.jsonl"
    ask(plan, copy, out, quiet=quiet)
    return copy, plan, str(out)


def _questions(asking: _Asking, dataset: Path | None) -> list[SearchQuery]:
    from harness.recording.sources.cpersona.live import questions_of
    from harness.recording.sources.cpersona.searches import read_asked

    if asking.questions is not None:
        if asking.agent is not None:
            raise click.UsageError("--questions names each question's agent; leave --agent out.")
        return read_asked(asking.questions)
    if dataset is None or asking.agent is None:
        raise click.UsageError(
            "--live needs what to ask: --questions FILE, or --dataset DATA with --agent NAME."
        )
    return questions_of(dataset, asking.agent)


def _query_embedder(
    name: str | None, url: str | None, options: tuple[str, ...], cache: Path | None
) -> QueryEmbedder | None:
    from harness.recording.sources.cpersona.query_vectors import QueryEmbedder
    from harness.retrieval import default_cache_path

    from .options import embedder_options_of

    if name is None:
        if url is not None or options:
            raise click.UsageError("--embedder-url and --embedder-option need --embedder NAME.")
        return None
    return QueryEmbedder(name, embedder_options_of(options, url), cache or default_cache_path())


def _json_or_text(value: str) -> Any:
    try:
        return json.loads(value)
    except ValueError:
        return value
