"""Superseded reports are marked beside them, in a chain."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from harness.attempts.comparing.report import read_report
from harness.attempts.comparing.superseded import (
    SUPERSEDED_NAME,
    read_superseded,
    refuse_superseded,
    supersede,
)
from harness.errors import InputError, UsageError
from harness.storage.chain import BrokenChainError
from harness.storage.hashing import sha256_of_file

from ...make.reports import BEFORE, report, write


@pytest.fixture
def marked(tmp_path: Path) -> Path:
    """A report that is superseded."""
    path = write(tmp_path / "r1.json", report(BEFORE))
    supersede(path, "the schema changed")
    return path


def refused(path: Path) -> str:
    read = read_report(path)
    with pytest.raises(InputError) as caught:
        refuse_superseded(read.path, read.lineage)
    return caught.value.message


def test_a_marked_report_is_refused_with_the_reason(marked: Path) -> None:
    assert f"{marked} is superseded: the schema changed (" in refused(marked)
    assert refused(marked).endswith("superseded.jsonl, line 1)")


def test_the_hash_marks_it_not_the_name(marked: Path) -> None:
    copy = marked.with_name("copy.json")
    shutil.copy(marked, copy)
    assert "is superseded" in refused(copy)
    other = write(marked, report({**BEFORE, "a": [(11, True)] * 2}))
    refuse_superseded(other, read_report(other).lineage)


def test_what_was_made_from_it_is_refused(marked: Path) -> None:
    source = f"sha256-{sha256_of_file(marked)}"
    metrics = report(BEFORE, metrics_only=True, source_report_sha256=source)
    path = write(marked.with_name("metrics.json"), metrics)
    assert "metrics.json was made from r1.json, which is superseded" in refused(path)


def test_lines_are_chained(marked: Path, tmp_path: Path) -> None:
    second = write(tmp_path / "r2.json", report({**BEFORE, "a": [(7, True)] * 2}))
    line = supersede(second, "unpinned blocks")
    ledger = tmp_path / SUPERSEDED_NAME
    assert line == read_superseded(ledger)[1]
    values = [json.loads(each) for each in ledger.read_text("utf-8").splitlines()]
    assert [value["report"] for value in values] == ["r1.json", "r2.json"]
    assert values[1]["previous"] == read_superseded(ledger)[0].line_sha256
    ledger.write_text(ledger.read_text("utf-8").replace("the schema changed", "no reason"), "utf-8")
    with pytest.raises(BrokenChainError, match="line 1: was edited"):
        refuse_superseded(second, read_report(second).lineage)


def test_marking_again_for_the_same_reason_changes_nothing(marked: Path, tmp_path: Path) -> None:
    before = (tmp_path / SUPERSEDED_NAME).read_bytes()
    assert supersede(marked, "the schema changed").number == 1
    assert (tmp_path / SUPERSEDED_NAME).read_bytes() == before


def test_marking_twice_or_for_no_reason_is_refused(marked: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"is superseded already: .* line 1: the schema changed"):
        supersede(marked, "again")
    with pytest.raises(UsageError, match="--reason is empty"):
        supersede(marked, "  ")
    with pytest.raises(InputError, match="is not a file"):
        supersede(tmp_path / "none.json", "gone")
    for name, value in {"v1": {"format": "of-another"}, "line": {"task": "a"}}.items():
        with pytest.raises(InputError, match="is not a report of attempts"):
            supersede(write(tmp_path / f"{name}.json", value), "gone")
    assert len(read_superseded(tmp_path / SUPERSEDED_NAME)) == 1


def test_a_report_of_the_older_form_is_marked(tmp_path: Path) -> None:
    value = report(BEFORE)
    del value["format"]
    path = write(tmp_path / "r.json", value)
    supersede(path, "older")
    with pytest.raises(InputError, match="is superseded: older"):
        refuse_superseded(path, read_report(path).lineage)


def test_another_kind_of_line_is_refused(marked: Path) -> None:
    from harness.storage.chain import locked_chain

    ledger = marked.with_name(SUPERSEDED_NAME)
    with locked_chain(ledger) as chain:
        chain.append({"kind": "opening"})
    with pytest.raises(BrokenChainError, match="line 2: is not a line of kind 'superseded'"):
        read_superseded(ledger)
