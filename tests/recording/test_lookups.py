"""Lookups recorded, read back, exchanged and replayed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from harness.cli.main import run as call
from harness.model import Case
from harness.recording.recording import Recording
from harness.replay.run import Run

from ..make.questions import contents_of
from ..make.worlds import write_world


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_world(tmp_path_factory.mktemp("world"))


@pytest.fixture(scope="module")
def recording(world: Path) -> Path:
    out = world.parent / "lookups"
    assert call(["record", "lookups", str(world), "--out", str(out), "-q"]) == 0
    return out


@pytest.fixture(scope="module")
def cases(recording: Path) -> list[Case]:
    return list(Recording.open(recording).cases())


def test_the_table_is_what_a_catalog_lookup_prints(cases: list[Case]) -> None:
    first, second = cases
    assert first.lookup is not None
    assert first.lookup.table == (
        "status: ok\nmatches: 1\nmatch: catalog\ncomplete: true\n\n\n"
        '# Lookup matches for "How hot is the kiln fired?" in /kiln\n\n'
        "| Path | Importance | Title | Tags |\n"
        "|------|------------|-------|------|\n"
        "| /kiln/firing.md | 0.90 | Firing the kiln | kiln, firing |\n"
    )
    assert first.lookup.spent_bytes == len(first.lookup.table)
    assert second.lookup is not None
    assert (second.lookup.rows, second.items) == ((), ())


def test_relation_targets_come_along_within_the_scope(cases: list[Case]) -> None:
    case = cases[0]
    assert case.lookup is not None
    assert [document.path for document in case.lookup.documents] == [
        "/kiln/firing.md",
        "/kiln/glaze.md",
    ]
    assert [record.record_id for record in case.records] == [
        "/kiln/firing.md/v2",
        "/kiln/glaze.md/v1",
    ]
    assert [item.head for item in case.items] == ["/kiln/firing.md/v2"]


def test_the_labels_follow_from_the_rubric(cases: list[Case]) -> None:
    case = cases[0]
    assert case.gold is not None
    body = case.records[0].text
    assert case.gold.answer == '{"degrees": 1260}'
    assert case.gold.sessions == ("/kiln/firing.md",)
    spans = [(each.record_id, body[each.start : each.end]) for each in case.gold.evidence[:1]]
    assert spans == [("/kiln/firing.md/v2", "1,260 degrees")]
    assert case.gold.evidence[1].record_id == "/kiln/firing.md/v1"
    assert cases[1].gold is not None
    assert cases[1].gold.abstention


def test_blocks_are_the_preamble_and_each_headings_own_text(cases: list[Case]) -> None:
    record = cases[0].records[0]
    assert record.blocks is not None
    spans = zip(record.blocks.starts.tolist(), record.blocks.ends.tolist(), strict=True)
    assert [record.text[start:end] for start, end in spans] == [
        "# Firing\n\nFire at 1,260 degrees.\n\n",
        "## Cooling\n\nCool for two days.\n",
    ]
    assert record.blocks.vectors is None


def test_body_mode_ranks_sections(world: Path, tmp_path: Path) -> None:
    out = tmp_path / "body"
    assert call(["record", "lookups", str(world), "--match", "body", "--out", str(out), "-q"]) == 0
    (first, _) = Recording.open(out).cases()
    assert first.lookup is not None
    assert "| Path | Importance | Title | Tags | Snippet |\n" in first.lookup.table


def test_the_same_world_gives_the_same_bytes(world: Path, recording: Path, tmp_path: Path) -> None:
    again = tmp_path / "again"
    assert call(["record", "lookups", str(world), "--out", str(again), "-q"]) == 0
    one, other = contents_of(recording), contents_of(again)
    assert {name for name in one if one[name] != other[name]} <= {"manifest.json"}


def test_cases_are_exchanged_without_loss(recording: Path, tmp_path: Path) -> None:
    lines, back = tmp_path / "lookups.jsonl", tmp_path / "back"
    assert call(["export", "cases", str(recording), "--out", str(lines), "-q"]) == 0
    assert call(["import", "cases", str(lines), "--out", str(back), "-q"]) == 0
    one, other = contents_of(recording), contents_of(back)
    assert {name for name in one if one[name] != other[name]} == {"manifest.json"}
    assert Recording.open(back).kind == "lookup"


def test_labels_of_a_lookup_may_have_no_answer(recording: Path, tmp_path: Path) -> None:
    source, again, out = (tmp_path / name for name in ("cases.jsonl", "again.jsonl", "imported"))
    assert call(["export", "cases", str(recording), "--out", str(source), "-q"]) == 0
    lines = [json.loads(line) for line in source.read_text("utf-8").splitlines()]
    del lines[1]["gold"]["answer"]
    source.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    assert call(["import", "cases", str(source), "--out", str(out), "-q"]) == 0
    first, second = Recording.open(out).cases()
    assert first.gold is not None
    assert first.lookup_gold is not None
    assert (first.gold.answer, first.lookup_gold.answer) == (None, None)
    assert first.gold.sessions == ("/kiln/firing.md",)
    assert second.lookup_gold is not None
    assert second.lookup_gold.answer == {}
    assert call(["export", "cases", str(out), "--out", str(again), "-q"]) == 0
    exported = [json.loads(line) for line in again.read_text("utf-8").splitlines()]
    assert exported[1]["gold"]["answer"] is None
    assert call(["show", str(out), "--case", first.case_id]) == 0


def test_a_replay_runs_every_arm_on_lookups(recording: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    assert call(["replay", str(recording), "--out", str(out), "-q", "--no-tokens"]) == 0
    opened = Run.open(out)
    arms = {point.arm for point in opened.points}
    assert {"items", "evidence", "lookup-table", "lookup-before", "lookup-budgeted"} <= arms
    rows = opened.table("expansions").to_pylist()
    found = {
        row["point"]: (row["fields_citable"], row["fields"], row["blocks"])
        for row in rows
        if row["case_id"] == "t1"
    }
    # version 1 of the passage cannot be printed, so the field is never whole
    assert found["lookup-table"] == (0, 1, 0)
    assert found["lookup-budgeted"] == (0, 1, 2)
    assert len(opened.table("printed_blocks").to_pylist()) > 0


def test_a_lookup_arm_on_memory_cases_is_refused_by_name(
    checkout: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sample = checkout / "datasets" / "sample" / "recording"
    arguments = ["replay", str(sample), "--out", str(tmp_path / "run"), "--point", "lookup-table"]
    assert call(arguments) == 2
    error = capsys.readouterr().err
    assert "lookup-table runs on lookup cases; these are memory cases" in error


@pytest.fixture
def mixed(recording: Path, checkout: Path, tmp_path: Path) -> Path:
    lookups, memories = tmp_path / "lookups.jsonl", tmp_path / "memories.jsonl"
    sample = checkout / "datasets" / "sample" / "recording"
    case_id = Recording.open(sample).case_ids[0]
    assert call(["export", "cases", str(recording), "--out", str(lookups), "-q"]) == 0
    given = ["export", "cases", str(sample), "--case", case_id, "--out", str(memories), "-q"]
    assert call(given) == 0
    both = tmp_path / "both.jsonl"
    body = (
        lookups.read_text("utf-8").splitlines()[1:] + memories.read_text("utf-8").splitlines()[1:]
    )
    both.write_text("\n".join(body) + "\n", "utf-8")
    return both


def test_kinds_may_be_mixed_where_each_case_stands_alone(
    mixed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "selected.jsonl"
    points = ["--point", "items", "--point", "lookup-table"]
    assert call(["select", str(mixed), *points, "--out", str(out)]) == 0
    assert "not applicable to memory cases, left out: lookup-table" in capsys.readouterr().err
    selected = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert [value["point"] for value in selected] == [*["items", "lookup-table"] * 2, "items"]
    assert call(["import", "cases", str(mixed), "--out", str(tmp_path / "rec")]) == 2
    assert "is a memory case, those before it lookup cases" in capsys.readouterr().err


LOOKUP: dict[str, Any] = {
    "schema": "harness.lookup/1",
    "case_id": "one",
    "category": None,
    "query": "q",
    "scope": "/",
    "table": "| /a.md | 0.10 | A | |\n",
    "spent_bytes": 23,
    "documents": [
        {
            "path": "/a.md",
            "version": 1,
            "metadata": {},
            "body": "# A\n\ntext\n",
            "sections": [{"anchor": "a", "level": 1, "start": 0, "end": 10, "lines": 3}],
        }
    ],
    "gold": None,
}


def changed(path: str, value: Any) -> dict[str, Any]:
    made = json.loads(json.dumps(LOOKUP))
    place: Any = made
    *parents, last = path.split("/")
    for part in parents:
        place = place[int(part) if part.isdigit() else part]
    place[last] = value
    return dict(made)


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        (changed("spent_bytes", 22), "spent_bytes is 22, but the table has 23 UTF-8 bytes"),
        (changed("extra", 1), "extra is an unknown key"),
        (changed("documents/0/version", 0), "documents[0].version is 0, expected 1 or more"),
        (changed("documents/0/sections/0/end", 11), "gives the range 0 to 11 of 10 characters"),
        (changed("documents/0/sections/0/level", 7), "level is 7, expected 1 to 6"),
        (
            changed("documents", LOOKUP["documents"] * 2),
            "documents[1].path '/a.md' was given before",
        ),
        (changed("gold", {"answer": 1, "outcome": "answered"}), "gold.answer is the number 1"),
        (changed("gold", {"answer": {}, "outcome": "done"}), "gold.outcome is 'done'"),
        (changed("schema", "harness.lookup/2"), "newer than 'harness.lookup/1'"),
    ],
)
def test_faulty_lookups_are_refused(
    value: dict[str, Any], fault: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "lookups.jsonl"
    source.write_text(json.dumps(value) + "\n", "utf-8")
    assert call(["select", str(source), "--point", "lookup-table"]) == 2
    assert fault in capsys.readouterr().err


def test_titles_of_outlines_are_read_from_the_body(tmp_path: Path) -> None:
    source, out = tmp_path / "lookups.jsonl", tmp_path / "out.jsonl"
    made = changed("documents/0/body", "# *A* b\n\ntx\n")
    made["documents"][0]["sections"][0]["end"] = 12
    source.write_text(json.dumps(made) + "\n", "utf-8")
    point = "lookup-budgeted(outline_threshold=0)"
    assert call(["select", str(source), "--point", point, "--out", str(out), "-q"]) == 0
    context = json.loads(out.read_text("utf-8"))["context"]
    assert "- A b (#a, 3 lines)\n\ntx\n\nFetch /a.md#anchor for one section." in context


QUERIES = [
    {"case_id": "t2", "query": "pine wood", "scope": "/shed"},
    {"case_id": "t1", "query": "cone ten", "match": "body"},
]


def test_queries_of_a_file(world: Path, tmp_path: Path) -> None:
    source, out = tmp_path / "queries.jsonl", tmp_path / "rec"
    source.write_text("".join(json.dumps(each) + "\n" for each in QUERIES), "utf-8")
    given = ["record", "lookups", str(world), "--queries", str(source), "--out", str(out), "-q"]
    assert call(given) == 0
    shed, kiln = Recording.open(out).cases()
    assert shed.lookup is not None
    assert kiln.lookup is not None
    assert [(row.path, row.anchor) for row in shed.lookup.rows] == [("/shed/wood.md", None)]
    # both sections of the glaze hold the two words: the shorter one ranks first
    assert [(row.path, row.anchor) for row in kiln.lookup.rows] == [
        ("/kiln/glaze.md", "cones"),
        ("/kiln/glaze.md", "glaze"),
    ]
    assert (kiln.case_id, kiln.category) == ("t1", "direct")


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ({"case_id": "t9", "query": "x"}, "'t9' is not a task of the world"),
        ({"case_id": "t1"}, "query is missing"),
        ({"case_id": "t1", "query": "x", "match": "all"}, "match is 'all'"),
    ],
)
def test_faulty_queries(
    world: Path,
    line: dict[str, Any],
    fault: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    source = tmp_path / "queries.jsonl"
    source.write_text(json.dumps(line) + "\n", "utf-8")
    out = tmp_path / "rec"
    given = ["record", "lookups", str(world), "--queries", str(source), "--out", str(out)]
    assert call(given) == 2
    assert fault in capsys.readouterr().err
    assert not out.exists()


def attempt(task: str, repeat: int, *calls: dict[str, Any]) -> dict[str, Any]:
    trace = {"calls": list(calls), "final": "", "usage": {}, "usage_complete": True, "turns": 1}
    return {"task": task, "category": "direct", "repeat": repeat, "trace": trace}


def test_first_lookups_of_traces(
    world: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = "status: ok\n\n\n# Lookup\n\n| /kiln/glaze.md | 0.50 | Glaze | glaze |\n"
    printed = table + "\n>>> /kiln/glaze.md/v1#glaze\n\n# Glaze\n\n"
    first = {
        "name": "demarkus_mark_lookup",
        "input": {"query": "glaze", "url": "/kiln", "budget": 1500},
        "output": printed,
        "error": "",
    }
    second = {**first, "output": "| /kiln/firing.md | 0.90 | F | |\n"}
    fetch = {"name": "mark_fetch", "input": {"url": "/x"}, "output": "", "error": ""}
    source = tmp_path / "traces.jsonl"
    attempts = [attempt("t1", 1, fetch, first, second), attempt("t1", 2, fetch)]
    source.write_text("".join(json.dumps(each) + "\n" for each in attempts), "utf-8")
    out = tmp_path / "rec"
    given = ["record", "lookups", str(world), "--traces", str(source), "--out", str(out)]
    assert call(given) == 0
    assert "1 attempt made no lookup, left out" in capsys.readouterr().err
    (case,) = Recording.open(out).cases()
    assert case.lookup is not None
    assert (case.case_id, case.query.text, case.lookup.table) == ("t1#1", "glaze", table)
    assert case.lookup.scope == "/kiln"


@pytest.mark.shared
def test_the_small_real_world(shared: Path, tmp_path: Path) -> None:
    """Eight tasks whose nine fields each have one passage; version 1 of one of them is needed, and
    before the pin no block can be cited."""
    world = shared / "data/lookups/tools/internal/answerbench/fixtures"
    rec, out = tmp_path / "rec", tmp_path / "run"
    assert call(["record", "lookups", str(world), "--out", str(rec), "-q"]) == 0
    points = ["--point", "lookup-table", "--point", "lookup-before", "--point", "lookup-budgeted"]
    assert call(["replay", str(rec), "--out", str(out), *points, "-q", "--no-tokens"]) == 0
    rows = Run.open(out).table("expansions").to_pylist()
    assert len({row["case_id"] for row in rows}) == 8
    citable: dict[str, int] = {}
    for row in rows:
        citable[row["point"]] = citable.get(row["point"], 0) + row["fields_citable"]
        assert row["fields_citable"] <= row["fields"]
        assert row["over_budget_bytes"] == 0
    assert citable["lookup-table"] == citable["lookup-before"] == 0
    assert citable["lookup-budgeted"] > 0


def test_text_of_traces_that_is_no_unicode(
    world: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "traces.jsonl"
    call_ = {"name": "mark_lookup", "input": {"query": "glaze"}, "output": "\ud800", "error": ""}
    source.write_text(json.dumps(attempt("t1", 1, call_)) + "\n", "utf-8")
    given = ["record", "lookups", str(world), "--traces", str(source), "--out", str(tmp_path / "r")]
    assert call(given) == 2
    assert "trace.calls[0].output holds a lone surrogate" in capsys.readouterr().err


SHORT = ["潮位", "光", "c", "r", "満潮は何回記録しますか"]


def write_tides(folder: Path) -> Path:
    """A world whose pages hold what the short queries ask for."""
    pages = {
        "/tide.md": ("潮位の記録", "満潮は一日に二回記録する。"),
        "/light.md": ("光の測り方", "展示室の光。"),
        "/clay.md": ("Clay C and glaze R", "Fire C before R. The keeper's note."),
        "/other.md": ("Another", "Nothing of it. 読んでください。"),
    }
    corpus = [
        {"path": path, "metadata": {"title": title}, "versions": [f"# {title}\n\n{text}\n"]}
        for path, (title, text) in pages.items()
    ]
    tasks = [
        {"id": query, "category": "c", "question": query, "fields": {"x": "string"}}
        for query in [*SHORT, "unheard"]
    ]
    rubric = {task["id"]: {"answer": {"x": "y"}, "evidence": {}} for task in tasks}
    folder.mkdir(parents=True)
    for name, value in (("corpus", corpus), ("tasks", tasks), ("rubric", rubric)):
        (folder / f"{name}.json").write_text(json.dumps(value), encoding="utf-8")
    return folder


@pytest.mark.parametrize("match", ["catalog", "body"])
def test_short_and_unspaced_queries_find_their_documents(
    tmp_path: Path, match: str, capsys: pytest.CaptureFixture[str]
) -> None:
    world = write_tides(tmp_path / "world")
    out = tmp_path / "recording"
    assert call(["record", "lookups", str(world), "--out", str(out), "--match", match]) == 0
    warning = "warning: 1 of 6 lookups found nothing, so their tables have no row: unheard\n"
    assert warning in capsys.readouterr().err
    recording = Recording.open(out)
    found = {
        case.case_id: [row.path for row in case.lookup.rows]
        for case in recording.cases()
        if case.lookup is not None
    }
    assert {query: found[query][0] for query in SHORT} == {
        "潮位": "/tide.md",
        "光": "/light.md",
        "c": "/clay.md",
        "r": "/clay.md",
        "満潮は何回記録しますか": "/tide.md",
    }
    assert found["unheard"] == []
    assert recording.manifest.content["recall"]["words"] == "any-script/1"


def test_queries_that_need_no_other_words_are_recorded_as_before(recording: Path) -> None:
    assert "words" not in Recording.open(recording).manifest.content["recall"]
