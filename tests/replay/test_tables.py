"""The tables of a run, against `harness select` on the exported cases and plain recounting."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import quicktok

from harness.cli.main import run as call
from harness.model import MEMORY
from harness.points import default_points, parse_point
from harness.recording.recording import Recording
from harness.recording.sources.from_cases import export_cases
from harness.replay import schema
from harness.replay.run import Run
from harness.storage.hashing import sha256_of_text

COMPARED = [*range(12), *range(31, 35), *range(66, 70)]  # all three shards
Row = dict[str, Any]


@pytest.fixture(scope="module")
def opened(default_run: Path) -> Run:
    return Run.open(default_run)


@pytest.fixture(scope="module")
def selected(recording: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[Any, Row]:
    """What `harness select` chose, by case and point."""
    folder = tmp_path_factory.mktemp("selected")
    source, out = folder / "cases.jsonl", folder / "selections.jsonl"
    export_cases(Recording.open(recording), source, numbers=COMPARED, quiet=True)
    points = [f"--point={point}" for point in default_points(kind=MEMORY)]
    assert call(["select", str(source), *points, "--out", str(out), "-q"]) == 0
    lines = [json.loads(line) for line in out.read_text(encoding="utf-8").split("\n") if line]
    return {(line["case_id"], line["point"]): line for line in lines}


def by_case_and_point(opened: Run, table: str) -> dict[Any, list[Row]]:
    found: dict[Any, list[Row]] = {}
    for row in opened.table(table).to_pylist():
        found.setdefault((row["case_id"], row.get("point", row.get("ordering"))), []).append(row)
    return found


def test_cases_are_those_of_the_recording(opened: Run, recording: Path) -> None:
    assert opened.cases().to_pylist() == [
        {
            "case": number,
            "case_id": case.case_id,
            "category": case.category,
            "question": case.query.text,
            "date": case.query.date,
            "items": len(case.items),
        }
        for number, case in enumerate(Recording.open(recording).cases())
    ]


def test_points_with_their_settings_and_aliases(opened: Run) -> None:
    rows = opened.table(schema.POINTS).to_pylist()
    assert [row["point"] for row in rows] == [str(point) for point in default_points(kind=MEMORY)]
    for row in rows:
        point = parse_point(f"{row['point']}()" if "(" not in row["point"] else row["point"])
        assert row["arm"] == point.arm
        assert json.loads(row["settings"]) == dict(point.settings)
        assert row["batch"] == 0
    aliases = {
        row["point"]: row["computed_as"] for row in rows if row["point"] != row["computed_as"]
    }
    assert aliases == {
        "count-curve(k=full)": "items",
        "quote-curve(head=800, tail=400)": "items",
    }
    orderings = {row["point"]: row["ordering"] for row in rows}
    assert orderings["items"] is None
    assert orderings["whole(budget=4000)"] == "whole(budget=2000)"


def test_every_computed_point_has_one_row_a_case(opened: Run) -> None:
    for table in (schema.SELECTIONS, schema.EVIDENCE):
        found = by_case_and_point(opened, table)
        assert Counter(point for _, point in found) == dict.fromkeys(
            set(opened.computed_as.values()), 70
        )
        assert {len(rows) for rows in found.values()} == {1}


def test_selections_are_those_of_select(opened: Run, selected: dict[Any, Row]) -> None:
    found = by_case_and_point(opened, schema.SELECTIONS)
    assert len(selected) == len(COMPARED) * 43
    for (case_id, point), expected in selected.items():
        [row] = found[case_id, opened.computed_as[point]]
        assert row["budget"] == expected["budget"]
        assert row["used"] == expected["used"]
        assert row["budget_unit"] == expected["budget_unit"]
        assert row["items"] == len(expected["items"])
        assert row["passages_taken"] == sum(step["taken"] for step in expected["sequence"])
        for kind in ("items", "passages", "excerpts"):
            assert row[f"omitted_{kind}"] == expected["omitted"][kind]
        assert row["context_sha256"] == sha256_of_text(expected["context"])
        assert row["context_characters"] == len(expected["context"])


def test_quotes_are_those_of_select(opened: Run, selected: dict[Any, Row], recording: Path) -> None:
    found = by_case_and_point(opened, schema.QUOTES)
    places = {
        case.case_id: {item.head: place for place, item in enumerate(case.items)}
        for case in Recording.open(recording).cases(COMPARED)
    }
    for (case_id, point), expected in selected.items():
        wanted = []
        for shown in expected["items"]:
            place = places[case_id][shown["head"]]
            wanted += [(place, 0, shown["head"], *span) for span in shown["ranges"]]
            for number, excerpt in enumerate(shown["excerpts"], start=1):
                spans = excerpt.get("ranges", [excerpt["range"]])
                wanted += [(place, number, excerpt["record_id"], *span) for span in spans]
        rows = found.get((case_id, opened.computed_as[point]), [])
        columns = ("item", "excerpt", "record_id", "start", "end")
        assert [tuple(row[column] for column in columns) for row in rows] == wanted


def test_sequences_are_those_of_select_and_stand_once(
    opened: Run, selected: dict[Any, Row]
) -> None:
    found = by_case_and_point(opened, schema.SEQUENCES)
    rows = {row["point"]: row for row in opened.table(schema.POINTS).to_pylist()}
    assert {ordering for _, ordering in found} == {row["ordering"] for row in rows.values()} - {
        None
    }
    for (case_id, point), expected in selected.items():
        ordering = rows[point]["ordering"]
        if ordering is None:
            assert expected["sequence"] == []
            continue
        sequence = found[case_id, ordering]
        assert [row["place"] for row in sequence] == list(range(len(sequence)))
        parts = expected.get("parts")
        assert [
            {
                "record_id": row["record_id"],
                "span": [row["start"], row["end"]],
                "ranks": {
                    "record": row["record_rank"],
                    "inside": row["inside_rank"],
                    "cosine": row["cosine_rank"],
                },
                "parts": row["parts"],
            }
            for row in sequence
        ] == [
            {
                **{key: step[key] for key in ("record_id", "span", "ranks")},
                "parts": None if parts is None else [parts[part] for part in step["parts"]],
            }
            for step in expected["sequence"]
        ]


def test_each_context_stands_once_a_shard_under_its_hash(opened: Run, default_run: Path) -> None:
    texts: dict[str, str] = {}
    for part in sorted((default_run / schema.CONTEXTS).iterdir()):
        rows = pq.read_table(part).to_pylist()
        assert len({row["context_sha256"] for row in rows}) == len(rows)
        texts |= {row["context_sha256"]: row["text"] for row in rows}
    for digest, text in texts.items():
        assert digest == hashlib.sha256(text.encode("utf-8")).hexdigest()
    used = set(opened.table(schema.SELECTIONS, ["context_sha256"]).column(0).to_pylist())
    assert used == set(texts)


def test_contexts_by_point(opened: Run, selected: dict[Any, Row]) -> None:
    for spelling in ("count-curve(k=full)", "2.6.5a2(budget=2800)"):
        contexts = {
            case_id: (digest, text)
            for case_id, digest, text in opened.contexts(parse_point(spelling))
        }
        assert list(contexts) == opened.cases().column("case_id").to_pylist()
        for (case_id, point), expected in selected.items():
            if point == spelling:
                assert contexts[case_id] == (
                    sha256_of_text(expected["context"]),
                    expected["context"],
                )


def test_tokens_are_those_of_a_plain_recount(
    opened: Run, selected: dict[Any, Row], recording: Path, checkout: Path
) -> None:
    template = (checkout / "harness" / "evidence" / "answer_prompt.txt").read_text(encoding="utf-8")
    queries = {case.case_id: case.query for case in Recording.open(recording).cases(COMPARED)}
    context_encoding = quicktok.get_encoding("cl100k_base")
    reader_encoding = quicktok.get_encoding("o200k_base")
    found = by_case_and_point(opened, schema.SELECTIONS)
    evidence = by_case_and_point(opened, schema.EVIDENCE)
    for (case_id, point), expected in selected.items():
        key = case_id, opened.computed_as[point]
        context, query = expected["context"], queries[case_id]
        assert query.date is not None
        before, rest = template.split("{context}")
        middle, after = rest.split("{date}")
        between, end = after.split("{question}")
        prompt = before + context + middle + query.date + between + query.text + end
        counts = (len(context_encoding.encode(context)), len(reader_encoding.encode(prompt)))
        [row], [counted] = found[key], evidence[key]
        assert (row["context_tokens"], row["prompt_tokens_estimated"]) == counts
        assert counted["context_tokens"] == counts[0]
        assert counted["prompt_tokens_estimated"] == counts[1]


def test_the_manifest_says_what_was_replayed(opened: Run, recording: Path) -> None:
    source = Recording.open(recording)
    manifest = opened.manifest
    assert manifest.work["recording"] == source.sha256
    assert manifest.work["tokens"]["context"]["encoding"] == "cl100k_base"
    assert manifest.work["tokens"]["prompt"]["encoding"] == "o200k_base"
    assert set(manifest.work["tokens"]["prompt"]) == {
        "library",
        "version",
        "encoding",
        "vocabulary_sha256",
    }
    assert manifest.content["counts"] == {"cases": 70, "points": 43}
    assert manifest.content["recall"] == source.manifest.content["recall"]
    assert manifest.content["growth_checks"] == {
        "count-curve": 8 * 70,
        **dict.fromkeys(("2.6.5a1", "2.6.5a2", "evidence", "whole"), 5 * 70),
        "sea": 4 * 70,
    }
    assert manifest.content["losses"] == {}
    assert len(opened.table(schema.LOSSES)) == 0
    tables = {schema.CASES, schema.POINTS, *schema.PART_TABLES, schema.CANDIDATES}
    assert {name.split("/")[0] for name in manifest.files} == tables
