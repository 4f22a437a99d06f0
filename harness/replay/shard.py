"""One shard of a replay: some cases, read, selected, rendered, counted and written."""

from __future__ import annotations

import gc
import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from harness.errors import InputError
from harness.evidence import ShownRecord, labels_of, measure
from harness.evidence.case_evidence import CaseLabels
from harness.evidence.prompt import PromptTemplate
from harness.evidence.tokens import Tokenizer
from harness.model import Case, CaseView, Policy, Positions, Selection, view_of
from harness.points import Point, parse_points
from harness.recording.recording import Recording
from harness.storage.atomic import atomic_path

from . import schema
from .context import render_context
from .growth import GrowthPair, ShownRanges, growth_pairs, losses, shown_by
from .plan import ReplayPlan, plan_replay
from .rows import ShardRows

COMPRESSION = "zstd"


@dataclass(frozen=True, slots=True)
class TokenCounting:
    """How costs are counted: the two encodings and the answer prompt."""

    context_encoding: str
    reader_encoding: str
    template: PromptTemplate


@dataclass(frozen=True, slots=True)
class ShardWork:
    """What every shard of a batch shares: it writes `tables`, each in a part of its own.

    `earlier` points were computed by earlier batches.
    """

    recording: Path
    recording_sha256: str
    run: Path
    batch: int
    points: tuple[str, ...]
    tables: tuple[str, ...] = schema.PART_TABLES
    earlier: tuple[str, ...] = ()
    counting: TokenCounting | None = None


@dataclass(frozen=True, slots=True)
class Shard:
    """The places of its cases in the recording."""

    number: int
    cases: tuple[int, ...]


def part_name(batch: int, shard: int) -> str:
    """The file name of a part, within the folder of its table."""
    return f"{batch:03d}-{shard:05d}.parquet"


def points_name(batch: int) -> str:
    """The file name of a batch's part of the points."""
    return f"{batch:03d}.parquet"


def run_shard(work: ShardWork, shard: Shard) -> int:
    """Compute and write the parts of a shard that are not there yet; return its cases."""
    paths = {name: work.run / name / part_name(work.batch, shard.number) for name in work.tables}
    if not all(path.exists() for path in paths.values()):
        with _no_cycle_collection():
            tables = _replayer(work).replay(shard)
        for name, path in paths.items():
            _write(tables[name], path)
    return len(shard.cases)


@contextmanager
def _no_cycle_collection() -> Iterator[None]:
    """A shard's many small values live until it is written and make no cycles: looking for some
    again and again would cost a tenth of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@lru_cache(maxsize=1)
def _replayer(work: ShardWork) -> _Replayer:
    """Kept between the shards that one process computes."""
    points, earlier = (parse_points_exactly(names) for names in (work.points, work.earlier))
    pairs = tuple(growth_pairs(points, earlier))
    return _Replayer(work, plan_replay(points, earlier), pairs)


def parse_points_exactly(names: Sequence[str]) -> list[Point]:
    """The points of canonical spellings; a bare arm name is the point of that spelling."""
    return parse_points(name if "(" in name else f"{name}()" for name in names)


def _write(table: pa.Table, path: Path) -> None:
    with atomic_path(path) as temporary:
        pq.write_table(table, temporary, compression=COMPRESSION, write_statistics=False)


@dataclass(frozen=True)
class _Replayer:
    work: ShardWork
    plan: ReplayPlan
    pairs: Sequence[GrowthPair]
    recording: Recording = field(init=False)

    def __post_init__(self) -> None:
        opened = Recording.open(self.work.recording, verify=False)
        if opened.sha256 != self.work.recording_sha256:
            raise InputError(
                f"{self.work.recording} was replaced while it was replayed",
                "Run the same command again.",
            )
        object.__setattr__(self, "recording", opened)

    def replay(self, shard: Shard) -> dict[str, pa.Table]:
        rows = ShardRows()
        for case in self.recording.cases(shard.cases):
            _CaseReplay(self, case, rows).run()
        return rows.tables()


class _CaseReplay:
    """One case through all points."""

    def __init__(self, replayer: _Replayer, case: Case, rows: ShardRows) -> None:
        self._plan = replayer.plan
        self._pairs = replayer.pairs
        self._counter = _TokenCounter(replayer.work.counting, case)
        self._case = case
        self._rows = rows
        self._view: CaseView
        self._records: Positions
        self._view, self._records = view_of(case)
        self._record_ids = [record.record_id for record in self._records.records]
        self._labels: CaseLabels = labels_of(case)
        self._selections: dict[str, Selection] = {}

    def run(self) -> None:
        for name, policy in self._plan.singles:
            self._add(name, policy.select(self._view))
        for group in self._plan.groups:
            sequence = group.ordering.order(self._view)
            if not group.stored:
                self._rows.add_sequence(self._case.case_id, group.name, sequence, self._record_ids)
            for name, policy in group.members:
                self._add(name, policy.cut(self._view, sequence))
        self._check_growth()

    def _add(self, point: str, selection: Selection) -> None:
        case_id = self._case.case_id
        context = render_context(selection, self._records)
        digest = hashlib.sha256(context.encode("utf-8")).hexdigest()
        tokens = self._counter.count(digest, context)
        shown = [
            ShownRecord(item.item, self._record_ids[quote.record], quote.ranges)
            for item in selection.items
            for quote in (item.head, *item.excerpts)
        ]
        evidence = measure(self._labels, shown, tokens[0])
        rows = self._rows
        rows.add_context(digest, context)
        rows.add_selection(case_id, point, selection, context, digest, tokens)
        rows.add_quotes(case_id, point, selection, self._record_ids)
        rows.add_evidence(case_id, self._case.category, point, evidence, tokens[1])
        if selection.candidates is not None:
            rows.add_candidates(case_id, point, selection.candidates)
        if selection.expansion is not None:
            counted = self._counter.counts
            rows.add_expansion(self._case, point, selection, self._record_ids, counted=counted)
        self._selections[point] = selection

    def _check_growth(self) -> None:
        shown: dict[Policy, ShownRanges] = {}
        for pair in self._pairs:
            smaller, larger = self._shown(pair.smaller, shown), self._shown(pair.larger, shown)
            for loss in losses(pair, smaller, larger):
                self._rows.add_loss(self._case.case_id, loss, self._records)

    def _shown(self, point: Point, shown: dict[Policy, ShownRanges]) -> ShownRanges:
        """What a point shows; one of an earlier batch is computed again for the comparison."""
        policy = point.policy
        if policy not in shown:
            name = self._plan.computed_as.get(str(point), str(point))
            selection = self._selections.get(name) or policy.select(self._view)
            shown[policy] = shown_by(selection)
        return shown[policy]


class _TokenCounter:
    """Tokens of a case's contexts, each distinct one counted once."""

    def __init__(self, counting: TokenCounting | None, case: Case) -> None:
        self._counting = counting
        self._case = case
        self._known: dict[str, tuple[int | None, int | None]] = {}

    @property
    def counts(self) -> bool:
        """Whether tokens are counted at all."""
        return self._counting is not None

    def count(self, digest: str, context: str) -> tuple[int | None, int | None]:
        if self._counting is None:
            return None, None
        known = self._known.get(digest)
        if known is None:
            prompt = self._counting.template.fill(context, self._case.query)
            known = self._known[digest] = (
                Tokenizer(self._counting.context_encoding).count(context),
                Tokenizer(self._counting.reader_encoding).count(prompt),
            )
        return known
