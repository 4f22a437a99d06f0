"""Tool lists, compared byte by byte."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from harness.attempts.comparing.preflight import read_tools, schema_bytes, schema_differences
from harness.errors import InputError

LOOKUP = {"name": "mark_lookup", "description": "Look up.", "inputSchema": {"type": "object"}}
FETCH = {"name": "mark_fetch", "description": "Fetch."}


def tools(tmp_path: Path, value: Any) -> dict[str, Any]:
    path = tmp_path / "tools.json"
    path.write_text(json.dumps(value), "utf-8")
    return read_tools(path)


def test_the_order_of_tools_does_not_count(tmp_path: Path) -> None:
    one = tools(tmp_path, [LOOKUP, FETCH])
    other = tools(tmp_path, {"tools": [FETCH, LOOKUP]})
    assert list(schema_differences(one, other)) == []
    assert schema_bytes({"x": {"name": "é"}}) == len('[{"name":"é"}]') + 1


@pytest.mark.parametrize(
    ("changed", "difference"),
    [
        ({**LOOKUP, "description": "Look."}, 'mark_lookup.description: "Look up." → "Look."'),
        ({**LOOKUP, "inputSchema": {}}, "mark_lookup.inputSchema.type is gone"),
        ({**LOOKUP, "annotations": {}}, "mark_lookup.annotations is new"),
        (
            {"description": "Look up.", "name": "mark_lookup", "inputSchema": {"type": "object"}},
            "mark_lookup: the keys are in another order",
        ),
        ({**LOOKUP, "name": "mark_look"}, "mark_lookup is gone"),
    ],
)
def test_a_difference_is_named(tmp_path: Path, changed: dict[str, Any], difference: str) -> None:
    found = list(schema_differences(tools(tmp_path, [LOOKUP]), tools(tmp_path, [changed])))
    assert difference in found


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        ({"name": "x"}, "is not a list of tools"),
        ([{"name": None}], "tools[0].name is null, expected a string"),
        ([{"title": "x"}, 3], "tools[0].name is missing"),
        ([LOOKUP, LOOKUP], "tools[1].name is 'mark_lookup', as of a tool before it"),
    ],
)
def test_what_is_no_tool_list(tmp_path: Path, value: Any, fault: str) -> None:
    with pytest.raises(InputError) as caught:
        tools(tmp_path, value)
    assert fault in caught.value.message
