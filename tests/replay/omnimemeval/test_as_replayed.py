"""An import and a replay write by one writer: of the same contexts their tables are equal."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pytest

from harness.cli.main import run
from harness.model import Arm, CaseView, ItemQuote, Quote, Selection, Settings
from harness.points.arms import ARMS
from harness.replay import schema
from harness.replay.run import Run

from ...make.offers import offer
from ...make.questions import SESSIONS, question, record, word_embedder, write_questions
from ...make.results import import_results

POINT = "external(name=harness-heads)"
NOT_KNOWN_TO_AN_IMPORT = ("point", "arm", "settings", "computed_as", "ordering", "batch")


@dataclass(frozen=True)
class Heads:
    """Every item's head record, whole, in recall order, without a budget."""

    def select(self, case: CaseView) -> Selection:
        lengths = [len(case.records[item.head].text) for item in case.items]
        items = tuple(
            ItemQuote(place, Quote(item.head, ((0, length),)))
            for place, (item, length) in enumerate(zip(case.items, lengths, strict=True))
        )
        return Selection(items, used=sum(lengths))


def policy(settings: Settings) -> Heads:
    return Heads()


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """More questions than a shard holds, some abstaining."""
    asked = [question(f"q{number}{'_abs' * (number % 9 == 8)}", SESSIONS) for number in range(40)]
    return write_questions(tmp_path / "data.json", asked)


def comparable(opened: Run, table: str) -> pa.Table:
    rows = opened.table(table)
    kept = [name for name in rows.column_names if name not in NOT_KNOWN_TO_AN_IMPORT]
    return rows.select(kept).combine_chunks()


def test_an_import_is_the_run_that_it_was_exported_from(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    heads = Arm("heads", "whole head records", "Heads.", "a test", policy, default_points=({},))
    offer(monkeypatch, ARMS, heads=heads)
    recorded, results = tmp_path / "recorded", tmp_path / "harness-heads"
    with word_embedder():
        assert record(data, recorded) == 0
    assert run(["replay", str(recorded), "--out", str(tmp_path / "run"), "-p", "heads", "-q"]) == 0
    export = ["export", "omnimemeval", str(tmp_path / "run"), "-p", "heads", "--out", str(results)]
    assert run([*export, "--dataset", str(data), "-q"]) == 0
    assert import_results(results, data, tmp_path / "imported", "-q") == 0
    replayed, imported = Run.open(tmp_path / "run"), Run.open(tmp_path / "imported")
    assert [str(point) for point in imported.points] == [POINT]
    assert imported.cases() == replayed.cases()
    for table in (schema.POINTS, *schema.PART_TABLES):
        assert comparable(imported, table) == comparable(replayed, table), table
        assert len(comparable(imported, table)) or table in (schema.SEQUENCES, schema.LOSSES)
    contents = replayed.manifest.content, imported.manifest.content
    for key in ("counts", "kind", "growth_checks", "losses"):
        assert contents[0][key] == contents[1][key]
    assert imported.manifest.work["tokens"] == replayed.manifest.work["tokens"]


def test_growth_is_checked_between_points_that_an_import_cuts(data: Path, tmp_path: Path) -> None:
    recorded, out = tmp_path / "recorded", tmp_path / "imported"
    with word_embedder():
        assert record(data, recorded) == 0
    every = ["-p", "count-curve(k=full)"]
    assert run(["replay", str(recorded), "--out", str(tmp_path / "run"), *every, "-q"]) == 0
    export = ["export", "omnimemeval", str(tmp_path / "run"), *every, "--dataset", str(data)]
    assert run([*export, "--out", str(tmp_path / "results"), "-q"]) == 0
    cuts = [part for k in (1, 3, 2) for part in ("-p", f"count-curve(k={k})")]
    assert import_results(tmp_path / "results", data, out, *cuts, "-q") == 0
    content = Run.open(out).manifest.content
    assert content["growth_checks"] == {"count-curve": 2 * 40}
    assert content["losses"] == {}
