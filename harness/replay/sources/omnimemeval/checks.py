"""What tracing found, counted: for each question, and in sum for the manifest and the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING

from harness.decode import KEEP, Count, Format, typed
from harness.replay.schema import IMPORTED

if TYPE_CHECKING:
    from harness.replay.run import Run

MEANINGS = {
    "records": "records that quotes were looked for in",
    "sessions": "haystack sessions with any text",
    "evidence_turns": "labelled turns",
    "evidence_turns_unlocated": "of which in no record: never shown, and never left out",
    "items": "items of the contexts",
    "empty_contexts": "contexts without an item, of searches that did not fail",
    "contexts_undated": "contexts without dated headers, whose lines were looked for",
    "parts": "quotes: a head's, an excerpt, or a line of such a context",
    "parts_located": "of which found in a record",
    "parts_unlocated": "of which not found: shown, but of no session",
    "parts_ambiguous": "of which in several records; the first was taken",
    "parts_ambiguous_evidence": "of which some in an answer session and some not",
    "places_ambiguous": "of which elsewhere in the same record too; the first place was taken",
    "places_ambiguous_evidence": "of which the record has labelled turns",
    "lines_in_several_places": "of parts_unlocated, lines in several places; none was taken",
    "lines_too_short": "of parts_unlocated, lines too short to be looked for",
    "separators_in_text": "separators that are text of a record",
    "quoted_chars_located": "quoted characters found in records",
    "quoted_chars_unlocated": "quoted characters that were not found",
    "rendered_differently": "dated contexts that the quotes found do not render to",
}
"""Every check, in the order in which it is shown."""


@dataclass(frozen=True, slots=True)
class Checks:
    """The counts of one question or of many; `MEANINGS` says what each is."""

    records: int = 0
    sessions: int = 0
    evidence_turns: int = 0
    evidence_turns_unlocated: int = 0
    items: int = 0
    empty_contexts: int = 0
    contexts_undated: int = 0
    parts: int = 0
    parts_located: int = 0
    parts_unlocated: int = 0
    parts_ambiguous: int = 0
    parts_ambiguous_evidence: int = 0
    places_ambiguous: int = 0
    places_ambiguous_evidence: int = 0
    lines_in_several_places: int = 0
    lines_too_short: int = 0
    separators_in_text: int = 0
    quoted_chars_located: int = 0
    quoted_chars_unlocated: int = 0
    rendered_differently: int = 0

    @property
    def ambiguous(self) -> bool:
        """Whether some quote could be from elsewhere, in another record or in the same."""
        return bool(self.parts_ambiguous or self.places_ambiguous)


def what_is_lost(checks: Mapping[str, int]) -> tuple[str, ...]:
    """Say what the evidence measured of imported contexts does not hold, a sentence each.

    `checks` are counts by name, of one version of this table or another.
    """
    parts, unlocated = checks.get("parts", 0), checks.get("parts_unlocated", 0)
    undated = checks.get("contexts_undated", 0)
    lost = []
    if undated:
        lost.append(
            f"{undated:,} contexts have no dated headers: where an item ends is not known, so "
            "ranks are places of lines, and no point can be cut"
        )
    if unlocated:
        which = "lines or runs of lines" if undated else "quotes"
        lost.append(
            f"{unlocated:,} of {parts:,} {which} were not located in the records: they count as "
            "quoted and never as evidence, so at least as much of it was shown as is counted"
        )
    return tuple(lost)


@dataclass(frozen=True, slots=True)
class Imported:
    """What is read again of what a run's manifest says it was imported from."""

    library: str | None = None
    checks: Mapping[str, Count] = field(default_factory=dict)


_IMPORTED = Format("imported", Imported, KEEP, hint="Import the search results again.")


def imported_of(run: Run) -> Imported:
    """Return what a run was imported from, nothing for one that was replayed; raises `InputError`
    for a manifest that says something else there."""
    value = run.manifest.content.get(IMPORTED)
    where = f"{run.folder}: content.{IMPORTED}"
    return Imported() if value is None else typed(_IMPORTED, value, at=where)


def not_located(checks: Checks) -> dict[str, int]:
    """Return the counts that a recording of the contexts says with its dataset, if any is lost."""
    lost = ("contexts_undated", "parts", "parts_unlocated")
    return {name: getattr(checks, name) for name in lost} if what_is_lost(asdict(checks)) else {}


def names_of(checks: Checks) -> tuple[str, ...]:
    """Return the checks of an import, in order: those of lines where contexts have no headers."""
    if checks.contexts_undated:
        return NAMES
    of_lines = ("contexts_undated", "lines_in_several_places", "lines_too_short")
    return tuple(name for name in NAMES if name not in of_lines)


def total(checks: Iterable[Checks]) -> Checks:
    """Return the sum of each count."""
    every = list(checks)
    return Checks(**{name: sum(getattr(entry, name) for entry in every) for name in NAMES})


NAMES = tuple(entry.name for entry in fields(Checks))

if set(NAMES) != MEANINGS.keys():
    raise TypeError(f"checks without a meaning: {sorted(set(NAMES) ^ MEANINGS.keys())}")
