"""User ids: `lme_exper_user_<name>_<i>`, where `i` is the question's index in the dataset."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from harness.datasets.question_list import ListedQuestion
from harness.errors import Faults

from .search_results import SearchResult

_INDEX = re.compile(r"[0-9]{1,9}\Z")


def user_id_of(name: str, index: int) -> str:
    """Return the user id of the question at `index`."""
    return f"lme_exper_user_{name}_{index}"


def index_of(user_id: str) -> int | None:
    """Return the index that a user id ends with; None without one."""
    match = _INDEX.search(user_id)
    return None if match is None else int(match.group())


def by_index(rows: Sequence[SearchResult], faults: Faults) -> dict[int, SearchResult]:
    """Return the rows by the index of their question; a user id without one, and an index that
    comes twice, are faults."""
    found: dict[int, SearchResult] = {}
    for row in rows:
        index = index_of(row.user_id)
        if index is None:
            faults.add(f"{row.user_id!r} does not end with the index of a question")
        elif index in found:
            faults.add(f"{row.user_id!r} and {found[index].user_id!r} are of one question")
        else:
            found[index] = row
    return found


def indexes(listed: Sequence[ListedQuestion]) -> Mapping[str, int]:
    """From question id to index in the list."""
    return {question.question_id: place for place, question in enumerate(listed)}
