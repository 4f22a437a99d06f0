"""Reading what a file of published figures says of the four instruments.

Of the same file as `harness.show.published`: accuracies along the count and the quote curve
(`points` of the studies `count_curve` and `quote_curve`) and their differences to every item, the
smallest count that held the margin, the wrong answers by what the context showed, and of the study
`evidence` the counts that its design document gives. What a file does not give is empty or None.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from harness.decode import KEEP, Check, FieldError, Format, Parsed, read_json_file, typed
from harness.errors import Faults
from harness.measure.shown import ShownClass
from harness.points import Point
from harness.words import counted

from .published import point_of_label

_SHOWN = {
    "no_answer_session": ShownClass.NO_SESSION,
    "session_no_turn": ShownClass.NO_TURN,
    "some_turns": ShownClass.SOME_TURNS,
    "every_turn": ShownClass.EVERY_TURN,
    "no_turn_labelled": ShownClass.NONE_LABELLED,
}
_BUCKETS = ("1", "2", "3", "4-5", "later")


@dataclass(frozen=True, slots=True)
class PublishedAccuracy:
    """A point of a curve: its accuracy, and its difference to every item with the limits of its
    interval, None at every item itself; all in points (hundredths)."""

    point: Point
    accuracy: float
    difference: float | None
    interval: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class PublishedComparison:
    """A point of the quote curve less one of the count curve, in points."""

    point: Point
    against: Point
    difference: float
    interval: tuple[float, float]
    verdict: str


@dataclass(frozen=True, slots=True)
class PublishedWrong:
    """Wrong answers at a published point, by what the context showed."""

    label: str
    wrong: int
    classes: Mapping[ShownClass, int]


@dataclass(frozen=True, slots=True)
class PublishedInstruments:
    """What a file says of the instruments; `questions` is the n of the studies.

    `outside` gives, by point, the percentage of evidence turns outside the quote in a quoted
    record. `ranks` are percentages of `ranked_turns` turns by bucket.
    """

    questions: int
    accuracies: tuple[PublishedAccuracy, ...]
    comparisons: tuple[PublishedComparison, ...]
    smallest: Point | None
    wrong: tuple[PublishedWrong, ...]
    outside: Mapping[Point, float]
    ranked_turns: int | None
    ranks: Mapping[str, float]
    reproduced: int | None

    def accuracy_of(self, point: Point) -> PublishedAccuracy | None:
        return next(
            (accuracy for accuracy in self.accuracies if accuracy.point.policy == point.policy),
            None,
        )


def _point(label: str) -> Point:
    point = point_of_label("k=full" if label == "full" else label)
    if point is None:
        raise ValueError(f"no point of this project follows {label!r}")
    return point


def _of_outside(name: str) -> Point:
    """Return the point of a design document's name: `full`, and `q320` for heads of 320 and tails
    of half that."""
    if name == "full":
        return _point("k=full")
    head = int(name.removeprefix("q"))
    return _point(f"{head}/{head // 2}")


_Named = Annotated[Point, Parsed(_point)]
_Limits = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    point: str
    accuracy: float | None = None
    diff_vs_full: float | None = None
    ci95: _Limits | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Comparison:
    a: _Named
    b: _Named
    diff: float
    ci95: _Limits
    verdict: str


@dataclass(frozen=True, slots=True)
class _Table:
    columns: tuple[str, ...]
    rows: dict[str, tuple[int, ...]]

    def __post_init__(self) -> None:
        faults = [
            (("rows", label), f"has {counted(len(row), 'entry')}, expected {len(self.columns)}")
            for label, row in self.rows.items()
            if len(row) != len(self.columns)
        ]
        if faults:
            raise FieldError(faults=faults)

    def cells(self, label: str) -> dict[str, int]:
        return dict(zip(self.columns, self.rows[label], strict=True))


def _no_classes(table: _Table) -> str | None:
    missing = [name for name in ("wrong", *_SHOWN) if name not in table.columns]
    return f"has no column {missing[0]!r}" if missing else None


def _no_rows(table: _Table) -> str | None:
    missing = [name for name in _SHOWN if name not in table.rows]
    if "all" not in table.columns:
        return "has no column 'all'"
    return f"has no row {missing[0]!r}" if missing else None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Design:
    evidence_turns_in_quoted_answer_records: int | None = None
    quoted_ranges_reproduced: int | None = None
    best_rank_of_evidence_pct: dict[str, float] = field(default_factory=dict)
    turn_outside_quote_in_quoted_record_pct: dict[Annotated[Point, Parsed(_of_outside)], float] = (
        field(default_factory=dict)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Study:
    n: int = 0
    smallest_k_that_holds: int | str | None = None
    points: tuple[_Row, ...] = ()
    comparisons: tuple[_Comparison, ...] = ()
    wrong_answers_by_shown: Annotated[_Table, Check(_no_classes)] | None = None
    published_wrong_92: Annotated[_Table, Check(_no_rows)] | None = None
    design_doc_section1: _Design = field(default_factory=_Design)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Studies:
    """The studies of a file that say something of the instruments."""

    count_curve: _Study = field(default_factory=_Study)
    quote_curve: _Study = field(default_factory=_Study)
    evidence: _Study = field(default_factory=_Study)


_STUDIES = Format(
    "studies",
    _Studies,
    KEEP,
    hint="The keys are described in harness.show.published_instruments.",
)


def read_published_instruments(path: Path) -> PublishedInstruments:
    """Read `path`; raises `InputError` naming every value that is not of the kind expected."""
    faults = Faults()
    value = read_json_file(path, faults)
    faults.raise_if_any(str(path))
    listed = value.get("studies") if isinstance(value, dict) else None
    by_id = {
        str(study.get("id")): study
        for study in (listed if isinstance(listed, list) else ())
        if isinstance(study, dict)
    }
    return _read(typed(_STUDIES, by_id, at=str(path)))


def _read(studies: _Studies) -> PublishedInstruments:
    curves = (studies.count_curve, studies.quote_curve)
    design = studies.evidence.design_doc_section1
    compared = [row for study in curves for row in study.comparisons]
    smallest, ranks = studies.count_curve.smallest_k_that_holds, design.best_rank_of_evidence_pct
    return PublishedInstruments(
        questions=max(study.n for study in (*curves, studies.evidence)),
        accuracies=tuple(_accuracies(curves, compared)),
        comparisons=tuple(
            PublishedComparison(row.a, row.b, row.diff, row.ci95, row.verdict)
            for row in compared
            if row.b != _point("full")
        ),
        smallest=None if smallest is None else _point(f"k={smallest}"),
        wrong=tuple(_wrong(curves, studies.evidence)),
        outside=design.turn_outside_quote_in_quoted_record_pct,
        ranked_turns=design.evidence_turns_in_quoted_answer_records,
        ranks={name: ranks[name] for name in _BUCKETS if name in ranks},
        reproduced=design.quoted_ranges_reproduced,
    )


def _accuracies(
    curves: Sequence[_Study], compared: Sequence[_Comparison]
) -> Iterator[PublishedAccuracy]:
    to_full = {row.a: row for row in compared if row.b == _point("full")}
    for row in (row for study in curves for row in study.points):
        point = point_of_label("k=full" if row.point == "full" else row.point)
        if row.accuracy is None or point is None:
            continue
        difference, limits = row.diff_vs_full, row.ci95
        if point in to_full:
            difference, limits = to_full[point].diff, to_full[point].ci95
        yield PublishedAccuracy(point, row.accuracy, difference, limits)


def _wrong(curves: Sequence[_Study], evidence: _Study) -> Iterator[PublishedWrong]:
    for table in (study.wrong_answers_by_shown for study in curves):
        if table is None:
            continue
        for label in table.rows:
            cells = table.cells(label)
            classes = {name: cells[key] for key, name in _SHOWN.items()}
            yield PublishedWrong(label, cells["wrong"], classes)
    table = evidence.published_wrong_92
    if table is not None:
        classes = {name: table.cells(key)["all"] for key, name in _SHOWN.items()}
        yield PublishedWrong("every item", sum(classes.values()), classes)
