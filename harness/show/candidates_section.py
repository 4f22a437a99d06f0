"""What an arm that scores candidates one by one did with them, over a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from math import fsum

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from harness.points import Point, load_arm
from harness.replay import schema
from harness.replay.run import Run
from harness.words import Code, Kind, Sentence, Text, count, counted, joined

from .beside_points import beside_targets, same_cost_beside
from .evidence_tables import POINT, in_words
from .figures import Figures
from .table import Column, Table

_DUPLICATE = "duplicate"
_LOW, _HIGH = 10, 90


@dataclass(frozen=True, slots=True)
class Contribution:
    """Signal × weight over some candidates: the mean, and its 10th and 90th percentile."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class SignalContributions:
    """One signal, of the selected and of the rejected candidates; None without any.

    Candidates of questions in which the signal is absent do not count, nor do duplicates.
    """

    signal: str
    selected: Contribution | None
    rejected: Contribution | None


@dataclass(frozen=True, slots=True)
class PointCandidates:
    """The candidates of one point, over all questions.

    `at_one`: scores of exactly 1. `reasons` counts the arm's words, several of which may hold for
    one candidate; `absent` the questions, by the signal that none of their candidates could supply;
    `plans` the questions by plan, and `blended` those whose plan blends in a lexical score.
    """

    point: str
    questions: int
    candidates: int
    selected: int
    printed: int
    at_one: int
    reasons: Mapping[str, int]
    absent: Mapping[str, int]
    plans: Mapping[str, int]
    blended: int
    signals: tuple[SignalContributions, ...]


@dataclass(frozen=True, slots=True)
class CandidatesSection:
    """What `candidates.md.j2` shows; `points` has one of each policy that the run computed."""

    points: tuple[PointCandidates, ...]
    counts: Table
    reasons: Table
    contributions: Table
    absent: tuple[Text, ...]
    plans: tuple[Text, ...]
    at_one: int
    targets: Table
    on_dev: bool
    same_cost: Table


def candidates_section(
    run: Run,
    name: str,
    points: Sequence[Point],
    figures: Figures,
    dev: Collection[str] | None = None,
) -> CandidatesSection | None:
    """Return the section of the arm `name`; None for one that scores no candidates, and without
    any.

    `dev`: the ids of a split's dev questions, None without a split.
    """
    if not load_arm(name).scores_candidates:
        return None
    table = run.table(schema.CANDIDATES)
    computed = list(dict.fromkeys(run.computed_as[str(point)] for point in points))
    names = table.column("point").cast(pa.string())
    sections = [_of_point(point, table.filter(pc.equal(names, point))) for point in computed]
    with_any = tuple(section for section in sections if section.candidates)
    if not with_any:
        return None
    return CandidatesSection(
        points=with_any,
        counts=_counts(with_any),
        reasons=_reasons(with_any),
        contributions=_contributions(with_any),
        absent=_absent_lines(with_any),
        plans=_plan_lines(with_any),
        at_one=sum(section.at_one for section in with_any),
        targets=beside_targets(run, figures, points, dev),
        on_dev=dev is not None,
        same_cost=same_cost_beside(run, figures, points),
    )


def _of_point(point: str, rows: pa.Table) -> PointCandidates:
    """Return what the rows of one point say."""
    case_ids = rows.column("case_id").cast(pa.string()).to_pylist()
    reasons = rows.column("reasons").to_pylist()
    plans = rows.column("plan").cast(pa.string()).to_pylist()
    exact = rows.column("exact").to_pylist()
    plan_of = dict(zip(case_ids, plans, strict=True))
    signals = _signals(rows, case_ids)
    return PointCandidates(
        point=point,
        questions=len(plan_of),
        candidates=len(rows),
        selected=int(pc.sum(rows.column("selected")).as_py() or 0),
        printed=int(pc.sum(rows.column("rendered")).as_py() or 0),
        at_one=int(np.count_nonzero(rows.column("score").to_numpy() == 1)),
        reasons=Counter(reason for held in reasons for reason in held),
        absent=signals.absent,
        plans=dict(Counter(plan_of.values()).most_common()),
        blended=len({case for case, blends in zip(case_ids, exact, strict=True) if blends}),
        signals=signals.contributions(
            rows.column("selected").to_numpy(), np.array([_DUPLICATE in held for held in reasons])
        ),
    )


@dataclass(frozen=True, slots=True)
class _Signals:
    """`products`: float64 (n, k), signal × weight, NaN where the signal is absent."""

    names: tuple[str, ...]
    products: NDArray[np.float64]
    absent: Mapping[str, int]

    def contributions(
        self, selected: NDArray[np.bool_], duplicate: NDArray[np.bool_]
    ) -> tuple[SignalContributions, ...]:
        return tuple(
            SignalContributions(
                name,
                _contribution(self.products[selected, place]),
                _contribution(self.products[~selected & ~duplicate, place]),
            )
            for place, name in enumerate(self.names)
        )


def _signals(rows: pa.Table, case_ids: Sequence[str]) -> _Signals:
    """Return the products of the rows, all of which have the same signals."""
    if not len(rows):
        return _Signals((), np.empty((0, 0)), {})
    names = tuple(rows.column("signal_names")[0].as_py())
    shape = (len(rows), len(names))
    values = pc.list_flatten(rows.column("signals")).to_numpy().astype(np.float64).reshape(shape)
    weights = pc.list_flatten(rows.column("weights")).to_numpy().astype(np.float64).reshape(shape)
    missing = np.isnan(values)
    ids = np.array(case_ids)
    absent = {
        name: len(set(ids[missing[:, place]].tolist()))
        for place, name in enumerate(names)
        if missing[:, place].any()
    }
    return _Signals(names, values * weights, absent)


def _contribution(products: NDArray[np.float64]) -> Contribution | None:
    present = products[~np.isnan(products)]
    if not len(present):
        return None
    low, high = np.percentile(present, (_LOW, _HIGH))
    return Contribution(fsum(present.tolist()) / len(present), float(low), float(high))


def _counts(points: Sequence[PointCandidates]) -> Table:
    columns = (
        POINT,
        Column("candidates", "candidates", Kind.COUNT),
        Column("selected", "selected", Kind.COUNT),
        Column("printed", "in the context", Kind.COUNT),
        Column("at_one", "scores of exactly 1", Kind.COUNT),
    )
    return Table(columns, points)


def _reasons(points: Sequence[PointCandidates]) -> Table:
    words = sorted({reason for candidates in points for reason in candidates.reasons})
    columns = (Column(word, word, Kind.COUNT, cell=_reason(word)) for word in words)
    return Table((POINT, *columns), points if words else ())


def _reason(word: str) -> Callable[[PointCandidates], int]:
    return lambda candidates: candidates.reasons.get(word, 0)


def _contributions(points: Sequence[PointCandidates]) -> Table:
    groups = ("selected", "rejected")
    rows = [
        {
            "point": candidates.point,
            "candidates": group,
            **{
                signal.signal: None if (of := getattr(signal, group)) is None else of.mean
                for signal in candidates.signals
            },
        }
        for candidates in points
        for group in groups
    ]
    signals = (
        Column(signal.signal, in_words(signal.signal), Kind.SCORE) for signal in points[0].signals
    )
    return Table((POINT, Column("candidates", "candidates"), *signals), rows)


def _absent_lines(points: Sequence[PointCandidates]) -> tuple[Text, ...]:
    """Return one line for the points that miss the same; none where nothing is absent."""
    groups: dict[tuple[tuple[str, int], ...], list[PointCandidates]] = {}
    for candidates in points:
        if candidates.absent:
            groups.setdefault(tuple(candidates.absent.items()), []).append(candidates)
    return tuple((*_named(group, points), ": ", *_absent_in(group[0])) for group in groups.values())


def _absent_in(candidates: PointCandidates) -> Sentence:
    """Return the absent signals, those of equally many questions together."""
    by_count: dict[int, list[Code]] = {}
    for name, questions in candidates.absent.items():
        by_count.setdefault(questions, []).append(Code(name))
    sentence: Sentence = ()
    for questions, names in by_count.items():
        sentence += ("; ",) if sentence else ()
        of = f" in {count(questions)} of {counted(candidates.questions, 'question')}"
        sentence += (*joined(names, last=" and "), of)
    return sentence


def _plan_lines(points: Sequence[PointCandidates]) -> tuple[Text, ...]:
    groups: dict[tuple[tuple[str, int], ...], list[PointCandidates]] = {}
    for candidates in points:
        groups.setdefault(tuple(candidates.plans.items()), []).append(candidates)
    return tuple(_plan_line(group, points) for group in groups.values())


def _plan_line(group: Sequence[PointCandidates], points: Sequence[PointCandidates]) -> Text:
    first = group[0]
    sentence: Sentence = (*_named(group, points), ": ")
    for place, (plan, questions) in enumerate(first.plans.items()):
        sentence += (", ",) if place else ()
        sentence += (Code(plan), f" {count(questions)}")
    if first.blended:
        sentence += (f"; {count(first.blended)} blend in a lexical score",)
    return sentence


def _named(group: Sequence[PointCandidates], points: Sequence[PointCandidates]) -> Sentence:
    if len(group) == len(points) > 1:
        return ("at every point",)
    return ("at ", *joined([Code(candidates.point) for candidates in group]))
