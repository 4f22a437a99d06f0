"""Whatever stands where metadata should be, nothing fails; what is no JSON object is invalid."""

from __future__ import annotations

import json
from typing import Any

import pytest

from arms.sea import graph_signal, metadata_signal, parse_metadata, recall, snippet
from arms.sea.metadata import MAX_DEPTH
from arms.sea.record import json_text
from harness.model import Record

from .made import chosen

LONG_INTEGER = "9" * 5_000
MEGABYTES = 10_000_000


def nested(depth: int) -> str:
    return '{"a":' * (depth - 1) + "{}" + "}" * (depth - 1)


INVALID = {
    "empty": "",
    "no JSON": "not json",
    "cut short": '{"kind":"constraint"',
    "trailing comma": '{"a":1,}',
    "an array": '[{"kind":"constraint"}]',
    "a string": '"constraint"',
    "a number": "3",
    "null": "null",
    "NaN": '{"kind":"constraint","importance":NaN}',
    "infinity": '{"kind":"constraint","importance":-Infinity}',
    "a float too large": '{"kind":"constraint","importance":1e999}',
    "a high surrogate": '{"kind":"constraint","text":"\\ud83d."}',
    "a low surrogate": '{"kind":"constraint","text":"\\ude00"}',
    "surrogates in the wrong order": '{"kind":"constraint","text":"\\ude00\\ud83d"}',
    "a surrogate in a key": '{"kind":"constraint","\\uD800":1}',
    "a surrogate that a later key replaces": '{"a":"\\ud800","a":1}',
    "a surrogate that is no escape": '{"kind":"constraint","text":"\ud800"}',
    "one level too deep": nested(MAX_DEPTH + 1),
    "very deep": '{"a":' + "[" * 200_000 + "]" * 200_000 + "}",
    "very deep and cut short": "[" * 1_000_000,
    "a long integer": '{"kind":"constraint","n":' + LONG_INTEGER + "}",
    "a long negative integer": '{"kind":"constraint","n":-' + LONG_INTEGER + "}",
    "10 MB that is no JSON": '{"text":"' + "x" * MEGABYTES,
    "10 MB of brackets": '{"text":"x' + "[" * MEGABYTES,
    "10 MB of backslashes": '{"text":"' + "\\" * MEGABYTES,
}


@pytest.mark.parametrize("name", INVALID)
def test_invalid(name: str) -> None:
    raw = INVALID[name]
    found = parse_metadata(raw)
    assert (found.valid, found.kind, found.profile, found.cluster) == (False, "note", "unknown", 0)
    assert (found.timestamp_ms, found.project) == (None, None)
    assert found.importance == 0
    assert metadata_signal(raw, "constraint") == graph_signal(raw) == 0
    shown = snippet(raw)
    assert len(shown.encode()) <= 512
    assert shown.removesuffix("...") == raw.replace("\ud800", "\ufffd")[: len(shown) - 3] or (
        shown == raw.replace("\ud800", "\ufffd")
    )
    found_by = recall("constraint", [("1", 0.5)], {"completion:1": raw}, [], store_vectors=1)
    assert [item.id for item in found_by.items] == ["1"]
    assert found_by.prompt.endswith("[query]\nconstraint")


VALID = {
    "a pair of surrogates": ('{"kind":"constraint","text":"\\ud83d\\ude00"}', "text=😀"),
    "an escaped backslash": ('{"kind":"constraint","text":"\\\\ud800"}', "text=\\ud800"),
    "the deepest": ('{"kind":"constraint","text":"x","a":' + nested(MAX_DEPTH - 1) + "}", "text=x"),
    "many brackets in a string": ('{"kind":"constraint","text":"' + "[" * 400 + '"}', None),
    "many objects side by side": (
        '{"kind":"constraint","a":[' + ",".join(["{}"] * 400) + '],"text":"x"}',
        "text=x",
    ),
    "the longest integer": ('{"kind":"constraint","text":"x","n":' + "9" * 4_300 + "}", "text=x"),
    "10 MB of text": ('{"kind":"constraint","text":"' + "x" * MEGABYTES + '"}', None),
    "10 MB of numbers": (
        '{"kind":"constraint","text":"x","n":[' + "1," * (MEGABYTES // 2) + "1]}",
        "text=x",
    ),
}


@pytest.mark.parametrize("name", VALID)
def test_valid(name: str) -> None:
    raw, wanted = VALID[name]
    found = parse_metadata(raw)
    assert (found.valid, found.kind) == (True, "constraint")
    shown = snippet(found)
    if wanted is None:
        assert shown.startswith("text=")
        assert len(shown) <= 512
    else:
        assert shown == wanted


@pytest.mark.parametrize(
    ("importance", "wanted"), [("true", 0), ('"1"', 0), ("1" * 400, 1), ("-" + "1" * 400, 0)]
)
def test_importance_that_is_no_number_or_a_large_one(importance: str, wanted: float) -> None:
    assert parse_metadata(f'{{"importance":{importance}}}').importance == wanted


@pytest.mark.parametrize("large", ["9223372036854775808", "-9223372036854775809", "true", "1.0"])
def test_times_that_are_passed_over(large: str) -> None:
    found = parse_metadata(f'{{"updated_ms":{large},"updated_ns":{large},"created_ns":-1999999}}')
    assert found.timestamp_ms == -1


def deep_list(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


BAD_VALUES: dict[str, Any] = {
    "NaN": float("nan"),
    "a surrogate": "\ud800",
    "deep": deep_list(100_000),
    "a long integer": 10**5_000,
    "10 MB": "é" * (MEGABYTES // 2),
}


@pytest.mark.parametrize("name", BAD_VALUES)
def test_the_arm_shows_a_record_with_such_metadata(name: str) -> None:
    metadata = {"note": BAD_VALUES[name], "kind": "constraint"}
    selection = chosen("when was it?", [Record("a", "It was in May.", metadata=metadata)])
    assert [item.item for item in selection.items] == [0]
    assert selection.context is not None
    valid = name == "10 MB"
    assert ("kind=constraint" in selection.context) == valid
    assert selection.items[0].head.ranges == (((0, 14),) if valid else ())
    assert selection.context.encode()  # has UTF-8


@pytest.mark.parametrize(
    "value",
    [
        {"b": [], "a": {}, "é": ["x", ["y"], {"z": None}]},
        [True, 1, -2, 1.5, 1e300, "\u2028\n"],
        {"": {"": ""}},
    ],
)
def test_deep_json_is_written_like_any_other(value: Any) -> None:
    depth = 50_000
    around = value
    for _ in range(depth):
        around = [around]
    flat = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    assert json_text(value) == flat
    assert json_text(around) == "[" * depth + flat + "]" * depth
    around = None  # so that nothing deep is left to be printed
