"""How each metric is computed: the numerator and denominator that a case gives it.

One provider a metric, by its name. A provider sees the counts of a cohort and says, per case and
point, the two terms of the ratio and why a case does not enter; it does not aggregate.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .cohort import Cohort, Counts
from .metrics import METRICS, Exclusion, Metric

EXCLUSIONS = tuple(Exclusion)
ENTERS = -1
"""In `Terms.exclusion`: the case enters; any other value is an index into `EXCLUSIONS`."""

Reasons = list[tuple[NDArray[np.bool_], Exclusion]]


@dataclass(frozen=True, slots=True, eq=False)
class Terms:
    """Arrays of shape (cases, points).

    `numerator` and `denominator` are whole numbers, and 0 where the case does not enter or, for the
    denominator, where its selection has no ratio. `exclusion` is `ENTERS` or the first reason that
    keeps the case out; it follows from labels and from whether tokens were counted, never from what
    was selected.
    """

    numerator: Counts
    denominator: Counts
    exclusion: NDArray[np.int8]

    @property
    def entering(self) -> NDArray[np.bool_]:
        enters: NDArray[np.bool_] = self.exclusion == ENTERS
        return enters

    @property
    def ratios(self) -> Counts:
        """Numerator over denominator, 0 where the denominator is."""
        defined = self.denominator > 0
        return np.divide(
            self.numerator, self.denominator, out=np.zeros_like(self.numerator), where=defined
        )


def terms_of(metric: Metric, cohort: Cohort) -> Terms:
    """The terms of `metric` for every case and point of `cohort`."""
    return _PROVIDERS[metric.name](cohort.counts)


def _terms(numerator: Counts, denominator: Counts, reasons: Reasons) -> Terms:
    exclusion = np.full(numerator.shape, ENTERS, dtype=np.int8)
    for applies, reason in reversed(reasons):
        exclusion[applies] = EXCLUSIONS.index(reason)
    enters = exclusion == ENTERS
    return Terms(np.where(enters, numerator, 0.0), np.where(enters, denominator, 0.0), exclusion)


def _without_sessions(counts: Mapping[str, Counts]) -> Reasons:
    return [
        (counts["labelled"] == 0, Exclusion.NO_GOLD),
        (counts["answer_sessions"] == 0, Exclusion.NO_ANSWER_SESSIONS),
    ]


def _without_turns(counts: Mapping[str, Counts]) -> Reasons:
    return [
        (counts["labelled"] == 0, Exclusion.NO_GOLD),
        (counts["evidence_turns"] == 0, Exclusion.NO_EVIDENCE_TURNS),
    ]


def _without_turn_chars(counts: Mapping[str, Counts]) -> Reasons:
    empty = counts["evidence_turn_chars"] == 0
    return [*_without_turns(counts), (empty, Exclusion.EMPTY_EVIDENCE_TURNS)]


def _answer_sessions_shown(counts: Mapping[str, Counts]) -> Terms:
    return _terms(
        counts["answer_sessions_shown"], counts["answer_sessions"], _without_sessions(counts)
    )


def _all_answer_sessions_shown(counts: Mapping[str, Counts]) -> Terms:
    every = (counts["answer_sessions_shown"] == counts["answer_sessions"]).astype(np.float64)
    return _terms(every, np.ones_like(every), _without_sessions(counts))


def _evidence_turns_touched(counts: Mapping[str, Counts]) -> Terms:
    return _terms(
        counts["evidence_turns_touched"], counts["evidence_turns"], _without_turns(counts)
    )


def _evidence_turn_chars(counts: Mapping[str, Counts]) -> Terms:
    return _terms(
        counts["evidence_turn_chars_quoted"],
        counts["evidence_turn_chars"],
        _without_turn_chars(counts),
    )


def _evidence_share(counts: Mapping[str, Counts]) -> Terms:
    return _terms(
        counts["quoted_chars_in_answer_sessions"],
        counts["quoted_chars_raw"],
        _without_sessions(counts),
    )


def _answer_sessions_per_1k_tokens(counts: Mapping[str, Counts]) -> Terms:
    tokens = counts["context_tokens"]
    shown = np.where(tokens == 0, 0.0, counts["answer_sessions_shown"])
    reasons = [*_without_sessions(counts), (np.isnan(tokens), Exclusion.TOKENS_OFF)]
    return _terms(1000 * shown, np.where(tokens == 0, 1.0, tokens), reasons)


def _duplicate_share(counts: Mapping[str, Counts]) -> Terms:
    raw = counts["quoted_chars_raw"]
    return _terms(raw - counts["quoted_chars_merged"], raw, [])


def _first_item_rank(counts: Mapping[str, Counts]) -> Terms:
    rank = counts["first_item_rank"]
    never = np.isnan(rank)
    return _terms(np.where(never, 0.0, rank), np.where(never, 0.0, 1.0), _without_sessions(counts))


def _tokens(column: str) -> Callable[[Mapping[str, Counts]], Terms]:
    def provide(counts: Mapping[str, Counts]) -> Terms:
        tokens = counts[column]
        return _terms(tokens, np.ones_like(tokens), [(np.isnan(tokens), Exclusion.TOKENS_OFF)])

    return provide


_PROVIDERS: dict[str, Callable[[Mapping[str, Counts]], Terms]] = {
    "answer_sessions_shown": _answer_sessions_shown,
    "all_answer_sessions_shown": _all_answer_sessions_shown,
    "evidence_turns_touched": _evidence_turns_touched,
    "evidence_turn_chars_macro": _evidence_turn_chars,
    "evidence_turn_chars_pooled": _evidence_turn_chars,
    "evidence_share_pooled": _evidence_share,
    "answer_sessions_per_1k_tokens": _answer_sessions_per_1k_tokens,
    "duplicate_share_pooled": _duplicate_share,
    "first_item_rank": _first_item_rank,
    "context_tokens": _tokens("context_tokens"),
    "prompt_tokens_estimated": _tokens("prompt_tokens_estimated"),
}

if missing := {metric.name for metric in METRICS} ^ _PROVIDERS.keys():
    raise TypeError(f"metrics and providers differ: {sorted(missing)}")
