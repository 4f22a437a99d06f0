"""Cases whose sessions are awkward: shared, empty, absent, with names that break a line's fields.

At `items`, of the cases with labels:

| case | shown, in order | labelled | recall | precision |
| --- | --- | --- | --- | --- |
| `two words` | `a b`, `s2` | `s2`, `elsewhere` | 1/2 | 1/2 |
| `empty` | | `s9` | 0 | 0 |
| `100%` | `s%1`, `s2` | `s%1`, `s2` | 1 | 1 |
| `late` | `s1`, `s2`, `s3` | `s3` | 1 | 1/3 |
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from harness.model import Case, Gold, Item, Query, Record

from .recordings import recording_of, run_of

ITEMS, ONE = "items", "count-curve(k=1)"
LABELLED = ("two words", "empty", "100%", "late")
SHOWN = {
    "two words": ("a b", "s2"),
    "empty": (),
    "100%": ("s%1", "s2"),
    "late": ("s1", "s2", "s3"),
    "no gold": ("s1",),
    "no sessions": ("s1",),
}
WINDOW = {**SHOWN, "100%": ("s%1", "s2", "void")}


def session_cases() -> tuple[Case, ...]:
    two_words = Case(
        "two words",
        Query("Where?"),
        tuple(
            Record(name, f"user: {name}", session_id=session)
            for name, session in (("r1", "a b"), ("r2", "s2"), ("r3", "a b"), ("r4", None))
        ),
        (Item("r1"), Item("r4"), Item("r3", ("r2",))),
        gold=Gold("there", sessions=("s2", "elsewhere")),
    )
    return (
        two_words,
        Case("empty", Query("Who?"), gold=Gold("nobody", sessions=("s9",))),
        _plain("100%", ("s%1", "s2"), Gold("all", sessions=("s%1", "s2")), without_text=("void",)),
        _plain("late", ("s1", "s2", "s3"), Gold("late", sessions=("s3",))),
        _plain("no gold", ("s1",), None),
        _plain("no sessions", ("s1",), Gold("unknown", abstention=True)),
    )


def _plain(
    case_id: str, sessions: Sequence[str], gold: Gold | None, without_text: Sequence[str] = ()
) -> Case:
    records = tuple(
        Record(f"{case_id} {session}", text, session_id=session)
        for session, text in (
            *((session, f"user: of {session}") for session in sessions),
            *((session, "") for session in without_text),
        )
    )
    items = tuple(Item(record.record_id) for record in records)
    return Case(case_id, Query("What?"), records, items, gold=gold)


def session_run() -> Path:
    """The run of the cases at every item and at the first one."""
    return run_of(recording_of(session_cases()), (ITEMS, ONE))
