"""How a policy that scores candidates one by one came to its choice."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class CandidateTrace:
    """The candidates of a case in the order in which the policy walked over them, n of them.

    `item`: int32 (n,), the candidate's place in the window from 0.
    `score`: float32 (n,), what the walk was ordered by.
    `signals`: float32 (n, k), one column for each of `signal_names`; NaN in the whole column of a
    signal named in `absent`, which no candidate of the case could supply.
    `weights`: float32 (k,), what the signals were multiplied by in this case.
    `cost`: int32 (n,), in the policy's own unit; `cluster`: int32 (n,), what its cap counts by.
    `selected`: bool (n,). `rendered`: bool (n,), whether the candidate is in the context.
    `reasons`: for each candidate why it was rejected, every reason that held, or by what exception
    it was selected; empty for one that was simply selected.
    `summary`: the policy's one reason for the whole choice.
    `exact`: whether the plan blends the score with a lexical one; `plan` is the plan's name.
    """

    item: NDArray[np.int32]
    score: NDArray[np.float32]
    signals: NDArray[np.float32]
    signal_names: tuple[str, ...]
    weights: NDArray[np.float32]
    cost: NDArray[np.int32]
    cluster: NDArray[np.int32]
    selected: NDArray[np.bool_]
    rendered: NDArray[np.bool_]
    reasons: tuple[tuple[str, ...], ...]
    summary: str
    plan: str
    exact: bool = False
    absent: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.item)
