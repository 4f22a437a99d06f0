"""Auditing a judge: another judge, or people, on the same answers.

People get a file without points, judges or verdicts, in a shuffled order, and write yes or no next
to each answer. What a row is of is found again by its `id`, a hash of question, gold answer and
response, so equal answers at several points are one row. Nothing of test questions is written or
compared before the grades that are audited are open.
"""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from harness.errors import Faults, InputError, UsageError, nearest
from harness.escapes import csv_cell
from harness.points import Point
from harness.readers.store import AnswerStore
from harness.statistics.counts import Interval, PairedCounts
from harness.statistics.judges import cohen_kappa, wilson_interval
from harness.storage.hashing import sha256_of_json
from harness.trial.agreement import Agreement
from harness.trial.grade import GradedAnswers, Outcome, Status
from harness.trial.grades import Grades
from harness.trial.plan import RegisteredRule
from harness.trial.seal import seal_of

from .answer_sets import store_of
from .gold import GoldPlace, read_gold
from .grade_answers import SECOND_JUDGE, Place, Sample
from .graded_answers import set_of

COLUMNS = ("id", "question", "gold_answer", "response", "right")
PEOPLE = "people"
_VERDICTS = {"yes": True, "no": False}
_ID_LENGTH = 16

Verdicts = Mapping[Place, bool]
"""Whether each answer was right, by question and pass."""


@dataclass(frozen=True)
class AuditedGrades:
    """Open grades of the harness's own answers; raises `UsageError` for others."""

    grades: Grades

    @classmethod
    def open(cls, folder: Path) -> AuditedGrades:
        """Open the grades; their outcomes must be open too, and none is read before."""
        audited = cls(Grades.open(folder))
        _ = audited.graded
        if seal_of(audited.grades).holds:
            raise UsageError(
                f"{folder} is sealed: no ledger has an opening that holds it",
                "Open it first: harness judge REGISTRATION --grades …",
            )
        return audited

    @property
    def point(self) -> Point:
        return self.grades.point

    @cached_property
    def graded(self) -> GradedAnswers:
        graded = self.grades.content.graded
        if graded is None:
            raise UsageError(
                f"{self.grades.folder} was imported, and its answers are not at hand",
                "Audit what harness grade made.",
            )
        return graded

    @property
    def judge(self) -> str:
        """What decided: a model, or a rule."""
        return ", ".join(self.grades.judges)

    @cached_property
    def verdicts(self) -> Verdicts:
        return _by_place(self.grades.outcomes())

    def second(self) -> AuditedGrades | None:
        """Find what the second judge of `harness grade` said of the same answers, next to it.

        It is open when these are: it is of answers whose outcomes are.
        """
        folder = self.grades.folder.parent / SECOND_JUDGE / self.grades.folder.name
        if not folder.is_dir():
            return None
        other = AuditedGrades(Grades.open(folder))
        if (other.graded.answers, other.point) != (self.graded.answers, self.point):
            raise InputError(
                f"{folder} is of other answers than {self.grades.folder}",
                "Judge again: harness grade … --second-judge READER",
            )
        return other

    @cached_property
    def responses(self) -> Mapping[Place, tuple[str, str, str]]:
        """Question, gold answer and response of everything that was graded."""
        answers = set_of(self.grades)
        reference = self.grades.content.dataset
        if reference is None:
            raise InputError(f"{self.grades.folder} does not say where the gold answers are")
        file = Path(reference.file)
        place = GoldPlace(recording=file) if file.is_dir() else GoldPlace(data=file)
        gold = read_gold(place, reference.sha256, reference.sha256, of=answers.run, quiet=True)
        asked = {question.question_id: question for question in answers.questions}
        found = {}
        with AnswerStore(store_of(answers)) as store:
            for row in self.grades.rows():
                if row.status is not Status.GRADED:
                    continue
                entry = store.get(answers.key(asked[row.question_id], row.pass_number))
                known = gold.by_id[row.question_id]
                response = "" if entry is None else entry.answer or ""
                shown = known.question, known.written or "", response
                found[row.question_id, row.pass_number] = shown
        return found

    def ids(self) -> Iterator[tuple[str, Place]]:
        """Yield the id of each answer's row, and which answer it is."""
        for place, shown in self.responses.items():
            yield row_id(shown), place


def row_id(shown: tuple[str, str, str]) -> str:
    """Return the id of a row: of question, gold answer and response alone."""
    return sha256_of_json(list(shown))[:_ID_LENGTH]


def audit_file(audited: Sequence[AuditedGrades], sample: Sample) -> tuple[str, int]:
    """Return the CSV for people, and how many answers it has: those to a sample of the questions,
    the same at every point, shuffled."""
    rows: dict[str, tuple[str, str, str]] = {}
    for each in audited:
        drawn = sample.of(each.grades.expected_ids)
        rows |= {
            row_id(shown): shown
            for (question_id, _), shown in each.responses.items()
            if question_id in drawn
        }
    order = sorted(rows)
    random.Random(sample.seed).shuffle(order)  # noqa: S311 (a fixed order)
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows([each, *map(csv_cell, rows[each]), ""] for each in order)
    return buffer.getvalue(), len(order)


def read_labels(path: Path, audited: Sequence[AuditedGrades]) -> dict[Point, Verdicts]:
    """Read what people wrote, by point; rows without a verdict are left out.

    Raises `InputError` naming every row that is of none of the answers, or says neither yes nor no.
    """
    known: dict[str, list[tuple[Point, Place]]] = {}
    for each in audited:
        for name, place in each.ids():
            known.setdefault(name, []).append((each.point, place))
    faults = Faults()
    verdicts: dict[Point, dict[Place, bool]] = {}
    said: dict[str, bool] = {}
    for line, name, text in _rows(path, faults):
        verdict = _VERDICTS.get(text.strip().lower())
        if name not in known:
            faults.add(f"line {line}: no answer has the id {name!r}{nearest(name, known)}")
        elif text.strip() and verdict is None:
            faults.add(f"line {line}: right is {text.strip()!r}, expected yes or no")
        elif name in said:
            faults.add(f"line {line}: the id {name!r} is there already")
        elif verdict is not None:
            said[name] = verdict
            for point, place in known[name]:
                verdicts.setdefault(point, {})[place] = verdict
    if not said and not faults:
        faults.add("no row says yes or no")
    faults.raise_if_any(str(path), "Write yes or no into the column right, and leave the rest.")
    return dict(verdicts)


def _rows(path: Path, faults: Faults) -> Iterator[tuple[int, str, str]]:
    """Yield line, id and verdict of each row."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
        reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
        names = [name.strip() for name in reader.fieldnames or ()]
        missing = [name for name in ("id", "right") if name not in names]
        if missing:
            faults.add(f"line 1: has no column {missing[0]!r}")
            return
        reader.fieldnames = names
        for row in reader:
            yield reader.line_num, (row["id"] or "").strip(), row["right"] or ""
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}", "Check --labels.") from error
    except (UnicodeDecodeError, csv.Error) as error:
        faults.add(f"is not CSV in UTF-8 ({error})")


@dataclass(frozen=True, slots=True)
class Comparison:
    """What two judges say of the answers at a point that both judged."""

    point: Point
    first: str
    second: str
    agreement: Agreement

    @property
    def interval(self) -> Interval | None:
        """Wilson interval of the agreement, at 0.95."""
        agreement = self.agreement
        return wilson_interval(agreement.both_right + agreement.neither, agreement.compared)

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa; None where it is not defined."""
        agreement = self.agreement
        kappa = cohen_kappa(
            agreement.both_right, agreement.first_only, agreement.second_only, agreement.neither
        )
        return None if kappa is None else float(kappa)


@dataclass(frozen=True, slots=True)
class Opinion:
    """A second view of the grades of some points: of a judge, or of people."""

    judge: str
    verdicts: Mapping[Point, Verdicts]

    def of(self, audited: AuditedGrades) -> Comparison:
        """Compare with the grades, over what both judged."""
        theirs = self.verdicts[audited.point]
        pairs = [
            (ours, theirs[place]) for place, ours in audited.verdicts.items() if place in theirs
        ]
        return Comparison(
            audited.point,
            audited.judge,
            self.judge,
            Agreement(
                both_right=pairs.count((True, True)),
                first_only=pairs.count((True, False)),
                second_only=pairs.count((False, True)),
                neither=pairs.count((False, False)),
            ),
        )


def opinions(audited: Sequence[AuditedGrades], labels: Path | None) -> list[Opinion]:
    """Return the second judge's view, where there is one, and that of people.

    Raises `UsageError` where there is neither.
    """
    found = []
    seconds = {each.point: second for each in audited if (second := each.second()) is not None}
    if seconds:
        judges = dict.fromkeys(second.judge for second in seconds.values())
        verdicts = {point: second.verdicts for point, second in seconds.items()}
        found.append(Opinion(", ".join(judges), verdicts))
    if labels is not None:
        found.append(Opinion(PEOPLE, read_labels(labels, audited)))
    if not found:
        raise UsageError(
            "there is no second judge and there are no labels",
            "Judge a sample again with harness grade --second-judge, or write a file for people "
            "with --write FILE and give it back with --labels FILE.",
        )
    return found


@dataclass(frozen=True, slots=True)
class JudgedRule:
    """What a registered rule comes to by one judge, over the questions that both judged, cost
    clauses and corrections aside; `held` is None where the interval has no such level."""

    rule: RegisteredRule
    judge: str
    counts: PairedCounts
    interval: Interval | None

    @property
    def held(self) -> bool | None:
        return None if self.interval is None else self.rule.met_when.holds(self.interval)


def rules_by_judge(
    rules: Iterable[RegisteredRule],
    point: Point,
    audited: Sequence[AuditedGrades],
    opinion: Opinion,
) -> Iterator[JudgedRule]:
    """Apply each rule to what either judge says of the questions that both judged, in the first
    pass, at the point and at the control; a rule without both is left out."""
    by_point = {each.point: each for each in audited if each.point in opinion.verdicts}
    for rule in rules:
        if point not in by_point or rule.against not in by_point:
            continue
        sides = [by_point[point], by_point[rule.against]]
        first = [_first_pass(each.verdicts) for each in sides]
        second = [_first_pass(opinion.verdicts[each.point]) for each in sides]
        common = set.intersection(*(set(side) for side in (*first, *second)))
        for judge, (left, right) in ((sides[0].judge, first), (opinion.judge, second)):
            pairs = {name: int(left[name]) - int(right[name]) for name in sorted(common)}
            if pairs:
                yield JudgedRule(
                    rule,
                    judge,
                    PairedCounts.of_differences(pairs.values()),
                    rule.method.interval_of(pairs, rule.level),
                )


def _first_pass(verdicts: Verdicts) -> dict[str, bool]:
    first = min((number for _, number in verdicts), default=1)
    return {name: right for (name, number), right in verdicts.items() if number == first}


def _by_place(outcomes: Iterable[Outcome]) -> dict[Place, bool]:
    return {(outcome.question_id, outcome.pass_number): outcome.correct for outcome in outcomes}
