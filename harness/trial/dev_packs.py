"""What dev questions say of points when they have been answered: accuracy and cost, over one pack
of questions or several.

A pack is the dev part of a split. Over several packs a mean is the weighted mean of the packs' own
means, sum of w m / sum of w, with weights that somebody states: questions of a private pack and of
a published one are not of one population, so no weight goes without saying. All is exact.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from harness.datasets.split import Part
from harness.errors import Faults, InputError, UsageError, nearest
from harness.points import Point
from harness.statistics.exact_number import exact_number
from harness.words import counted

from .choosing import Choosable, DevTable
from .grade import Status
from .grades import Grades

_HINT = "Grade the dev questions of every point alike: harness grade … --part dev"


@dataclass(frozen=True, slots=True)
class DevPack:
    """The grades of every point on the dev part of one split; `weight` as it was written.

    `questions` count, in the dataset's order; each is graded at every point.
    """

    split_file: str
    split_sha256: str
    weight: str
    questions: tuple[str, ...]
    grades: Mapping[Point, Grades]

    @property
    def share(self) -> Fraction:
        return exact_number(self.weight)


def read_packs(folders: Sequence[Path], weights: Mapping[str, str]) -> tuple[DevPack, ...]:
    """Open grades of dev questions and sort them by split; `weights` are by the split's file.

    Raises `InputError` naming everything that keeps the points from being compared, without reading
    an outcome, and `UsageError` for weights that are missing or of nothing.
    """
    faults = Faults()
    by_split: dict[str, dict[Point, Grades]] = {}
    for folder in folders:
        grades = Grades.open(folder)
        messages = _faults(grades, by_split.get(grades.split_sha256, {}))
        for message in messages:
            faults.add(f"{folder}: {message}")
        if not messages:
            by_split.setdefault(grades.split_sha256, {})[grades.point] = grades
    points = list(dict.fromkeys(point for pack in by_split.values() for point in pack))
    for pack in by_split.values():
        for message in _unequal(pack, points):
            faults.add(message)
    faults.raise_if_any("--grades", _HINT)
    files = {sha256: _split_file(pack) for sha256, pack in by_split.items()}
    stated = _stated(files, weights)
    return tuple(
        DevPack(files[sha256], sha256, stated[sha256], _counted(pack), pack)
        for sha256, pack in by_split.items()
    )


def packs_table(packs: Sequence[DevPack], points: Sequence[Point], cost: str) -> DevTable:
    """Compute accuracy and mean cost of the points (all without any) over the packs.

    Raises `InputError` where the cost is not known of a question, `UsageError` for another point.
    """
    graded = list(packs[0].grades)
    for point in points:
        if point not in graded:
            known = [str(each) for each in graded]
            raise UsageError(
                f"there are no grades of {point}{nearest(str(point), known)}",
                "Name them with --grades.",
            )
    return DevTable(
        cost,
        sum(len(pack.questions) for pack in packs),
        0,
        tuple(
            Choosable(
                str(point),
                (),
                _mean(packs, [_cost(pack, point, cost) for pack in packs]),
                None,
                _mean(packs, [_accuracy(pack, point) for pack in packs]),
            )
            for point in points or graded
        ),
    )


def _faults(grades: Grades, earlier: Mapping[Point, Grades]) -> list[str]:
    messages = []
    if grades.part != Part.DEV.value:
        # their outcomes are not read: they may be of test questions
        messages.append(f"has the grades of part {grades.part!r}, not of dev alone")
    if grades.point in earlier:
        messages.append(f"is of {grades.point}, as {earlier[grades.point].folder} is")
    if not grades.counts.complete:
        counts = grades.counts
        lacking = counts.expected - counts.graded - counts.excluded
        messages.append(f"lacks {lacking} of {counted(counts.expected, 'grade')}")
    return messages


def _unequal(pack: Mapping[Point, Grades], points: Sequence[Point]) -> list[str]:
    """Name the points that a pack lacks, and those that were graded on other questions of it: an
    error, never a smaller n."""
    first = next(iter(pack.values()))
    messages = [
        f"there are no grades of {point} on {_split_file(pack)}"
        for point in points
        if point not in pack
    ]
    for grades in pack.values():
        messages += _others(grades, first)
        differing = set(_graded_ids(grades)) ^ set(_graded_ids(first))
        if differing:
            messages.append(
                f"{grades.folder} and {first.folder} are not of the same questions: "
                f"{len(differing)} are graded in one alone (the first is {min(differing)!r})"
            )
    return messages


def _others(grades: Grades, first: Grades) -> list[str]:
    """Say who else answered or judged, where both folders say who: accuracies of two readers or of
    two graders differ by more than their points."""
    sides = (
        ("were answered by", grades.reader, first.reader),
        ("were judged by", ", ".join(grades.judges), ", ".join(first.judges)),
    )
    return [
        f"{grades.folder} and {first.folder} {did} different ones: {ours} and {theirs}"
        for did, ours, theirs in sides
        if ours and theirs and ours != theirs
    ]


def _stated(files: Mapping[str, str], weights: Mapping[str, str]) -> dict[str, str]:
    unknown = [file for file in weights if file not in files.values()]
    if unknown:
        close = nearest(unknown[0], files.values())
        raise UsageError(
            f"--weigh {unknown[0]}: no grades are of that split{close}",
            f"Splits of the grades: {', '.join(files.values())}.",
        )
    if len(files) == 1:
        return {sha256: weights.get(file, "1") for sha256, file in files.items()}
    missing = [file for file in files.values() if file not in weights]
    if missing:
        pairs = " ".join(f"--weigh {file}=1" for file in files.values())
        raise UsageError(
            f"the grades are of {counted(len(files), 'pack')} of dev questions, "
            f"and it is not said what "
            f"{' and '.join(missing)} weighs",
            f"Say it of each, for example {pairs}, which counts each pack alike.",
        )
    return {sha256: weights[file] for sha256, file in files.items()}


def _split_file(pack: Mapping[Point, Grades]) -> str:
    return next(iter(pack.values())).content.split.file


def _counted(pack: Mapping[Point, Grades]) -> tuple[str, ...]:
    return _graded_ids(next(iter(pack.values())))


def _graded_ids(grades: Grades) -> tuple[str, ...]:
    """Return the questions of the first pass that no rule left out."""
    return tuple(
        row.question_id
        for row in grades.rows()
        if row.pass_number == grades.passes[0] and row.status is Status.GRADED
    )


def _mean(packs: Sequence[DevPack], means: Sequence[Fraction]) -> Fraction:
    whole = sum((pack.share for pack in packs), Fraction(0))
    parts = (pack.share * mean for pack, mean in zip(packs, means, strict=True))
    return sum(parts, Fraction(0)) / whole


def _accuracy(pack: DevPack, point: Point) -> Fraction:
    grades, questions = pack.grades[point], frozenset(pack.questions)
    right = sum(
        outcome.correct
        for outcome in grades.outcomes()
        if outcome.pass_number == grades.passes[0] and outcome.question_id in questions
    )
    return Fraction(right, len(questions))


def _cost(pack: DevPack, point: Point, cost: str) -> Fraction:
    grades, questions = pack.grades[point], frozenset(pack.questions)
    values = [
        getattr(row, cost)
        for row in grades.rows()
        if row.pass_number == grades.passes[0] and row.question_id in questions
    ]
    known = [value for value in values if value is not None]
    if len(known) < len(values) or not values:
        raise InputError(
            f"{grades.folder} has {cost} of {len(known)} of {counted(len(values), 'question')}",
            "Name another --cost, or a reader whose API reports it.",
        )
    return Fraction(sum(known), len(values))
