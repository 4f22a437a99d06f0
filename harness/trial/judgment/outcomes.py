"""The outcomes of the judged questions, read once, after the split was opened."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from harness.errors import InputError
from harness.statistics.counts import PairedCounts
from harness.trial.grades import Outcome
from harness.trial.grades.agreement import VOID_ABOVE, Agreement

from .cohort_check import Judged
from .entrants import Entrant, Pass
from .verdict import NoiseCheck

Correct = Mapping[str, bool]
"""Whether each judged question was answered right, in the order of the judged ids."""


@dataclass(frozen=True, slots=True)
class OtherPass:
    """A further pass; `correct` has the judged questions that it graded."""

    name: str
    correct: Correct


@dataclass(frozen=True, slots=True)
class EntrantOutcomes:
    """The outcomes of the point or of a control."""

    entrant: Entrant
    correct: Correct
    others: tuple[OtherPass, ...]

    @property
    def accuracy(self) -> float:
        return sum(self.correct.values()) / len(self.correct)


def read_answers(entrant: Entrant, judged: Judged) -> EntrantOutcomes:
    """Read the outcomes of every folder of the entrant, each once."""
    read = {grades.sha256: grades.outcomes() for grades in entrant.folders}
    correct = _of_pass(entrant.judged, read, judged)
    if len(correct) != len(judged.ids):
        raise InputError(
            f"{entrant.grades.folder}: {len(correct)} outcomes for {len(judged.ids)} questions",
            "Import the grades anew.",
        )
    others = tuple(OtherPass(entry.name, _of_pass(entry, read, judged)) for entry in entrant.others)
    return EntrantOutcomes(entrant, correct, others)


def _of_pass(entry: Pass, read: Mapping[str, Sequence[Outcome]], judged: Judged) -> Correct:
    found = {
        outcome.question_id: outcome.correct
        for outcome in read[entry.grades.sha256]
        if outcome.pass_number == entry.number
    }
    return {name: found[name] for name in judged.ids if name in found}


def differences(point: EntrantOutcomes, control: EntrantOutcomes) -> dict[str, int]:
    """1 where only the point is right, -1 where only the control is, else 0; by question."""
    return {
        name: int(correct) - int(control.correct[name]) for name, correct in point.correct.items()
    }


def counts_of(pairs: Mapping[str, int]) -> PairedCounts:
    """Wins, losses and ties of the differences."""
    return PairedCounts.of_differences(pairs.values())


def noise_checks(answers: EntrantOutcomes) -> list[NoiseCheck]:
    """The judged pass against every further pass of the same point, on what both graded."""
    checks = []
    for other in answers.others:
        pairs = Counter(
            (correct, other.correct[name])
            for name, correct in answers.correct.items()
            if name in other.correct
        )
        found = Agreement(
            both_right=pairs[True, True],
            first_only=pairs[True, False],
            second_only=pairs[False, True],
            neither=pairs[False, False],
        )
        if found.same is None or found.difference is None:
            continue
        checks.append(
            NoiseCheck(
                point=answers.entrant.spec,
                first=answers.entrant.judged.name,
                second=other.name,
                questions=found.compared,
                agreement=float(found.same),
                difference=float(found.difference),
                limit=float(VOID_ABOVE / 100),
                void=found.void() is True,
            )
        )
    return checks
