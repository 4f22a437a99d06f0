"""Rows, pairs and errors of the evidence table; numbers worked out by hand."""

from __future__ import annotations

import json
import random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from harness.errors import InputError, UsageError
from harness.evidence import METRICS, SCHEMA, Bootstrap, cohort_of, evidence_table, metric_named
from harness.evidence.differences import paired_differences
from harness.statistics.paired_bootstrap import Ratios, paired_bootstrap

Row = dict[str, Any]


def row(case_id: str, point: str, category: str | None = "easy", **counts: int | None) -> Row:
    zero: Row = dict.fromkeys(SCHEMA.names, 0)
    zero |= {"labelled": True, "first_item_rank": None, "context_tokens": 100}
    return {"case_id": case_id, "category": category, "point": point, **zero, **counts}


def table(rows: list[Row]) -> pa.Table:
    named = [("case_id", pa.string()), ("category", pa.string()), ("point", pa.string())]
    extra = [("prompt_tokens_estimated", pa.int32())]
    return pa.Table.from_pylist(rows, pa.schema([*named, *SCHEMA, *extra]))


def two_points() -> list[Row]:
    """Twelve cases of two sessions: `wide` shows both sessions of all, `narrow` one of each."""
    rows = []
    for place in range(12):
        category = "easy" if place < 4 else None
        for point, shown in (("narrow", 1), ("wide", 2)):
            rows.append(
                row(
                    f"case {place}",
                    point,
                    category,
                    answer_sessions=2,
                    answer_sessions_shown=shown,
                    quoted_chars_raw=100 * shown,
                    quoted_chars_merged=100 * shown,
                    quoted_chars_in_answer_sessions=50 + place,
                    first_item_rank=None if point == "narrow" and place == 0 else shown + place,
                    context_tokens=100 * shown,
                    prompt_tokens_estimated=300 + 100 * shown,
                )
            )
    return rows


def test_a_row_a_point() -> None:
    narrow, wide = evidence_table(table(two_points()), ["narrow", "wide"])
    assert list(narrow) == ["point", *(metric.name for metric in METRICS), "denominators"]
    assert (narrow["point"], wide["point"]) == ("narrow", "wide")
    assert (narrow["answer_sessions_shown"], wide["answer_sessions_shown"]) == (0.5, 1.0)
    assert narrow["answer_sessions_per_1k_tokens"] == wide["answer_sessions_per_1k_tokens"] == 10
    assert (wide["context_tokens"], wide["prompt_tokens_estimated"]) == (200, 500)
    assert narrow["evidence_share_pooled"] == 666 / 1200
    assert narrow["first_item_rank"] == sum(range(2, 13)) / 11
    assert narrow["denominators"]["first_item_rank"] == {
        "expected": 12,
        "scored": 11,
        "excluded": {"no answer session quoted": 1},
    }
    assert narrow["denominators"]["evidence_share_pooled"] == {
        "expected": 12,
        "scored": 12,
        "excluded": {},
        "numerator": 666,
        "denominator": 1200,
    }


def test_by_category_with_cases_without_one_last() -> None:
    rows = evidence_table(table(two_points()), ["wide", "narrow"], by_category=True)
    assert [(made["point"], made["category"]) for made in rows] == [
        ("wide", "easy"),
        ("wide", None),
        ("narrow", "easy"),
        ("narrow", None),
    ]
    assert [made["denominators"]["context_tokens"]["expected"] for made in rows] == [4, 8, 4, 8]
    assert rows[2]["evidence_share_pooled"] == (50 + 51 + 52 + 53) / 400


def test_differences_to_a_point() -> None:
    narrow, wide = evidence_table(table(two_points()), ["narrow", "wide"], against="narrow")
    assert narrow["differences"] == {}
    assert wide["differences"]["answer_sessions_shown"] == {
        "against": "narrow",
        "difference": 0.5,
        "lower": 0.5,
        "upper": 0.5,
        "level": 0.95,
        "resamples": 10_000,
        "seed": 20261003,
        "pairs": 12,
        "wins": 12,
        "losses": 0,
        "ties": 0,
        "warnings": ["the interval has no width"],
    }
    tokens = wide["differences"]["context_tokens"]
    assert (tokens["difference"], tokens["wins"], tokens["losses"]) == (100, 0, 12)
    duplicates = wide["differences"]["duplicate_share_pooled"]
    assert duplicates["ties"] == 12
    assert duplicates["warnings"] == ["fewer than 10 pairs differ", "the interval has no width"]
    assert wide["differences"]["evidence_turns_touched"]["pairs"] == 0
    assert wide["differences"]["evidence_turns_touched"]["difference"] is None
    json.dumps([narrow, wide], allow_nan=False)


def test_the_rank_of_a_session_never_shown_is_the_worst() -> None:
    (wide,) = evidence_table(table(two_points()), ["wide"], against="narrow")
    ranks = wide["differences"]["first_item_rank"]
    assert (ranks["pairs"], ranks["wins"], ranks["losses"]) == (12, 1, 11)
    assert ranks["difference"] == pytest.approx(sum(range(2, 14)) / 12 - sum(range(2, 13)) / 11)


def test_a_pooled_difference_resamples_numerators_with_denominators() -> None:
    (wide,) = evidence_table(table(two_points()), ["wide"], against="narrow")
    by_id = sorted(range(12), key=lambda place: f"case {place}")
    quoted = np.array([50.0 + place for place in by_id])
    whole = np.ones(12)
    wanted = paired_bootstrap(Ratios(quoted, 200 * whole), Ratios(quoted, 100 * whole))
    found = wide["differences"]["evidence_share_pooled"]
    assert found["difference"] == 666 / 2400 - 666 / 1200
    assert (found["lower"], found["upper"]) == (wanted.lower[0], wanted.upper[0])


def random_rows(seed: int) -> list[Row]:
    draw = random.Random(seed)
    return [
        row(
            f"case {place}",
            point,
            draw.choice(["easy", "hard"]) if point == "p0" else None,
            answer_sessions=3,
            answer_sessions_shown=draw.randrange(4),
            evidence_turns=2,
            evidence_turn_chars=70,
            evidence_turn_chars_quoted=draw.randrange(71),
            quoted_chars_raw=draw.randrange(100, 200),
            quoted_chars_in_answer_sessions=draw.randrange(100),
            context_tokens=draw.randrange(50),
        )
        for place in range(30)
        for point in ("p0", "p1", "p2")
    ]


def test_neither_row_order_nor_the_other_points_matter() -> None:
    rows = [{**made, "category": "all"} for made in random_rows(3)]
    bootstrap = Bootstrap(resamples=300)
    straight = evidence_table(table(rows), ["p0", "p1", "p2"], against="p0", bootstrap=bootstrap)
    random.Random(4).shuffle(rows)
    frame = table(rows).to_pandas()
    keys = dict.fromkeys(("case_id", "category", "point"), "category")
    for same in (frame, frame.astype(keys)):
        shuffled = evidence_table(same, ["p2"], against="p0", bootstrap=bootstrap)
        assert shuffled == [straight[2]]


def test_clusters_are_resampled_whole() -> None:
    rows = [{**made, "category": "all"} for made in random_rows(5)]
    cohort = cohort_of(table(rows), ["p0", "p1"])
    clusters = {case_id: case_id[-1] for case_id in cohort.case_ids}
    metric = metric_named("answer_sessions_shown")
    found = paired_differences(metric, cohort, "p0", clusters=clusters)["p1"]
    shown = cohort.counts["answer_sessions_shown"] / 3
    ones = np.ones(30)
    labels = [clusters[case_id] for case_id in cohort.case_ids]
    wanted = paired_bootstrap(Ratios(shown[:, 1], ones), Ratios(shown[:, 0], ones), clusters=labels)
    assert (found.lower, found.upper) == (wanted.lower[0], wanted.upper[0])
    assert "fewer than 20 clusters" in found.warnings
    many = {case_id: f"{int(case_id.split()[1]) % 20}" for case_id in cohort.case_ids}
    assert paired_differences(metric, cohort, "p0", clusters=many)["p1"].warnings == ()
    with pytest.raises(InputError, match="case 'case 0' has no cluster"):
        paired_differences(metric, cohort, "p0", clusters={})


def test_a_case_without_its_pair_is_an_error_that_names_it() -> None:
    rows = two_points()
    rows[3] |= {"context_tokens": None}
    with pytest.raises(InputError, match=r"'case 1' is scored at narrow but not at wide \(tokens"):
        evidence_table(table(rows), ["wide"], against="narrow")
    with pytest.raises(InputError, match=r"'case 1' is scored at narrow but not at wide \(tokens"):
        evidence_table(table(rows), ["narrow"], against="wide")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda rows: rows[:-1], "case 'case 11' has no row at wide"),
        (lambda rows: [*rows, rows[0]], "case 'case 0' has 2 rows at narrow"),
        (lambda rows: [*rows[:-1], rows[0]], "case 'case 0' has 2 rows at narrow"),
        (lambda rows: [{**rows[0], "category": "odd"}, *rows[1:]], "the categories easy and odd"),
        (lambda rows: [{**rows[0], "answer_sessions": None}, *rows[1:]], "is null in 1 row"),
    ],
)
def test_rows_that_are_not_a_whole_cohort_are_refused(change: Any, message: str) -> None:
    named = [(name, pa.string()) for name in ("case_id", "category", "point")]
    loose = pa.schema([*named, *(pa.field(field.name, field.type) for field in SCHEMA)])
    rows = pa.Table.from_pylist(change(two_points()), loose)
    with pytest.raises(InputError, match=message):
        evidence_table(rows, ["narrow", "wide"])


def test_an_unknown_point_or_column_gets_the_nearest_name() -> None:
    with pytest.raises(UsageError, match="did you mean 'narrow'"):
        evidence_table(table(two_points()), ["narow", "wide"])
    renamed = table(two_points()).rename_columns({"quoted_chars_raw": "quoted_chars"})
    with pytest.raises(InputError, match=r"no column 'quoted_chars_raw'; did you mean"):
        evidence_table(renamed, ["narrow"])
    words = table(two_points()).set_column(3, "labelled", pa.array(["yes"] * 24))
    with pytest.raises(InputError, match="column 'labelled' is not a number"):
        evidence_table(words, ["narrow"])
