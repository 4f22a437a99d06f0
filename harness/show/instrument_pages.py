"""The pages of the instruments in a report: `instruments/curves.md` and three more.

The curves need the full point, a curve's points and counted tokens, the losses and ranks evidence
turns and the run's recording; a page without what it needs is left out. Accuracies and wrong
answers stand on a page only where the grades may be shown.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from harness.evidence import Bootstrap, metric_named
from harness.measure.answers import NO_ANSWERS, GradedPoints
from harness.measure.curves import (
    DEFAULT_MARGIN,
    Curves,
    curves_of,
    margin_rule,
    points_of_curves,
)
from harness.measure.equal_cost import at_equal_cost
from harness.measure.loss import Losses, attribute_losses
from harness.measure.measured import (
    MeasuredValues,
    measured_accuracy,
    measured_evidence,
)
from harness.measure.rank import TurnRanks, rank_turns
from harness.measure.shown import ShownRow, shown_rows
from harness.measure.subject import MeasuredRun, subject_of
from harness.model import MEMORY, Role
from harness.points import Point, curve_arms, point_with
from harness.points.external import EXTERNAL
from harness.recording.schema import RECORDING_SCHEMA
from harness.replay.run import Run
from harness.storage.manifest import MANIFEST_NAME, read_manifest
from harness.words import Text

from . import instrument_tables as tables
from . import published_instrument_tables as theirs
from .beside import about_as_many
from .figures import Figures
from .pages import rendered
from .provenance import Provenance, shown_path
from .published import Published
from .published_instruments import PublishedInstruments, read_published_instruments
from .table import Table

FOLDER = "instruments"
CURVE_METRICS = ("evidence_turns_touched", "evidence_turn_chars_macro")
TITLES = {
    "curves": "The count and the quote curve",
    "evidence": "What the contexts showed",
    "losses": "Where evidence turns were lost",
    "ranks": "Rank in record",
}


@dataclass(frozen=True, slots=True)
class InstrumentInputs:
    """What the pages are made of beside the run; `published` is read from `published_file`, and
    `graded` from `grades`.

    `recording` None: where the run says that it is.
    """

    published: Published | None = None
    published_file: Path | None = None
    grades: tuple[Path, ...] = ()
    graded: GradedPoints = NO_ANSWERS
    recording: Path | None = None


@dataclass(frozen=True, slots=True)
class InstrumentPages:
    """The pages by relative path, and whether the run's recording was lacking for some."""

    pages: Mapping[str, str] = field(default_factory=dict)
    recording_lacking: bool = False

    @property
    def links(self) -> tuple[tuple[str, str], ...]:
        """Title and path of every page."""
        return tuple((TITLES[Path(name).stem], name) for name in self.pages)


@dataclass(frozen=True, slots=True)
class CurveSection:
    """One measure along the curves."""

    curves: Curves
    table: Table
    warnings: str
    sentences: tuple[Text, ...]
    at_equal_cost: Table | None


def instrument_pages(
    run: Run,
    figures: Figures,
    provenance: Provenance,
    inputs: InstrumentInputs,
    *,
    quiet: bool = True,
) -> InstrumentPages:
    """Return every page that can be made; none of a run of lookups."""
    if run.manifest.content.get("kind", MEMORY) != MEMORY:
        return InstrumentPages()
    subject = subject_of(run, recording=inputs.recording)
    graded = inputs.graded
    beside = _beside(subject, inputs)
    common = {
        "provenance": provenance,
        "graded": graded,
        "answered": tables.graded_tables(graded),
        "published": beside,
        "bootstrap": Bootstrap(),
        "grades": [shlex.quote(shown_path(folder.as_posix())) for folder in inputs.grades],
    }
    pages = {}
    sections = _curve_sections(subject, figures, graded, beside, inputs.published)
    if sections:
        pages["curves"] = rendered("curves.md.j2", sections=sections, theirs=theirs, **common)
    rows = shown_rows(figures.cohort, figures.points, graded.answers)
    if any(row.expected > row.unlabelled for row in rows):
        pages["evidence"] = _evidence_page(rows, figures, inputs, beside, common)
    has_turns = bool((figures.cohort.counts["evidence_turns"] > 0).any())
    at_hand = _is_at_hand(subject, given=inputs.recording is not None)
    if has_turns and at_hand:
        losses = attribute_losses(subject, figures.points, quiet=quiet)
        pages["losses"] = _losses_page(losses, figures, beside, common)
        ranked = [point for point in figures.points if point.arm != EXTERNAL.name]
        if ranked:  # what another system shows cannot be ranked again
            ranks = rank_turns(subject, ranked, quiet=quiet)
            pages["ranks"] = _ranks_page(ranks, figures, beside, common)
    named = {f"{FOLDER}/{name}.md": text for name, text in pages.items()}
    return InstrumentPages(named, recording_lacking=has_turns and not at_hand)


def _beside(subject: MeasuredRun, inputs: InstrumentInputs) -> PublishedInstruments | None:
    """Return the published values, where they are of about as many questions as the run's."""
    if inputs.published_file is None or subject.part != "all":
        return None
    published = read_published_instruments(inputs.published_file)
    return published if about_as_many(published.questions, len(subject.case_ids)) else None


def _is_at_hand(subject: MeasuredRun, *, given: bool) -> bool:
    """Return whether the recording is where it is looked for; one that was named must be."""
    if given:
        return bool(subject.open_recording())
    if not (subject.recording / MANIFEST_NAME).is_file():
        return False
    manifest = read_manifest(subject.recording, RECORDING_SCHEMA)
    wanted = subject.run.manifest.content["recording"]["sha256"]
    return bool(manifest.content_sha256 == wanted)


def _curve_sections(
    subject: MeasuredRun,
    figures: Figures,
    graded: GradedPoints,
    beside: PublishedInstruments | None,
    published: Published | None,
) -> tuple[CurveSection, ...]:
    full = point_with(Role.EVERY_ITEM, figures.points)
    arms = [arm for arm in curve_arms() if arm in figures.arms]
    if full is None or not arms or not figures.tokens_counted:
        return ()
    points = points_of_curves(subject.run, arms, full)
    sections = []
    if graded.of_policy(full) is not None:
        measured = measured_accuracy(subject, points, graded, full, "context_tokens")
        section = _curve_section(subject, measured, arms, full)
        cells = {} if beside is None else theirs.accuracy_cells(section, beside)
        sections.append(_laid_out(section, measured, cells))
    for name in CURVE_METRICS:
        if not any(value.scored for value in figures.values[name].values()):
            continue
        measured = measured_evidence(subject, points, name, "context_tokens")
        section = _curve_section(subject, measured, arms, full)
        has_published = beside is not None and published is not None
        cells = theirs.published_cells(section, published) if has_published and published else {}
        sections.append(_laid_out(section, measured, cells))
    return tuple(sections)


def _curve_section(
    subject: MeasuredRun, measured: MeasuredValues, arms: Sequence[str], full: Point
) -> Curves:
    return curves_of(measured, subject.run.computed_as, arms, full, margin_rule(DEFAULT_MARGIN))


def _laid_out(
    curves: Curves, measured: MeasuredValues, published: Mapping[str, Text]
) -> CurveSection:
    equal = at_equal_cost(measured, curves)
    rows = tables.curve_rows(curves, equal)
    return CurveSection(
        curves,
        tables.curves_table(curves, rows, published),
        tables.curve_warnings(curves, equal),
        tables.curve_sentences(curves),
        tables.equal_cost_table(curves, rows) if equal else None,
    )


def _evidence_page(
    rows: Sequence[ShownRow],
    figures: Figures,
    inputs: InstrumentInputs,
    beside: PublishedInstruments | None,
    common: Mapping[str, object],
) -> str:
    first = None if beside is None or inputs.published is None else inputs.published.first_item
    typed = [
        tables.shown_row(row, by_category=True)
        for name, part in figures.cohort.by_category()
        for row in shown_rows(part, figures.points, category=name)
        if row.point == figures.against
    ]
    of_points = [tables.shown_row(row) for row in rows]
    has_grades = any(row.wrong is not None for row in rows)
    return rendered(
        "shown.md.j2",
        first_item=tables.first_item_table(of_points, first),
        classes=tables.classes_table(of_points),
        against=figures.against,
        by_type=tables.classes_table(typed),
        wrong=tables.wrong_table(of_points) if has_grades else None,
        published_wrong=theirs.published_wrong_table(beside) if beside and beside.wrong else None,
        **common,
    )


def _losses_page(
    losses: Losses,
    figures: Figures,
    beside: PublishedInstruments | None,
    common: Mapping[str, object],
) -> str:
    rows = [losses.row(point) for point in figures.points]
    against = figures.against
    moves = [losses.moves(point, against) for point in _nearest_of_other_arms(figures)]
    by_type = [
        tables.loss_row(losses.row(against, by=(name,)), by_category=True)
        for name in losses.categories
    ]
    outside = theirs.outside_table(beside, rows) if beside is not None else None
    return rendered(
        "losses.md.j2",
        losses=losses,
        table=tables.loss_table([tables.loss_row(row) for row in rows]),
        against=against,
        by_type=tables.loss_table(by_type),
        moves=tables.moves_table(moves) if moves else None,
        outside=outside if outside is not None and outside.rows else None,
        **common,
    )


def _ranks_page(
    ranks: TurnRanks,
    figures: Figures,
    beside: PublishedInstruments | None,
    common: Mapping[str, object],
) -> str:
    rows = [ranks.row(point) for point in ranks.points]
    of_points = [tables.rank_row(row) for row in rows]
    full = point_with(Role.EVERY_ITEM, figures.points)
    at_full = next((row for row in rows if row.point == full), None)
    has_published = beside is not None and beside.ranks and at_full is not None
    return rendered(
        "ranks.md.j2",
        table=tables.rank_table(of_points),
        checks=tables.rank_checks_table(of_points),
        beside=theirs.ranks_table(beside, at_full)
        if has_published and beside is not None and at_full is not None
        else None,
        full=full,
        **common,
    )


def _nearest_of_other_arms(figures: Figures) -> list[Point]:
    """Of every other arm the point whose mean context tokens are nearest to the one compared
    with; its most expensive one without tokens."""
    costs = figures.values[metric_named("context_tokens").name]
    base = costs[str(figures.against)].value or 0.0
    nearest = []
    for arm in figures.arms:
        if arm != figures.against.arm:
            points = figures.points_of(arm)
            nearest.append(
                min(points, key=lambda point: abs((costs[str(point)].value or 0.0) - base))
            )
    return nearest
