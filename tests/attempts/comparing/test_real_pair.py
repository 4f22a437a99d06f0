"""The real pair of reports, and corrupted variants of it."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.cli.main import run

pytestmark = pytest.mark.shared

Value = dict[str, Any]
REPORTS = "data/lookups/tools/benchmarks/answers/neighborhoods-2026-09-15"


@pytest.fixture
def pair(shared: Path) -> tuple[Path, Path]:
    folder = shared / REPORTS
    return folder / "music-v4-before.json", folder / "music-v4-after.json"


def compared(
    capsys: pytest.CaptureFixture[str], before: Path, after: Path, *options: str
) -> tuple[int, Value]:
    code = run(["compare", str(before), str(after), "--json", *options])
    return code, json.loads(capsys.readouterr().out)


def test_the_published_figures(
    pair: tuple[Path, Path], shared: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    figures = json.loads((shared / "specs/published_lookup_figures.json").read_text("utf-8"))
    published = figures["neighborhoods_2026_09_15"]["cohorts"]["music_v4"]
    code, found = compared(capsys, *pair)
    assert code == 0
    assert found["state"] == "inconclusive (interval)"
    before, after = found["tokens_per_correct_before"], found["tokens_per_correct_after"]
    assert [before, after] == published["tokens_per_correct"]
    assert found["change_percent"] == pytest.approx(published["change_pct"], abs=1e-12)
    assert (found["regressed_tasks"], found["regressed_categories"]) == ([], [])
    measures = {row["measure"]: row for row in found["measures"]}
    for measure, key in (
        ("correct", "correct"),
        ("known_total_tokens", "total_tokens"),
        ("tool_result_tokens", "result_tokens"),
        ("model_turns", "turns"),
        ("tool_calls", "mcp_calls"),
        ("protocol_requests", "protocol_requests"),
        ("answer_correct", "answer_correct"),
        ("evidence_sufficient", "evidence_sufficient"),
        ("citations_valid", "citations_valid"),
        ("scope_complete", "scope_complete"),
    ):
        row = measures[measure]
        assert [row["before_total"], row["after_total"]] == published[key], measure


def test_at_the_terminal(pair: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compare", *map(str, pair), "--exit-code"]) == 0
    out = capsys.readouterr().out
    assert "State: inconclusive (interval)" in out
    assert "Tokens per correct answer: 6,383.7 → 6,502.0 (+1.9 %)" in out


def test_only_the_client_did_not_change_alone(
    pair: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    code, found = compared(capsys, *pair, "--only", "mcp")
    assert (code, found["state"]) == (2, "incomparable")
    (reason,) = found["reasons"]
    assert "proxy, runner and server changed too" in reason


def test_without_traces_no_feature_is_shown(
    pair: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    _, found = compared(capsys, *pair, "--feature", "hop")
    assert found["state"] == "inconclusive (feature not exercised)"


def test_metrics_cannot_be_scored(
    pair: tuple[Path, Path], shared: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    world = shared / "data/lookups/tools/benchmarks/corpora/music-2026-09-14-v4"
    assert run(["score", str(world), str(pair[0])]) == 2
    assert "is metrics-only: it keeps no inputs, no outputs" in capsys.readouterr().err


def _set(*keys: str | int, value: Any) -> Callable[[Value], None]:
    def change(found: Value) -> None:
        place: Any = found
        for key in keys[:-1]:
            place = place[key]
        place[keys[-1]] = value

    return change


def _rescored(found: Value) -> None:
    found["rescored_from_sha256"] = found["source_report_sha256"]
    found["rescored_at"] = "2026-10-01T00:00:00Z"
    found["scorer_implementation_sha256"] = found["source_report_sha256"]


CORRUPTED: dict[str, tuple[Callable[[Value], Any], str]] = {
    "scoring version": (
        _set("spec", "scoring_version", value="independent-evidence-v3"),
        "spec.scoring_version",
    ),
    "another field": (_set("spec", "steps", value=9), "spec.steps"),
    "missing attempt": (lambda found: found["attempts"].pop(3), "q04 repeat 1"),
    "duplicate attempt": (
        lambda found: found["attempts"].append(copy.deepcopy(found["attempts"][3])),
        "attempts[16] is q04 repeat 1, as attempts[3] is",
    ),
    "unknown key": (_set("attempts", 2, "note", value="x"), "attempts[2].note is an unknown key"),
    "changed summary": (_set("summary", "citations_valid", value=15), "summary.citations_valid"),
    "mixed rescore state": (_rescored, "rescored_from_sha256"),
    "unknown usage": (
        _set("attempts", 5, "trace", "usage_complete", value=False),
        "attempts[5].trace.usage_complete",
    ),
}


@pytest.mark.parametrize("name", CORRUPTED)
def test_a_corrupted_variant_is_refused(
    pair: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    change, field = CORRUPTED[name]
    value = json.loads(pair[1].read_text("utf-8"))
    change(value)
    corrupted = tmp_path / "after.json"
    corrupted.write_text(json.dumps(value), "utf-8")
    for reports in ((pair[0], corrupted), (corrupted, pair[1])):
        assert run(["compare", *map(str, reports)]) == 2
        captured = capsys.readouterr()
        assert field in captured.out + captured.err


def test_a_truncated_file_is_refused(
    pair: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cut = tmp_path / "after.json"
    cut.write_bytes(pair[1].read_bytes()[:20_000])
    assert run(["compare", str(pair[0]), str(cut)]) == 2
    assert "after.json is not JSON (at line " in capsys.readouterr().err


def test_a_superseded_report_is_refused(
    pair: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    marked = tmp_path / "after.json"
    marked.write_bytes(pair[1].read_bytes())
    assert run(["ledger", "--supersede", str(marked), "--reason", "the schema changed"]) == 0
    assert run(["compare", str(pair[0]), str(marked)]) == 2
    assert "is superseded: the schema changed" in capsys.readouterr().err
    link = tmp_path / "elsewhere" / "link.json"
    link.parent.mkdir()
    link.symlink_to(marked)
    assert run(["compare", str(pair[0]), str(link)]) == 2
    assert "is superseded: the schema changed" in capsys.readouterr().err


def test_only_a_report_can_be_superseded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "notes.md"
    other.write_text("# Notes\n")
    assert run(["ledger", "--supersede", str(other), "--reason", "x"]) == 2
    assert "is not a report of attempts" in capsys.readouterr().err
    assert not (tmp_path / "superseded.jsonl").exists()
