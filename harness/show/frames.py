"""Tables as pandas data frames: every column has the type of its values, and keys are categories.

Whole numbers are pandas' nullable ones, so that a count that is missing does not make the others
decimal; texts are strings, names that repeat categories in their own order, and a missing float is
NaN. Lists stay lists.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from harness.evidence import Metric

if TYPE_CHECKING:
    import pandas as pd

_NAME = pa.dictionary(pa.int32(), pa.string())


def _column(name: str, kind: pa.DataType, meaning: str) -> pa.Field:
    return pa.field(name, kind, metadata={"meaning": meaning})


EVIDENCE_FRAME = pa.schema(
    [
        _column("point", _NAME, "canonical spelling, in the order asked for"),
        _column("category", _NAME, "question type, with `by_category` alone; missing: has none"),
        _column("metric", _NAME, "name, in the order of metrics.md"),
        _column("unit", _NAME, "unit of `value`, of the difference and of its limits"),
        _column("value", pa.float64(), "the metric at the point; missing: no question is scored"),
        _column("expected", pa.int32(), "questions of the cohort"),
        _column("scored", pa.int32(), "of which enter the value"),
        _column("excluded", pa.int32(), "of which do not"),
        _column("reasons", pa.string(), "why not, each with its number of questions"),
        _column("numerator", pa.int64(), "sum above the line; missing: the metric is a mean"),
        _column("denominator", pa.int64(), "sum below the line; missing: the metric is a mean"),
    ]
)
DIFFERENCE_FRAME = pa.schema(
    [
        _column(
            "against", _NAME, "the point compared with; missing in its own rows, as is the rest"
        ),
        _column("difference", pa.float64(), "value at `point` minus value at `against`"),
        _column("lower", pa.float64(), "lower limit of its interval; missing: no interval"),
        _column("upper", pa.float64(), "upper limit"),
        _column("level", pa.float64(), "confidence level of the interval"),
        _column("resamples", pa.int32(), "resamples that it was made from"),
        _column("seed", pa.int64(), "seed of the resamples"),
        _column("pairs", pa.int32(), "questions scored at both points"),
        _column("wins", pa.int32(), "of which `point` is better in"),
        _column("losses", pa.int32(), "of which `against` is better in"),
        _column("ties", pa.int32(), "of which are the same at both"),
        _column("warnings", pa.string(), "where the interval may mislead; empty: nowhere"),
    ]
)


def frame_of(table: pa.Table) -> pd.DataFrame:
    """Return an Arrow table as a data frame with the same columns."""
    frame: pd.DataFrame = table.to_pandas(types_mapper=_types().get)
    return frame


def evidence_frame(
    rows: Sequence[Mapping[str, Any]],
    metrics: Sequence[Metric],
    *,
    by_category: bool,
    against: bool,
) -> pd.DataFrame:
    """Return the rows of `harness.evidence.evidence_table` with a row per point and metric.

    The columns are those of `EVIDENCE_FRAME`, `category` only with `by_category`, and with
    `against` those of `DIFFERENCE_FRAME`.
    """
    columns = [field for field in EVIDENCE_FRAME if by_category or field.name != "category"]
    schema = pa.schema([*columns, *(DIFFERENCE_FRAME if against else ())])
    made = [_values(row, metric.name, metric.unit) for row in rows for metric in metrics]
    kept = [{name: row.get(name) for name in schema.names} for row in made]
    return frame_of(pa.Table.from_pylist(kept, schema=schema))


def _values(row: Mapping[str, Any], metric: str, unit: str) -> dict[str, Any]:
    counts = row["denominators"][metric]
    difference = row.get("differences", {}).get(metric)
    values = {
        **row,
        **counts,
        "metric": metric,
        "unit": unit,
        "value": row[metric],
        "excluded": sum(counts["excluded"].values()),
        "reasons": "; ".join(f"{reason}: {n}" for reason, n in counts["excluded"].items()),
    }
    if difference is not None:
        values |= {**difference, "warnings": "; ".join(difference["warnings"])}
    return values


def _types() -> dict[pa.DataType, Any]:
    import pandas as pd

    return {
        pa.bool_(): pd.BooleanDtype(),
        pa.int32(): pd.Int32Dtype(),
        pa.int64(): pd.Int64Dtype(),
        pa.string(): pd.StringDtype("pyarrow"),
    }
