"""From grades back to the answers that they are of, and to the run that these were asked of."""

from __future__ import annotations

from pathlib import Path

from harness.errors import InputError, UsageError
from harness.readers.store import AnswerStore
from harness.replay.run import Run
from harness.trial.grades import Grades

from .answer_set import AnswerSet
from .answer_sets import store_of


def set_of(grades: Grades) -> AnswerSet:
    """Read the set of answers that grades are of.

    Raises `UsageError` for grades that `harness grade` did not make, and `InputError` where the set
    is another one.
    """
    graded = grades.content.graded
    if graded is None:
        raise UsageError(
            f"{grades.folder} was imported, and its answers are not at hand",
            "Name grades that harness grade made.",
        )
    source = Path(grades.sources[0].name)
    answers = AnswerSet.read(source)
    if answers.identity != graded.answers:
        raise InputError(
            f"{source} is not the set of answers that {grades.folder} is of",
            "Restore it, or grade again.",
        )
    return answers


def run_of(grades: Grades, folder: Path | None = None) -> Run:
    """Open the run whose contexts were answered: in `folder`, else where the answers say it is.

    Raises `UsageError` where neither is known, and `InputError` for another run than the answers'.
    """
    if grades.content.graded is None:
        if folder is None:
            raise UsageError(
                f"{grades.folder} does not say which run's contexts were answered",
                "Name it with --run RUN.",
            )
        return Run.open(folder)
    answers = set_of(grades)
    run = Run.open(Path(answers.run) if folder is None else folder)
    if run.manifest.content_sha256 != answers.run_sha256:
        raise InputError(
            f"{run.folder} is not the run that {grades.folder} is of",
            f"Name the run with content sha256 {answers.run_sha256} with --run RUN.",
        )
    return run


def answer_text(grades: Grades, question_id: str) -> str | None:
    """Return the first answer to a question, whose outcome must be open; None where there is none
    or it is not at hand."""
    if grades.content.graded is None:
        return None
    answers = set_of(grades)
    asked = [each for each in answers.questions if each.question_id == question_id]
    if not asked:
        return None
    with AnswerStore(store_of(answers)) as store:
        entry = store.get(answers.key(asked[0], grades.passes[0]))
    return None if entry is None else entry.answer
