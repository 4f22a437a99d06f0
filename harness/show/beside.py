"""A run set beside published figures: the same point, over the same part of the questions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import pyarrow as pa
import pyarrow.compute as pc

from harness.datasets.split import Part, Split
from harness.evidence import CohortCounts, MetricValue, cohort_of, first_item_histogram
from harness.model import Role
from harness.points import Point, point_with
from harness.replay.run import Run

from .figures import Values, values_of
from .published import Published, PublishedFigure

WHOLE = "all"
_PARTS = {"all500": WHOLE, "test400": Part.TEST.value, "dev100": Part.DEV.value}
"""The part of the dataset that a published split is."""


@dataclass(frozen=True, slots=True)
class Beside:
    """A published figure with ours. `part` is the part of the questions that ours is over."""

    figure: PublishedFigure
    point: Point
    ours: MetricValue
    part: str

    @property
    def difference(self) -> float | None:
        """Ours minus the published one."""
        return None if self.ours.value is None else self.ours.value - self.figure.value

    @property
    def same_part(self) -> bool:
        return _PARTS.get(self.figure.split) == self.part


@dataclass(frozen=True, slots=True)
class SideBySide:
    """Everything that could be set beside, and why the rest was not.

    `parts` gives the number of our questions of every part that was used. `first_item` has, by
    place, ours and the published count, at every item.
    """

    published: Published
    rows: tuple[Beside, ...]
    points_missing: tuple[str, ...]
    splits_missing: tuple[str, ...]
    parts: Mapping[str, int]
    split_sha256: str | None
    first_item: tuple[tuple[str, int, int], ...]


def set_beside(run: Run, published: Published, split: Split | None) -> SideBySide:
    """Ours beside every published figure of which the run has the point and enough questions.

    A figure over a part of the questions is set beside that part, where the run is of it or `split`
    says which it is, else beside the whole run, which the row says. Where ours would be over fewer
    or more than the published questions by over a third it is left out.
    """
    matcher = _Matcher(run, split)
    rows = []
    points_missing: dict[str, None] = {}
    splits_missing: dict[str, None] = {}
    for figure in published.figures:
        point = matcher.point_of(figure.point)
        if point is None:
            points_missing[str(figure.point)] = None
            continue
        part = matcher.part_for(figure.split, published.questions.get(figure.split, 0))
        if part is None:
            splits_missing[figure.split] = None
            continue
        values = matcher.parts[part].values_of(figure.category)
        if values is not None:
            rows.append(Beside(figure, point, values[figure.metric.name][str(point)], part))
    used = dict.fromkeys(row.part for row in rows)
    return SideBySide(
        published=published,
        rows=tuple(rows),
        points_missing=tuple(points_missing),
        splits_missing=tuple(splits_missing),
        parts={part: len(matcher.parts[part].cohort.case_ids) for part in used},
        split_sha256=split.sha256 if split is not None else run.manifest.work["split_sha256"],
        first_item=matcher.first_item(published),
    )


def about_as_many(published: int, ours: int) -> bool:
    """Return whether neither number of questions is over the other by more than a third."""
    return 3 * published <= 4 * ours and 3 * ours <= 4 * published


class _PartOfRun:
    """The figures of a part of a run's questions."""

    def __init__(self, cohort: CohortCounts) -> None:
        self.cohort = cohort

    def values_of(self, category: str | None) -> Values | None:
        return self._overall if category is None else self._by_category.get(category)

    @cached_property
    def _overall(self) -> Values:
        return values_of(self.cohort)

    @cached_property
    def _by_category(self) -> Mapping[str | None, Values]:
        return {name: values_of(part) for name, part in self.cohort.by_category()}


class _Matcher:
    """Finds the run's points and parts that published figures correspond to."""

    def __init__(self, run: Run, split: Split | None) -> None:
        self._points = run.points
        self._run_part: str = run.manifest.work["part"]
        rows = run.evidence_rows(run.points)
        names = [str(point) for point in run.points]
        whole = cohort_of(rows, names)
        self.parts = {self._run_part: _PartOfRun(whole)}
        if split is not None and self._run_part == WHOLE:
            partition = split.partition(whole.case_ids)
            for part, ids in ((Part.DEV, partition.dev), (Part.TEST, partition.test)):
                inside = pc.is_in(rows.column("case_id").cast(pa.string()), pa.array(ids))
                if ids:
                    self.parts[part.value] = _PartOfRun(cohort_of(rows.filter(inside), names))

    def point_of(self, wanted: Point) -> Point | None:
        """Return the run's point, or one that is spelled differently and is the same policy."""
        if wanted in self._points:
            return wanted
        return next((point for point in self._points if point.policy == wanted.policy), None)

    def part_for(self, split: str, questions: int) -> str | None:
        """Return the part that a published split is set beside, if it has about as many
        questions."""
        part = _PARTS.get(split, split)
        if part not in self.parts:
            part = self._run_part
        count = len(self.parts[part].cohort.case_ids)
        return part if about_as_many(questions, count) else None

    def first_item(self, published: Published) -> tuple[tuple[str, int, int], ...]:
        """By place of the first item that shows an answer session: ours and the published count."""
        every = point_with(Role.EVERY_ITEM, self._points)
        if published.first_item is None or every is None or self._run_part != WHOLE:
            return ()
        if self.part_for("all500", published.questions.get("all500", 0)) is None:
            return ()
        cohort = self.parts[WHOLE].cohort
        ours = first_item_histogram(cohort)[cohort.points.index(str(every))]
        return tuple((place, ours[place], count) for place, count in published.first_item.items())
