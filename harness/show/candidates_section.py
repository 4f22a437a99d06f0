"""What an arm that scores candidates one by one did with them, over a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import fsum

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from harness.errors import listed
from harness.points import Point, load_arm
from harness.replay import schema
from harness.replay.run import Run
from harness.words import code

from .figures import Figures
from .markdown import Table
from .numbers import MISSING
from .same_cost_beside import same_cost_beside
from .targets import beside_targets

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
    absent: tuple[str, ...]
    plans: tuple[str, ...]
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
    """The section of the arm `name`; None for one that scores no candidates, and without any.

    `dev`: the ids of a split's dev questions, None without a split.
    """
    if not load_arm(name).scores_candidates:
        return None
    table = run.table(schema.CANDIDATES)
    computed = list(dict.fromkeys(run.computed_as[str(point)] for point in points))
    names = table.column("point").cast(pa.string())
    found = [_of_point(each, table.filter(pc.equal(names, each))) for each in computed]
    with_any = tuple(each for each in found if each.candidates)
    if not with_any:
        return None
    return CandidatesSection(
        points=with_any,
        counts=_counts(with_any),
        reasons=_reasons(with_any),
        contributions=_contributions(with_any),
        absent=_absent_lines(with_any),
        plans=_plan_lines(with_any),
        at_one=sum(each.at_one for each in with_any),
        targets=beside_targets(run, figures, points, dev),
        on_dev=dev is not None,
        same_cost=same_cost_beside(run, figures, points),
    )


def _of_point(point: str, rows: pa.Table) -> PointCandidates:
    """What the rows of one point say."""
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
    """The products of the rows, all of which have the same signals."""
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
    headings = ("point", "candidates", "selected", "in the context", "scores of exactly 1")
    rows = [(code(each.point), *(f"{count:,}" for count in _numbers(each))) for each in points]
    return Table(headings, tuple(rows))


def _numbers(each: PointCandidates) -> tuple[int, ...]:
    return (each.candidates, each.selected, each.printed, each.at_one)


def _reasons(points: Sequence[PointCandidates]) -> Table:
    words = sorted({reason for each in points for reason in each.reasons})
    rows = [
        (code(each.point), *(f"{each.reasons.get(word, 0):,}" for word in words))
        for each in points
        if words
    ]
    return Table(("point", *words), tuple(rows))


def _contributions(points: Sequence[PointCandidates]) -> Table:
    names = [each.signal.replace("_", " ") for each in points[0].signals]
    rows = [
        (code(each.point), group, *(_mean(signal, group) for signal in each.signals))
        for each in points
        for group in ("selected", "rejected")
    ]
    return Table(("point", "candidates", *names), tuple(rows), left=2)


def _mean(signal: SignalContributions, group: str) -> str:
    found = signal.selected if group == "selected" else signal.rejected
    return MISSING if found is None else f"{found.mean:.3f}"


def _absent_lines(points: Sequence[PointCandidates]) -> tuple[str, ...]:
    """One line for the points that miss the same; none where nothing is absent."""
    groups: dict[tuple[tuple[str, int], ...], list[PointCandidates]] = {}
    for each in points:
        if each.absent:
            groups.setdefault(tuple(each.absent.items()), []).append(each)
    return tuple(f"{_named(held, points)}: {_absent_in(held[0])}" for held in groups.values())


def _absent_in(each: PointCandidates) -> str:
    """The absent signals, those of equally many questions together."""
    by_count: dict[int, list[str]] = {}
    for name, count in each.absent.items():
        by_count.setdefault(count, []).append(code(name))
    return "; ".join(
        f"{listed(names)} in {count:,} of {each.questions:,} questions"
        for count, names in by_count.items()
    )


def _plan_lines(points: Sequence[PointCandidates]) -> tuple[str, ...]:
    groups: dict[tuple[tuple[str, int], ...], list[PointCandidates]] = {}
    for each in points:
        groups.setdefault(tuple(each.plans.items()), []).append(each)
    return tuple(
        f"{_named(held, points)}: "
        + ", ".join(f"{code(plan)} {count:,}" for plan, count in key)
        + (f"; {held[0].blended:,} blend in a lexical score" if held[0].blended else "")
        for key, held in groups.items()
    )


def _named(held: Sequence[PointCandidates], points: Sequence[PointCandidates]) -> str:
    if len(held) == len(points):
        return "at every point" if len(points) > 1 else f"at {code(points[0].point)}"
    return "at " + ", ".join(code(each.point) for each in held)
