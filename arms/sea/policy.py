"""The policy of the arm `sea`: the selector over the window of a case."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from harness.model import CandidateTrace, CaseView, ItemQuote, Omitted, Quote, Selection

from .admission import admitting_scores
from .prompt import Preamble, PromptItem, render_preamble
from .recall import MAX_TOKENS
from .selection import Candidate, SeaSelection, select
from .vocabulary import SIGNALS
from .window import Scored, scored_window

BUDGET_UNIT = "bytes"


@dataclass(frozen=True, slots=True)
class SeaPolicy:
    """At most `limit` records, `per_cluster_limit` of a kind, printed within `max_bytes`.

    `task` is a task, or `infer` for the query's own; `authority` is `inferred` or `trusted`.
    """

    limit: int
    max_bytes: int
    per_cluster_limit: int
    task: str
    authority: str

    def select(self, case: CaseView) -> Selection:
        scored = scored_window(case, self.task, self.authority)
        choice = select(
            _candidates(case, scored),
            max_tokens=MAX_TOKENS,
            max_records=self.limit,
            per_cluster_limit=self.per_cluster_limit,
        )
        selected = [step.place for step in choice.walk if step.selected]
        preamble = render_preamble([_printed(scored, place) for place in selected], self.max_bytes)
        return self._selection(case, scored, choice, preamble)

    def admitting_scores(self, case: CaseView) -> list[float | None]:
        """Compute the least score that would have got each candidate in, in the order of the
        walk."""
        return admitting_scores(
            _candidates(case, scored_window(case, self.task, self.authority)),
            max_tokens=MAX_TOKENS,
            max_records=self.limit,
            per_cluster_limit=self.per_cluster_limit,
        )

    def _selection(
        self, case: CaseView, scored: Scored, choice: SeaSelection, preamble: Preamble
    ) -> Selection:
        selected = [step.place for step in choice.walk if step.selected]
        rendered = selected[: preamble.lines]
        items = tuple(_quote(case, scored, place) for place in sorted(rendered))
        return Selection(
            items=items,
            used=preamble.used,
            budget=self.max_bytes,
            budget_unit=BUDGET_UNIT,
            omitted=Omitted(items=len(case.items) - len(items)),
            context=preamble.text,
            candidates=_trace(scored, choice, frozenset(rendered)),
        )


def _candidates(case: CaseView, scored: Scored) -> list[Candidate]:
    """Return the items of the window; none for an empty query."""
    if not case.query.text:
        return []
    return [
        Candidate(identifier, record.metadata.cluster, record.cost, score)
        for identifier, record, score in zip(scored.ids, scored.records, scored.scores, strict=True)
    ]


def _printed(scored: Scored, place: int) -> PromptItem:
    record = scored.records[place]
    return PromptItem(
        id=scored.ids[place],
        profile=record.metadata.profile,
        kind=record.metadata.kind,
        authority=scored.authorities[place],
        score=scored.scores[place],
        snippet=record.snippet,
    )


def _quote(case: CaseView, scored: Scored, place: int) -> ItemQuote:
    """Return the record's text as far as the snippet shows it: no range where it shows none of
    it."""
    quoted = scored.records[place].quoted
    return ItemQuote(place, Quote(case.items[place].head, ((0, quoted),) if quoted else ()))


def _trace(scored: Scored, choice: SeaSelection, rendered: frozenset[int]) -> CandidateTrace:
    places = [step.place for step in choice.walk]
    walked = [scored.records[place] for place in places]
    return CandidateTrace(
        item=np.array(places, np.int32),
        score=scored.scores[places],
        signals=scored.signals[places],
        signal_names=SIGNALS,
        weights=scored.weights,
        cost=np.array([record.cost for record in walked], np.int32),
        cluster=np.array([record.metadata.cluster for record in walked], np.int32),
        selected=np.array([step.selected for step in choice.walk], np.bool_),
        rendered=np.array([place in rendered for place in places], np.bool_),
        reasons=tuple(step.reasons for step in choice.walk),
        summary=choice.reason,
        plan=scored.plan.task,
        exact=scored.plan.exact_recall,
        absent=scored.absent_names,
    )
