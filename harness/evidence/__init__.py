"""What points show of the labelled evidence, and at what cost.

Counting (`case_evidence`), what a metric is (`metric`), which there are (`metrics`), how they are
aggregated (`aggregation`), how two points compare (`differences`), and all of it as rows (`table`).
"""

from harness.statistics.difference import PairedDifference

from .aggregation import MetricValue, first_item_histogram, metric_values
from .case_evidence import (
    SCHEMA,
    CaseEvidence,
    CaseLabels,
    ShownRecord,
    as_row,
    as_table,
    labels_of,
    measure,
)
from .cohort import CohortCounts, cohort_of
from .differences import Bootstrap, paired_differences
from .metric import Aggregation, Better, Exclusion, Metric
from .metrics import (
    COST_METRICS,
    EVIDENCE_METRICS,
    FURTHER_METRICS,
    METRICS,
    SESSION_PRECISION,
    metric_named,
)
from .table import DIFFERENCE_KEYS, evidence_table

__all__ = [
    "COST_METRICS",
    "DIFFERENCE_KEYS",
    "EVIDENCE_METRICS",
    "FURTHER_METRICS",
    "METRICS",
    "SCHEMA",
    "SESSION_PRECISION",
    "Aggregation",
    "Better",
    "Bootstrap",
    "CaseEvidence",
    "CaseLabels",
    "CohortCounts",
    "Exclusion",
    "Metric",
    "MetricValue",
    "PairedDifference",
    "ShownRecord",
    "as_row",
    "as_table",
    "cohort_of",
    "evidence_table",
    "first_item_histogram",
    "labels_of",
    "measure",
    "metric_named",
    "metric_values",
    "paired_differences",
]
