"""A verdict for people: its page, and the same tables and sentences on a terminal.

The page has no time, commit or count of openings in it: the same registration and grades give the
same page, whenever and however often they were judged. What may be said stands in the verdict's
file, as Markdown, and is shown as it stands there.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator
from pathlib import PurePosixPath
from typing import Any

from harness.evidence import METRICS, Bootstrap
from harness.trial.verdict import (
    CONFIRMATORY,
    FIRST_SCHEMA,
    REGISTERED,
    Cost,
    NoiseCheck,
    NotRegistered,
    PointFigures,
    RuleVerdict,
    SameCostCheck,
    ShownEvidence,
    Verdict,
)
from harness.words import (
    Code,
    Kind,
    Strong,
    Text,
    count,
    counted,
    joined,
    kind_of_unit,
    limits,
    number,
    percent,
    plain_of,
    points,
)

from .evidence_tables import POINT, in_words, metric_title
from .grade_tables import type_accuracy
from .printing import WIDTH, OutputFormat, print_as
from .table import Column, Limits, MeanOf, OfKind, PartOf, Table

_HELD: dict[bool | None, str] = {
    True: "held",
    False: Strong("not held"),
    None: Strong("not known"),
}


def verdict_page(verdict: Verdict) -> str:
    """Return the page, ending with a line break."""
    from .pages import rendered

    point, *controls = (Code(figures.point) for figures in verdict.points)
    return rendered(
        "verdict.md.j2",
        verdict=verdict,
        title=(point, " against ", *joined(controls, " and ")),
        stamp=stamp_sentence(verdict),
        registration=PurePosixPath(verdict.registration).name,
        excluded=_excluded(verdict),
        readers=_each_once(figures.reader or "not said" for figures in verdict.points),
        judges=_each_once(_judges(figures) for figures in verdict.points),
        rules=rules_table(verdict),
        facts=rule_facts,
        by_type=by_type_tables(verdict),
        points=points_table(verdict),
        passes=list(_other_passes(verdict)),
        evidence=evidence_table(verdict),
        not_registered=not_registered_table(verdict) if verdict.not_registered else None,
        cluster_sentence=cluster_sentence(verdict),
        type_accuracy=type_accuracy_table(verdict),
        decided=decided_tables(verdict),
        noise_sentence=noise_sentence(verdict),
        by_interval=verdict.schema != FIRST_SCHEMA,
        noise=noise_table(verdict) if verdict.noise_checks else None,
        limit=percent(verdict.noise_checks[0].limit)[:-2] if verdict.noise_checks else "",
    )


def verdict_lines(verdict: Verdict) -> Iterator[str]:
    """Yield the whole verdict as lines of a terminal."""
    yield from _stamp_lines(verdict)
    yield verdict.question
    yield ""
    for rule in verdict.rules:
        yield f"{rule.state.value}  {rule.name} ({rule.role}, against {rule.against})"
        yield _wrapped(f"{rule.reason}.", "  ")
        yield _wrapped(f"What it says: {rule.may_be_said}", "  ")
        if rule.does_not_show is not None:
            yield _wrapped(rule.does_not_show, "  ")
        for fact in rule_facts(rule):
            yield _wrapped(fact, "  - ")
        for warning in rule.warnings:
            yield _wrapped(f"Warning: {warning}.", "  - ")
        yield ""
    for against, table in by_type_tables(verdict).items():
        yield f"By question type, against {against} (descriptive: no rule is about a type)"
        yield print_as(table, OutputFormat.TEXT)
        yield ""
    yield print_as(points_table(verdict), OutputFormat.TEXT)
    yield ""
    yield from _descriptive_lines(verdict)
    yield from _remark_lines(verdict)
    yield _wrapped(verdict.committed.statement, "Registration: ")


def _descriptive_lines(verdict: Verdict) -> Iterator[str]:
    """Yield what no rule is about."""
    if verdict.not_registered:
        yield "Not registered, and deciding nothing"
        yield print_as(not_registered_table(verdict), OutputFormat.TEXT)
        if sentence := cluster_sentence(verdict):
            yield _wrapped(sentence, "")
        yield ""
    if (by_type := type_accuracy_table(verdict)) is not None:
        yield print_as(by_type, OutputFormat.TEXT)
        yield ""
    for against, table in decided_tables(verdict).items():
        yield f"Questions won and lost against {against}"
        yield print_as(table, OutputFormat.TEXT)
        yield ""
    evidence = evidence_table(verdict)
    if evidence is not None:
        yield print_as(evidence, OutputFormat.TEXT)
        yield ""


def _remark_lines(verdict: Verdict) -> Iterator[str]:
    """Yield the noise of reader and judge, and what departs from the plan or was not checked."""
    for check in verdict.noise_checks:
        yield (
            f"Noise check of {check.point}, {check.second} against {check.first}: "
            f"{_percent(check.agreement)} agree, {_flips(check)}accuracy "
            f"{points(check.difference)} points: "
            f"{'VOID' if check.void else 'holds'}"
        )
    if verdict.schema != FIRST_SCHEMA:
        yield _wrapped(noise_sentence(verdict), "Reader noise: ")
        yield ""
    for title, lines in (
        ("Departures from the plan", verdict.departures),
        ("Notes", verdict.notes),
    ):
        if lines:
            yield f"{title}:"
            for line in lines:
                yield _wrapped(line, "  - ")
            yield ""


def _stamp_lines(verdict: Verdict) -> Iterator[str]:
    yield _wrapped(stamp_sentence(verdict), "")
    for line in verdict.not_checked:
        yield _wrapped(f"Not checked: {line}", "  - ")
    yield ""


def stamp_sentence(verdict: Verdict) -> Text:
    """Return what the verdict is stamped with, and why."""
    if verdict.stamp == CONFIRMATORY and verdict.fixed is None:
        ending = ". The registration came first and is unchanged."
    elif verdict.stamp == CONFIRMATORY:
        ending = (
            ". The registration came first and is unchanged, the answers were not seen before, "
            "and contexts, costs and history were checked."
        )
    elif verdict.stamp_reasons:
        ending = f": {'; '.join(reason.rstrip('.') for reason in verdict.stamp_reasons)}."
    elif verdict.stamp == REGISTERED:
        ending = ", not confirmatory, for what follows was not checked."
    else:
        ending = "."
    return ("Stamp: ", Strong(verdict.stamp), ending)


def rules_table(verdict: Verdict) -> Table:
    """Return what every rule came to, with the numbers it rests on."""
    columns = (
        Column("name", "rule"),
        Column("role", "role"),
        Column("against", "against", Kind.CODE),
        Column("state", "verdict", cell=lambda rule: Strong(rule.state.value)),
        Column("difference", "difference", Kind.POINTS),
        Column("lower", "interval", Kind.POINTS, cell=lambda rule: Limits(rule.lower, rule.upper)),
        Column("wins", "won / lost / same", Kind.COUNT, cell=_outcomes),
        *_p_columns(verdict),
        Column("mde", "detectable", Kind.POINTS),
    )
    return Table(columns, verdict.rules)


def _p_columns(verdict: Verdict) -> Iterator[Column]:
    """Yield the p of the rules' own intervals; of a verdict of the first version McNemar's."""
    if verdict.schema == FIRST_SCHEMA:
        yield Column("exact_p", "exact p", Kind.P)
        return
    yield Column("p", "p", Kind.P)
    if any(rule.adjusted_p is not None for rule in verdict.rules):
        yield Column("adjusted_p", "p after Holm", Kind.P)


def type_accuracy_table(verdict: Verdict) -> Table | None:
    """Return accuracies by question type, types down and points across, with the mean over types
    and abstention questions by themselves; None where a verdict has none."""
    return type_accuracy(
        [
            (figures.point, figures.n, figures.by_type)
            for figures in verdict.points
            if figures.by_type is not None
        ]
    )


def decided_tables(verdict: Verdict) -> dict[str, Table]:
    """Return the questions won and lost with the evidence that each side showed, by the control."""
    columns = (
        Column("question_id", "question", Kind.CODE),
        Column("question_type", "type", cell=lambda row: row["question_type"] or ""),
        Column("outcome", "outcome"),
        Column("point", "the point showed", cell=lambda row: _shown(row["point"])),
        Column("control", "the control showed", cell=lambda row: _shown(row["control"])),
    )
    return {
        compared.against: Table(
            columns,
            [
                {
                    "question_id": question.question_id,
                    "question_type": question.question_type,
                    "outcome": outcome,
                    "point": question.point,
                    "control": question.control,
                }
                for outcome, questions in (("won", compared.won), ("lost", compared.lost))
                for question in questions
            ],
        )
        for compared in verdict.not_registered
        if compared.won or compared.lost
    }


def _shown(evidence: ShownEvidence | None) -> str:
    if evidence is None:
        return "not known"
    sessions = counted(evidence.answer_sessions, "answer session")
    turns = counted(evidence.evidence_turns, "turn")
    return (
        f"{evidence.answer_sessions_shown} of {sessions}, "
        f"{evidence.evidence_turns_touched} of {turns}"
    )


def noise_sentence(verdict: Verdict) -> str:
    """Say what is known of the noise of reader and judge."""
    if verdict.noise_checks:
        return (
            "An interval over questions covers noise that is independent per question, not drift "
            "between passes: flips each way, and their net difference with its 95 % interval "
            "(Tango), are of two passes over the same contexts."
        )
    return (
        "Nothing was answered a second time: how far reader and judge differ from pass to pass is "
        "not known here, and an interval over questions does not cover drift between passes."
    )


def not_registered_table(verdict: Verdict) -> Table:
    """Return what is said of the point and each control without a rule."""
    columns = (
        Column("against", "against", Kind.CODE),
        Column("wins", "won", Kind.COUNT),
        Column("losses", "lost", Kind.COUNT),
        Column("mcnemar_exact_p", "McNemar exact p", Kind.P),
        Column("mcnemar_mid_p", "mid-p", Kind.P),
        *(_CLUSTERS if _is_clustered(verdict) else ()),
    )
    return Table(columns, verdict.not_registered)


def _is_clustered(verdict: Verdict) -> bool:
    """Return whether the verdict speaks of clusters; those of before do not."""
    return any(
        row.clusters is not None or row.cluster_note is not None for row in verdict.not_registered
    )


def _cluster_interval(row: NotRegistered) -> Limits | str:
    if row.cluster_note is not None:
        return f"none: {row.cluster_note}"
    return Limits(row.cluster_lower, row.cluster_upper)


_CLUSTERS = (
    Column(
        "clusters",
        "clusters",
        Kind.COUNT,
        cell=lambda row: "not known" if row.clusters is None else row.clusters,
    ),
    Column("cluster_lower", "cluster interval", Kind.POINTS, cell=_cluster_interval, width=28),
)


def cluster_sentence(verdict: Verdict) -> str:
    """Say what the clusters are and how they were resampled; empty where they are not known."""
    if all(row.clusters is None for row in verdict.not_registered):
        return ""
    made = Bootstrap()
    return (
        "Clusters: questions that share a haystack or an answer session, directly or through "
        f"others. Their interval is the {percent(made.level)} percentile bootstrap of the "
        f"difference that resamples whole clusters ({count(made.resamples)} resamples, seed "
        f"{made.seed})."
    )


def _outcomes(rule: RuleVerdict) -> str:
    return " / ".join(map(count, (rule.wins, rule.losses, rule.ties)))


def rule_facts(rule: RuleVerdict) -> Iterator[Text]:
    """Yield the numbers of a rule, one sentence each."""
    yield (
        f"Accuracy {_percent(rule.accuracy)} against {_percent(rule.control_accuracy)} on "
        f"{counted(rule.n, 'question')}: {count(rule.wins)} won, {count(rule.losses)} lost, "
        f"{count(rule.ties)} the same"
    )
    tango = f"; Tango {limits(rule.tango_lower, rule.tango_upper, Kind.POINTS)}"
    yield (
        f"Difference {points(rule.difference)} points; {percent(float(rule.level))} interval "
        f"{limits(rule.lower, rule.upper, Kind.POINTS)} by the registered method, {rule.interval}"
        f"{'' if rule.interval == 'tango' else tango}"
    )
    if rule.decided_at != rule.level:
        yield (
            f"Applied at level {rule.decided_at}, as Holm's procedure asks: "
            f"{limits(rule.decided_lower, rule.decided_upper, Kind.POINTS)}"
        )
    adjusted = "" if rule.adjusted_p is None else f", after Holm {number(rule.adjusted_p, Kind.P)}"
    if rule.exact_p is not None:
        yield f"McNemar exact p {number(rule.exact_p, Kind.P)}{adjusted}"
    elif rule.p is not None:
        yield f"p {number(rule.p, Kind.P)} by the registered method{adjusted}"
    yield _detectable(rule)
    if rule.cost is not None:
        yield _cost(rule.cost)
    if rule.same_cost is not None:
        yield _same_cost(rule.same_cost)


def _detectable(rule: RuleVerdict) -> str:
    share = f"at {_percent(rule.discordance)} discordant pairs"
    if rule.mde is None:
        return f"No true difference is found with probability 0.8 {share}"
    return f"Detectable with probability 0.8 {share}: {points(rule.mde)} points"


def _cost(cost: Cost) -> Text:
    mean = number(cost.mean, Kind.TOKENS)
    held = _HELD[cost.held]
    return (
        "Cost ",
        Code(cost.measure),
        f" {mean}, cap {cost.at_most}: ",
        held,
        f" ({cost.reason})",
    )


def _same_cost(check: SameCostCheck) -> Text:
    means = [number(mean, Kind.TOKENS) for mean in (check.point_mean, check.control_mean)]
    held = _HELD[check.held]
    against = f" {means[0]} against {means[1]}: "
    return ("Same cost ", Code(check.measure), against, held, f" ({check.reason})")


def by_type_tables(verdict: Verdict) -> dict[str, Table]:
    """Return the tables by question type, by the control that they are against."""
    columns = (
        Column("question_type", "type", cell=lambda row: row.question_type or "without a type"),
        Column("n", "n", Kind.COUNT),
        Column("wins", "won", Kind.COUNT),
        Column("losses", "lost", Kind.COUNT),
        Column("ties", "same", Kind.COUNT),
        Column("accuracy", "accuracy", Kind.ACCURACY),
        Column("control_accuracy", "control", Kind.ACCURACY),
        Column("difference", "difference", Kind.POINTS),
    )
    return {
        rule.against: Table(columns, rule.by_question_type)
        for rule in verdict.rules
        if rule.by_question_type
    }


def points_table(verdict: Verdict) -> Table:
    """Return the point and its controls: accuracy, and mean tokens per question."""
    measures = sorted({name for figures in verdict.points for name in figures.tokens})
    columns = (
        POINT,
        Column("role", "role"),
        Column("reader", "reader", cell=lambda figures: figures.reader or "not said"),
        Column("judges", "judge", cell=_judges),
        Column("correct", "right", Kind.COUNT, cell=lambda row: PartOf(row.correct, row.n)),
        Column("accuracy", "accuracy", Kind.ACCURACY),
        *((Column("errors", "error", Kind.COUNT),) if verdict.schema != FIRST_SCHEMA else ()),
        *(Column(name, in_words(name), Kind.TOKENS, cell=_tokens(name)) for name in measures),
    )
    return Table(columns, verdict.points)


def _tokens(name: str) -> Callable[[PointFigures], float | None]:
    return lambda figures: figures.tokens.get(name)


def evidence_table(verdict: Verdict) -> Table | None:
    """Return evidence metrics over the judged questions, metrics down and points across; None
    without a run that has the points."""
    measured = [figures for figures in verdict.points if figures.evidence is not None]
    if not measured:
        return None
    rows = [
        {"metric": metric_title(metric)}
        | {
            figures.point: OfKind(_evidence(figures, metric.name), kind_of_unit(metric.unit))
            for figures in measured
        }
        for metric in METRICS
    ]
    names = (Column(figures.point, Code(figures.point), Kind.RATIO) for figures in measured)
    return Table((Column("metric", "metric"), *names), rows)


def _evidence(figures: PointFigures, name: str) -> Any:
    """Return the value, with its number of questions where fewer than all enter."""
    value = (figures.evidence or {}).get(name)
    if value is None or value.value is None:
        return None
    return value.value if value.scored == value.expected else MeanOf(value.value, value.scored)


def noise_table(verdict: Verdict) -> Table:
    """Return how far two passes of a point differ."""
    columns = (
        POINT,
        Column("first", "pass"),
        Column("second", "other pass"),
        Column("questions", "questions", Kind.COUNT),
        Column("agreement", "agree", Kind.ACCURACY),
        Column("first_only", "right to wrong", Kind.COUNT),
        Column("second_only", "wrong to right", Kind.COUNT),
        Column("difference", "accuracy", Kind.POINTS),
        Column("lower", "interval", Kind.POINTS, cell=lambda row: Limits(row.lower, row.upper)),
        Column("void", "check", cell=lambda check: Strong("void") if check.void else "holds"),
    )
    return Table(columns, verdict.noise_checks)


def _flips(check: NoiseCheck) -> str:
    """Return the flips each way with the interval of their net difference."""
    if check.first_only is None:
        return ""
    interval = limits(check.lower, check.upper, Kind.POINTS)
    return (
        f"{check.first_only} from right to wrong, {check.second_only} from wrong to right, "
        f"net {interval}; "
    )


def _other_passes(verdict: Verdict) -> Iterator[Text]:
    for figures in verdict.points:
        for other in figures.other_passes:
            yield (
                Code(figures.point),
                f": {figures.judged_pass} judges. {other.name}: {count(other.correct)} of "
                f"{count(other.n)}, {_percent(other.accuracy)}"
                f"{'' if other.errors is None else f'; {count(other.errors)} error'}.",
            )


def _excluded(verdict: Verdict) -> Text:
    """Return the rules that exclude questions, with how many."""
    sentence: tuple[str, ...] = ()
    for rule, excluded in verdict.cohort.excluded.items():
        sentence += (", ",) if sentence else ()
        sentence += (Code(rule), f" {count(excluded)}")
    return sentence


def _judges(figures: PointFigures) -> str:
    return ", ".join(figures.judges) or "not said"


def _each_once(names: Iterator[str]) -> str:
    return "; ".join(dict.fromkeys(names))


def _percent(fraction: float) -> str:
    return f"{number(fraction, Kind.ACCURACY)} %"


def _wrapped(text: Text, lead: str) -> str:
    return textwrap.fill(
        plain_of(text),
        WIDTH,
        initial_indent=lead,
        subsequent_indent=" " * len(lead),
        break_long_words=False,
        break_on_hyphens=False,
    )
