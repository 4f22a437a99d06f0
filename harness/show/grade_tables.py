"""Grades, and the agreement of two sets of them: tables, and what a terminal says around them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from fractions import Fraction
from typing import Any

from harness.datasets.question_list import NO_TYPE
from harness.statistics.exact_number import exact_number
from harness.trial.agreement import Agreement, Pairing, agreement_of, differing, pairings
from harness.trial.by_type import AccuracyByType, accuracy_by_type, types_of
from harness.trial.caveats import caveats_of
from harness.trial.grade import Counts, Grade, GradeSource, Outcome, Status, TokenTotals
from harness.trial.grades import Grades
from harness.trial.ledger import EXPLORATORY
from harness.trial.seal import Seal, looked_at, seal_of
from harness.words import Code, Kind, count, counted

from .table import Column, MeanOf, Table

SEALED = "sealed"
_STATUSES = ("graded", "missing", "duplicate", "error", "excluded")
_MEASURES = {
    "prompt_tokens_api": "prompt tokens (API)",
    "prompt_tokens_estimated": "prompt tokens (estimated)",
    "context_tokens": "context tokens",
}

Row = dict[str, Any]


def grades_table(seal: Seal) -> Table:
    """Return one row per pass: means and the accuracy are over the graded questions."""
    outcomes = seal.outcomes
    rows = [_pass_row(seal, number, outcomes) for number in seal.grades.passes]
    measures = [name for name in _MEASURES if any(row[name] is not None for row in rows)]
    columns = (
        Column("pass", "pass", Kind.NUMBER),
        Column("expected", "expected", Kind.COUNT),
        *(Column(name, name, Kind.COUNT) for name in _STATUSES),
        *(Column(name, _MEASURES[name], Kind.TOKENS, cell=_mean_cell(name)) for name in measures),
        Column("accuracy", "accuracy", Kind.ACCURACY, cell=_unless_sealed("accuracy")),
    )
    return Table(columns, rows)


def type_tables(seal: Seal) -> Iterator[Table]:
    """Yield the accuracy of every pass by question type, with the mean over types and abstention
    questions by themselves; nothing while they are sealed."""
    columns = (
        Column("pass", "pass", Kind.NUMBER),
        Column("question_type", "type", cell=lambda row: row["question_type"] or NO_TYPE),
        Column("n", "n", Kind.COUNT),
        Column("correct", "right", Kind.COUNT),
        Column("accuracy", "accuracy", Kind.ACCURACY),
        Column("errors", "error", Kind.COUNT),
    )
    for number in seal.grades.passes:
        found = _by_type(seal, number)
        if found is None:
            continue
        rows: list[Row] = [{"pass": number, **asdict(row)} for row in found.types]
        if found.mean_over_types is not None:
            mean = {"question_type": "mean over types", "accuracy": found.mean_over_types}
            rows.append({"pass": number, "n": None, "correct": None, "errors": None, **mean})
        if found.abstention is not None:
            alone = {**asdict(found.abstention), "question_type": "abstention alone"}
            rows.append({"pass": number, **alone})
        if rows:
            yield Table(columns, rows)


def type_accuracy(named: Sequence[tuple[str, int, AccuracyByType]]) -> Table | None:
    """Return accuracies by question type, types down and points across, each with its number of
    questions; with the mean over types and abstention questions by themselves. None without any.

    Where points differ in the number of questions, each accuracy has its own.
    """
    cells: dict[str, dict[str, MeanOf]] = {}
    for point, whole, found in named:
        rows = [(row.question_type or NO_TYPE, row.n, row.accuracy) for row in found.types]
        if found.mean_over_types is not None:
            rows.append(("mean over types", whole, found.mean_over_types))
        if found.abstention is not None:
            rows.append(("abstention alone", found.abstention.n, found.abstention.accuracy))
        for name, n, accuracy in rows:
            cells.setdefault(name, {})[point] = MeanOf(accuracy, n)
    if not cells:
        return None
    made = []
    for name, of in cells.items():
        counts = {mean.scored for mean in of.values()}
        row: Row = {"type": name, "n": counts.pop() if len(counts) == 1 else None}
        same = row["n"] is not None
        made.append(row | {point: mean.value if same else mean for point, mean in of.items()})
    points = (Column(point, Code(point), Kind.ACCURACY) for point, _, _ in named)
    return Table((Column("type", "type"), Column("n", "n", Kind.COUNT), *points), made)


def _type_values(seal: Seal, number: int) -> Row | None:
    found = _by_type(seal, number)
    return None if found is None else asdict(found)


def _by_type(seal: Seal, number: int) -> AccuracyByType | None:
    outcomes = seal.outcomes
    if outcomes is None:
        return None
    correct = {
        outcome.question_id: outcome.correct
        for outcome in outcomes
        if outcome.pass_number == number
    }
    errors = seal.grades.errors(number)
    return accuracy_by_type(correct, types_of(seal.grades), errors)


def cases_table(seal: Seal) -> Table:
    """Return one row per question and pass: what became of it, and whether it was right unless that
    is sealed."""
    outcomes = seal.outcomes
    right = {(row.question_id, row.pass_number): row.correct for row in outcomes or ()}
    types = types_of(seal.grades) or {}
    rows = [
        {
            "question_id": row.question_id,
            "question_type": types.get(row.question_id),
            "pass": row.pass_number,
            "status": row.status.value,
            "sealed": outcomes is None,
            "correct": right.get((row.question_id, row.pass_number)),
            "context_sha256": row.context_sha256,
        }
        for row in seal.grades.rows()
    ]
    columns = (
        Column("question_id", "question", Kind.CODE),
        Column("question_type", "type"),
        Column("pass", "pass", Kind.NUMBER),
        Column("status", "status"),
        Column("correct", "right", cell=_unless_sealed("correct")),
    )
    return Table(columns, rows)


def differing_table(first: Grades, second: Grades, *, is_sealed: bool) -> Table:
    """Return the questions that one side alone answered right, by pass; none while sealed."""
    types = types_of(first) or {}
    rows = []
    for pairing in () if is_sealed else pairings(first, second):
        for question, of_first in differing(first, second, pairing):
            rows.append(
                {
                    "question_id": question,
                    "question_type": types.get(question),
                    "first_pass": pairing.first_pass,
                    "second_pass": pairing.second_pass,
                    "right": "A" if of_first else "B",
                }
            )
    columns = (
        Column("question_id", "question", Kind.CODE),
        Column("question_type", "type"),
        Column("first_pass", "pass of A", Kind.NUMBER),
        Column("second_pass", "pass of B", Kind.NUMBER),
        Column("right", "only right"),
    )
    return Table(columns, rows)


def agreement_table(first: Grades, second: Grades, void_above: float, *, is_sealed: bool) -> Table:
    """Return one row per two passes, with the noise check, unless outcomes are sealed."""
    above = exact_number(void_above)
    rows = [
        {
            **_agreement_row(
                pairing, None if is_sealed else agreement_of(first, second, pairing), above
            ),
            "caveats": _pair_caveats(first, second, pairing),
        }
        for pairing in pairings(first, second)
    ]
    caveats = dict.fromkeys(caveat for row in rows for caveat in row["caveats"])
    return Table(_AGREEMENT, rows, notes=tuple(f"{caveat}." for caveat in caveats))


def _pair_caveats(first: Grades, second: Grades, pairing: Pairing) -> list[str]:
    """Return what goes with the numbers of two passes, of each by itself and of both."""
    sides = (("A", first, pairing.first_pass), ("B", second, pairing.second_pass))
    found = [
        f"{name}: {caveat}"
        for name, grades, number in sides
        for caveat in caveats_of(grades, number)
    ]
    if first.point != second.point:
        found.append(f"these are answers at two points, {first.point} and {second.point}")
    if pairing.contexts_known < pairing.compared:
        unknown = f"{count(pairing.compared - pairing.contexts_known)} of {count(pairing.compared)}"
        found.append(f"for {unknown} compared questions the contexts are not known on both sides")
    return found


def is_sealed_pair(first: Grades, second: Grades) -> bool:
    """Return whether the outcomes of either set may not be read; where both may, they are opened
    by this if they are exploratory."""
    if any(seal_of(grades).holds and not grades.exploratory for grades in (first, second)):
        return True
    return any(looked_at(grades).holds for grades in (first, second))


def _unless_sealed(key: str) -> Callable[[Row], Any]:
    return lambda row: SEALED if row["sealed"] else row[key]


def _mean_cell(measure: str) -> Callable[[Row], Any]:
    """Compute the mean, with its own number of questions where some have no count."""

    def cell(row: Row) -> Any:
        known = row[f"{measure}_known"]
        mean = row[measure]
        return mean if mean is None or known == row["graded"] else MeanOf(mean, known)

    return cell


_AGREEMENT = (
    Column("first_pass", "pass of A", Kind.NUMBER),
    Column("second_pass", "pass of B", Kind.NUMBER),
    Column("expected", "expected", Kind.COUNT),
    Column("compared", "compared", Kind.COUNT),
    Column("contexts_differ", "contexts differ", Kind.COUNT),
    Column("agreement", "agreement", Kind.ACCURACY, cell=_unless_sealed("agreement")),
    Column("first_only", "only A right", Kind.COUNT, cell=_unless_sealed("first_only")),
    Column("second_only", "only B right", Kind.COUNT, cell=_unless_sealed("second_only")),
    Column("first_accuracy", "accuracy of A", Kind.ACCURACY, cell=_unless_sealed("first_accuracy")),
    Column("first_errors", "errors of A", Kind.COUNT),
    Column(
        "second_accuracy", "accuracy of B", Kind.ACCURACY, cell=_unless_sealed("second_accuracy")
    ),
    Column("second_errors", "errors of B", Kind.COUNT),
    Column("difference", "B − A", Kind.POINTS, cell=_unless_sealed("difference")),
    Column("noise_check", "noise check", cell=_unless_sealed("noise_check")),
)


def _pass_row(seal: Seal, number: int, outcomes: tuple[Outcome, ...] | None) -> Row:
    grades = seal.grades
    counts = grades.counts_of(number)
    graded = [
        row for row in grades.rows() if row.pass_number == number and row.status is Status.GRADED
    ]
    correct = None
    if outcomes is not None:
        correct = sum(outcome.correct for outcome in outcomes if outcome.pass_number == number)
    registration = grades.registration
    row: Row = {
        "point": str(grades.point),
        "part": grades.part,
        "pass": number,
        "expected": counts.expected,
        **{name: getattr(counts, name) for name in _STATUSES},
        "reasons": counts.reasons,
    }
    for measure in _MEASURES:
        row |= _mean(graded, measure)
    return row | {
        "sealed": outcomes is None,
        "opening": None if seal.opening is None else seal.opening.number,
        "correct": correct,
        "accuracy": correct / len(graded) if correct is not None and graded else None,
        "by_type": _type_values(seal, number),
        "reader": grades.reader,
        "judges": list(grades.judges),
        "format": grades.content.format,
        "registration": None if registration is None else registration.path,
        "exploratory": grades.exploratory,
        "sha256": None if outcomes is None else grades.sha256,
        "caveats": list(caveats_of(grades, number)),
    }


def _mean(graded: Sequence[Grade], measure: str) -> Row:
    """Compute the mean of a measure over the graded questions that have it, and how many do."""
    values = [value for grade in graded if (value := getattr(grade, measure)) is not None]
    mean = float(Fraction(sum(values), len(values))) if values else None
    return {measure: mean, f"{measure}_known": len(values)}


def _agreement_row(pairing: Pairing, agreement: Agreement | None, above: Fraction) -> Row:
    row: Row = {
        "first_pass": pairing.first_pass,
        "second_pass": pairing.second_pass,
        "expected": pairing.expected,
        "compared": pairing.compared,
        "first_errors": pairing.first_errors,
        "second_errors": pairing.second_errors,
        "contexts_known": pairing.contexts_known,
        "contexts_differ": pairing.contexts_differ if pairing.contexts_known else None,
        "void_above_points": float(above),
        "sealed": agreement is None,
    }
    outcomes = {
        name: None if agreement is None else value(agreement)
        for name, value in _OF_OUTCOMES.items()
    }
    void = None if agreement is None else agreement.void(above)
    return row | outcomes | {"noise_check": None if void is None else "VOID" if void else "holds"}


def _float(value: Fraction | None) -> float | None:
    return None if value is None else float(value)


_OF_OUTCOMES: Mapping[str, Callable[[Agreement], Any]] = {
    "agreement": lambda agreement: _float(agreement.same),
    "both_right": lambda agreement: agreement.both_right,
    "first_only": lambda agreement: agreement.first_only,
    "second_only": lambda agreement: agreement.second_only,
    "neither": lambda agreement: agreement.neither,
    "first_accuracy": lambda agreement: _float(agreement.accuracies[0]),
    "second_accuracy": lambda agreement: _float(agreement.accuracies[1]),
    "difference": lambda agreement: _float(agreement.difference),
}


def counts_text(counts: Counts, passes: int) -> str:
    """Return `500 graded of 500 questions`, with the other statuses that there are."""
    questions = counted(counts.expected // max(passes, 1), "question")
    times = f" in {counted(passes, 'pass')}" if passes != 1 else ""
    others = [
        f"{count(getattr(counts, name))} {name} ({_reasons(counts, name)})"
        for name in _STATUSES[1:]
        if getattr(counts, name)
    ]
    return ", ".join([f"{count(counts.graded)} graded of {questions}{times}", *others])


def properties(seal: Seal) -> Iterator[tuple[str, str]]:
    """Yield what the grades are and where they come from, by name.

    The hash of sealed ones is not shown: with few questions, outcomes could be found that have it.
    """
    grades = seal.grades
    content = grades.content
    yield "point", str(grades.point)
    yield "questions", f"part {grades.part} of {content.split.file} ({_cohort(grades)})"
    if grades.part != "dev":
        yield "graded as", origin(grades).partition(", ")[2]
    yield "reader", grades.reader or "not named"
    yield "judge", ", ".join(grades.judges) or "not named"
    yield "format", grades.content.format
    for source in grades.sources:
        yield "source", _source(source)
    for reason, rows in content.left_out.items():
        yield "left out", f"{counted(rows, 'row')}, {reason}"
    for totals in grades.token_totals:
        yield "token totals", _totals(totals)
    yield "sha256", SEALED if seal.holds else grades.sha256


def remarks(seal: Seal) -> Iterator[str]:
    """Yield why questions are not graded, and whether the outcomes are sealed."""
    grades = seal.grades
    for number in grades.passes if not grades.counts.complete or grades.counts.excluded else ():
        counts = grades.counts_of(number)
        for name in counts.reasons:
            yield f"pass {number}, {name}: {_reasons(counts, name)}"
    yield ""
    yield _seal_text(seal)


def _cohort(grades: Grades) -> str:
    cohort = grades.content.cohort
    return f"{counted(cohort.questions, 'question')} of the {cohort.source}"


def origin(grades: Grades) -> str:
    """Return the part of the split that was graded, and under which registration."""
    registration = grades.registration
    if registration is not None:
        commit = registration.commit
        added = "in no git checkout" if commit is None else f"commit {commit[:12]}"
        how = f", under {registration.path}, {added}"
    else:
        how = ", exploratory" if grades.exploratory else ""
    return f"part {grades.part}{how}"


def _source(source: GradeSource) -> str:
    rows = f", {counted(source.rows, 'row')}" if source.rows else ""
    return f"{source.name}{rows}, sha256 {source.sha256[:12]}…"


def _totals(totals: TokenTotals) -> str:
    def known(value: int | None) -> str:
        return "not known" if value is None else count(value)

    return (
        f"{totals.module} {totals.model or ''}: prompt tokens {known(totals.prompt_tokens)}, "
        f"calls {known(totals.call_count)}, of them reported by the API "
        f"{known(totals.usage_reported_call_count)}"
    )


def _reasons(counts: Counts, status: str) -> str:
    return ", ".join(
        f"{count(number)} {reason}" for reason, number in counts.reasons[status].items()
    )


def _seal_text(seal: Seal) -> str:
    if seal.is_dev:
        return "The accuracy of dev questions is free."
    if seal.opening is None:
        return f"Sealed: {seal.ledger} has no opening that holds these outcomes (harness judge)."
    line = f"line {seal.opening.number} of {seal.opening.ledger}"
    if seal.opening.kind == EXPLORATORY:
        return f"Opened as exploratory by {line}: a verdict on answers at this point is that too."
    return f"Opened by {line}."
