"""The example of a case: complete, documented, and good for every verb that reads cases."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.cli.main import run
from harness.recording.case_example import example_case, example_line
from harness.recording.recording import Recording


def keys(value: Any, path: str = "") -> Iterator[str]:
    """Every key below `value`, as the page spells it."""
    if isinstance(value, list):
        for entry in value:
            yield from keys(entry, f"{path}[]")
    if isinstance(value, dict):
        for key, inner in value.items():
            spelled = f"{path}.{key}" if path else key
            yield spelled
            if key != "metadata":
                yield from keys(inner, spelled)


@pytest.fixture(scope="module")
def page(checkout: Path) -> str:
    text = (checkout / "docs/file-formats.md").read_text("utf-8")
    return text.split("### Cases: `harness.case/1`\n")[1].split("\n### ")[0]


def test_the_page_shows_what_is_printed(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["import", "cases", "--template"]) == 0
    printed = capsys.readouterr().out
    assert printed == example_line()
    assert printed.count("\n") == 1
    (block,) = re.findall(r"^```json\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert json.loads(block) == json.loads(printed)


def test_it_has_every_documented_key(page: str) -> None:
    rows = re.findall(r"^\| (`.*?`)(?:, `\.(\w+)`)? \|", page, re.MULTILINE)
    documented = {name.strip("`") for name, _ in rows}
    documented |= {f"{name.strip('`').rpartition('.')[0]}.{also}" for name, also in rows if also}
    assert documented <= set(keys(json.loads(example_line())))


def test_it_is_imported_and_replayed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "cases.jsonl"
    source.write_text(example_line(), encoding="utf-8")
    out = tmp_path / "recording"
    assert run(["import", "cases", str(source), "--out", str(out), "-q"]) == 0
    (case,) = Recording.open(out).cases()
    assert case.case_id == example_case().case_id
    assert case.gold == example_case().gold
    assert run(["replay", str(out), "--out", str(tmp_path / "run"), "-q"]) == 0
    capsys.readouterr()
    given = ["evidence", str(tmp_path / "run"), "--metrics", "answer_sessions_shown", "--json"]
    assert run([*given, "--point", "items"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert row["answer_sessions_shown"] == 1.0
