"""What the contexts of a point hold and cost: items, quoted characters, tokens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from harness.replay import schema
from harness.replay.run import Run


@dataclass(frozen=True, slots=True)
class Spending:
    """Means over all cases of a point; the tokens of a context also by median and largest.

    Characters are of the whole context, headers included. Token figures are None where tokens were
    not counted.
    """

    items: float
    context_characters: float
    median_tokens: float | None
    largest_tokens: int | None


def spending(run: Run) -> Mapping[str, Spending]:
    """Return the spending of every point of `run`, aliases under their own spelling too."""
    columns = ["point", "items", "context_characters", "context_tokens"]
    table = run.table(schema.SELECTIONS, columns)
    names = table.column("point").cast(pa.string())
    computed = {
        name: _spending(table.filter(pc.equal(names, name)))
        for name in dict.fromkeys(run.computed_as.values())
    }
    return {str(point): computed[run.computed_as[str(point)]] for point in run.points}


def _spending(rows: pa.Table) -> Spending:
    tokens = rows.column("context_tokens").drop_null().to_numpy()
    return Spending(
        items=_mean(rows, "items"),
        context_characters=_mean(rows, "context_characters"),
        median_tokens=float(np.median(tokens)) if len(tokens) else None,
        largest_tokens=int(tokens.max()) if len(tokens) else None,
    )


def _mean(rows: pa.Table, name: str) -> float:
    total: int = sum(rows.column(name).to_pylist())
    return total / max(len(rows), 1)
