"""Bad files of cases: every fault by line and field, through the command line, with exit code 2."""

from __future__ import annotations

import base64
import copy
import gzip
import io
import json
import lzma
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.cli.main import run
from harness.errors import Faults
from harness.recording.case_reader import case_of

Path_ = tuple[str | int, ...]


def vector(*cells: int) -> str:
    return base64.b64encode(bytes(cell & 255 for cell in cells)).decode("ascii")


VALID: dict[str, Any] = {
    "schema": "harness.case/1",
    "case_id": "one",
    "category": None,
    "query": {"text": "when?", "date": "2023-06-01", "vector": [0.5, 0.25]},
    "records": [
        {
            "record_id": "a",
            "text": "Hello. You.",
            "timestamp": "2023-05-20T02:21:00+00:00",
            "session_id": "s",
            "metadata": {"source": "chat"},
            "blocks": [
                {"start": 0, "end": 6, "vector": vector(1, 2)},
                {"start": 6, "end": 11, "vector": vector(3, 4)},
            ],
        },
        {"record_id": "b", "text": "Other.", "blocks": None},
    ],
    "items": [{"head": "a", "claims": ["b"], "reserved": False, "recall": {"rank": 0, "score": 1}}],
    "gold": {
        "answer": "May",
        "abstention": False,
        "sessions": ["s"],
        "evidence": [{"record_id": "a", "start": 0, "end": 6, "role": "user"}],
    },
}
MISSING = object()


def changed(path: Path_, value: Any) -> dict[str, Any]:
    """`VALID` with one value replaced, or taken out."""
    case = copy.deepcopy(VALID)
    parent: Any = case
    for step in path[:-1]:
        parent = parent[step]
    if value is MISSING:
        del parent[path[-1]]
    else:
        parent[path[-1]] = value
    return case


BLOCKS = ("records", 0, "blocks")
INFINITE = float("inf")
FAULTS: list[tuple[Path_, Any, str]] = [
    (("schema",), "harness.selection/1", "schema is the string 'harness.selection/1', expected"),
    (("schema",), "harness.case/2", "schema is 'harness.case/2', newer than 'harness.case/1'"),
    (("schema",), MISSING, "schema is missing"),
    (("case_id",), "", "case_id is empty"),
    (("case_id",), 7, "case_id is the number 7, expected a string"),
    (("case_ids",), "x", "case_ids is an unknown key; did you mean 'case_id'?"),
    (("category",), ["a"], "category is a list, expected a string"),
    (("query",), MISSING, "query is missing"),
    (("query",), None, "query is null, expected an object"),
    (("query", "vectr"), [], "query.vectr is an unknown key; did you mean 'vector'?"),
    (("query", "text"), None, "query.text is null, expected a string"),
    (("query", "text"), "\ud800", "query.text holds a lone surrogate"),
    (("query", "date"), "yesterday", "query.date is 'yesterday', expected a date in ISO 8601"),
    (("query", "vector"), [], "query.vector is empty; give null for no vector"),
    (("query", "vector"), [0.5, float("nan")], "query.vector[1] is nan, which JSON does not have"),
    (("query", "vector"), [-INFINITE, 1], "query.vector[0] is -inf, which JSON does not have"),
    (("query", "vector"), [1, 1e39], "query.vector[1] is the number 1e+39, expected a finite"),
    (
        ("query", "vector"),
        [10**400, 1],
        "query.vector[0] is a number of 401 digits, too large to be read",
    ),
    (("query", "vector"), [True, 1], "query.vector[0] is true, expected"),
    (("query", "vector"), ["1", 1], "query.vector[0] is the string '1', expected"),
    (("query", "vector"), [1.0], "query.vector has 1 dimension, those of 2 blocks 2"),
    (("records",), {}, "records is an object, expected a list"),
    (("records", 0, "id"), "x", "records[0].id is an unknown key"),
    (("records", 1, "record_id"), "a", "records[1].record_id 'a' was given before"),
    (("records", 0, "text"), "a \udfff", "records[0].text holds a lone surrogate"),
    (("records", 0, "timestamp"), "2023-13-01", "records[0].timestamp is '2023-13-01'"),
    (("records", 0, "metadata"), [1], "records[0].metadata is a list, expected an object"),
    (
        ("records", 0, "metadata"),
        {"a": [{"b": INFINITE}]},
        "records[0].metadata.a[0].b is inf, which JSON does not have",
    ),
    (("records", 0, "metadata"), {"\ud800": 1}, "records[0].metadata has the key"),
    ((*BLOCKS, 0, "embedding"), "x", "records[0].blocks[0].embedding is an unknown key"),
    ((*BLOCKS, 1, "start"), 5, "blocks[1].start is 5, expected 6: it overlaps the block before"),
    ((*BLOCKS, 1, "start"), 7, "blocks[1].start is 7, expected 6: it leaves a gap"),
    ((*BLOCKS, 1, "end"), 12, "blocks[1].end is 12, expected more than 6 and at most 11"),
    ((*BLOCKS, 0, "end"), 0, "blocks[0].end is 0, expected more than 0 and at most 11"),
    ((*BLOCKS, 0, "start"), -1, "blocks[0].start is -1, expected 0"),
    ((*BLOCKS, 0, "start"), 0.0, "blocks[0].start is the number 0.0, expected a whole number"),
    ((*BLOCKS, 1, "end"), 10**30, "blocks[1].end is a number of more than 32 bits"),
    ((*BLOCKS, 1), MISSING, "records[0].blocks end at 6, but the text has 11 characters"),
    ((*BLOCKS, 1, "vector"), vector(1, 2, 3), "blocks[1].vector has 3 dimensions, the others"),
    ((*BLOCKS, 1, "vector"), "AQ=", "records[0].blocks[1].vector is not base64"),
    ((*BLOCKS, 1, "vector"), [1, 2], "records[0].blocks[1].vector is a list, expected a string"),
    ((*BLOCKS, 1, "vector"), "", "records[0].blocks[1].vector is empty; give null"),
    (("items", 0, "head"), "z", "items[0] names the record 'z', which is not among the records"),
    (("items", 0, "head"), MISSING, "items[0].head is missing"),
    (("items", 0, "claims"), ["a"], "items[0].claims name the head 'a'"),
    (("items", 0, "claims"), ["b", "b"], "items[0].claims name a record twice"),
    (("items", 0, "claims"), [1], "items[0].claims[0] is the number 1, expected a string"),
    (("items", 0, "claim"), ["b"], "items[0].claim is an unknown key; did you mean 'claims'?"),
    (("items", 0, "reserved"), 1, "items[0].reserved is the number 1, expected true or false"),
    (("items", 0, "recall", "rank"), -1, "items[0].recall.rank is -1, expected 0 or more"),
    (("items", 0, "recall", "score"), INFINITE, "items[0].recall.score is inf, which JSON"),
    (("items", 0, "recall", "place"), 1, "items[0].recall.place is an unknown key"),
    (("gold", "answer"), 1.5, "gold.answer is the number 1.5, expected a string or a whole number"),
    (("gold", "answer"), "\ud800", "gold.answer holds a lone surrogate"),
    (("gold", "evidences"), [], "gold.evidences is an unknown key; did you mean 'evidence'?"),
    (("gold", "sessions"), "s", "gold.sessions is the string 's', expected a list"),
    (("gold", "evidence", 0, "end"), 12, "gold.evidence[0] is the range 0 to 12, expected"),
    (("gold", "evidence", 0, "start"), 7, "gold.evidence[0] is the range 7 to 6, expected"),
    (("gold", "evidence", 0, "turn"), 7, "gold.evidence[0].turn is an unknown key"),
]


def line_of(case: Any) -> str:
    return json.dumps(case)


def refused(path: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """What the command line says to a bad file."""
    code = run(["select", str(path), "--point", "items"])
    written = capsys.readouterr()
    assert code == 2
    assert written.err.startswith("error: ")
    assert "Traceback" not in written.err
    return written.err


def test_a_question_with_another_width_is_blamed_itself() -> None:
    """Not each of the blocks, of which there may be thousands."""
    case = changed(("query", "vector"), [0.5])
    blocks = case["records"][0]["blocks"]
    case["records"][0]["text"] = "ab" * 20
    blocks[:] = [{"start": n, "end": n + 1, "vector": vector(1, 2)} for n in range(40)]
    faults = Faults()
    assert case_of(case, faults) is None
    assert list(faults) == ["query.vector has 1 dimension, those of 40 blocks 2"]
    blocks[7]["vector"] = vector(1, 2, 3)
    faults = Faults()
    assert case_of(case, faults) is None
    assert list(faults) == [
        "query.vector has 1 dimension, those of 39 blocks 2",
        "records[0].blocks[7].vector has 3 dimensions, the others of this case 2",
    ]


def test_the_case_that_is_changed_is_valid(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text(line_of(VALID), encoding="utf-8")
    assert run(["select", str(path), "--point", "items"]) == 0
    assert json.loads(capsys.readouterr().out)["case_id"] == "one"


@pytest.mark.parametrize(("path", "value", "fault"), FAULTS)
def test_a_fault_is_named_by_line_and_field(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], path: Path_, value: Any, fault: str
) -> None:
    file = tmp_path / "cases.jsonl"
    good = line_of(changed(("case_id",), "good"))
    file.write_text(f"{good}\n{line_of(changed(path, value))}\n", encoding="utf-8")
    message = refused(file, capsys)
    assert f"  line 2: {fault}" in message or (f".{fault}" in message and "  line 2: " in message)
    assert "line 1" not in message


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("{", "is not JSON (at character "),
        ("{} {}", "has more after its JSON value ends (at character 4)"),
        ("[" * 100_000, "is nested too deeply"),
        ("null", "is null, expected an object"),
        ("[1]", "is a list, expected an object"),
        ('"text"', "is the string 'text', expected an object"),
        ('{"schema": "harness.cases/1"}', "is a header, which may only be the first line"),
    ],
)
def test_lines_that_hold_no_case(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], line: str, fault: str
) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text(f"{line_of(VALID)}\n{line}\n", encoding="utf-8")
    assert f"  line 2: {fault}" in refused(file, capsys)


@pytest.mark.parametrize(
    ("number", "fault"),
    [
        ("NaN", "is nan, which JSON does not have"),
        ("Infinity", "is inf, which JSON does not have"),
        ("1e999", "is the number inf, expected a finite number"),
    ],
)
def test_numbers_that_are_not_finite(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], number: str, fault: str
) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text(line_of(VALID).replace("0.25", number), encoding="utf-8")
    assert f"line 1: query.vector[1] {fault}" in refused(file, capsys)


def test_bytes_that_are_not_utf8(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_bytes(line_of(VALID).encode() + b'\n{"schema": "\xff"}\n')
    assert "line 2: is not UTF-8 (byte 13: " in refused(file, capsys)


def test_a_case_id_given_twice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text(f"{line_of(VALID)}\n\n{line_of(VALID)}\n", encoding="utf-8")
    assert "line 3: case_id 'one' is already in line 1" in refused(file, capsys)


def test_the_faults_of_all_lines_are_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    two_faults = changed(("items", 0, "head"), "z")
    two_faults["query"]["date"] = "soon"
    lines = [line_of(VALID), "{", line_of(two_faults), line_of(changed(("case_id",), ""))]
    file = tmp_path / "cases.jsonl"
    file.write_text("\n".join(lines), encoding="utf-8")
    message = refused(file, capsys)
    assert f"{file}: 4 faults" in message
    for start in ("line 2: is not JSON", "line 3: query.date", "line 3: items[0]", "line 4: case"):
        assert f"\n  {start}" in message


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress])
def test_compressed_data_that_ends_early(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], pack: Any
) -> None:
    cases = [line_of(changed(("case_id",), f"case {number}")) for number in range(2000)]
    data = pack("\n".join(cases).encode())
    file = tmp_path / "cases.jsonl.gz"
    file.write_bytes(data[: len(data) * 2 // 3])
    assert "the compressed data is damaged or ends early, after line " in refused(file, capsys)


def test_compressed_data_that_is_damaged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = bytearray(gzip.compress(line_of(VALID).encode()))
    data[len(data) // 2] ^= 255
    file = tmp_path / "cases.jsonl.gz"
    file.write_bytes(data)
    assert "the compressed data is damaged" in refused(file, capsys)


def test_a_newer_header(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text('{"schema": "harness.cases/2", "new": 1}\n' + line_of(VALID), encoding="utf-8")
    message = refused(file, capsys)
    assert "line 1: schema is 'harness.cases/2', newer than 'harness.cases/1'" in message


def test_an_unknown_key_of_the_header(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text('{"schema": "harness.cases/1", "embeder": "x"}\n', encoding="utf-8")
    assert "line 1: embeder is an unknown key; did you mean 'embedder'?" in refused(file, capsys)


@pytest.mark.parametrize("content", ["", "\n\n", '{"schema": "harness.cases/1"}\n'])
def test_a_file_without_a_case(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str
) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text(content, encoding="utf-8")
    assert f"{file} holds no case" in refused(file, capsys)


def test_a_path_that_cannot_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "No such file" in refused(tmp_path / "nothing.jsonl", capsys)
    assert "directory" in refused(tmp_path, capsys)


def test_standard_input_is_named_in_messages(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"{\n")))
    assert "standard input: 1 fault\n  line 1: is not JSON" in refused(Path("-"), capsys)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)
LEAVES: list[Path_] = sorted({path for path, _, _ in FAULTS}, key=repr)


@given(st.sampled_from(LEAVES), json_values)
def test_no_json_value_in_any_field_is_a_crash(path: Path_, value: Any) -> None:
    faults = Faults()
    case = case_of(changed(path, value), faults)
    assert (case is None) == bool(len(faults))
