"""Which sets of answers are meant: files of them, or all of a store that fit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from harness.errors import UsageError, listed
from harness.points import Point

from .answer_set import SETS, AnswerSet


def store_of(answers: AnswerSet) -> Path:
    """Return the folder of the store that a set lies in."""
    if answers.path is None:
        raise ValueError("the set was not read from a store")
    return answers.path.parent.parent


def chosen_sets(
    paths: Sequence[Path],
    *,
    points: Sequence[Point] = (),
    part: str | None = None,
    reader: str | None = None,
) -> list[AnswerSet]:
    """Read the sets of the files and stores; of the points, the part and the reader, where these
    are given. A reader is its name or the beginning of its identity.

    Raises `UsageError` where a point has none, or two of them are of one point.
    """
    sets = [answers for path in paths for answers in _read(path)]
    fitting = [
        answers
        for answers in sets
        if (not points or answers.point in points)
        and part in (None, answers.part)
        and (reader is None or reader == answers.reader_name or answers.reader.startswith(reader))
    ]
    where = ", ".join(map(str, paths))
    hint = f"Its sets: {listed([_words(answers) for answers in sets]) or 'none'}."
    missing = [point for point in points if all(point != answers.point for answers in fitting)]
    if missing or not fitting:
        wanted = listed([str(point) for point in missing]) or "these options"
        raise UsageError(f"{where} has no answers of {wanted}", hint)
    fitting = _widest(fitting)
    first: dict[Point, AnswerSet] = {}
    for answers in fitting:
        other = first.setdefault(answers.point, answers)
        if other is not answers:
            raise UsageError(
                f"{where} has several sets of answers of {answers.point}: {_words(other)} and "
                f"{_words(answers)}",
                "Name the file of one, or give --part or --reader.",
            )
    return list(first.values())


def _widest(sets: Sequence[AnswerSet]) -> list[AnswerSet]:
    """Leave out each set that another of them holds: the same questions of the same reader, with as
    many repeats or more."""
    widest: dict[str, AnswerSet] = {}
    for answers in sets:
        other = widest.get(answers.asks)
        if other is None or answers.repeats > other.repeats:
            widest[answers.asks] = answers
    return [answers for answers in sets if widest[answers.asks] is answers]


def _read(path: Path) -> Iterator[AnswerSet]:
    if not path.is_dir():
        yield AnswerSet.read(path)
        return
    for file in sorted((path / SETS).glob("*.json")):
        yield AnswerSet.read(file)


def _words(answers: AnswerSet) -> str:
    file = None if answers.path is None else answers.path.name
    return f"{answers.point}, part {answers.part}, reader {answers.reader_name} ({file})"
