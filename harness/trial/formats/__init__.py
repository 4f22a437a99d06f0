"""The formats that grades are read from, by name."""

from __future__ import annotations

from collections.abc import Mapping

from . import longmemeval_log, omnimemeval, plain
from .rows import GradeFormat

__all__ = ["FORMATS", "GradeFormat"]

FORMATS: Mapping[str, GradeFormat] = {
    form.name: form for form in (longmemeval_log.FORMAT, omnimemeval.FORMAT, plain.JSONL, plain.CSV)
}
