"""How often a feature was at work in an arm: without that, no difference can be laid to it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from harness.attempts.scoring.attempts import LOOKUP_TOOL, Attempt, Call
from harness.attempts.scoring.observation import HeadedText, headed_texts
from harness.errors import UsageError, nearest

from .report import Report

_NOTE = "note: "
_STANDS_ABOVE = ((" is within ", " above"), (" encloses ", " above; skipped"))
"""How a note says that a text stands above: what is between two places, and its end."""
_RELATED_DOCUMENTS = re.compile(r"note: expanded .* and [1-9][0-9]* related documents? within .*")
_TOP_HEADING = re.compile(r"\s*# \S")
_TOOL_MARK = "mark_"


def _is_coalesced(text: HeadedText) -> bool:
    return text.same_as is not None or _stands_above(text.header)


def _stands_above(header: str) -> bool:
    return header.startswith(_NOTE) and any(
        header.endswith(end) and relation in header[len(_NOTE) + 1 : -len(end) - 1]
        for relation, end in _STANDS_ABOVE
    )


def _is_pinned(text: HeadedText) -> bool:
    place = text.location
    pinned = place is not None and place.anchor is not None
    return pinned and _TOP_HEADING.match(text.text) is not None


FEATURES: dict[str, tuple[str, Callable[[HeadedText], bool]]] = {
    "expansion": ("a block under a table", lambda text: text.location is not None),
    "coalesce": ("a stub, or a note that something stands above", _is_coalesced),
    "pin": ("an H1's section under its anchor", _is_pinned),
    "hop": (
        "a document that a relation led to",
        lambda text: _RELATED_DOCUMENTS.fullmatch(text.header) is not None,
    ),
    "relations": ("a relation line", lambda text: text.header.startswith("related:")),
    "omissions": (
        "a note of what did not fit",
        lambda text: text.header.startswith("note: did not fit:"),
    ),
}
"""What a lookup prints when a feature is at work, by name; a tool's name is a feature too."""


@dataclass(frozen=True, slots=True)
class Exercised:
    """`attempts`: in how many of `of` the feature was at work; None where that cannot be known."""

    feature: str
    attempts: int | None
    of: int


def exercised(feature: str, report: Report) -> Exercised:
    """Return how many attempts of a report exercised a feature, or called the tool of that name.

    What lookups printed is not in a metrics-only report. Raises `UsageError` for a name that is
    neither a feature nor a tool of the report.
    """
    count: int | None
    if feature in FEATURES:
        _, is_at_work = FEATURES[feature]
        printed = sum(_prints(attempt, is_at_work) for attempt in report.attempts)
        count = None if report.metrics_only else printed
    else:
        _check_tool(feature, report)
        count = sum(
            any(call.is_of(feature) for call in attempt.trace.calls) for attempt in report.attempts
        )
    return Exercised(feature, count, len(report.attempts))


def _prints(attempt: Attempt, is_at_work: Callable[[HeadedText], bool]) -> bool:
    lookups: Sequence[Call] = [call for call in attempt.trace.calls if call.is_of(LOOKUP_TOOL)]
    return any(is_at_work(text) for call in lookups for text in headed_texts(call.output))


def _check_tool(name: str, report: Report) -> None:
    called = {call.name for attempt in report.attempts for call in attempt.trace.calls}
    tools = sorted({*report.tool_names, *called})
    if name.startswith(_TOOL_MARK) or any(tool.endswith(name) for tool in tools):
        return
    raise UsageError(
        f"--feature {name}: neither a feature nor a tool{nearest(name, [*FEATURES, *tools])}",
        "Features: "
        + "; ".join(f"{feature}, {meaning}" for feature, (meaning, _) in FEATURES.items())
        + f". Or a tool: {', '.join(tools) or 'none is recorded'}.",
    )
