"""The files of a result folder: search results, answer inputs, and responses beside them.

`<library>_lme_search_results.json`: what a search gave for each question.
One object by user id; each value is a list of exactly one row. Every field's type is checked, on
reading and again on writing: a search time that was a string once cost a judged pass.

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
    decode,
    decode_file,
    quoted,
)
from harness.errors import Faults, InputError, UsageError, listed
from harness.storage.hashing import sha256_of_file

SUFFIX = "_lme_search_results.json"
SUCCESS = "success"
_FAILURE = re.compile(r"fail|error", re.IGNORECASE)


def is_failure(status: str) -> bool:
    """Return whether a status says that the step did not succeed."""
    return _FAILURE.search(status) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """What a row must be; durations are milliseconds, and never a string that looks like some."""

    question: str
    search_context: str | None
    search_duration_ms: NotNegative
    status: str
    category: str = ""
    date: str = ""
    reflect_answer: str | None = None
    error: str | None = None
    golden_answer: str | int | None = None
    answer_evidences: tuple[Json, ...] = ()

    def __post_init__(self) -> None:
        failed = is_failure(self.status) or self.error
        if self.search_context is None and not failed:
            raise FieldError("search_context", "is null, expected a string")


_FILE = Format(
    "search results",
    dict[str, tuple[Annotated[Mapping[str, Any], AsGiven(_Row)]]],
    KEEP,
    hint="Correct these, nothing was written; docs/omnimemeval.md has the fields.",
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
        """Search context; empty where a failed search gave none."""
        return self.fields["search_context"] or ""

    @property
    def status(self) -> str:
        return str(self.fields["status"])

    @property
    def failed(self) -> bool:
        """Whether the search failed: its status says so, or it has an error."""
        return is_failure(self.status) or bool(self.fields.get("error"))

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


RESPONSES_SUFFIX = "_lme_responses.json"


@dataclass(frozen=True, slots=True)
class _Response:
    question: str
    answer: Json
    search_duration_ms: NotNegative
    response_duration_ms: NotNegative
    status: str


_RESPONSES = Format("responses", dict[str, tuple[_Response] | _Response], KEEP)


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
