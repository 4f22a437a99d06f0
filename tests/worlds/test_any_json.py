"""Whatever JSON stands in a world's files, it is read, or its faults are named."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.decode import typed
from harness.errors import Faults, InputError
from harness.worlds.corpus import read_archived, read_document, read_plain
from harness.worlds.lint import findings
from harness.worlds.opening import (
    ANSWER_DATASET,
    ARCHIVE_MANIFEST,
    open_world,
    read_rubric,
    read_tasks,
)

from .folder import DOCUMENTS, QUOTE, RUBRIC, TASKS, write_folder

KEYS = st.sampled_from(
    [
        *("path", "versions", "version", "body", "metadata", "archived", "current_version"),
        *("Path", "Document", "Versions", "Version", "Content", "Modified", "Archived"),
        *("id", "category", "question", "fields", "scope", "answer", "evidence", "outcome"),
        *("completion", "contradictions", "supplemental", "anchor", "quote", "format", "é"),
    ]
)
LEAVES = st.none() | st.booleans() | st.integers(-2, 3) | st.floats() | st.text(max_size=4)
ANY = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)
READERS: list[Callable[[Any, str, Faults], object]] = [
    read_document,
    read_archived,
    read_plain,
    lambda value, name, faults: read_tasks(value, name, faults, set()),
    lambda value, name, faults: read_rubric(value, name, faults, set()),
    lambda value, name, faults: typed(ARCHIVE_MANIFEST, value, faults, name),
    lambda value, name, faults: typed(ANSWER_DATASET, value, faults, name),
]


@pytest.mark.parametrize("read", READERS)
@given(value=ANY)
def test_any_value_is_read_or_named(read: Callable[[Any, str, Faults], object], value: Any) -> None:
    faults = Faults()
    read(value, "file", faults)
    assert all(fault.startswith("file") for fault in faults)
    if value not in ([], {}):  # no task and no document is right, nothing else of these is
        assert len(faults) > 0


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Every container and key at which a value stands."""
    if isinstance(value, dict):
        pairs = list(value.items())
    elif isinstance(value, list):
        pairs = list(enumerate(value))
    else:
        return []
    return [(value, key) for key, _ in pairs] + [
        place for _, inner in pairs for place in _places(inner)
    ]


@given(data=st.data(), value=ANY)
def test_a_world_with_any_value_anywhere_is_looked_at(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, value: Any
) -> None:
    step = {"step": "s", "tool": "t", "url": "/", "matches": 0}
    speed = RUBRIC["speed"] | {"completion": [step], "contradictions": [QUOTE]}
    parts = json.loads(json.dumps({"tasks": TASKS, "rubric": RUBRIC | {"speed": speed}}))
    container, key = data.draw(st.sampled_from(_places(parts)[2:]))
    container[key] = value
    folder: Path = tmp_path_factory.mktemp("world")
    write_folder(folder, documents=DOCUMENTS, **parts)
    text = json.dumps(parts)
    if "NaN" in text or "Infinity" in text:
        with pytest.raises(InputError, match=r"is (nan|-?inf), which JSON does not have"):
            open_world(folder)
    else:
        found = findings(open_world(folder))
        assert all(fault.startswith(("tasks.json", "rubric.json")) for fault in found)
