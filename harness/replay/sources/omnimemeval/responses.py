"""`<library>_lme_responses.json`: what a reader answered. Its types are checked, and nothing more.

Answers are not looked at, and judged files are not opened: grades are imported by
`harness grades import --format omnimemeval`, and sealed there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.decode.fields import ObjectReader, kind_of, lenient
from harness.errors import Faults

from .fields import check_milliseconds, decoded
from .search_results import SearchResults

SUFFIX = "_lme_responses.json"
_REQUIRED = ("question", "answer", "search_duration_ms", "response_duration_ms", "status")


def check_responses(results: SearchResults, faults: Faults) -> None:
    """Check the responses beside `results`, if there are any; faults name the user id and field."""
    path = results.path.with_name(f"{results.library}{SUFFIX}")
    if not path.is_file():
        return
    found = Faults()
    value = decoded(path, found)
    if not found and not isinstance(value, dict):
        found.add(f"it is {kind_of(value)}, expected an object by user id")
    questions = {row.user_id: row.question for row in results.rows}
    for user_id, entry in value.items() if isinstance(value, dict) else ():
        of_row = Faults()
        _check(entry, user_id, questions, of_row)
        for message in of_row:
            found.add(f"{user_id!r}: {message}")
    for message in found:
        faults.add(f"{path.name}: {message}")


def _check(entry: Any, user_id: str, questions: Mapping[str, str], faults: Faults) -> None:
    one = entry[0] if isinstance(entry, list) and len(entry) == 1 else entry
    fields: ObjectReader = lenient(one, "", faults, _REQUIRED)
    fields.text("status")
    for key in ("search_duration_ms", "response_duration_ms"):
        check_milliseconds(fields, key)
    asked = fields.text("question")
    if user_id not in questions:
        faults.add("the search results have no such user id")
    elif fields.has("question") and asked != questions[user_id]:
        fields.fault("question", f"is {asked!r}, the search results ask {questions[user_id]!r}")
