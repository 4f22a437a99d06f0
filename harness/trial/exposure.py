"""Whether a point's outcomes were seen before: by dataset, question and policy, whatever the file,
split or registration that they came with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import harness
from harness.datasets.register import REGISTER, read_register
from harness.errors import HarnessError
from harness.points import Point
from harness.storage.content import content_size_and_sha256

from .grade import STAND_IN_JUDGE, STAND_IN_READER, Status
from .grades import Grades
from .history import VerdictFile
from .ledger import DEMONSTRATION, EarlierLine, Opening, point_of
from .registration import Registration
from .verdict import DEMONSTRATION as DEMONSTRATED
from .verdict import Verdict


@dataclass(frozen=True, slots=True)
class Exposure:
    """What one opening showed. `dataset_sha256` and `questions` are None where that is not known,
    and then any dataset and every question may have been."""

    where: str
    dataset_sha256: str | None
    questions: frozenset[str] | None
    points: tuple[Point | str, ...]

    def has(self, point: Point) -> bool:
        """Return whether outcomes at the point, or at one of the same policy, were shown."""
        return any(same_policy(point, shown) for shown in self.points)

    def seen(self, dataset_sha256: str, questions: Iterable[str], point: Point) -> int:
        """Count the questions whose outcomes at the point, or at one of the same policy, were
        shown."""
        if not self.has(point):
            return 0
        return len(self.of_questions(dataset_sha256, questions))

    def of_questions(self, dataset_sha256: str, questions: Iterable[str]) -> frozenset[str]:
        """Select the questions of that dataset whose outcomes were shown at some point."""
        if self.dataset_sha256 not in (None, dataset_sha256):
            return frozenset()
        asked = frozenset(questions)
        return asked if self.questions is None else asked & self.questions


def same_policy(point: Point, other: Point | str) -> bool:
    """Return whether two points are one policy; a text is a point whose arm is not installed."""
    if isinstance(other, str):
        return str(point) == other
    return point == other or point.policy == other.policy


def of_openings(openings: Sequence[Opening], verdicts: Sequence[VerdictFile]) -> list[Exposure]:
    """List what the openings showed. A demonstration shows nothing, and neither does an earlier
    judgment of the bundled sample without a reader, as one of the verdicts says."""
    of_line = {file.verdict.opening.line_sha256: file for file in verdicts}
    found = []
    for opening in openings:
        if opening.kind == DEMONSTRATION:
            continue
        if isinstance(opening.line, EarlierLine):
            file = of_line.get(opening.line_sha256)
            if file is not None and is_demonstration(file.verdict):
                continue
        found.append(_of_opening(opening))
    return found


def opened_contexts(
    grades: Grades, openings: Sequence[Opening], dataset_sha256: str
) -> Iterator[tuple[str, str]]:
    """Yield the questions of that dataset whose outcomes in the grades were opened, each with the
    context that was answered, where the grades name it."""
    for number, identity in grades.identities.items():
        if not any(_opens(opening, grades, identity, dataset_sha256) for opening in openings):
            continue
        for row in grades.rows():
            is_shown = row.pass_number == number and row.status is Status.GRADED
            if is_shown and row.context_sha256 is not None:
                yield row.question_id, row.context_sha256


def _opens(opening: Opening, grades: Grades, identity: str, dataset_sha256: str) -> bool:
    if opening.kind == DEMONSTRATION:
        return False
    if isinstance(opening.line, EarlierLine):
        return grades.sha256 in opening.line.folders
    is_of_dataset = opening.line.dataset_sha256 in (None, dataset_sha256)
    return is_of_dataset and identity in opening.identities


def lost(openings: Sequence[Opening], verdicts: Sequence[VerdictFile]) -> Iterator[VerdictFile]:
    """Yield the verdicts whose line is in no ledger."""
    known = {opening.line_sha256 for opening in openings}
    for file in verdicts:
        if file.verdict.opening.line_sha256 not in known and not is_demonstration(file.verdict):
            yield file


def is_demonstration(verdict: Verdict) -> bool:
    """Return whether it is of the bundled sample, and nothing was answered by a reader."""
    if verdict.stamp == DEMONSTRATED:
        return True
    stand_in = (STAND_IN_READER, (STAND_IN_JUDGE,))
    unread = all((figures.reader, figures.judges) == stand_in for figures in verdict.points)
    return unread and verdict.dataset_sha256 in bundled_datasets()


@cache
def bundled_datasets() -> frozenset[str]:
    """Return the hashes of the unpacked datasets that come with the harness; none is secret."""
    register = Path(harness.__file__).resolve().parent.parent / REGISTER
    try:
        datasets = read_register(register).datasets
    except HarnessError:
        return frozenset()
    paths = [dataset.path for dataset in datasets if dataset.path is not None]
    return frozenset(content_size_and_sha256(path)[1] for path in paths if path.is_file())


def _of_opening(opening: Opening) -> Exposure:
    line = opening.line
    named = line.registration or "a look at exploratory grades"
    where = f"{named} (line {opening.number} of {opening.ledger.name})"
    if not isinstance(line, EarlierLine):
        return Exposure(
            where, line.dataset_sha256, frozenset(line.questions), opening.opened_points
        )
    dataset, questions = _registered(opening.ledger.parent / line.registration, line)
    return Exposure(where, dataset, questions, opening.opened_points)


def _registered(path: Path, line: EarlierLine) -> tuple[str | None, frozenset[str] | None]:
    """Return dataset and questions of an earlier line, which only its registration knows."""
    try:
        registration = Registration.read(path)
    except (HarnessError, OSError):
        return None, None
    if registration.sha256 != line.registration_sha256:
        return None, None
    return registration.plan.dataset.sha256, frozenset(registration.cohort.test_ids)


def of_verdict(file: VerdictFile) -> Exposure:
    """Return what a verdict shows, whose line is in no ledger."""
    verdict = file.verdict
    points = tuple(point_of(figures.point) for figures in verdict.points)
    where = f"{file.path.name}, whose line no ledger has"
    return Exposure(where, verdict.dataset_sha256, None, points)
