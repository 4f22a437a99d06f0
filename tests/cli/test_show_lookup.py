"""`harness show` of recorded first lookups."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.cli.main import run

from ..make.worlds import write_world

QUESTION = "How hot is the kiln fired?"
TABLE = f"""status: ok
matches: 1
match: catalog
complete: true


# Lookup matches for "{QUESTION}" in /kiln

| Path | Importance | Title | Tags |
|------|------------|-------|------|
| /kiln/firing.md | 0.90 | Firing the kiln | kiln, firing |
"""


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_world(tmp_path_factory.mktemp("worlds") / "world")


@pytest.fixture(scope="module")
def recording(world: Path) -> Path:
    out = world.parent / "asked-by-tasks"
    assert run(["record", "lookups", str(world), "--out", str(out), "-q"]) == 0
    return out


def test_counts_of_lookups_and_documents_and_what_was_asked(
    recording: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["show", str(recording), "--json"]) == 0
    shown = {row["property"]: row["value"] for row in json.loads(capsys.readouterr().out)}
    assert (shown["kind"], shown["lookups"], shown["documents"]) == ("lookup", 2, 2)
    assert (shown["asked.from"], shown["asked.match"]) == ("tasks", "catalog")
    assert "sha256 lookups.parquet" in shown


def test_a_lookup_is_readable(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["show", str(recording), "--case", "t1"]) == 0
    printed = "\n".join(f"    {line}".rstrip() for line in TABLE.splitlines())
    assert capsys.readouterr().out == (
        "lookup    t1  (direct)\n"
        f"query     {QUESTION}\n"
        "scope     /kiln\n"
        "outcome   answered\n"
        'answer    {"degrees": 1260}\n'
        "cites     degrees: /kiln/firing.md/v2#firing  (row 1)\n"
        "          “1,260 degrees”\n"
        "cites     degrees: /kiln/firing.md/v1#firing  (version 2 is at hand)\n"
        "          “1,240 degrees”\n"
        f"table     {len(TABLE)} bytes, 1 row, as printed:\n"
        "\n"
        f"{printed}\n"
        "\n"
        "  1. /kiln/firing.md/v2  row 1  65 characters\n"
        "     Firing  #firing, 7 lines\n"
        "       Cooling  #cooling, 3 lines\n"
        "     rel-depends-on /kiln/glaze.md#cones\n"
        "     rel-depends-on /shed/wood.md\n"
        "     rel-depends-on mark://far.away/x.md\n"
        "\n"
        "  2. /kiln/glaze.md/v1  target of a relation  50 characters\n"
        "     Glaze  #glaze, 7 lines\n"
        "       Cones  #cones, 3 lines\n"
    )


def test_a_lookup_without_rows_has_no_document(
    recording: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["show", str(recording), "--case", "t2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[3:5] == ["outcome   not-found", "answer    –"]
    assert lines[5].endswith(" bytes, 0 rows, as printed:")
    assert lines[-1] == "    |------|------------|-------|------|"


def test_rows_of_one_document_and_a_passage_that_is_not_at_hand(
    world: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    queries, out = world.parent / "queries.jsonl", world.parent / "asked-by-file"
    asked = {"case_id": "t1", "query": "cone ten glaze", "match": "body"}
    queries.write_text(json.dumps(asked), encoding="utf-8")
    arguments = ["--queries", str(queries), "--out", str(out), "-q"]
    assert run(["record", "lookups", str(world), *arguments]) == 0
    assert run(["show", str(out), "--case", "t1"]) == 0
    output = capsys.readouterr().out
    assert "cites     degrees: /kiln/firing.md/v2#firing  (not at hand)\n" in output
    assert "  1. /kiln/glaze.md/v1  rows 1, 2  50 characters\n" in output


def test_json_is_the_line_that_is_exchanged(
    recording: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["show", str(recording), "--case", "t1", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["schema"] == "harness.lookup/1"
    exported = tmp_path / "lookups.jsonl"
    assert run(["export", "cases", str(recording), "--out", str(exported), "-q"]) == 0
    lines = exported.read_text("utf-8").splitlines()
    assert shown == json.loads(lines[1])
