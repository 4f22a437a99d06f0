"""Files of searches: every fault is named by its line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from harness.errors import InputError
from harness.recording.sources.cpersona.searches import read_asked, read_searches

from ...make.stores import Object, item, response, search, write_searches


def without(key: str) -> Object:
    made = search()
    del made[key]
    return made


def traced(*clusters: list[str], **more: Any) -> Object:
    trace = {
        "candidate_refs": [],
        "clusters": list(clusters),
        "recall": {"reservation": [{"ref": "ep:1"}]},
    }
    return response(item("mem:1"), trace=trace, **more)


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (without("agent_id"), "agent_id is missing"),
        (without("response"), "response is missing"),
        (search(vector=[1.0]), "vector is an unknown key; did you mean 'query_vector'?"),
        (search(query=""), "query is empty"),
        (search(query_vector=[]), "query_vector is empty, expected a list of numbers or null"),
        (search(query_vector=[1.0, "x"]), "query_vector[1] is the string 'x', expected a finite"),
        (search(query_vector=[1e300] * 16), "query_vector holds a number beyond float32"),
        (
            search(response=[]),
            "response is not one of reconstruct (Expected `object`, got `array`)",
        ),
        (
            search(response={"ok": False, "error": "no such agent"}),
            "refusal of the server: no such",
        ),
        (
            search(response={"items": [{"content": "x"}]}),
            "missing required field `head_ref` - at `$.items[0]`",
        ),
        (search(response=response(item("1"))), "'1' is not a ref; expected mem:<id> or ep:<id>"),
        (
            search(response=response(item("mem:1", excerpts=[{"ref": "profile"}]))),
            "'profile' is not a ref; expected mem:<id> or ep:<id>",
        ),
        (search(response=response(item("mem:1"), item("mem:1"))), "two items with the head mem:1"),
        (
            search(response=response(item("mem:1"), reserved_omitted=2)),
            "response leaves out 2 reserved items, so the window is not whole",
        ),
        (
            search(response=response(item("mem:1"), shortfall_reason="budget_exhausted")),
            "response leaves out items for which the budget had no room",
        ),
        (
            search(response=traced(["mem:1"], ["mem:2", "mem:3"], ["ep:1"])),
            "response leaves out 1 item of its trace's clusters",
        ),
        (
            search(response=response(item("mem:1", "mem:2", "mem:3"))),
            "does not tell in which order the claims of mem:1 are relevant",
        ),
    ],
)
def test_a_faulty_search(tmp_path: Path, made: Object, message: str) -> None:
    path = write_searches(tmp_path / "searches.jsonl", [search("q0"), made])
    with pytest.raises(InputError) as caught:
        read_searches(str(path))
    assert "line 2: " in caught.value.message
    assert message in caught.value.message


def test_clusters_beyond_the_count_that_was_asked_for_are_not_missing(tmp_path: Path) -> None:
    made = search(response=traced(["mem:1"], ["mem:2"], ["ep:1"], effective_count=1))
    path = write_searches(tmp_path / "searches.jsonl", [made])
    (row,) = read_searches(str(path)).rows
    assert [one.head for one in row.window.items] == ["mem:1"]


def test_faults_of_several_lines_come_together(tmp_path: Path) -> None:
    searches = [search("q1"), search("q1"), search("q2", query_vector=[1.0, 2.0])]
    path = write_searches(tmp_path / "searches.jsonl", searches)
    path.write_text(path.read_text("utf-8") + "{\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_searches(str(path))
    message = caught.value.message
    assert "3 faults" in message
    assert "line 2: question_id 'q1' is already in line 1" in message
    assert "line 3: query_vector has 2 components, those before it 16" in message
    assert "line 4: is not JSON" in message


def test_an_empty_file(tmp_path: Path) -> None:
    path = write_searches(tmp_path / "searches.jsonl", [])
    with pytest.raises(InputError, match="holds no search"):
        read_searches(str(path))


def test_questions_to_ask_have_no_response(tmp_path: Path) -> None:
    asked = {"question_id": "q1", "agent_id": "a", "query": "Where?"}
    path = write_searches(tmp_path / "questions.jsonl", [asked])
    (question,) = read_asked(str(path))
    assert (question.question_id, question.agent_id, question.query) == ("q1", "a", "Where?")
    path = write_searches(tmp_path / "questions.jsonl", [search()])
    with pytest.raises(InputError, match="response is an unknown key"):
        read_asked(str(path))
