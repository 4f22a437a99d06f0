"""Recomputing recorded selections, and comparing each with what was recorded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from harness.errors import Faults, nearest
from harness.model import Case, CaseView, Positions, view_of
from harness.points import Point, load_arm
from harness.progress import progress
from harness.recording.case_lines import CaseLines
from harness.replay.context import render_context
from harness.replay.selection_writer import selection_object

from .comparison import FIELDS, SelectionDiff, compare
from .recorded import RecordedSelection, RecordedSequence
from .selections import SEQUENCE, ExpectedSelection, read_selection

WHOLE_LINE = "whole line"


@dataclass(frozen=True, slots=True)
class FieldCount:
    """How many lines of an arm were compared in one field, or as a whole (`WHOLE_LINE`).

    `left_out`: lines that do not say the field, as their `left_out` states.
    """

    arm: str
    field: str
    compared: int
    same: int
    different: int
    left_out: int


@dataclass(frozen=True, slots=True)
class DifferentLine:
    """A line whose selection is not what was recorded; left is recomputed, right recorded."""

    line: int
    case_id: str
    point: str
    comparison: SelectionDiff


@dataclass(frozen=True, slots=True)
class ParityReport:
    """What a comparison with recorded selections found."""

    lines: int
    counts: tuple[FieldCount, ...]
    differences: tuple[DifferentLine, ...]


def recomputed(case: Case, point: Point) -> RecordedSelection:
    """Return what `point` selects for `case`, as `harness select` prints it."""
    return _recomputed(case, *view_of(case), point)


def check(
    cases: CaseLines, expected: Sequence[ExpectedSelection], name: str, *, quiet: bool = True
) -> ParityReport:
    """Recompute each expected selection of the source `name` from its case, and compare.

    The cases are read once, one at a time. Raises `InputError` for a case that is not among them,
    and for one on which the arm does not run, naming every such line.
    """
    waiting: dict[str, list[ExpectedSelection]] = {}
    for line in expected:
        waiting.setdefault(line.case_id, []).append(line)
    faults = Faults()
    compared: list[tuple[ExpectedSelection, SelectionDiff]] = []
    seen: list[str] = []
    for case in progress(cases, total=None, label="parity", unit="case", quiet=quiet):
        seen.append(case.case_id)
        lines = waiting.pop(case.case_id, [])
        compared += _compared(case, _applicable(case, lines, faults), faults)
    for case_id, lines in waiting.items():
        for line in lines:
            known = nearest(case_id, seen)
            faults.add(f"line {line.line}: no case {case_id!r} in {cases.name}{known}")
    faults.raise_if_any(
        name, f"{cases.name} has {len(seen):,} cases; docs/parity.md has the format."
    )
    compared.sort(key=lambda pair: pair[0].line)
    return ParityReport(len(compared), _counts(compared), _differences(compared))


def _applicable(
    case: Case, lines: Sequence[ExpectedSelection], faults: Faults
) -> list[ExpectedSelection]:
    fitting = []
    for line in lines:
        accepted = load_arm(line.point.arm).accepts
        if case.kind in accepted:
            fitting.append(line)
        else:
            kinds = " or ".join(accepted)
            faults.add(f"line {line.line}: {line.point.arm} runs on {kinds} cases, not {case.kind}")
    return fitting


def _compared(
    case: Case, lines: Iterable[ExpectedSelection], faults: Faults
) -> list[tuple[ExpectedSelection, SelectionDiff]]:
    view, records = view_of(case)
    compared = []
    for line in lines:
        ours = _taken_alone(_recomputed(case, view, records, line.point))
        has_sequence = ours.sequence is not None and len(ours.sequence.passages) > 0
        if has_sequence and line.selection.sequence is None and line.left_out is None:
            faults.add(
                f"line {line.line}: sequence_taken is null, but {line.point.arm} has a sequence; a "
                f"line that leaves it out says so: left_out {SEQUENCE!r}"
            )
        compared.append((line, compare(ours, line.selection)))
    return compared


def _recomputed(case: Case, view: CaseView, records: Positions, point: Point) -> RecordedSelection:
    selection = point.policy.select(view)
    context = render_context(selection, records)
    value = selection_object(case, records, str(point), selection, context)
    return read_selection(value).selection


def _taken_alone(selection: RecordedSelection) -> RecordedSelection:
    """Keep only the taken passages of the sequence, as recorded answers have them."""
    sequence = selection.sequence
    if sequence is None:
        return selection
    cosine_ranks = sequence.cosine_ranks
    taken = RecordedSequence(
        sequence.passages[: sequence.taken],
        None if cosine_ranks is None else cosine_ranks[: sequence.taken],
    )
    return replace(selection, sequence=taken)


def _counts(
    compared: Sequence[tuple[ExpectedSelection, SelectionDiff]],
) -> tuple[FieldCount, ...]:
    lines: Counter[tuple[str, str]] = Counter()
    different: Counter[tuple[str, str]] = Counter()
    left_out: Counter[tuple[str, str]] = Counter()
    for expected, comparison in compared:
        arm = expected.point.arm
        lines.update((arm, field) for field in (WHOLE_LINE, *comparison.compared))
        whole = () if comparison.same else (WHOLE_LINE,)
        different.update((arm, field) for field in (*whole, *comparison.differing))
        left_out.update((arm, field) for field in expected.fields_left_out)
    arms = dict.fromkeys(expected.point.arm for expected, _ in compared)
    keys = [(arm, field) for arm in arms for field in (WHOLE_LINE, *FIELDS)]
    return tuple(
        FieldCount(*key, lines[key], lines[key] - different[key], different[key], left_out[key])
        for key in keys
        if lines[key] or left_out[key]
    )


def _differences(
    compared: Sequence[tuple[ExpectedSelection, SelectionDiff]],
) -> tuple[DifferentLine, ...]:
    return tuple(
        DifferentLine(expected.line, expected.case_id, str(expected.point), comparison)
        for expected, comparison in compared
        if not comparison.same
    )
