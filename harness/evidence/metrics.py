"""The metrics: what each one is, and the two terms that it is computed from."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

import numpy as np

from harness.errors import UsageError, nearest

from .cohort import Counts
from .metric import Aggregation, Better, CountsByName, Exclusion, Leaves, Metric, Term

_PUBLISHED = "evidence metrics of the published cpersona evaluations"
_OURS = "this harness"
_SESSION_CASES = "the questions with answer sessions"
_TURN_CASES = "the questions with evidence turns"
_COUNTED_CASES = "the questions whose tokens were counted"


def _count(name: str) -> Term:
    return lambda counts: counts[name]


def _one(counts: CountsByName) -> Counts:
    return np.ones_like(counts["labelled"])


def _zero(name: str, reason: Exclusion) -> Leaves:
    return reason, lambda counts: counts[name] == 0


def _uncounted(name: str, reason: Exclusion = Exclusion.TOKENS_OFF) -> Leaves:
    return reason, lambda counts: np.isnan(counts[name])


_NO_GOLD = _zero("labelled", Exclusion.NO_GOLD)
_NO_SESSIONS = (_NO_GOLD, _zero("answer_sessions", Exclusion.NO_ANSWER_SESSIONS))
_NO_TURNS = (_NO_GOLD, _zero("evidence_turns", Exclusion.NO_EVIDENCE_TURNS))
_NO_TURN_CHARS = (*_NO_TURNS, _zero("evidence_turn_chars", Exclusion.EMPTY_EVIDENCE_TURNS))


def _every_session(counts: CountsByName) -> Counts:
    return np.where(counts["answer_sessions_shown"] == counts["answer_sessions"], 1.0, 0.0)


def _sessions_of_tokens(counts: CountsByName) -> Counts:
    """Return 1,000 times the sessions shown; none in a context of no tokens."""
    return 1000 * np.where(counts["context_tokens"] == 0, 0.0, counts["answer_sessions_shown"])


def _or_one(name: str) -> Term:
    return lambda counts: np.where(counts[name] == 0, 1.0, counts[name])


def _repeated_chars(counts: CountsByName) -> Counts:
    return counts["quoted_chars_raw"] - counts["quoted_chars_merged"]


def _rank_or_zero(counts: CountsByName) -> Counts:
    return np.nan_to_num(counts["first_item_rank"], nan=0.0)


def _has_rank(counts: CountsByName) -> Counts:
    return (~np.isnan(counts["first_item_rank"])).astype(np.float64)


EVIDENCE_METRICS: tuple[Metric, ...] = (
    Metric(
        "answer_sessions_shown",
        "Share of a question's answer sessions of which at least one character is quoted.",
        above=_count("answer_sessions_shown"),
        below=_count("answer_sessions"),
        leaves=_NO_SESSIONS,
        unit="fraction",
        denominator="its answer sessions, in the window or not, each id once",
        cases=_SESSION_CASES,
        aggregation=Aggregation.MEAN,
        better=Better.HIGHER,
        source=_PUBLISHED,
    ),
    Metric(
        "all_answer_sessions_shown",
        "Whether at least one character of every answer session of a question is quoted.",
        above=_every_session,
        below=_one,
        leaves=_NO_SESSIONS,
        unit="fraction of questions",
        denominator="1 per question",
        cases=_SESSION_CASES,
        aggregation=Aggregation.MEAN,
        better=Better.HIGHER,
        source=_PUBLISHED,
    ),
    Metric(
        "evidence_turns_touched",
        "Share of a question's evidence turns of which at least one character is quoted.",
        above=_count("evidence_turns_touched"),
        below=_count("evidence_turns"),
        leaves=_NO_TURNS,
        unit="fraction",
        denominator="its evidence turns, in the window or not",
        cases=_TURN_CASES,
        aggregation=Aggregation.MEAN,
        better=Better.HIGHER,
        source=_PUBLISHED,
    ),
    Metric(
        "evidence_turn_chars_macro",
        "Share of the characters of a question's evidence turns that are quoted, averaged over "
        "questions.",
        above=_count("evidence_turn_chars_quoted"),
        below=_count("evidence_turn_chars"),
        leaves=_NO_TURN_CHARS,
        unit="fraction",
        denominator="the characters of its evidence turns",
        cases=_TURN_CASES,
        aggregation=Aggregation.MEAN,
        better=Better.HIGHER,
        source=f"{_PUBLISHED} (the evidence, development and coverage tables)",
    ),
    Metric(
        "evidence_turn_chars_pooled",
        "Share of the characters of all evidence turns that are quoted.",
        above=_count("evidence_turn_chars_quoted"),
        below=_count("evidence_turn_chars"),
        leaves=_NO_TURN_CHARS,
        unit="fraction",
        denominator="the characters of all evidence turns",
        cases=_TURN_CASES,
        aggregation=Aggregation.POOLED,
        better=Better.HIGHER,
        source=f"{_PUBLISHED} (the 2.6.5a1 and whole tables, under the same label as the mean)",
    ),
    Metric(
        "evidence_share_pooled",
        "Share of all quoted characters that belong to answer sessions; a character quoted twice "
        "is counted once above the line and twice below.",
        above=_count("quoted_chars_in_answer_sessions"),
        below=_count("quoted_chars_raw"),
        leaves=_NO_SESSIONS,
        unit="fraction",
        denominator="all quoted characters, repeats counted",
        cases=_SESSION_CASES,
        aggregation=Aggregation.POOLED,
        better=Better.HIGHER,
        source=_PUBLISHED,
    ),
    Metric(
        "answer_sessions_per_1k_tokens",
        "Answer sessions shown for each 1,000 tokens of context; 0 for a context of no tokens.",
        above=_sessions_of_tokens,
        below=_or_one("context_tokens"),
        leaves=(*_NO_SESSIONS, _uncounted("context_tokens")),
        unit="sessions per 1,000 tokens",
        denominator="its context tokens / 1,000",
        cases=f"{_SESSION_CASES} whose tokens were counted",
        aggregation=Aggregation.MEAN,
        better=Better.HIGHER,
        source=_PUBLISHED,
    ),
    Metric(
        "duplicate_share_pooled",
        "Share of all quoted characters that repeat a character quoted already.",
        above=_repeated_chars,
        below=_count("quoted_chars_raw"),
        unit="fraction",
        denominator="all quoted characters, repeats counted",
        cases="all questions",
        aggregation=Aggregation.POOLED,
        better=Better.LOWER,
        source=_PUBLISHED,
    ),
    Metric(
        "first_item_rank",
        "Place in the window, from 1, of the first item that quotes an answer session.",
        above=_rank_or_zero,
        below=_has_rank,
        leaves=_NO_SESSIONS,
        unit="place",
        denominator="1 per question",
        cases="the questions of which an answer session is quoted",
        aggregation=Aggregation.MEAN,
        better=Better.LOWER,
        source=_PUBLISHED,
        absent=Exclusion.NO_ANSWER_SESSION_QUOTED,
        without_ratio=inf,
    ),
)
"""What is shown of the labelled evidence, in the order of the tables."""

COST_METRICS: tuple[Metric, ...] = (
    Metric(
        "context_tokens",
        "Tokens of the context text alone, in the encoding that the run's manifest names.",
        above=_count("context_tokens"),
        below=_one,
        leaves=(_uncounted("context_tokens"),),
        unit="tokens",
        denominator="1 per question",
        cases=_COUNTED_CASES,
        aggregation=Aggregation.MEAN,
        better=Better.LOWER,
        source=_PUBLISHED,
    ),
    Metric(
        "prompt_tokens_estimated",
        "Tokens of the whole answer prompt, estimated in the reader's encoding.",
        above=_count("prompt_tokens_estimated"),
        below=_one,
        leaves=(_uncounted("prompt_tokens_estimated"),),
        unit="tokens",
        denominator="1 per question",
        cases=_COUNTED_CASES,
        aggregation=Aggregation.MEAN,
        better=Better.LOWER,
        source=_OURS,
    ),
)
"""What it costs to show it."""

METRICS: tuple[Metric, ...] = (*EVIDENCE_METRICS, *COST_METRICS)
"""What is computed of a run alone."""

SESSION_PRECISION = Metric(
    "session_precision",
    "Share of the sessions of which at least one character is quoted that are answer sessions; 0 "
    "where none is quoted.",
    above=_count("answer_sessions_shown"),
    below=_or_one("sessions_shown"),
    leaves=(*_NO_SESSIONS, _uncounted("sessions_shown", Exclusion.SESSIONS_NOT_COUNTED)),
    unit="fraction",
    denominator="its quoted sessions, each id once",
    cases=_SESSION_CASES,
    aggregation=Aggregation.MEAN,
    better=Better.HIGHER,
    source=_OURS,
)
"""What needs the recording too, which knows of which session a record is: the further column
`sessions_shown`."""

FURTHER_METRICS: tuple[Metric, ...] = (SESSION_PRECISION,)
"""Computed where they are asked for by name."""


def metric_named(name: str, metrics: Sequence[Metric] = METRICS) -> Metric:
    """Return the metric called `name`; raises `UsageError` with the nearest name."""
    for metric in metrics:
        if metric.name == name:
            return metric
    names = [metric.name for metric in metrics]
    raise UsageError(
        f"no metric {name!r}{nearest(name, names)}", f"The metrics are: {', '.join(names)}."
    )
