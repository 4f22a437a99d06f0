"""Recalls by name."""

from __future__ import annotations

import pytest

from harness.errors import UsageError
from harness.retrieval import Recall, load_recall, recall_names
from harness.retrieval.recall import RECALLS

from ..make.offers import offer


def test_installed_recalls_are_found() -> None:
    assert {"bm25", "hybrid"} <= set(recall_names())
    for name in ("bm25", "hybrid"):
        recall = load_recall(name)
        assert isinstance(recall, Recall)
        assert recall.name == name


def test_unknown_recall_is_refused_with_the_nearest_and_the_list() -> None:
    with pytest.raises(UsageError, match="no recall 'bm52'; did you mean 'bm25'") as raised:
        load_recall("bm52")
    assert "bm25" in raised.value.hint
    assert "hybrid" in raised.value.hint


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("no_such_module_anywhere:RECALL", "cannot be imported"),
        ("harness.errors:ExitCode", "lacks name, needs_user_turn_vectors"),
    ],
)
def test_a_broken_plug_in_is_named(
    value: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    offer(monkeypatch, RECALLS, broken=value)
    with pytest.raises(UsageError, match=message) as raised:
        load_recall("broken")
    assert value in str(raised.value)
