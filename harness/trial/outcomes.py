"""The outcomes of the judged questions, read once, after the split was opened."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from harness.datasets.cohort import Cohort
from harness.errors import InputError
from harness.statistics.counts import DEFAULT_LEVEL, PairedCounts
from harness.statistics.tango import tango_interval
from harness.words import counted

from .agreement import VOID_ABOVE, Agreement
from .entrants import Entrant, Pass
from .grade import Outcome
from .verdict import NoiseCheck

Correct = Mapping[str, bool]
"""Whether each judged question was answered right, in the order of the judged ids."""


@dataclass(frozen=True, slots=True)
class EntrantOutcomes:
    """The outcomes of the point or of a control; `others` are of its further passes, by name, on
    the judged questions that each graded."""

    entrant: Entrant
    correct: Correct
    others: tuple[tuple[str, Correct], ...]

    @property
    def accuracy(self) -> float:
        return sum(self.correct.values()) / len(self.correct)


def read_outcomes(entrant: Entrant, judged: Cohort) -> EntrantOutcomes:
    """Read the outcomes of every folder of the entrant, each once."""
    by_folder = {grades.sha256: grades.outcomes() for grades in entrant.folders}
    correct = _of_pass(entrant.judged, by_folder, judged)
    if len(correct) != len(judged.ids):
        raise InputError(
            f"{entrant.grades.folder}: {len(correct)} outcomes for "
            f"{counted(len(judged.ids), 'question')}",
            "Import the grades again.",
        )
    others = [(entry.name, _of_pass(entry, by_folder, judged)) for entry in entrant.others]
    return EntrantOutcomes(entrant, correct, tuple(others))


def _of_pass(entry: Pass, by_folder: Mapping[str, Sequence[Outcome]], judged: Cohort) -> Correct:
    correct = {
        outcome.question_id: outcome.correct
        for outcome in by_folder[entry.grades.sha256]
        if outcome.pass_number == entry.number
    }
    return {name: correct[name] for name in judged.ids if name in correct}


def differences(point: EntrantOutcomes, control: EntrantOutcomes) -> dict[str, int]:
    """Return 1 where only the point is right, -1 where only the control is, else 0, by question."""
    return {
        name: int(correct) - int(control.correct[name]) for name, correct in point.correct.items()
    }


def noise_checks(outcomes: EntrantOutcomes) -> list[NoiseCheck]:
    """Compare the judged pass with every further pass of the same point, on what both graded."""
    checks = []
    for name, correct in outcomes.others:
        pairs = Counter(
            (right, correct[question])
            for question, right in outcomes.correct.items()
            if question in correct
        )
        agreement = Agreement(
            both_right=pairs[True, True],
            first_only=pairs[True, False],
            second_only=pairs[False, True],
            neither=pairs[False, False],
        )
        if agreement.same is None or agreement.difference is None:
            continue
        net = PairedCounts.of_total(agreement.compared, agreement.second_only, agreement.first_only)
        interval = tango_interval(net, DEFAULT_LEVEL)
        checks.append(
            NoiseCheck(
                point=str(outcomes.entrant.point),
                first=outcomes.entrant.judged.name,
                second=name,
                questions=agreement.compared,
                agreement=float(agreement.same),
                difference=float(agreement.difference),
                limit=float(VOID_ABOVE / 100),
                void=agreement.void() is True,
                first_only=agreement.first_only,
                second_only=agreement.second_only,
                lower=interval.lower,
                upper=interval.upper,
            )
        )
    return checks
