"""The metrics: what each one is. `harness.evidence.terms` computes them.

Every metric is a ratio per case. `mean` is the mean of the cases' ratios, so that every question
weighs the same; `pooled` is the sum of the numerators over the sum of the denominators, so that
every unit weighs the same. Values are fractions unless the unit says otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from math import inf

from harness.errors import UsageError, nearest


class Aggregation(Enum):
    """How the cases of a point become one value."""

    MEAN = "mean"
    POOLED = "pooled"


class Better(Enum):
    """Which way is better; decides what counts as a win of a paired difference."""

    HIGHER = "higher"
    LOWER = "lower"
    NEITHER = "neither"


class Exclusion(Enum):
    """Why a case does not enter a metric. The value is what tables print."""

    NO_GOLD = "no gold"
    NO_ANSWER_SESSIONS = "no answer sessions"
    NO_EVIDENCE_TURNS = "no evidence turns"
    EMPTY_EVIDENCE_TURNS = "evidence turns without a character"
    TOKENS_OFF = "tokens off"
    NOTHING_QUOTED = "nothing quoted"
    NO_ANSWER_SESSION_QUOTED = "no answer session quoted"


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric, declared once; help, reports and documentation print these sentences.

    `denominator` says what a case's ratio (mean) or the whole (pooled) is divided by, and `cases`
    which cases enter. `absent` is the reason under which a case leaves the mean because its
    selection has no ratio; None means that such a case is scored and adds nothing to either sum.
    `without_ratio` is what such a case counts as when wins and losses are counted.
    """

    name: str
    definition: str
    unit: str
    denominator: str
    cases: str
    aggregation: Aggregation
    better: Better
    source: str
    absent: Exclusion | None = None
    without_ratio: float = 0.0

    @property
    def explanation(self) -> str:
        """The definition with unit, denominator, aggregation, direction and source."""
        pooled = self.aggregation is Aggregation.POOLED
        how = "Sum over sum, over" if pooled else "Mean over"
        return (
            f"{self.definition} {how} {self.cases}; denominator: {self.denominator}; "
            f"unit: {self.unit}; better: {self.better.value}. Source: {self.source}."
        )


_PUBLISHED = "evidence metrics of the published cpersona evaluations"
_OURS = "this harness"
_SESSION_CASES = "the questions with answer sessions"
_TURN_CASES = "the questions with evidence turns"

EVIDENCE_METRICS: tuple[Metric, ...] = (
    Metric(
        "answer_sessions_shown",
        "Share of a question's answer sessions of which at least one character is quoted.",
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
        unit="fraction of questions",
        denominator="one a question",
        cases=_SESSION_CASES,
        aggregation=Aggregation.MEAN,
        better=Better.HIGHER,
        source=_PUBLISHED,
    ),
    Metric(
        "evidence_turns_touched",
        "Share of a question's evidence turns of which at least one character is quoted.",
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
        unit="place",
        denominator="one a question",
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
        unit="tokens",
        denominator="one a question",
        cases="the questions whose tokens were counted",
        aggregation=Aggregation.MEAN,
        better=Better.LOWER,
        source=_PUBLISHED,
    ),
    Metric(
        "prompt_tokens_estimated",
        "Tokens of the whole answer prompt, estimated in the reader's encoding.",
        unit="tokens",
        denominator="one a question",
        cases="the questions whose tokens were counted",
        aggregation=Aggregation.MEAN,
        better=Better.LOWER,
        source=_OURS,
    ),
)
"""What it costs to show it."""

METRICS: tuple[Metric, ...] = (*EVIDENCE_METRICS, *COST_METRICS)


def metric_named(name: str, metrics: Sequence[Metric] = METRICS) -> Metric:
    """The metric called `name`; raises `UsageError` with the nearest name."""
    for metric in metrics:
        if metric.name == name:
            return metric
    names = [metric.name for metric in metrics]
    raise UsageError(
        f"no metric {name!r}{nearest(name, names)}", f"The metrics are: {', '.join(names)}."
    )
