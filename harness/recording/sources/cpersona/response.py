"""The window of a search, from the response that the server gave.

A response lists the items in window order, reserved ones last. Only what a window needs is read of
it; other keys are left alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import msgspec

from harness.errors import Faults
from harness.model import PASSAGE_SEPARATOR, RecallPlace
from harness.words import counted

RESERVATION = "reservation"
LEXICAL_ONLY = "lexical_only"
_NO_EMBEDDER = "none"
_NO_EMBEDDER_ADVISED = "mode=none"
_FROM_BLOCKS = "blocks"
_BUDGET_EXHAUSTED = "budget_exhausted"
_ASK_AGAIN = "ask again with trace=true and budget=20000"


@dataclass(frozen=True, slots=True)
class ResponseQuote:
    """What the response quotes of a head: the text, and its ranges in the record."""

    ref: str
    content: str
    ranges: tuple[tuple[int, int], ...]

    def is_of(self, text: str) -> bool:
        """Return whether a record of this text would be quoted so."""
        return self.content == PASSAGE_SEPARATOR.join(text[start:end] for start, end in self.ranges)


@dataclass(frozen=True, slots=True)
class Excerpt:
    """What the response quotes of another record of an item; `content` is None if it says none."""

    ref: str
    content: str | None

    def is_of(self, text: str) -> bool:
        """Return whether it stands in `text`, in one piece or in several with the separator
        between."""
        if self.content is None or self.content in text:
            return True
        return all(piece in text for piece in self.content.split(PASSAGE_SEPARATOR))


@dataclass(frozen=True, slots=True)
class WindowItem:
    """One place of the window by refs; `claims` are most relevant first, without the head."""

    head: str
    claims: tuple[str, ...]
    reserved: bool
    recall: RecallPlace | None
    quote: ResponseQuote | None
    excerpts: tuple[Excerpt, ...]


@dataclass(frozen=True, slots=True)
class Window:
    """The window of one search. `lexical_only`: the server had no vector of the question.

    `traced`: every ref that the candidates and clusters of the trace name.
    """

    items: tuple[WindowItem, ...]
    lexical_only: bool
    server_version: str | None
    traced: tuple[str, ...]


class _Claim(msgspec.Struct):
    ref: str


class _Excerpt(msgspec.Struct):
    ref: str
    content: str | None = None


class _Item(msgspec.Struct):
    head_ref: str
    content: str = ""
    claims: list[_Claim] = []
    excerpts: list[_Excerpt] = []
    ranges: list[tuple[int, int]] | None = None
    admission: str | None = None
    quote_basis: str | None = None


class _Scored(msgspec.Struct):
    ref: str
    score: float


class _Distance(msgspec.Struct):
    ref: str
    rank: int
    raw: float


class _Arms(msgspec.Struct):
    block: list[_Distance] = []


class _Reserved(msgspec.Struct):
    ref: str


class _Config(msgspec.Struct):
    embedding_mode: str | None = None


class _Recall(msgspec.Struct):
    server_version: str | None = None
    config: _Config = msgspec.field(default_factory=_Config)
    fusion: list[_Scored] = []
    arms: _Arms = msgspec.field(default_factory=_Arms)
    reservation: list[_Reserved] = []


class _Trace(msgspec.Struct):
    candidate_refs: list[str] = []
    clusters: list[list[str]] = []
    recall: _Recall = msgspec.field(default_factory=_Recall)


class _Advisory(msgspec.Struct):
    reason: str = ""
    evidence: str = ""


class _Response(msgspec.Struct):
    items: list[_Item]
    effective_count: int | None = None
    shortfall_reason: str | None = None
    reserved_omitted: int = 0
    quote_selection: str | None = None
    # An advisory of another shape says something else, and is left alone.
    advisory: Any = None
    trace: _Trace | None = None


def window_of(value: Any, faults: Faults) -> Window | None:
    """Return the window of a decoded response; None after adding to `faults`."""
    if isinstance(value, dict) and (value.get("ok") is False or "error" in value):
        said = value.get("error") or value.get("reason") or "it says ok: false"
        faults.add(f"response is a refusal of the server: {said}")
        return None
    try:
        response = msgspec.convert(value, _Response)
    except msgspec.ValidationError as error:
        faults.add(f"response is not one of reconstruct ({error})")
        return None
    noted = len(faults)
    left_out = _left_out(response)
    if left_out:
        faults.add(
            f"response leaves out {left_out}, so the window is not whole; {_ASK_AGAIN}, in the "
            "sequence items"
        )
    items = tuple(_item(item, response.trace, faults) for item in response.items)
    if len(faults) > noted:
        return None
    trace = response.trace or _Trace()
    return Window(
        items,
        _is_lexical_only(response),
        trace.recall.server_version,
        tuple(dict.fromkeys([*trace.candidate_refs, *chain.from_iterable(trace.clusters)])),
    )


def _is_lexical_only(response: _Response) -> bool:
    """Return whether the response tells that the server had no vector of the question.

    It says `lexical_only` only where it chose among the blocks of a head. A server without an
    embedder says so in its trace too, and without a trace in what it advises.
    """
    if response.quote_selection == LEXICAL_ONLY:
        return True
    if any(item.quote_basis == _FROM_BLOCKS for item in response.items):
        return False
    mode = None if response.trace is None else response.trace.recall.config.embedding_mode
    return mode == _NO_EMBEDDER or (mode is None and _NO_EMBEDDER_ADVISED in _advice(response))


def _advice(response: _Response) -> str:
    try:
        advisory = msgspec.convert(response.advisory, _Advisory)
    except msgspec.ValidationError:
        return ""
    return f"{advisory.reason} {advisory.evidence}"


def _left_out(response: _Response) -> str:
    """Return what of the window the response does not show, as far as it tells; empty if
    nothing."""
    if response.reserved_omitted:
        count = response.reserved_omitted
        return counted(count, "reserved item")
    if response.shortfall_reason == _BUDGET_EXHAUSTED:
        return "items for which the budget had no room"
    missing = 0 if response.trace is None else _missing(response, response.trace)
    return f"{counted(missing, 'item')} of its trace's clusters" if missing else ""


def _missing(response: _Response, trace: _Trace) -> int:
    """Return how many items the clusters of the trace make that the response does not have."""
    reserved = {row.ref for row in trace.recall.reservation}
    held = sum(1 for cluster in trace.clusters if reserved.issuperset(cluster))
    proper = len(trace.clusters) - held
    if response.effective_count is not None:
        proper = min(proper, response.effective_count)
    shown = sum(1 for item in response.items if item.admission != RESERVATION)
    return max(0, proper - shown)


def _item(item: _Item, trace: _Trace | None, faults: Faults) -> WindowItem:
    reserved = item.admission == RESERVATION
    quote = None
    if item.ranges is not None:
        quote = ResponseQuote(item.head_ref, item.content, tuple(item.ranges))
    return WindowItem(
        item.head_ref,
        tuple(_claims(item, trace, faults)),
        reserved,
        None if trace is None else _place(item.head_ref, reserved, trace.recall),
        quote,
        tuple(Excerpt(excerpt.ref, excerpt.content) for excerpt in item.excerpts),
    )


def _claims(item: _Item, trace: _Trace | None, faults: Faults) -> Sequence[str]:
    """Return the item's other records, most relevant first.

    Excerpts are in that order. Claims that the budget left without one follow by their rank in the
    recall, and those that a relation led to in the order of the response.
    """
    others = [claim.ref for claim in item.claims if claim.ref != item.head_ref]
    quoted = [excerpt.ref for excerpt in item.excerpts if excerpt.ref in others]
    rest = [ref for ref in others if ref not in quoted]
    if len(rest) > 1 and trace is None:
        faults.add(
            f"response without a trace does not tell in which order the claims of "
            f"{item.head_ref} are relevant; {_ASK_AGAIN}"
        )
    if trace is not None:
        places = {ref: place for place, ref in enumerate(reversed(trace.candidate_refs))}
        rest.sort(key=lambda ref: places.get(ref, len(places)))
    return list(dict.fromkeys([*quoted, *rest]))


def _place(ref: str, reserved: bool, recall: _Recall) -> RecallPlace | None:
    """Return where the recall had a head: by its fused score; a reserved one by its best block,
    with its Hamming distance as a negative score."""
    if reserved:
        for row in recall.arms.block:
            if row.ref == ref:
                return RecallPlace(row.rank, -row.raw)
        return None
    for rank, fused in enumerate(recall.fusion):
        if fused.ref == ref:
            return RecallPlace(rank, fused.score)
    return None
