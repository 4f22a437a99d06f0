"""Vectors of questions: as recorded at search time, or embedded again and said to be."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from harness.errors import InputError, listed
from harness.retrieval import VectorSource
from harness.words import counted

from .searches import Search, Searches


@dataclass(frozen=True, slots=True)
class QueryEmbedder:
    """The embedder that stands in for vectors that were not recorded."""

    name: str
    options: Mapping[str, str]
    cache: Path


@dataclass(frozen=True, slots=True, eq=False)
class QueryVectors:
    """`of`: each question's vector by its id, None for a search without one (the server had none).

    `width`: their components, None if there is no vector at all. `embedder`: fingerprint of what
    embedded some again, None if nothing was. `label`: where they come from, in words. `without`:
    how many searches have none.
    """

    of: Mapping[str, NDArray[np.float32] | None]
    width: int | None
    embedder: Mapping[str, Any] | None
    label: str
    without: int


def query_vectors(
    searches: Searches,
    embedder: QueryEmbedder | None,
    *,
    had_none: bool = False,
    quiet: bool = False,
) -> QueryVectors:
    """Return the vectors of all questions; raises `InputError` where one is missing and cannot be
    made.

    `had_none`: the server is known to have had no embedder, whatever a response says of it.
    """
    vectors = {row.question.question_id: row.vector for row in searches.rows}
    missing = [
        row
        for row in searches.rows
        if row.vector is None and not (had_none or row.window.lexical_only)
    ]
    recorded = sum(vector is not None for vector in vectors.values())
    without = len(searches.rows) - len(missing) - recorded
    label = (
        [f"{recorded:,} recorded at search time"] if recorded or not (missing or without) else []
    )
    if without:
        label.append(f"{without:,} without one, since the server had none (ranked lexically)")
    if not missing:
        return QueryVectors(vectors, searches.width, None, listed(label), without)
    if embedder is None:
        raise InputError(
            f"{searches.name}: {_lines(missing)}: query_vector is null",
            "Record the vectors at search time, or name the embedder that the server used with "
            "--embedder NAME: they are embedded again then, and labelled so.",
        )
    with closing(
        VectorSource(embedder.name, embedder.options, embedder.cache, quiet=quiet)
    ) as source:
        _check_width(searches, source)
        source.ensure_queries([row.question.query for row in missing])
        rows = source.queries([row.question.query for row in missing])
        made = {
            row.question.question_id: row_vector
            for row, row_vector in zip(missing, rows, strict=True)
        }
        described = {"name": source.name, "fingerprint": source.fingerprint}
        width = source.dimension
    label.append(f"{len(missing):,} embedded again by {source.name}")
    return QueryVectors(vectors | made, width, described, listed(label), without)


def _check_width(searches: Searches, source: VectorSource) -> None:
    if searches.width not in (None, source.dimension):
        raise InputError(
            f"the embedder {source.name} gives {counted(source.dimension, 'component')}, "
            f"the vectors of "
            f"{searches.name} have {searches.width}",
            "Name the embedder that the server used.",
        )


def _lines(rows: list[Search]) -> str:
    shown = [str(row.question.line) for row in rows[:5]]
    more = f" and {len(rows) - 5} more" if len(rows) > 5 else ""
    return f"line{'s' if len(rows) > 1 else ''} {', '.join(shown)}{more}"
