"""Evidence allocation: one order of passages over all records, and the longest prefix that fits."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from harness.model import CaseView, ItemQuote, Omitted, PassageSequence, Quote, Range, Selection

from ..quoting.budget import LARGEST_BUDGET
from ..quoting.excerpt import admit_in_rounds, claim_excerpt
from ..quoting.ranges import GrowingQuote, merge_touching
from .candidates import CandidateRecords, Overlap, competing_records
from .coverage import coverage_order
from .fusion import Summation, fused_order
from .parts import Parts, QuestionWord, held_parts, ledger_parts, normalised, rare_words

NO_ROOM = -1  # not even for an excerpt of an empty text

Start = Literal["fused", "whole"]
Excerpts = Literal["after-all", "leftover"]


@dataclass(frozen=True, slots=True)
class CoverageRule:
    """How an order is rearranged so that the question's parts are covered sooner."""

    parts: Parts
    step: int
    keep_first: int


@dataclass(frozen=True, slots=True)
class EvidenceOrdering:
    """The order of a case's passages; see the parameters of the arms for each setting."""

    candidates: CandidateRecords
    overlap: Overlap
    summation: Summation
    start: Start = "fused"
    coverage: CoverageRule | None = None

    def order(self, case: CaseView) -> PassageSequence:
        fused = fused_order(case, self.candidates, self.overlap, self.summation)
        sequence = fused.sequence(whole_first=self.start == "whole")
        if self.coverage is not None:
            sequence = _covered(case, sequence, self.candidates, self.coverage)
        return replace(sequence, cumulative=_cumulative(sequence))


@dataclass(frozen=True, slots=True)
class EvidencePolicy:
    """The longest prefix of an ordering within `budget` characters, then excerpts.

    `excerpts`: `leftover` quotes claims with whatever room the passages left; `after-all` only when
    no passage was left out.
    """

    ordering: EvidenceOrdering
    budget: int
    excerpts: Excerpts

    def select(self, case: CaseView) -> Selection:
        return self.cut(case, self.ordering.order(case))

    def cut(self, case: CaseView, sequence: PassageSequence) -> Selection:
        cumulative = sequence.cumulative
        if cumulative is None:
            cumulative = _cumulative(sequence)
        taken = _longest_prefix(cumulative, self.budget)
        used = int(cumulative[taken - 1]) if taken else 0
        quotes = _quotes(sequence, taken)
        items = [_item_quote(case, place, quoted) for place, quoted in sorted(quotes.items())]
        left_out = len(sequence) - taken
        admits = self.excerpts == "leftover" or not left_out
        room = self.budget - used if admits else NO_ROOM
        shown, added, omitted = _with_excerpts(case, items, quotes, room)
        return Selection(
            items=shown,
            used=used + added,
            budget=self.budget,
            budget_unit="characters",
            omitted=Omitted(len(case.items) - len(items), left_out, omitted),
            sequence=sequence,
            taken=taken,
        )


_Quoted = dict[int, tuple[Range, ...]]  # by record position


def _quotes(sequence: PassageSequence, taken: int) -> dict[int, _Quoted]:
    """Return the taken ranges by item and record, touching ones merged."""
    ranges: dict[int, dict[int, list[Range]]] = {}
    columns = (sequence.item, sequence.record, sequence.start, sequence.end)
    rows = zip(*[column[:taken].tolist() for column in columns], strict=True)
    for item, record, start, end in rows:
        ranges.setdefault(item, {}).setdefault(record, []).append((start, end))
    return {
        item: {record: merge_touching(parts) for record, parts in by_record.items()}
        for item, by_record in ranges.items()
    }


def _item_quote(case: CaseView, place: int, quoted: _Quoted) -> ItemQuote:
    """Return the head's quote, and each quoted claim as an excerpt with its ranges."""
    item = case.items[place]
    claims = tuple(Quote(claim, quoted[claim]) for claim in item.claims if claim in quoted)
    return ItemQuote(place, Quote(item.head, quoted.get(item.head, ())), claims)


def _with_excerpts(
    case: CaseView, items: list[ItemQuote], quotes: dict[int, _Quoted], room: int
) -> tuple[tuple[ItemQuote, ...], int, int]:
    """Return the items with the excerpts that fit, their characters, and how many were left out.

    A claim that is quoted already gets no other excerpt.
    """
    wanted = [
        [
            claim_excerpt(case, claim)
            for claim in case.items[item.item].claims
            if claim not in quotes[item.item]
        ]
        for item in items
    ]
    lengths = [[quote.length for quote in excerpts] for excerpts in wanted]
    counts, used = admit_in_rounds(lengths, int, room)
    shown = tuple(
        ItemQuote(item.item, item.head, (*item.excerpts, *excerpts[:count]))
        for item, excerpts, count in zip(items, wanted, counts, strict=True)
    )
    return shown, used, sum(map(len, wanted)) - sum(counts)


def _cumulative(sequence: PassageSequence) -> NDArray[np.int64]:
    """Compute characters of quoted text after each passage, for the prefixes within the largest
    budget and one more."""
    quotes: dict[tuple[int, int], GrowingQuote] = {}
    columns = (sequence.item, sequence.record, sequence.start, sequence.end)
    cumulative: list[int] = []
    used = 0
    for item, record, start, end in zip(*[column.tolist() for column in columns], strict=True):
        quote = quotes.get((item, record))
        if quote is None:
            quote = quotes[item, record] = GrowingQuote()
        used += quote.add(start, end)
        cumulative.append(used)
        # no budget admits more: a prefix ends at the first passage that does not fit
        if used > LARGEST_BUDGET and len(cumulative) > 1:
            break
    return np.array(cumulative, dtype=np.int64)


def _longest_prefix(cumulative: NDArray[np.int64], budget: int) -> int:
    """Return how many passages fit: the first always does, the first other that does not ends
    it."""
    # not a binary search: a range that closes a gap frees its separator, so the sums may fall
    too_many = np.flatnonzero(cumulative[1:] > budget)
    return int(too_many[0]) + 1 if len(too_many) else len(cumulative)


def _covered(
    case: CaseView, sequence: PassageSequence, candidates: CandidateRecords, rule: CoverageRule
) -> PassageSequence:
    texts = [normalised(record.text) for record in case.records]
    parts = _parts(case, rule.parts, texts)
    held = _held(case, sequence, parts, texts)
    in_item_order = [
        (place, record)
        for place, item in enumerate(case.items)
        for record in competing_records(item, candidates)
    ]
    first = set(in_item_order[: rule.keep_first])
    slots = zip(sequence.item.tolist(), sequence.record.tolist(), strict=True)
    order = coverage_order(held, [slot in first for slot in slots], rule.step)
    return replace(
        sequence.rearranged(np.array(order, dtype=np.int64)),
        parts=tuple(part.text for part in parts),
        held=tuple(held[place] for place in order),
    )


def _parts(case: CaseView, kind: Parts, texts: list[str]) -> tuple[QuestionWord, ...]:
    if kind == "ledger":
        return ledger_parts(case.query.text)
    return rare_words(case.query.text, texts)


def _held(
    case: CaseView, sequence: PassageSequence, parts: tuple[QuestionWord, ...], texts: list[str]
) -> list[tuple[int, ...]]:
    """Return the parts that each passage's own text holds, normalised by itself.

    In an ASCII record a passage holds only what the record holds, at the same offsets.
    """
    held: list[tuple[int, ...]] = [()] * len(sequence)
    starts, ends = sequence.start.tolist(), sequence.end.tolist()
    for position, (record, text) in enumerate(zip(case.records, texts, strict=True)):
        normal = record.text.isascii()
        possible = held_parts(text, parts) if normal else range(len(parts))
        if not possible:
            continue
        for place in np.flatnonzero(sequence.record == position).tolist():
            passage = record.text[starts[place] : ends[place]]
            passage = passage.lower() if normal else normalised(passage)
            held[place] = tuple(part for part in possible if parts[part].text in passage)
    return held
