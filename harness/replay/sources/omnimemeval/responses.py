"""`<library>_lme_responses.json`: what a reader answered. Its types are checked, and nothing more.

Answers are not looked at, and judged files are not opened: grades are imported by
`harness grades import --format omnimemeval`, and sealed there.
"""

from __future__ import annotations

from dataclasses import dataclass

from harness.decode import KEEP, Format, Json, NotNegative, decode, quoted
from harness.errors import Faults

from .search_results import SearchResults

SUFFIX = "_lme_responses.json"


@dataclass(frozen=True, slots=True)
class _Response:
    question: str
    answer: Json
    search_duration_ms: NotNegative
    response_duration_ms: NotNegative
    status: str


_FILE = Format("responses", dict[str, tuple[_Response] | _Response], KEEP)


def check_responses(results: SearchResults, faults: Faults) -> None:
    """Check the responses beside `results`, if there are any; faults name the user id and field."""
    path = results.path.with_name(f"{results.library}{SUFFIX}")
    if not path.is_file():
        return
    responses = decode(_FILE, path.read_bytes(), place=path.name, faults=faults)
    questions = {row.user_id: row.question for row in results.rows}
    for user_id, entry in (responses or {}).items():
        response = entry[0] if isinstance(entry, tuple) else entry
        where = f"{path.name}: {user_id}"
        if user_id not in questions:
            faults.add(f"{where}: the search results have no such user id")
        elif response.question != questions[user_id]:
            asked = quoted(questions[user_id])
            faults.add(
                f"{where}.question is {quoted(response.question)}, the search results ask {asked}"
            )
