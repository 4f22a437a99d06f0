"""The arm `newest-first`: the opening of each item's head, newest record first.

An example of an arm that lives in a package of its own. It imports nothing of the harness but its
case model.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from harness.model import (
    Arm,
    CaseView,
    ItemQuote,
    Omitted,
    Parameter,
    Passage,
    PassageSequence,
    Quote,
    Ranks,
    Selection,
    Settings,
)


@dataclass(frozen=True, slots=True)
class NewestFirst:
    """The order of the passages; it knows no budget."""

    characters: int

    def order(self, case: CaseView) -> PassageSequence:
        """One passage an item, the opening of its head; newest first, undated last."""
        by_age = sorted(range(len(case.items)), key=lambda place: _age(case, place))
        passages = []
        for rank, place in enumerate(by_age):
            head = case.items[place].head
            end = min(len(case.records[head].text), self.characters)
            passages.append(Passage(place, head, 0, end, Ranks(rank, 0, None)))
        return PassageSequence.of(passages)


@dataclass(frozen=True, slots=True)
class NewestFirstPolicy:
    """The longest prefix of the order that fits into `budget` characters."""

    ordering: NewestFirst
    budget: int

    def select(self, case: CaseView) -> Selection:
        return self.cut(case, self.ordering.order(case))

    def cut(self, case: CaseView, sequence: PassageSequence) -> Selection:
        shown = []
        used = 0
        for passage in sequence:
            length = passage.end - passage.start
            if used + length > self.budget:
                break
            used += length
            quote = Quote(passage.record, ((passage.start, passage.end),))
            shown.append(ItemQuote(passage.item, quote))
        return Selection(
            items=tuple(sorted(shown, key=lambda quoted: quoted.item)),
            used=used,
            budget=self.budget,
            budget_unit="characters",
            omitted=Omitted(
                items=len(case.items) - len(shown), passages=len(sequence) - len(shown)
            ),
            sequence=sequence,
            taken=len(shown),
        )


def _age(case: CaseView, place: int) -> float:
    """Grows with age; a time without a zone is taken as UTC. Python's sort keeps ties in place."""
    timestamp = case.records[case.items[place].head].timestamp
    if timestamp is None:
        return float("inf")
    time = datetime.fromisoformat(timestamp)
    return -(time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()


def _policy(settings: Settings) -> NewestFirstPolicy:
    ordering = NewestFirst(characters=int(settings["characters"]))
    return NewestFirstPolicy(ordering, budget=int(settings["budget"]))


ARM = Arm(
    name="newest-first",
    summary="the opening of each item's head, newest record first",
    explanation="""\
Each item offers the first `characters` characters of its head record. They are taken from the
newest record to the oldest, records without a time last, items of one time in recall order, as long
as the next one fits into the budget. What is taken is shown in recall order. Neither the question
nor a vector is looked at.""",
    source="an example of this project",
    policy=_policy,
    parameters=(
        Parameter(
            name="budget",
            meaning="most characters of quoted text",
            minimum=800,
            maximum=20_000,
            unit="characters",
            grows=True,
        ),
        Parameter(
            name="characters",
            meaning="how much of each head is shown",
            default=400,
            minimum=1,
            maximum=800,
            unit="characters",
        ),
    ),
    default_points=({"budget": 2000}, {"budget": 2800}, {"budget": 4000}),
)
