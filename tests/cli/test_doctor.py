"""`harness doctor`: what is there, what is missing and what is broken."""

from __future__ import annotations

import importlib
import json
import tomllib
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from harness import __version__
from harness.cli import installation
from harness.cli.installation import REGISTRIES
from harness.cli.main import run
from harness.evidence.tokens import Tokenizer
from harness.points.arms import ARMS
from harness.retrieval.embedder import EMBEDDERS

from ..make.offers import offer
from ..make.questions import WordEmbedder


def found(capsys: pytest.CaptureFixture[str], expect: int = 0) -> dict[tuple[str, str], Any]:
    """The rows by area and name."""
    assert run(["doctor", "--json"]) == expect
    rows = json.loads(capsys.readouterr().out)
    assert all(list(row) == ["area", "name", "state", "detail", "remedy"] for row in rows)
    return {(row["area"], row["name"]): row for row in rows}


def test_everything_is_looked_at(capsys: pytest.CaptureFixture[str]) -> None:
    rows = found(capsys)
    assert __version__ in rows["version", "evidence-harness"]["detail"]
    assert rows["library", "numpy"]["detail"] == metadata.version("numpy")
    assert rows["tokenizer", "cl100k_base"]["state"] == "ok"
    assert rows["arm", "2.6.5a1"]["detail"].startswith("arms.merged_evidence:ARM of the package")
    assert {area for area, _ in rows} >= {"extra", "embedder", "disk", "recall", "dataset layout"}
    assert all(row["remedy"] for row in rows.values() if row["state"] != "ok")


def test_every_group_of_entry_points_is_looked_at(checkout: Path) -> None:
    project = tomllib.loads((checkout / "pyproject.toml").read_text("utf-8"))["project"]
    groups = {name for name in project["entry-points"] if name.startswith("harness.")}
    looked_at = [place.split(":") for place in REGISTRIES]
    registries = [getattr(importlib.import_module(module), name) for module, name in looked_at]
    assert {registry.group for registry in registries} == groups


def test_a_plug_in_that_does_not_load_is_broken(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    offer(monkeypatch, ARMS, **{"my-arm": "no_such_module:ARM"})
    row = found(capsys, expect=1)["arm", "my-arm"]
    assert row["state"] == "broken"
    assert "cannot be imported from no_such_module:ARM" in row["detail"]
    assert "Reinstall the package that offers it" in row["remedy"]
    assert run(["doctor"]) == 1
    output = capsys.readouterr().out
    assert "my-arm (broken): Reinstall the package" in output
    assert output.endswith(": 1 broken.\n")


def test_an_extra_that_is_not_installed_is_no_fault(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    version_of = installation._version_of
    monkeypatch.setattr(
        installation,
        "_version_of",
        lambda name: None if name == "threadpoolctl" else version_of(name),
    )
    row = found(capsys)["extra", "embed"]
    assert (row["state"], row["detail"]) == ("not installed", "lacks threadpoolctl")
    assert row["remedy"].startswith("pip install 'evidence-harness[embed]'")


def test_the_embedder_embeds(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("harness.recording.sources.dataset.DEFAULT_EMBEDDER", "words")
    offer(monkeypatch, EMBEDDERS, words=lambda options: WordEmbedder())
    assert "16 dimensions" in found(capsys)["default embedder", "words"]["detail"]

    def raising(options: object) -> Any:
        raise OSError("the weights are gone")

    offer(monkeypatch, EMBEDDERS, words=raising)
    row = found(capsys, expect=1)["default embedder", "words"]
    assert (row["state"], row["detail"]) == ("broken", "OSError: the weights are gone")


def test_a_tokenizer_that_counts_otherwise_is_broken(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Tokenizer, "count", lambda self, text: 3)
    assert found(capsys, expect=1)["tokenizer", "o200k_base"]["state"] == "broken"


def test_a_folder_that_cannot_be_written_is_broken(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(**_: object) -> Any:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tempfile.TemporaryFile", refused)
    row = found(capsys, expect=1)["disk", "current folder"]
    assert row["detail"].endswith(": Permission denied")
