"""What tracing found, counted: for each question, and in sum for the manifest and the terminal."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields

MEANINGS = {
    "records": "records that quotes were looked for in",
    "sessions": "haystack sessions with any text",
    "evidence_turns": "labelled turns",
    "evidence_turns_unlocated": "of which in no record: never shown, and never left out",
    "items": "items of the contexts",
    "empty_contexts": "contexts without an item, of searches that did not fail",
    "parts": "quotes: a head's, or an excerpt",
    "parts_located": "of which found in a record",
    "parts_unlocated": "of which in no record: shown, but of no session",
    "parts_ambiguous": "of which in several records; the first was taken",
    "parts_ambiguous_evidence": "of which some in an answer session and some not",
    "places_ambiguous": "of which elsewhere in the same record too; the first place was taken",
    "places_ambiguous_evidence": "of which the record has labelled turns",
    "separators_in_text": "separators that are text of a record",
    "quoted_chars_located": "quoted characters found in records",
    "quoted_chars_unlocated": "quoted characters in no record",
    "rendered_differently": "contexts that the quotes found do not render to",
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
    parts: int = 0
    parts_located: int = 0
    parts_unlocated: int = 0
    parts_ambiguous: int = 0
    parts_ambiguous_evidence: int = 0
    places_ambiguous: int = 0
    places_ambiguous_evidence: int = 0
    separators_in_text: int = 0
    quoted_chars_located: int = 0
    quoted_chars_unlocated: int = 0
    rendered_differently: int = 0

    @property
    def ambiguous(self) -> bool:
        """Whether some quote could be from elsewhere, in another record or in the same."""
        return bool(self.parts_ambiguous or self.places_ambiguous)


def total(checks: Iterable[Checks]) -> Checks:
    """Return the sum of each count."""
    every = list(checks)
    return Checks(**{name: sum(getattr(entry, name) for entry in every) for name in NAMES})


NAMES = tuple(entry.name for entry in fields(Checks))

if set(NAMES) != MEANINGS.keys():
    raise TypeError(f"checks without a meaning: {sorted(set(NAMES) ^ MEANINGS.keys())}")
