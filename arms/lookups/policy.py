"""The policies of lookups, and the parameters that they share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from harness.model import (
    CaseView,
    Expansion,
    ItemQuote,
    Lookup,
    Omitted,
    Parameter,
    Quote,
    Range,
    Selection,
    Settings,
    Value,
)

from .expansion import expand
from .settings import STRONG_PREDICATES, ExpansionSettings, Hop
from .wording import size, tokens

BUDGET_UNIT = "estimated_tokens"
BUDGETS = (500, 1000, 1500, 2000, 3000, 4000)
BUDGET_POINTS: tuple[dict[str, Value], ...] = tuple({"budget_tokens": budget} for budget in BUDGETS)
NO_PREDICATE = "none"

BUDGET_TOKENS = Parameter(
    name="budget_tokens",
    meaning="result tokens that may be printed, 4 UTF-8 bytes per token",
    default=1500,
    minimum=0,
    maximum=1_000_000,
    unit="estimated tokens",
    grows=True,
)
LIMITS = (
    Parameter(
        name="max_fetches", meaning="documents fetched at most", default=10, minimum=0, maximum=1000
    ),
    Parameter(
        name="outline_threshold",
        meaning="a document of this many bytes is not printed whole",
        default=8192,
        minimum=0,
        maximum=100_000_000,
        unit="bytes",
    ),
    Parameter(
        name="charge_first_break",
        meaning="the line break before the first block counts towards the budget",
        kind=bool,
        default=False,
        later=True,
    ),
)
PARTS = (
    Parameter(
        name="whole_result",
        meaning="the budget covers the printed table too, and notes are charged",
        kind=bool,
        default=True,
    ),
    Parameter(
        name="coalesce",
        meaning="text that is already printed is named, not printed again",
        kind=bool,
        default=True,
    ),
    Parameter(
        name="pin",
        meaning="a whole document is cited under its first heading",
        kind=bool,
        default=True,
    ),
    Parameter(
        name="hop",
        meaning="whose relations are printed and followed one step",
        kind=str,
        default="strongest",
        choices=("none", "strongest", "every-row"),
    ),
    Parameter(
        name="omissions",
        meaning="blocks that did not fit are named at the end",
        kind=bool,
        default=True,
    ),
    Parameter(
        name="max_related",
        meaning="documents printed at most that relations led to",
        default=3,
        minimum=0,
        maximum=1000,
    ),
    Parameter(
        name="hop_predicates",
        meaning=f"relations that are followed first, joined by `+`; `{NO_PREDICATE}` for no order",
        kind=str,
        default="+".join(STRONG_PREDICATES),
    ),
)


@dataclass(frozen=True, slots=True)
class TablePolicy:
    """The printed table alone."""

    def select(self, case: CaseView) -> Selection:
        lookup = _lookup_of(case)
        return Selection(
            used=tokens(lookup.spent_bytes),
            budget_unit=BUDGET_UNIT,
            omitted=Omitted(items=len(case.items)),
            context=lookup.table,
            expansion=Expansion(rows=len(lookup.rows)),
        )


@dataclass(frozen=True, slots=True)
class ExpansionPolicy:
    """The printed table, expanded."""

    settings: ExpansionSettings

    def select(self, case: CaseView) -> Selection:
        lookup, settings = _lookup_of(case), self.settings
        rows, query = lookup.rows, case.query.text
        expansion = expand(rows, query, lookup.spent_bytes, lookup.fetch, settings)
        covered = lookup.spent_bytes if settings.whole_result else 0
        items = _quotes(expansion)
        in_window = sum(item.item < len(case.items) for item in items)
        return Selection(
            items=items,
            used=tokens(covered + size(expansion.text)),
            budget=settings.budget_tokens,
            budget_unit=BUDGET_UNIT,
            omitted=Omitted(len(case.items) - in_window, passages=len(expansion.omitted)),
            context=lookup.table + expansion.text,
            expansion=expansion,
        )


def expansion_policy(settings: Settings) -> ExpansionPolicy:
    """Return the policy of an arm's settings; a part that the arm does not have is off."""
    named = str(settings.get("hop_predicates", NO_PREDICATE))
    return ExpansionPolicy(
        ExpansionSettings(
            budget_tokens=int(settings["budget_tokens"]),
            whole_result=bool(settings.get("whole_result", False)),
            coalesce=bool(settings.get("coalesce", False)),
            pin=bool(settings.get("pin", False)),
            hop=cast(Hop, settings.get("hop", "none")),
            omissions=bool(settings.get("omissions", False)),
            max_fetches=int(settings["max_fetches"]),
            max_related=int(settings.get("max_related", 3)),
            outline_threshold=int(settings["outline_threshold"]),
            charge_first_break=bool(settings["charge_first_break"]),
            hop_predicates=() if named == NO_PREDICATE else tuple(named.split("+")),
        )
    )


def _lookup_of(case: CaseView) -> Lookup:
    if case.lookup is None:
        raise ValueError("the case is not a lookup")
    return case.lookup


def _quotes(expansion: Expansion) -> tuple[ItemQuote, ...]:
    """Return what the blocks quote of each document, in the documents' order."""
    ranges: dict[int, list[Range]] = {}
    for block in expansion.blocks:
        if block.form in ("document", "section") and block.end > block.start:
            ranges.setdefault(block.record, []).append((block.start, block.end))
    return tuple(
        ItemQuote(record, Quote(record, _joined(ranges[record]))) for record in sorted(ranges)
    )


def _joined(ranges: list[Range]) -> tuple[Range, ...]:
    """Return the ranges in text order; those that touch or overlap are one."""
    joined: list[Range] = []
    for start, end in sorted(ranges):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return tuple(joined)
