"""`harness evidence`, against figures computed by hand."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from harness.cli.main import run
from harness.evidence import METRICS

from ..make.recordings import small_run


@pytest.fixture(scope="module")
def folder() -> Path:
    return small_run()


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    capsys.readouterr()
    assert run(["evidence", *arguments]) == 0
    return capsys.readouterr().out


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    capsys.readouterr()
    assert run(["evidence", *arguments]) == 2
    return capsys.readouterr().err


def rows(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(printed(capsys, *arguments, "--json"))
    return found


def test_the_table_has_its_denominators(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = "answer_sessions_shown,evidence_turn_chars_pooled,first_item_rank"
    assert printed(capsys, str(folder), "--metrics", names) == (
        "point               answer sessions shown (%)    evidence turn chars pooled (%)"
        "    first item rank\n"
        "----------------  ---------------------------  --------------------------------"
        "  -----------------\n"
        "questions scored                       2 of 3                            2 of 3"
        "             n of 3\n"
        "count-curve(k=1)                         25.0                              33.3"
        "         1.00 (n=1)\n"
        "count-curve(k=2)                        100.0                             100.0"
        "         1.50 (n=2)\n"
        "items                                   100.0                             100.0"
        "         1.50 (n=2)\n"
        "\n"
        "answer_sessions_shown, evidence_turn_chars_pooled: 2 of 3 scored; left out: 1 no gold.\n"
        "first_item_rank: 1 to 2 of 3 scored, by point; left out: 1 no gold, 0 to 1 no answer "
        "session quoted.\n"
        "\n"
        "Signals: cosine, 1 of the 2 signals of count-curve and items, is absent in 3 of 3 cases: "
        "the question has no vector and no block has a vector.\n"
        "Definitions: harness evidence --help, and docs/metrics.md.\n"
    )


def test_what_is_the_same_policy_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = small_run("--point", "count-curve(k=full)")
    text = printed(capsys, str(folder))
    assert "\nThe same policy: items, count-curve(k=full).\n" in text
    assert "context_tokens in cl100k_base, prompt_tokens_estimated in o200k_base." in text


def test_json_has_fractions_and_denominators(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = rows(capsys, str(folder), "--metrics", "evidence_share_pooled", "--point", "items")
    labelled = len("user: I live in Lyon.") * 2 + len("user: Miso is my cat.")
    quoted = labelled + len("user: It rained.")
    assert found == [
        {
            "point": "items",
            "evidence_share_pooled": labelled / quoted,
            "denominators": {
                "evidence_share_pooled": {
                    "expected": 3,
                    "scored": 2,
                    "excluded": {"no gold": 1},
                    "numerator": labelled,
                    "denominator": quoted,
                }
            },
        }
    ]


def test_json_has_every_metric_by_default(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for row in rows(capsys, str(folder)):
        assert set(row) == {"point", "denominators", *(metric.name for metric in METRICS)}
        assert set(row["denominators"]) == {metric.name for metric in METRICS}


def test_by_category(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--by", "category", "--point", "count-curve(k=1)")
    found = rows(capsys, str(folder), *options)
    shown = [(row["category"], row["answer_sessions_shown"]) for row in found]
    assert shown == [("multi", 0.5), ("single", 0.0), (None, None)]
    text = printed(capsys, str(folder), *options)
    headings = [line for line in text.splitlines() if line in ("multi", "single")]
    assert headings == ["multi", "single"]
    assert "\nwithout a category\n" in text


def test_paired_differences(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """q1 gains 1, q2 gains a half: resampled means are 0.5, 0.75 and 1."""
    options = ("--against", "count-curve(k=1)", "--metrics", "answer_sessions_shown")
    by_point = {row["point"]: row["differences"] for row in rows(capsys, str(folder), *options)}
    assert by_point["count-curve(k=1)"] == {}
    difference = by_point["items"]["answer_sessions_shown"]
    assert (difference["lower"], difference["difference"], difference["upper"]) == (0.5, 0.75, 1.0)
    assert (difference["wins"], difference["losses"], difference["ties"]) == (2, 0, 0)
    text = printed(capsys, str(folder), *options)
    assert "answer_sessions_shown: difference from count-curve(k=1), in points (hundredths)" in text
    line = next(
        line for line in text.split("in points (hundredths)")[1].splitlines() if "items" in line
    )
    assert line.split("  ")[0] == "items"
    assert "  +75.0 †  " in line
    assert line.endswith("fewer than 10 pairs differ")
    assert "10,000 resamples of the questions, seed 20261003" in text


def test_csv_is_flat(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--metrics", "first_item_rank", "--against", "items", "--csv")
    first, _, last = csv.DictReader(io.StringIO(printed(capsys, str(folder), *options)))
    assert first["point"] == "count-curve(k=1)"
    assert float(first["first_item_rank"]) == 1.0
    assert (first["first_item_rank_expected"], first["first_item_rank_scored"]) == ("3", "1")
    excluded = {"no gold": 1, "no answer session quoted": 1}
    assert json.loads(first["first_item_rank_excluded"]) == excluded
    assert float(first["first_item_rank_difference"]) == -0.5
    assert last["point"] == "items"
    assert last["first_item_rank_difference"] == ""


def test_without_token_counts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = small_run("--no-tokens")
    text = printed(capsys, str(folder), "--metrics", "context_tokens", "--point", "items")
    assert text.splitlines()[3].split() == ["items", "–"]
    assert "context_tokens: 0 of 3 scored; left out: 3 tokens off." in text
    assert "Encodings" not in text


def test_help_defines_every_metric(capsys: pytest.CaptureFixture[str]) -> None:
    text = " ".join(printed(capsys, "--help").split())
    missing = [
        metric.name for metric in METRICS if f"{metric.name} {metric.definition}" not in text
    ]
    assert missing == []
    assert "docs/metrics.md" in text


def test_unknown_metrics_are_named_together(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    message = refused(capsys, str(folder), "--metrics", "first_item", "--metrics", "nothing,items")
    assert "no metric 'first_item'; did you mean 'first_item_rank'?" in message
    assert "no metric 'nothing'" in message
    assert "no metric 'items'" in message


def test_against_names_one_point(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "the run" in refused(capsys, str(folder), "--against", "count-curve(k=3)")
    message = refused(capsys, str(folder), "--against", "count-curve(k=2)", "--json", "--csv")
    assert "exclude each other" in message
