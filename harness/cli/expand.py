"""`harness expand`: one lookup on screen."""

from __future__ import annotations

import shutil
import textwrap
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.errors import UsageError

from .options import PATH, LazyChoice, quiet_option
from .output import note

if TYPE_CHECKING:
    from harness.points import Point
    from harness.recording.sources.first_lookups import FirstLookup


@click.command()
@click.argument("world", type=PATH)
@click.argument("query")
@click.option("--point", "spec", required=True, metavar="SPEC", help="How the table is expanded.")
@click.option("--against", metavar="SPEC", help="Another point, printed next to it.")
@click.option("--scope", help="The folder to look in. Default: the task's, else everything.")
@click.option(
    "--match",
    type=LazyChoice("harness.recording.sources.lookup_ranking:MATCHES"),
    default="catalog",
    show_default=True,
    help="Rank documents by title and tags, or sections by their text.",
)
@quiet_option
def expand(
    world: Path,
    query: str,
    spec: str,
    against: str | None,
    scope: str | None,
    match: str,
    quiet: bool,
) -> None:
    """Print what a lookup of QUERY in WORLD prints at a point, or at two points side by side.

    QUERY may be the id of a task of the world: its question is then looked up in its scope.

    \b
    Example:
      harness expand datasets/worlds/observatory 'mirror washing' --point lookup-budgeted()
      harness expand datasets/worlds/observatory 'mirror washing' \\
        --point 'lookup-budgeted(budget_tokens=500)' --against 'lookup-before(budget_tokens=500)'
    """
    from harness.decode import is_unicode
    from harness.points import parse_point

    for name, text in (("QUERY", query), ("--scope", scope or "")):
        if not is_unicode(text):
            raise UsageError(f"{name} is not Unicode text", "Write it in UTF-8.")
    first = _looked_up(world, query, scope, match)
    points = [parse_point(spelling) for spelling in (spec, against) if spelling is not None]
    texts = [_printed(first, point) for point in points]
    if len(texts) == 1:
        click.echo(texts[0], nl=not texts[0].endswith("\n"))
    else:
        click.echo(_side_by_side(texts, [str(point) for point in points]))
    for point, text in zip(points, texts, strict=True):
        note(f"{point}: {len(text.encode('utf-8')) // 4:,} estimated result tokens", quiet)


def _looked_up(world: Path, query: str, scope: str | None, match: str) -> FirstLookup:
    from harness.recording.sources.first_lookups import LookupQuery, look_up
    from harness.recording.sources.lookup_ranking import MATCHES
    from harness.worlds import Task, load_world

    loaded = load_world(world)
    if loaded.documents is None:
        raise UsageError(f"{world} has no document bodies", "Use a whole world.")
    task = loaded.task(query)
    text = query if task is None else task.question
    asked_of = task or Task("query", "query", query, {}, None)
    chosen = next(name for name in MATCHES if name == match)
    return look_up(loaded, LookupQuery("query", asked_of, text, scope or asked_of.folder, chosen))


def _printed(first: FirstLookup, point: Point) -> str:
    from harness.model import Query, view_of
    from harness.replay.context import render_context
    from harness.replay.plan import applicable
    from harness.worlds.assembly import lookup_case

    case = lookup_case("query", None, Query(first.query), first.lookup, None)
    applicable([point], case.kind)
    view, records = view_of(case)
    return render_context(point.policy.select(view), records)


def _side_by_side(texts: list[str], headings: list[str]) -> str:
    """Print two columns as wide as the terminal allows; fold long lines."""
    width = max(30, (shutil.get_terminal_size((160, 24)).columns - 3) // 2)
    columns = [
        [
            heading,
            "─" * width,
            *(part for line in text.split("\n") for part in _folded(line, width)),
        ]
        for heading, text in zip(headings, texts, strict=True)
    ]
    rows = zip_longest(*columns, fillvalue="")
    return "\n".join(f"{left:<{width}} │ {right}".rstrip() for left, right in rows)


def _folded(line: str, width: int) -> list[str]:
    return textwrap.wrap(line, width, drop_whitespace=False, replace_whitespace=False) or [""]
