"""What `docs/formats/grades.md` says is what the code does."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow as pa
import pytest

from harness.trial import grades as schema
from harness.trial.formats import FORMATS
from harness.trial.formats.plain import OPTIONAL, REQUIRED
from harness.trial.grade import Status

from ...make.study import IDS, Study, verdicts
from ...test_project import declared, documented


@pytest.fixture
def page(checkout: Path) -> str:
    return (checkout / "docs" / "formats" / "grades.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("name", "table"),
    [
        (schema.GRADED, schema.GRADED_SCHEMA.append(schema.ANSWER_COLUMN)),
        (schema.OUTCOMES, schema.OUTCOMES_SCHEMA),
    ],
)
def test_every_column_is_documented(page: str, name: str, table: pa.Schema) -> None:
    rows = documented(page, name)
    found = [(column.strip("`"), kind, null != "never") for column, kind, _, _, null in rows]
    assert found == list(declared(table))


def test_every_status_and_format_is_documented(page: str) -> None:
    assert [status for status in Status if f"| `{status.value}` |" not in page] == []
    assert [name for name in FORMATS if f"`{name}`" not in page] == []
    assert [name for name in (*REQUIRED, *OPTIONAL) if f"`{name}`" not in page] == []


def test_every_key_of_the_content_is_documented(page: str, study: Study) -> None:
    grades = study.imported([study.log("log.jsonl", verdicts(IDS))], "--part", "dev")
    section = page.split("### `content` of the manifest\n", 1)[1].split("\n## ")[0]
    keys = re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)
    of_our_own = {"dataset", "graded"}
    assert [key for key in keys if key not in of_our_own] == [
        key for key in keys if key in grades.manifest.content
    ]
    assert set(grades.manifest.content) == set(keys) - of_our_own
