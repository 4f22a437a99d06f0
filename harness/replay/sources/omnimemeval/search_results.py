"""The files of a result folder: search results, answer inputs, and responses beside them.

`<library>_lme_search_results.json`: what a search gave for each question.
One object by user id; each value is a list of exactly one row. Every field's type is checked, on
reading and again on writing: a search time that was a string once cost a judged pass.

`<library>_lme_search_status.json`: which searches failed, and so have no row.

`<library>_lme_responses.json`: what a reader answered. Its types are checked, and nothing more.
Answers are not looked at, and judged files are not opened: grades are imported by
`harness grades import --format omnimemeval`, and sealed there.

User ids are `lme_exper_user_<name>_<i>`, where `i` is the question's index in the dataset.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from harness.datasets.question_list import ListedQuestion
from harness.decode import (
    KEEP,
    AsGiven,
    FieldError,
    Format,
    Json,
    NotNegative,
    Text,
    decode,
    decode_file,
    quoted,
)
from harness.errors import Faults, InputError, UsageError, listed
from harness.storage.hashing import sha256_of_file

from .vocabulary import FAILED, SKIPPED, SUCCESS, ErrorMarker, Status, failure

SUFFIX = "_lme_search_results.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """What a row must be; durations are milliseconds, and never a string that looks like some."""

    question: str
    search_context: str | None
    search_duration_ms: NotNegative
    status: Status | None = None
    category: str | None = None
    date: str | None = None
    reflect_answer: str | None = None
    error: ErrorMarker | None = None
    golden_answer: str | int | None = None
    answer_evidences: tuple[Json, ...] | None = None

    def __post_init__(self) -> None:
        if self.search_context is None and failure(self.status, self.error) is None:
            raise FieldError("search_context", "is null, expected a string")


_FILE = Format(
    "search results",
    dict[str, tuple[Annotated[Mapping[str, Any], AsGiven(_Row)]]],
    KEEP,
    hint="Correct these, nothing was written; docs/omnimemeval.md has the fields.",
    of_others=True,
)


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The one row of a user id. `fields` are all its fields as they stand, in their order."""

    user_id: str
    fields: Mapping[str, Any]

    @property
    def question(self) -> str:
        return str(self.fields["question"])

    @property
    def context(self) -> str:
        """What a reader was given: nothing where the status says that the search failed."""
        unread = self.status in (FAILED, SKIPPED)
        return "" if unread else self.fields["search_context"] or ""

    @property
    def status(self) -> str:
        status = self.fields.get("status")
        return SUCCESS if status is None else str(status)

    @property
    def failed(self) -> bool:
        """Whether the search failed: its status says so, or it has an error."""
        return failure(self.status, self.fields.get("error")) is not None

    @property
    def answered(self) -> bool:
        """Whether the library answered itself, so that no reader is given the context."""
        return bool(self.fields.get("reflect_answer"))

    @property
    def duration_ms(self) -> float:
        return float(self.fields["search_duration_ms"])


@dataclass(frozen=True, slots=True)
class SearchResults:
    """A file of search results. `library` begins its name; `sha256` is of its bytes."""

    path: Path
    library: str
    sha256: str
    rows: tuple[SearchResult, ...]


def find_search_results(folder: Path, library: str | None = None) -> Path:
    """Find the search results of a result folder; `library` chooses among several.

    Raises `InputError` for none and for several, `UsageError` for a library that is not there.
    """
    if not folder.is_dir():
        raise InputError(
            f"{folder} is not a folder", f"Give the result folder that holds *{SUFFIX}."
        )
    by_library = {
        path.name.removesuffix(SUFFIX): path for path in sorted(folder.glob(f"*{SUFFIX}"))
    }
    if library is not None and library not in by_library:
        names = listed(list(by_library)) or "no library"
        raise UsageError(f"{folder} has no {library}{SUFFIX}", f"It has results of {names}.")
    if not by_library:
        raise InputError(f"{folder} has no file named *{SUFFIX}", "Give the result folder.")
    if library is None and len(by_library) > 1:
        raise InputError(
            f"{folder} has search results of {listed(list(by_library))}",
            "Choose with --library NAME.",
        )
    return by_library[library] if library is not None else next(iter(by_library.values()))


def read_search_results(path: Path) -> SearchResults:
    """Return the rows of a file, in its order; raises `InputError` naming every fault by user id
    and field."""
    value = decode_file(_FILE, path)
    if not value:
        raise InputError(f"{path} holds no question", _FILE.hint)
    rows = tuple(SearchResult(user_id, row) for user_id, (row,) in value.items())
    library = path.name.removesuffix(SUFFIX)
    return SearchResults(path, library, sha256_of_file(path), rows)


def encoded(rows: Sequence[SearchResult]) -> str:
    """Return the file of the rows, each a list of exactly one, once it is read again; raises
    `InputError` for a wrong type."""
    value = {row.user_id: [dict(row.fields)] for row in rows}
    text = json.dumps(value, indent=1, ensure_ascii=False)
    decode(_FILE, text, place="these answer inputs")
    return text + "\n"


@dataclass(frozen=True, slots=True)
class _FailedUser:
    user_id: Text


@dataclass(frozen=True, slots=True)
class _SearchStatus:
    failed_users: tuple[_FailedUser, ...] = ()


_STATUS = Format("status of searches", _SearchStatus, KEEP)


def failed_without_row(results: SearchResults, faults: Faults) -> dict[int, str]:
    """Return the user ids, by the index of their question, of searches that failed and were left
    out of the results: OmniMemEval then names them in a file of its own."""
    path = results.path.with_name(f"{results.library}_lme_search_status.json")
    if not path.is_file():
        return {}
    status = decode(_STATUS, path.read_bytes(), place=path.name, faults=faults)
    user_ids = [user.user_id for user in status.failed_users] if status is not None else []
    return {index: name for name in user_ids if (index := index_of(name)) is not None}


def failed_search(user_id: str, question: str) -> SearchResult:
    """Return the row that a search without one has: it failed, and gave nothing."""
    fields = {"search_context": "", "search_duration_ms": 0.0, "status": FAILED}
    return SearchResult(user_id, {"question": question, **fields})


RESPONSES_SUFFIX = "_lme_responses.json"


@dataclass(frozen=True, slots=True)
class _Response:
    question: str
    answer: Json
    search_duration_ms: NotNegative
    response_duration_ms: NotNegative
    status: Status | None = None


_RESPONSES = Format("responses", dict[str, tuple[_Response] | _Response], KEEP, of_others=True)


def check_responses(results: SearchResults, faults: Faults) -> None:
    """Check the responses beside `results`, if there are any; faults name the user id and field."""
    path = results.path.with_name(f"{results.library}{RESPONSES_SUFFIX}")
    if not path.is_file():
        return
    responses = decode(_RESPONSES, path.read_bytes(), place=path.name, faults=faults)
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
