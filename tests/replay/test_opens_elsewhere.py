"""A run's tables open directly in DuckDB and pandas."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pandas as pd

from harness.replay.run import Run


def test_duckdb_joins_the_tables(default_run: Path) -> None:
    joined = duckdb.sql(
        f"""
        SELECT p.point, count(*), avg(s.context_tokens), avg(e.prompt_tokens_estimated)
        FROM '{default_run}/points/*.parquet' p
        JOIN '{default_run}/selections/*.parquet' s ON s.point = p.computed_as
        JOIN '{default_run}/evidence/*.parquet' e ON e.point = s.point AND e.case_id = s.case_id
        JOIN '{default_run}/cases.parquet' c ON c.case_id = s.case_id
        GROUP BY p.point
        """
    )
    assert joined is not None
    rows = joined.fetchall()
    means = {point: tokens for point, _, tokens, _ in rows}
    assert len(rows) == 43
    assert {count for _, count, _, _ in rows} == {70}
    assert means["count-curve(k=full)"] == means["items"]
    assert means["count-curve(k=1)"] < means["count-curve(k=4)"] < means["items"]


def test_pandas_reads_a_folder_of_parts(default_run: Path) -> None:
    selections = pd.read_parquet(default_run / "selections")
    quotes = pd.read_parquet(default_run / "quotes")
    opened = Run.open(default_run)
    assert len(selections) == 70 * len(set(opened.computed_as.values()))
    assert str(selections["point"].iloc[0]) == "items"
    shown = quotes[(quotes["point"] == "count-curve(k=1)") & (quotes["excerpt"] == 0)]
    assert set(shown["item"]) == {0}
    assert shown["case_id"].nunique() == 70
    quoted = (quotes["end"] - quotes["start"]).groupby(
        [quotes["case_id"], quotes["point"]], observed=True
    )
    used = selections.set_index(["case_id", "point"])["used"]
    assert (quoted.sum() <= used.reindex(quoted.sum().index)).all()
