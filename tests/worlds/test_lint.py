"""Lint: each fault of a world is found, and named with what mends it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from harness.errors import InputError
from harness.worlds.lint import findings
from harness.worlds.loading import load_world
from harness.worlds.opening import open_world

from .folder import DOCUMENTS, QUOTE, RUBRIC, TASKS, rubric_with, write_folder

SPEED = RUBRIC["speed"]


def found(folder: Path, **parts: Any) -> list[str]:
    return findings(open_world(write_folder(folder, **parts)))


def test_a_sound_world(tmp_path: Path) -> None:
    assert found(tmp_path) == []
    world = load_world(tmp_path)
    assert list(world.documents or ()) == ["/mill/race.md", "/mill/wheel.md", "/yard/cart.md"]
    wheel = world.document("/mill/wheel.md")
    assert wheel is not None
    assert (wheel.version, [each.anchor for each in wheel.sections]) == (
        2,
        ["the-wheel", "speed", "in-winter"],
    )
    assert wheel.metadata["rel-depends-on"] == "/mill/race.md#sluice"
    assert world.document("/mill/wheel.md", 3) is None
    gold = world.rubric["speed"].gold
    assert (gold.answer, gold.outcome) == ({"turns": 9}, "answered")
    assert world.rubric["smith"].outcome.value == "not-found"


AT = "rubric.json 'speed'.evidence.turns[0] "


@pytest.mark.parametrize(
    ("quote", "fault"),
    [
        (
            {"path": "/mill/whel.md"},
            "names /mill/whel.md, which is not a document; did you mean '/mill/wheel.md'?",
        ),
        ({"version": 3}, "names /mill/wheel.md v3; its versions are 1 and 2"),
        (
            {"version": 1},
            "quotes 'The wheel turns 9 times a minute.', which is not in /mill/wheel.md v1#speed",
        ),
        (
            {"anchor": "sped"},
            "names the section #sped of /mill/wheel.md v2, which has none such; "
            "did you mean 'speed'?; the quote is in #speed",
        ),
        (
            {"anchor": "Speed"},
            "names the section #Speed of /mill/wheel.md v2, which has none such; "
            "did you mean 'speed'?; the quote is in #speed",
        ),
        (
            {"anchor": "in-winter"},
            "quotes 'The wheel turns 9 times a minute.', which is not in "
            "/mill/wheel.md v2#in-winter; the quote is in #speed",
        ),
        (
            {"quote": "The wheel  turns 9 times"},
            "quotes 'The wheel  turns 9 times', which is not in /mill/wheel.md v2#speed; "
            "the quote is there with other white space, but it must be raw text",
        ),
        (
            {"path": "/yard/cart.md", "version": 1, "anchor": "cart", "quote": "It lost a wheel."},
            "names /yard/cart.md, outside the scope /mill",
        ),
        (
            {"path": "/yard/cart.md", "version": 1, "anchor": "cart", "quote": "It lost a wheel."},
            "names /yard/cart.md, which is archived: no reader can fetch it",
        ),
        (
            {"path": "/mill/race.md", "version": 1, "anchor": "sluice", "quote": "never before"},
            "quotes 'never before', which is not in /mill/race.md v1#sluice",
        ),
    ],
)
def test_a_quote_must_be_raw_text_of_its_section(
    tmp_path: Path, quote: dict[str, Any], fault: str
) -> None:
    assert AT + fault in found(tmp_path, rubric=rubric_with(**quote))


def test_a_quote_may_span_a_section_within_its_section(tmp_path: Path) -> None:
    spanning = "9 times a minute.\n\n### In winter\n\nThen"
    assert found(tmp_path, rubric=rubric_with(quote=spanning)) == []
    documents = DOCUMENTS | {"mill/wheel.md": "Before it all.\n\n# Speed\n"}
    rubric = rubric_with(quote="Before it all.")
    (fault,) = found(tmp_path, documents=documents, rubric=rubric)
    assert fault.endswith("v2#speed; the quote is there outside every section")


@pytest.mark.parametrize(
    ("marking", "fault"),
    [
        ({"answer": {"turns": "9"}}, ".answer.turns is the string '9', expected number"),
        ({"answer": {"turns": True}}, ".answer.turns is true, expected number"),
        ({"answer": {}}, ".answer.turns is missing"),
        (
            {"answer": {"turns": 9, "turn": 9}},
            ".answer.turn is not a field of the task; did you mean 'turns'?",
        ),
        (
            {"evidence": {"turn": [QUOTE]}},
            ".evidence.turn is not a field of the task; did you mean 'turns'?",
        ),
        ({"abstain": True, "outcome": "answered"}, ".abstain is true, but its outcome is answered"),
        (
            {"outcome": "not-found"},
            " has an answer or evidence, but its outcome is not-found",
        ),
        (
            {"outcome": "answred"},
            ".outcome is 'answred', expected 'answered', 'not-found' or 'incomplete'; "
            "did you mean 'answered'?",
        ),
        ({"suplemental": {}}, ".suplemental is an unknown key; did you mean 'supplemental'?"),
        (
            {"evidence": {"turns": [QUOTE | {"xyz": ""}]}},
            ".evidence.turns[0].xyz is an unknown key",
        ),
        (
            {"evidence": {"turns": [QUOTE | {"version": "2"}]}},
            ".evidence.turns[0].version is the string '2', expected a whole number",
        ),
        ({"evidence": None}, ".evidence is null, expected an object"),
        (
            {"supplemental": {"turns": [QUOTE | {"version": 1}]}},
            ".supplemental.turns[0] quotes 'The wheel turns 9 times a minute.', "
            "which is not in /mill/wheel.md v1#speed",
        ),
        (
            {"contradictions": [QUOTE | {"version": 9}]},
            ".contradictions[0] names /mill/wheel.md v9; its versions are 1 and 2",
        ),
        (
            {"completion": [{"step": "s", "tool": "t", "urls": "/"}]},
            ".completion[0].urls is an unknown key; did you mean 'url'?",
        ),
    ],
)
def test_faults_of_a_marking(tmp_path: Path, marking: dict[str, Any], fault: str) -> None:
    rubric = RUBRIC | {"speed": SPEED | marking}
    assert f"rubric.json 'speed'{fault}" in found(tmp_path, rubric=rubric)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"fields": {"turns": "numbre"}}, ".fields.turns is 'numbre', expected 'string', "
         "'number', 'boolean' or 'array of strings'; did you mean 'number'?"),
        ({"fields": {}}, ".fields is empty: an answer needs a field"),
        ({"scope": "mill"}, ".scope is 'mill', expected one like '/folder'"),
        ({"scope": "/mil"}, ".scope is '/mil', which has no document"),
        ({"question": ""}, ".question is empty"),
        ({"answer": 1}, ".answer is an unknown key"),
    ],
)  # fmt: skip
def test_faults_of_a_task(tmp_path: Path, change: dict[str, Any], fault: str) -> None:
    tasks = [TASKS[0] | change, TASKS[1]]
    assert f"tasks.json task 'speed'{fault}" in found(tmp_path, tasks=tasks)


def test_all_or_no_task_has_a_scope(tmp_path: Path) -> None:
    unscoped = {key: value for key, value in TASKS[1].items() if key != "scope"}
    assert found(tmp_path, tasks=[TASKS[0], unscoped]) == [
        "tasks.json: 'smith' of 2 tasks have no scope; expected all or none to have one"
    ]
    neither = {key: value for key, value in TASKS[0].items() if key != "scope"}
    assert found(tmp_path, tasks=[neither, unscoped]) == []


def test_tasks_and_rubric_belong_together(tmp_path: Path) -> None:
    rubric = {"spead": SPEED, "smith": RUBRIC["smith"]}
    assert found(tmp_path, tasks=[*TASKS, TASKS[1]], rubric=rubric) == [
        "tasks.json has 2 tasks with the id 'smith'",
        "rubric.json has no entry for the task 'speed'",
        "rubric.json 'spead' is not a task of tasks.json; did you mean 'speed'?",
    ]


@pytest.mark.parametrize(
    ("name", "text", "fault"),
    [
        (
            "mill/race.md",
            "---\nimportance: high\n---\n",
            "/mill/race.md v1 has importance 'high', expected a number like 0.8",
        ),
        ("mill/race.md", "---\ntags\n---\n", "documents/mill/race.md line 2 is 'tags', expected "
         "`key: value`"),
        ("yard/cart.md", "---\narchived: yes\n---\n", "documents/yard/cart.md has archived: yes, "
         "expected true or false"),
        ("yard/gate.v1.md", "", "documents/yard/gate.v1.md is an older version, but there is no "
         "newest one (/yard/gate.md)"),
    ],
)  # fmt: skip
def test_faults_of_a_document(tmp_path: Path, name: str, text: str, fault: str) -> None:
    assert fault in found(tmp_path, documents=DOCUMENTS | {name: text})


def test_a_relation_without_a_name_is_dropped(tmp_path: Path) -> None:
    text = "---\nrel-: /x.md\n---\n"
    assert found(tmp_path, documents=DOCUMENTS | {"mill/race.md": text}) == found(tmp_path)


def test_everything_is_reported_together(tmp_path: Path) -> None:
    write_folder(tmp_path, rubric=rubric_with(version=1) | {"other": RUBRIC["smith"]})
    faults = findings(open_world(tmp_path))
    assert len(faults) == 2
    with pytest.raises(InputError) as caught:
        load_world(tmp_path)
    assert all(fault in caught.value.message for fault in faults)


@pytest.mark.parametrize(
    ("name", "text", "fault"),
    [
        ("rubric.json", "{} {}", "rubric.json has more after its JSON value ends"),
        ("rubric.json", '{"a": {}, "a": {}}', "rubric.json has the key 'a' twice"),
        ("tasks.json", "[", "tasks.json is not JSON (at character 2"),
        ("tasks.json", "[NaN]", "tasks.json[0] is nan, which JSON does not have"),
    ],
)
def test_what_is_not_json_cannot_be_read(tmp_path: Path, name: str, text: str, fault: str) -> None:
    write_folder(tmp_path)
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError) as caught:
        open_world(tmp_path)
    assert fault in caught.value.message


def test_what_is_not_utf_8_cannot_be_read(tmp_path: Path) -> None:
    write_folder(tmp_path)
    (tmp_path / "documents/mill/race.md").write_bytes(b"# \xff\n")
    (tmp_path / "tasks.json").write_bytes(b"\xff")
    with pytest.raises(InputError) as caught:
        open_world(tmp_path)
    assert "race.md is not UTF-8 (byte 3" in caught.value.message
    assert "tasks.json is not UTF-8 (byte 1" in caught.value.message


@pytest.mark.parametrize("world", ["empty", "missing"])
def test_a_folder_without_a_world(tmp_path: Path, world: str) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"is not a world|is not a folder"):
        open_world(tmp_path / world)
