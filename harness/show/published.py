"""Reading a file of published figures: studies with rows of evidence metrics and tokens.

The file is one JSON object: `studies`, each with an `id`, a `split` (`all500`, `test400`) and lists
of rows; `n_by_type`, the questions of every split by type; `dataset_sha256_prefix`. A row names a
published point by its label and gives shares in percent, either itself or under `evidence`. Labels
that correspond to a point of this project are recognised; the other rows are kept by name, so that
a page can say what it leaves out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from harness.decode import KEEP, Format, Json, decode_file, decode_toml
from harness.errors import Faults, InputError
from harness.evidence import Metric, metric_named
from harness.points import Point, parse_point
from harness.storage.hashing import sha256_of_file
from harness.words import Kind, kind_of_unit

_METRICS = {
    "sessions_shown": "answer_sessions_shown",
    "shown": "answer_sessions_shown",
    "all_shown": "all_answer_sessions_shown",
    "turns_touched": "evidence_turns_touched",
    "touched": "evidence_turns_touched",
    "turn_chars_mean": "evidence_turn_chars_macro",
    "turn_chars_pooled": "evidence_turn_chars_pooled",
    "evidence_share_pooled": "evidence_share_pooled",
    "evidence_share": "evidence_share_pooled",
    "per_1k": "answer_sessions_per_1k_tokens",
    "dup_share": "duplicate_share_pooled",
    "cl100k_context_tokens": "context_tokens",
    "cl100k": "context_tokens",
}
"""From the file's keys to the metric of the same definition."""


@dataclass(frozen=True, slots=True)
class _Label:
    published: str
    point: str


@dataclass(frozen=True, slots=True)
class _Labels:
    label: tuple[_Label, ...]


_LABELS = Format("labels", _Labels)


@cache
def _labels() -> tuple[tuple[str, str], ...]:
    """Read which point follows each published label, as a pattern and its replacement.

    `2.6.5a1` and `2.6.5a2` follow the design, not what was published under these names, and have
    no label.
    """
    text = resources.files("harness.show").joinpath("published_labels.toml").read_bytes()
    labels = decode_toml(_LABELS, text, place="published_labels.toml").label
    return tuple((label.published, label.point) for label in labels)


_LISTS = {"points": None, "dev100": "dev100", "all_items_by_type": None}
"""The lists of a study that hold rows, and their split where it is not the study's."""

_EVERY_ITEM = "every item"
_PLACES = {"item1": "1", "items2_10": "2-10", "items11_12": "11+", "never": "never"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cells:
    """Shares in percent, and tokens; `_METRICS` says which metric each is."""

    sessions_shown: float | None = None
    shown: float | None = None
    all_shown: float | None = None
    turns_touched: float | None = None
    touched: float | None = None
    turn_chars_mean: float | None = None
    turn_chars_pooled: float | None = None
    evidence_share_pooled: float | None = None
    evidence_share: float | None = None
    per_1k: float | None = None
    dup_share: float | None = None
    cl100k_context_tokens: float | None = None
    cl100k: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row(_Cells):
    point: Json = None
    type: str | None = None
    n: Json = None
    evidence: _Cells | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Study:
    id: str
    split: str | None = None
    n: Json = None
    results: Json = None
    first_item: dict[str, int] | None = None
    points: tuple[_Row, ...] | None = None
    dev100: tuple[_Row, ...] | None = None
    all_items_by_type: tuple[_Row, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _File:
    studies: tuple[_Study, ...]
    n_by_type: dict[str, dict[str, int]] | None = None
    dataset_sha256_reported_elsewhere: str | None = None
    dataset_sha256_prefix: str | None = None


_FILE = Format(
    "published figures", _File, KEEP, hint="The format is described in harness.show.published."
)


@dataclass(frozen=True, slots=True)
class PublishedFigure:
    """One number: a share as a fraction, or tokens. `questions` is the n of its table.

    `category` is a question type, or None for all types. `studies` are the ids of the studies that
    print this same number.
    """

    point: Point
    split: str
    category: str | None
    metric: Metric
    value: float
    questions: int
    studies: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Published:
    """All figures of a file, in its order.

    `without_counterpart` are labels with evidence figures that no point of this project follows.
    `first_item` counts questions by the place of the first item with an answer session, at every
    item; None where the file does not give it. `documents` names the result file of each study.
    """

    name: str
    sha256: str
    dataset_sha256: str
    figures: tuple[PublishedFigure, ...]
    without_counterpart: tuple[str, ...]
    first_item: Mapping[str, int] | None
    documents: Mapping[str, str]
    questions: Mapping[str, int]


def read_published(path: Path) -> Published:
    """Read `path`; raises `InputError` naming every fault by study, row and key."""
    file = decode_file(_FILE, path)
    faults = Faults()
    reader = _Reader(file, faults)
    reader.read()
    faults.raise_if_any(str(path), _FILE.hint)
    if not reader.figures:
        raise InputError(
            f"{path} has no figures of a point of this project",
            "Use a file with `studies` whose rows are labelled like k=4 or evidence b2800.",
        )
    dataset = file.dataset_sha256_reported_elsewhere or file.dataset_sha256_prefix
    return Published(
        name=path.name,
        sha256=sha256_of_file(path),
        dataset_sha256=str(dataset or "not given"),
        figures=reader.merged(),
        without_counterpart=tuple(reader.without),
        first_item=reader.first_item,
        documents=reader.documents,
        questions=reader.questions,
    )


class _Reader:
    """Walks the studies, and collects figures and faults."""

    def __init__(self, file: _File, faults: Faults) -> None:
        self.figures: list[PublishedFigure] = []
        self.without: dict[str, None] = {}
        self.first_item: dict[str, int] | None = None
        self.documents: dict[str, str] = {}
        self.questions: dict[str, int] = {}
        self._file = file
        self._faults = faults

    def read(self) -> None:
        for split, counts in (self._file.n_by_type or {}).items():
            self.questions[split] = sum(counts.values())
        for number, study in enumerate(self._file.studies):
            self.documents[study.id] = str(study.results or study.id)
            if study.split is not None and isinstance(study.n, int):
                self.questions.setdefault(study.split, study.n)
            self._read_study(f"studies[{number}]", study)

    def merged(self) -> tuple[PublishedFigure, ...]:
        """Return equal numbers of several studies as one figure."""
        figures: dict[tuple[Any, ...], PublishedFigure] = {}
        for figure in self.figures:
            key = (figure.point, figure.split, figure.category, figure.metric.name, figure.value)
            known = figures.get(key)
            studies = (*known.studies, *figure.studies) if known else figure.studies
            figures[key] = PublishedFigure(
                figure.point,
                figure.split,
                figure.category,
                figure.metric,
                figure.value,
                figure.questions,
                tuple(dict.fromkeys(studies)),
            )
        return tuple(figures.values())

    def _read_study(self, where: str, study: _Study) -> None:
        first = study.first_item
        if first is not None and set(first) == set(_PLACES):
            self.first_item = {_PLACES[key]: count for key, count in first.items()}
        for name, split in _LISTS.items():
            for number, row in enumerate(getattr(study, name) or ()):
                self._read_row(study, f"{where}.{name}[{number}]", split or study.split, row)

    def _read_row(self, study: _Study, where: str, split: str | None, row: _Row) -> None:
        label = row.point or (_EVERY_ITEM if row.type else None)
        numbers = list(_numbers(row))
        if not numbers or not isinstance(label, str) or split is None:
            return
        point = point_of_label(label)
        if point is None:
            if any(metric.unit != "tokens" for metric, _ in numbers):
                self.without[f"{label} ({study.id})"] = None
            return
        questions = row.n if row.type else self.questions.get(split)
        if not isinstance(questions, int):
            self._faults.add(f"{where} has no number of questions (n) for the split {split!r}")
            return
        for metric, value in numbers:
            self.figures.append(
                PublishedFigure(point, split, row.type, metric, value, questions, (study.id,))
            )


def _numbers(row: _Row) -> Iterator[tuple[Metric, float]]:
    """Yield what a row gives, itself or under `evidence`; shares become fractions."""
    for key, name in _METRICS.items():
        value = getattr(row, key)
        if row.evidence is not None and getattr(row.evidence, key) is not None:
            value = getattr(row.evidence, key)
        if value is not None:
            metric = metric_named(name)
            yield metric, value / 100 if kind_of_unit(metric.unit) is Kind.SHARE else value


def point_of_label(label: str) -> Point | None:
    for pattern, spelling in _labels():
        match = re.fullmatch(pattern, label)
        if match is not None:
            return parse_point(match.expand(spelling))
    return None
