"""How grades, and the agreement of two sets of them, are printed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import click

from harness.trial.agreement import Agreement, Pairing, agreement_of, pairings
from harness.trial.grade import Counts, Grade, GradeSource, Outcome, Status, TokenTotals
from harness.trial.grades import Grades
from harness.trial.ledger import ledger_of, opening_of, sealed, unsealed_outcomes

from .output import Column, OutputFormat, note, print_table

SEALED = "sealed"
_STATUSES = ("graded", "missing", "duplicate", "error", "excluded")
_MEASURES = ("prompt_tokens_api", "prompt_tokens_estimated", "context_tokens")


def _count(value: int | str) -> str:
    return value if isinstance(value, str) else f"{value:,}"


def _points(value: float | str) -> str:
    return value if isinstance(value, str) else f"{100 * value:.2f}"


def _difference(value: float | str) -> str:
    return value if isinstance(value, str) else f"{100 * value:+.2f}"


SHOW_COLUMNS = (
    Column("pass", "pass", numeric=True),
    Column("expected", "expected", _count, numeric=True),
    *(Column(name, name, _count, numeric=True) for name in _STATUSES),
    Column("prompt_tokens_api", "prompt tokens\n(API)", numeric=True),
    Column("prompt_tokens_estimated", "prompt tokens\n(estimated)", numeric=True),
    Column("context_tokens", "context\ntokens", numeric=True),
    Column("accuracy", "accuracy\n(points)", _points, numeric=True),
)
AGREE_COLUMNS = (
    Column("first_pass", "pass\nof A", numeric=True),
    Column("second_pass", "pass\nof B", numeric=True),
    Column("expected", "expected", _count, numeric=True),
    Column("compared", "compared", _count, numeric=True),
    Column("contexts_differ", "contexts\ndiffer", _count, numeric=True),
    Column("agreement", "agreement\n(%)", _points, numeric=True),
    Column("first_only", "only A\nright", _count, numeric=True),
    Column("second_only", "only B\nright", _count, numeric=True),
    Column("first_accuracy", "accuracy\nof A", _points, numeric=True),
    Column("second_accuracy", "accuracy\nof B", _points, numeric=True),
    Column("difference", "B - A\n(points)", _difference, numeric=True),
    Column("noise_check", "noise check"),
)


def counts_text(counts: Counts, passes: int) -> str:
    """`500 graded of 500 questions`, with the other statuses that there are."""
    questions = counts.expected // max(passes, 1)
    times = f" in {passes} passes" if passes != 1 else ""
    others = [
        f"{getattr(counts, name):,} {name} ({_reasons(counts, name)})"
        for name in _STATUSES[1:]
        if getattr(counts, name)
    ]
    return ", ".join([f"{counts.graded:,} graded of {questions:,} questions{times}", *others])


def print_grades(grades: Grades, ledger: Path | None, form: OutputFormat) -> None:
    """Print one row a pass; for people, below what the grades are and where they come from."""
    chosen = ledger if ledger is not None else ledger_of(grades)
    outcomes = unsealed_outcomes(grades, chosen)
    rows = [_pass_row(grades, number, outcomes, chosen) for number in grades.passes]
    if form is not OutputFormat.TEXT:
        print_table(rows, SHOW_COLUMNS, form)
        return
    for name, value in _properties(grades):
        click.echo(f"{name:<12} {value}")
    click.echo()
    columns = [
        column
        for column in SHOW_COLUMNS
        if column.key not in _MEASURES or any(row[column.key] is not None for row in rows)
    ]
    print_table([_shown(row) for row in rows], columns, form)
    for number in grades.passes if not grades.counts.complete or grades.counts.excluded else ():
        counts = grades.counts_of(number)
        for name in counts.reasons:
            click.echo(f"pass {number}, {name}: {_reasons(counts, name)}")
    click.echo()
    click.echo(_seal_text(grades, chosen))


def print_agreement(
    first: Grades,
    second: Grades,
    void_above: float,
    ledger: Path | None,
    form: OutputFormat,
    quiet: bool,
) -> bool:
    """Print one row for each two passes; returns whether every noise check was made and holds."""
    from harness.statistics.exact_number import exact_number

    above = exact_number(void_above)
    found = pairings(first, second)
    ledgers = [ledger if ledger is not None else ledger_of(grades) for grades in (first, second)]
    is_sealed = sealed(first, ledgers[0]) or sealed(second, ledgers[1])
    rows = []
    for pairing in found:
        agreement = None if is_sealed else agreement_of(first, second, pairing)
        rows.append(_agreement_row(pairing, agreement, above))
    if form is not OutputFormat.TEXT:
        print_table(rows, AGREE_COLUMNS, form)
    else:
        for name, grades in (("A", first), ("B", second)):
            click.echo(f"{name}  {grades.folder}: {grades.point}, {_origin(grades)}")
        click.echo()
        print_table([_shown(row) for row in rows], AGREE_COLUMNS, form)
    if first.point != second.point:
        note(f"These are answers at two points, {first.point} and {second.point}.", quiet)
    if is_sealed:
        note("Sealed: the ledger has no opening that covers both (harness judge).", quiet)
    return all(row["noise_check"] == "holds" for row in rows)


def _pass_row(
    grades: Grades, number: int, outcomes: tuple[Outcome, ...] | None, ledger: Path
) -> dict[str, Any]:
    counts = grades.counts_of(number)
    graded = [
        row for row in grades.rows() if row.pass_number == number and row.status is Status.GRADED
    ]
    correct = None
    if outcomes is not None:
        correct = sum(one.correct for one in outcomes if one.pass_number == number)
    registration = grades.registration
    row: dict[str, Any] = {
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
        "opening": None if grades.part == "dev" else opening_of(grades, ledger),
        "correct": correct,
        "accuracy": correct / len(graded) if correct is not None and graded else None,
        "reader": grades.reader,
        "judges": list(grades.judges),
        "format": grades.format,
        "registration": None if registration is None else registration.path,
        "exploratory": grades.exploratory,
        "sha256": grades.sha256,
    }


def _mean(graded: list[Grade], measure: str) -> dict[str, Any]:
    """The mean of a measure over the graded questions that have it, and how many do."""
    values = [value for grade in graded if (value := getattr(grade, measure)) is not None]
    mean = float(Fraction(sum(values), len(values))) if values else None
    return {measure: mean, f"{measure}_known": len(values)}


def _shown(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row for people: what is sealed says so, and a mean of some questions says of how many."""
    shown = dict(row)
    if row["sealed"]:
        shown |= {key: SEALED for key in ("accuracy", *_OF_OUTCOMES) if key in row}
    for measure in _MEASURES:
        if row.get(measure) is not None:
            known = row[f"{measure}_known"]
            some = "" if known == row["graded"] else f" (n={known:,})"
            shown[measure] = f"{row[measure]:,.1f}{some}"
    return shown


def _properties(grades: Grades) -> Iterator[tuple[str, str]]:
    content = grades.manifest.content
    yield "point", str(grades.point)
    yield "questions", f"part {grades.part} of {content['split']['file']} ({_cohort(grades)})"
    if grades.part != "dev":
        yield "graded as", _origin(grades).partition(", ")[2]
    yield "reader", grades.reader or "not named"
    yield "judge", ", ".join(grades.judges) or "not named"
    yield "format", grades.format
    for source in grades.sources:
        yield "source", _source(source)
    for reason, rows in content["left_out"].items():
        yield "left out", f"{rows:,} rows, {reason}"
    for totals in grades.token_totals:
        yield "token totals", _totals(totals)
    yield "sha256", grades.sha256


def _cohort(grades: Grades) -> str:
    cohort = grades.manifest.content["cohort"]
    return f"{cohort['questions']:,} questions of the {cohort['source']}"


def _origin(grades: Grades) -> str:
    registration = grades.registration
    if registration is not None:
        commit = registration.commit
        added = "in no git checkout" if commit is None else f"commit {commit[:12]}"
        how = f", under {registration.path}, {added}"
    else:
        how = ", exploratory" if grades.exploratory else ""
    return f"part {grades.part}{how}"


def _source(source: GradeSource) -> str:
    rows = f", {source.rows:,} rows" if source.rows else ""
    return f"{source.name}{rows}, sha256 {source.sha256[:12]}…"


def _totals(totals: TokenTotals) -> str:
    def number(value: int | None) -> str:
        return "not known" if value is None else f"{value:,}"

    return (
        f"{totals.module} {totals.model or ''}: prompt tokens {number(totals.prompt_tokens)}, "
        f"calls {number(totals.call_count)}, of them reported by the API "
        f"{number(totals.usage_reported_call_count)}"
    )


def _reasons(counts: Counts, status: str) -> str:
    return ", ".join(f"{number:,} {reason}" for reason, number in counts.reasons[status].items())


def _seal_text(grades: Grades, ledger: Path) -> str:
    if grades.part == "dev":
        return "The accuracy of dev questions is free."
    opening = opening_of(grades, ledger)
    if opening is None:
        return f"Sealed: {ledger} has no opening that covers this split and point (harness judge)."
    return f"Opened by line {opening} of {ledger}."


def _agreement_row(
    pairing: Pairing, agreement: Agreement | None, above: Fraction
) -> dict[str, Any]:
    row: dict[str, Any] = {
        "first_pass": pairing.first_pass,
        "second_pass": pairing.second_pass,
        "expected": pairing.expected,
        "compared": pairing.compared,
        "contexts_known": pairing.contexts_known,
        "contexts_differ": pairing.contexts_differ if pairing.contexts_known else None,
        "void_above_points": float(above),
        "sealed": agreement is None,
    }
    if agreement is None:
        return row | dict.fromkeys(_OF_OUTCOMES)
    return (
        row
        | {name: value(agreement) for name, value in _OF_OUTCOMES.items()}
        | {"noise_check": _noise_check(agreement, above)}
    )


def _noise_check(agreement: Agreement, above: Fraction) -> str | None:
    void = agreement.void(above)
    return None if void is None else "VOID" if void else "holds"


def _float(value: Fraction | None) -> float | None:
    return None if value is None else float(value)


_OF_OUTCOMES: dict[str, Callable[[Agreement], Any]] = {
    "agreement": lambda found: _float(found.same),
    "both_right": lambda found: found.both_right,
    "first_only": lambda found: found.first_only,
    "second_only": lambda found: found.second_only,
    "neither": lambda found: found.neither,
    "first_accuracy": lambda found: _float(found.accuracies[0]),
    "second_accuracy": lambda found: _float(found.accuracies[1]),
    "difference": lambda found: _float(found.difference),
    "noise_check": lambda found: None,
}
