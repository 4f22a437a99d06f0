"""Values that the published package gave for made-up texts; the shared reference data."""

from __future__ import annotations

import json
import math
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arms.allocation.by_item import allocate
from arms.allocation.candidates import Candidate, candidates_of
from arms.allocation.fusion import fused_sequence
from arms.allocation.parts import ledger_parts, normalised
from arms.quoting.budget import resolve_budget
from arms.quoting.governing import governing_range, governing_ranges
from arms.quoting.ranking import reciprocal_rank
from arms.quoting.ranges import GrowingQuote
from arms.quoting.record import quotable_records
from harness.model import BlockSet, Record, divide

from ..made_cases import made_view

pytestmark = pytest.mark.shared


@pytest.fixture(scope="module")
def reference(shared: Path) -> dict[str, list[dict[str, Any]]]:
    """Recorded values by function."""
    text = (shared / "golden" / "text" / "cases.json").read_text(encoding="utf-8")
    found: dict[str, list[dict[str, Any]]] = {}
    for case in json.loads(text)["cases"]:
        found.setdefault(case["fn"], []).append(case)
    return found
