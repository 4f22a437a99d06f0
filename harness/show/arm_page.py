"""The page of one arm."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from harness.measure.answers import GradedPoints
from harness.model import Arm, Parameter, Role, spell
from harness.points import Point, load_arm, point_with
from harness.recording.absent import Absence
from harness.replay.run import Run
from harness.words import Code, Kind, Text

from .accuracy_tables import answers_table, types_table, with_answers
from .candidates_section import CandidatesSection, candidates_section
from .evidence_tables import (
    COSTS_FIRST,
    category_tables,
    first_ids,
    first_item_table,
    losses_by_category_table,
    losses_table,
    misleading,
    spending_table,
    value_rows,
    values_table,
    wins_table,
)
from .figures import COUNTS, Figures, Spending, compare
from .growth import Growth, PairLosses
from .index_page import Alias, absent_lines, aliases_of
from .provenance import Provenance, ReplayCommand
from .table import Column, Table


@dataclass(frozen=True, slots=True)
class LostQuestions:
    """The questions that a point lost against every item, of one count."""

    point: str
    noun: str
    ids: Text


@dataclass(frozen=True, slots=True)
class EveryItemSection:
    """What the points of an arm lost and gained against the point of every item."""

    base: str
    totals: Table
    by_category: tuple[tuple[str, Table], ...]
    lost: tuple[LostQuestions, ...]


@dataclass(frozen=True, slots=True)
class ArmPage:
    """What the template `arm.md.j2` shows. `answers` is None for an arm without grades,
    `every_item` in a run without such a point, `candidates` for an arm that scores none."""

    arm: Arm
    figures: Figures
    provenance: Provenance
    parameters: Table
    points: Table
    answers: Table | None
    absent: tuple[Text, ...]
    answer_types: Table | None
    aliases: tuple[Alias, ...]
    spending: Table
    wins: Table
    misleading: str
    by_category: tuple[tuple[str, Table], ...]
    every_item: EveryItemSection | None
    first_item: Table
    candidates: CandidatesSection | None
    growth: Growth
    growth_pairs: Table
    batches: tuple[ReplayCommand, ...]


def arm_page(
    run: Run,
    name: str,
    figures: Figures,
    provenance: Provenance,
    growth: Growth,
    spent: Mapping[str, Spending],
    graded: GradedPoints,
    dev: Collection[str] | None = None,
    absent: Sequence[Absence] = (),
) -> ArmPage:
    """Return the tables of the page of the arm `name`; `dev` are a split's dev questions by id,
    `absent` signals of any arm."""
    arm = load_arm(name)
    points = figures.points_of(name)
    spellings = [str(point) for point in points]
    rows = value_rows(figures.values, points)
    own = {spelling: run.computed_as[spelling] for spelling in spellings}
    return ArmPage(
        arm=arm,
        figures=figures,
        provenance=provenance,
        parameters=_parameters(arm),
        points=values_table(rows, COSTS_FIRST),
        answers=answers_table(with_answers(rows, figures.cohort, graded)),
        absent=absent_lines(
            [replace(absence, arms=(name,)) for absence in absent if name in absence.arms]
        ),
        answer_types=types_table(graded, points),
        aliases=aliases_of(own),
        spending=spending_table(figures, spent, points),
        wins=wins_table(figures, points),
        misleading=misleading(figures, points),
        by_category=tuple(category_tables(figures, name)),
        every_item=_every_item(figures, points),
        first_item=first_item_table(figures.cohort, points),
        candidates=candidates_section(run, name, points, figures, dev),
        growth=growth,
        growth_pairs=_growth_pairs(growth),
        batches=provenance.batches_of(spellings),
    )


def _every_item(figures: Figures, points: tuple[Point, ...]) -> EveryItemSection | None:
    base = point_with(Role.EVERY_ITEM, figures.points)
    if base is None:
        return None
    comparisons = {str(point): compare(figures, base, point) for point in points if point != base}
    if not comparisons:
        return EveryItemSection(str(base), Table((), ()), (), ())
    lost = [
        LostQuestions(point, comparison.count.noun, first_ids(comparison.lost))
        for point, of_point in comparisons.items()
        for comparison in of_point
        if comparison.lost
    ]
    by_category = [
        (count.noun, losses_by_category_table(comparisons, number))
        for number, count in enumerate(COUNTS)
        if next(iter(comparisons.values()))[number].scored
    ]
    expected = len(figures.cohort.case_ids)
    totals = losses_table(comparisons, expected)
    return EveryItemSection(str(base), totals, tuple(by_category), tuple(lost))


def _parameters(arm: Arm) -> Table:
    columns = (
        Column("name", "parameter", Kind.CODE),
        Column("default", "default", cell=_default),
        Column("accepted", "accepts"),
        Column("meaning", "meaning"),
        Column("grows", "grows"),
    )
    return Table(columns, arm.parameters)


def _default(parameter: Parameter) -> Text:
    return "must be given" if parameter.default is None else Code(spell(parameter.default))


def _growth_pairs(growth: Growth) -> Table:
    kinds = dict.fromkeys(kind for pair in growth.pairs for kind in pair.kinds)
    columns = (
        Column("smaller", "shown at", Kind.CODE),
        Column("larger", "not at", Kind.CODE),
        *(Column(kind, kind, Kind.COUNT, cell=_lost(kind)) for kind in kinds),
        Column("cases", "questions", Kind.COUNT),
    )
    return Table(columns, growth.pairs)


def _lost(kind: str) -> Callable[[PairLosses], int]:
    return lambda pair: pair.kinds.get(kind, 0)
