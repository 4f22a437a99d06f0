"""Scoring one attempt at a task.

Source: version 2 of the scoring rules of demarkus, in our own words (`docs/comparing.md`). Where
they are silent this module decides, and says so there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from harness.model import RequiredPassage
from harness.words import counted
from harness.worlds import Marking, TaskEnding, World

from .answer import ReaderAnswer, differs_by_formatting, equal, read_answer
from .attempts import Attempt, Score
from .citations import CheckedCitation, NearMiss, Reason, check_citation, place_of
from .completion import Completion, completion_of
from .observation import Observation, observed

SCORING_VERSION = "harness.scoring/1"


@dataclass(frozen=True, slots=True)
class ScoredAttempt:
    """The attempt with its score, and what was almost right of a wrong one."""

    attempt: Attempt
    score: Score
    near_misses: tuple[NearMiss, ...]


def scoring_version(*, stubs: bool) -> str:
    """Return the name of the rules with what was chosen: scores by different ones are not
    compared."""
    return f"{SCORING_VERSION}(stubs=counted)" if stubs else SCORING_VERSION


def score_attempt(attempt: Attempt, world: World, *, stubs: bool = False) -> ScoredAttempt:
    """Score an attempt whose trace holds its calls and last message.

    `stubs`: whether a stub counts as the text that it names. The task is one of the world's.
    """
    marking = world.rubric[attempt.task]
    calls = attempt.trace.calls
    answer = read_answer(attempt.trace.final)
    if not calls or isinstance(answer, str):
        reason = "the reader made no call" if not calls else str(answer)
        score = Score(correct=False, reasons=(reason,), dimensions_recorded=True)
        return ScoredAttempt(replace(attempt, score=score), score, ())
    shown = observed(calls, world, stubs=stubs)
    completion = completion_of(marking.completion, calls)
    checked = [check_citation(citation, marking, world, shown) for citation in answer.citations]
    marked = _Marked(answer, marking, completion, tuple(checked), shown)
    score = marked.score
    misses = () if score.correct else tuple(marked.near_misses())
    return ScoredAttempt(replace(attempt, score=score), score, misses)


@dataclass(frozen=True, slots=True)
class _Marked:
    """An answer beside its marking."""

    answer: ReaderAnswer
    marking: Marking
    completion: Completion
    citations: tuple[CheckedCitation, ...]
    shown: Observation

    @property
    def score(self) -> Score:
        values, valid = not self.value_faults(), not self.citation_faults()
        sufficient = not self.evidence_faults()
        reasons = (*self.value_faults(), *self.citation_faults(), *self.evidence_faults())
        return Score(
            correct=values and valid and sufficient,
            answer_correct=values,
            evidence_sufficient=sufficient,
            citations_valid=valid,
            scope_complete=self.completion.is_complete,
            contradictions_observed=sum(
                self.shown.shows(each.path, each.version, each.anchor, each.quote)
                for each in self.marking.contradictions
            ),
            reasons=reasons,
            dimensions_recorded=True,
        )

    @property
    def finds_nothing(self) -> bool:
        return self.marking.outcome is not TaskEnding.ANSWERED

    def value_faults(self) -> list[str]:
        answer, marking = self.answer, self.marking
        faults = []
        if answer.outcome != marking.outcome.value:
            faults.append(f"outcome is {answer.outcome!r}, expected {marking.outcome.value!r}")
        if answer.abstain != self.finds_nothing:
            faults.append(
                "the reader abstains" if answer.abstain else "the reader does not abstain"
            )
        wanted = {} if self.finds_nothing else marking.answer
        faults += [f"answer.{field} is missing" for field in wanted if field not in answer.values]
        for field, value in answer.values.items():
            if field not in wanted:
                faults.append(f"answer.{field} is not asked for")
            elif not equal(value, wanted[field]):
                faults.append(f"answer.{field} is {value!r}, expected {wanted[field]!r}")
        return faults

    def citation_faults(self) -> list[str]:
        if self.finds_nothing:
            count = len(self.citations)
            return [f"cites {counted(count, 'passage')} for no answer"] if count else []
        if not self.citations and any(self.marking.evidence.values()):
            return ["cites nothing"]
        return [
            f"citation of {citation.citation.field!r}: {citation.fault}"
            for citation in self.citations
            if citation.fault is not None
        ]

    def evidence_faults(self) -> list[str]:
        if not self.finds_nothing:
            return [f"{field} lacks {place_of(passage)}" for field, passage in self._uncovered()]
        faults = [
            f"no call for the step {step.step!r}"
            for step, call in zip(self.completion.steps, self.completion.matched, strict=True)
            if call is None
        ]
        incomplete = self.marking.outcome is TaskEnding.INCOMPLETE
        if incomplete and not faults and not self.completion.shows_failure:
            faults.append("no call shows a failure or a partial result")
        return faults

    def _uncovered(self) -> Iterator[tuple[str, RequiredPassage]]:
        """Yield mandatory passages that no valid citation of their field covers."""
        for field, passages in self.marking.evidence.items():
            covered = [
                passage
                for citation in self.citations
                if citation.citation.field == field
                for passage in citation.covers
            ]
            for passage in passages:
                if passage not in covered:
                    yield field, passage

    def near_misses(self) -> Iterator[NearMiss]:
        for field, value in self.answer.values.items():
            wanted = self.marking.answer.get(field)
            if not equal(value, wanted) and differs_by_formatting(value, wanted):
                yield NearMiss(field, Reason.VALUE_FORMAT, repr(value), f"expected {wanted!r}")
        named = [miss for citation in self.citations for miss in citation.near_misses]
        yield from named
        if self.finds_nothing:
            yield from self.completion.near_misses
            return
        yield from self._observed_but_not_cited({miss.subject for miss in named})

    def _observed_but_not_cited(self, named: set[str]) -> Iterator[NearMiss]:
        for field, passage in self._uncovered():
            if field not in named and self.shown.shows(
                passage.path, passage.version, passage.anchor, passage.quote
            ):
                yield NearMiss(field, Reason.NOT_CITED, "", place_of(passage))


def score_attempts(
    attempts: Sequence[Attempt], world: World, *, stubs: bool = False
) -> list[ScoredAttempt]:
    """Score every attempt, in order."""
    return [score_attempt(attempt, world, stubs=stubs) for attempt in attempts]
