"""Reading what a file of published figures says of the four instruments.

Of the same file as `harness.show.published`: accuracies along the count and the quote curve
(`points` of the studies `count_curve` and `quote_curve`) and their differences to every item, the
smallest count that held the margin, the wrong answers by what the context showed, and of the study
`evidence` the counts that its design document gives. What a file does not give is empty or None.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.errors import Faults, InputError
from harness.measure.shown import ShownClass
from harness.points import Point

from .published import point_of_label

_SHOWN = {
    "no_answer_session": ShownClass.NO_SESSION,
    "session_no_turn": ShownClass.NO_TURN,
    "some_turns": ShownClass.SOME_TURNS,
    "every_turn": ShownClass.EVERY_TURN,
    "no_turn_labelled": ShownClass.NONE_LABELLED,
}
_BUCKETS = ("1", "2", "3", "4-5", "later")
_CURVES = ("count_curve", "quote_curve")


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
        return next((each for each in self.accuracies if each.point.policy == point.policy), None)


def read_published_instruments(path: Path) -> PublishedInstruments:
    """Read `path`; raises `InputError` naming every value that is not of the kind expected."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read the published figures {path}: {error}") from error
    listed = value.get("studies") if isinstance(value, dict) else None
    studies = {str(study.get("id")): study for study in listed or () if isinstance(study, dict)}
    faults = Faults()
    try:
        found = _read(studies)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        faults.add(f"studies {', '.join((*_CURVES, 'evidence'))}: {error!r}")
    faults.raise_if_any(str(path), "The keys are described in harness.show.published_instruments.")
    return found


def _read(studies: Mapping[str, Mapping[str, Any]]) -> PublishedInstruments:
    curves = [studies[name] for name in _CURVES if name in studies]
    evidence = studies.get("evidence", {})
    design = evidence.get("design_doc_section1", {})
    compared = [row for study in curves for row in study.get("comparisons", ())]
    smallest = studies.get("count_curve", {}).get("smallest_k_that_holds")
    ranks = design.get("best_rank_of_evidence_pct", {})
    outside = design.get("turn_outside_quote_in_quoted_record_pct", {})
    return PublishedInstruments(
        questions=max(
            (int(study["n"]) for study in (*curves, evidence) if "n" in study), default=0
        ),
        accuracies=tuple(_accuracies(curves, compared)),
        comparisons=tuple(
            PublishedComparison(
                _point(row["a"]),
                _point(row["b"]),
                float(row["diff"]),
                _limits(row["ci95"]),
                str(row["verdict"]),
            )
            for row in compared
            if row["b"] != "full"
        ),
        smallest=None if smallest is None else _point(f"k={smallest}"),
        wrong=tuple(_wrong(curves, evidence)),
        outside={_of_outside(name): float(share) for name, share in outside.items()},
        ranked_turns=_whole(design.get("evidence_turns_in_quoted_answer_records")),
        ranks={name: float(ranks[name]) for name in _BUCKETS if name in ranks},
        reproduced=_whole(design.get("quoted_ranges_reproduced")),
    )


def _accuracies(
    curves: Sequence[Mapping[str, Any]], compared: Sequence[Mapping[str, Any]]
) -> list[PublishedAccuracy]:
    to_full = {row["a"]: row for row in compared if row["b"] == "full"}
    found = []
    for study in curves:
        for row in study.get("points", ()):
            if row.get("accuracy") is None or point_of_label(str(row["point"])) is None:
                continue
            difference, limits = row.get("diff_vs_full"), row.get("ci95")
            if row["point"] in to_full:
                difference, limits = to_full[row["point"]]["diff"], to_full[row["point"]]["ci95"]
            found.append(
                PublishedAccuracy(
                    _point(row["point"]),
                    float(row["accuracy"]),
                    None if difference is None else float(difference),
                    None if limits is None else _limits(limits),
                )
            )
    return found


def _wrong(
    curves: Sequence[Mapping[str, Any]], evidence: Mapping[str, Any]
) -> list[PublishedWrong]:
    found = []
    for study in curves:
        table = study.get("wrong_answers_by_shown", {})
        for label, numbers in table.get("rows", {}).items():
            cells = dict(zip(table["columns"], numbers, strict=True))
            classes = {name: int(cells[key]) for key, name in _SHOWN.items()}
            found.append(PublishedWrong(label, int(cells["wrong"]), classes))
    table = evidence.get("published_wrong_92", {})
    if table:
        column = table["columns"].index("all")
        classes = {name: int(table["rows"][key][column]) for key, name in _SHOWN.items()}
        found.append(PublishedWrong("every item", sum(classes.values()), classes))
    return found


def _of_outside(name: str) -> Point:
    """The design document's names: `full`, and `q320` for heads of 320 and tails of half that."""
    if name == "full":
        return _point("k=full")
    head = int(name.removeprefix("q"))
    return _point(f"{head}/{head // 2}")


def _point(label: Any) -> Point:
    found = point_of_label("k=full" if label == "full" else str(label))
    if found is None:
        raise ValueError(f"no point of this project follows {label!r}")
    return found


def _limits(value: Any) -> tuple[float, float]:
    lower, upper = value
    return float(lower), float(upper)


def _whole(value: Any) -> int | None:
    return None if value is None else int(value)
