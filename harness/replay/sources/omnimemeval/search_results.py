"""`<library>_lme_search_results.json`: what a search gave for each question, and answer inputs.

One object by user id; each value is a list of exactly one row. Every field's type is checked, on
reading and again on writing: a search time that was a string once cost a judged pass.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.decode.fields import ObjectReader, kind_of, lenient
from harness.errors import Faults, InputError, UsageError, listed
from harness.storage.hashing import sha256_of_file

from .fields import check_milliseconds, decoded

SUFFIX = "_lme_search_results.json"
SUCCESS = "success"
_FAILURE = re.compile(r"fail|error", re.IGNORECASE)
_TEXTS = ("question", "category", "date", "status")
_TEXTS_OR_NULL = ("reflect_answer", "error")
_CHECKED = (*_TEXTS, *_TEXTS_OR_NULL, "search_context", "search_duration_ms")
_REQUIRED = ("question", "search_context", "search_duration_ms", "status")
_HINT = "Correct these, nothing was written; docs/omnimemeval.md has the fields."


def is_failure(status: str) -> bool:
    """Whether a status says that the step did not succeed."""
    return _FAILURE.search(status) is not None


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
        """The search context; empty where a failed search gave none."""
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
    """The search results of a result folder; `library` chooses among several.

    Raises `InputError` for none and for several, `UsageError` for a library that is not there.
    """
    if not folder.is_dir():
        raise InputError(
            f"{folder} is not a folder", f"Give the result folder that holds *{SUFFIX}."
        )
    found = {path.name.removesuffix(SUFFIX): path for path in sorted(folder.glob(f"*{SUFFIX}"))}
    if library is not None and library not in found:
        names = listed(list(found)) or "no library"
        raise UsageError(f"{folder} has no {library}{SUFFIX}", f"It has results of {names}.")
    if not found:
        raise InputError(f"{folder} has no file named *{SUFFIX}", "Give the result folder.")
    if library is None and len(found) > 1:
        raise InputError(
            f"{folder} has search results of {listed(list(found))}", "Choose with --library NAME."
        )
    return found[library] if library is not None else next(iter(found.values()))


def read_search_results(path: Path) -> SearchResults:
    """The rows of a file, in its order; raises `InputError` naming every fault by user id and
    field."""
    faults = Faults()
    value = decoded(path, faults)
    if not faults and not isinstance(value, dict):
        faults.add(f"it is {kind_of(value)}, expected an object by user id")
    rows = _rows(value if isinstance(value, dict) else {}, faults)
    if not rows and not faults:
        faults.add("it holds no question")
    faults.raise_if_any(str(path), _HINT)
    library = path.name.removesuffix(SUFFIX)
    return SearchResults(path, library, sha256_of_file(path), tuple(rows))


def encoded(rows: Sequence[SearchResult]) -> str:
    """The file of the rows, each a list of exactly one; raises `InputError` for a wrong type."""
    value = {row.user_id: [dict(row.fields)] for row in rows}
    faults = Faults()
    _rows(value, faults)
    faults.raise_if_any("these answer inputs", _HINT)
    return json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _rows(value: Mapping[str, Any], faults: Faults) -> list[SearchResult]:
    rows = []
    for user_id, entry in value.items():
        found = Faults()
        if not isinstance(entry, list) or len(entry) != 1:
            seen = f"a list of {len(entry)}" if isinstance(entry, list) else kind_of(entry)
            found.add(f"is {seen}, expected a list of exactly one row")
        else:
            _check(entry[0], found)
            rows.append(SearchResult(user_id, entry[0]))
        for message in found:
            faults.add(f"{user_id!r}: {message}")
    return rows


def _check(row: Any, faults: Faults) -> None:
    fields = lenient(row, "", faults, _REQUIRED)
    for key in _TEXTS:
        if fields.has(key):
            fields.text(key)
    for key in _TEXTS_OR_NULL:
        fields.text_or_null(key)
    _check_context(fields)
    check_milliseconds(fields, "search_duration_ms")
    list(fields.items("answer_evidences"))
    answer = fields.raw("golden_answer")
    if answer is not None and not isinstance(answer, str) and not _is_whole(answer):
        fields.fault("golden_answer", f"is {kind_of(answer)}, expected a string")
    for key in row if isinstance(row, dict) else ():
        if key not in _CHECKED:
            fields.json(key)


def _check_context(fields: ObjectReader) -> None:
    """A context is text; null only where the search failed."""
    failed = is_failure(str(fields.raw("status"))) or bool(fields.raw("error"))
    if not (failed and fields.raw("search_context") is None):
        fields.text("search_context")


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
