"""Values that the published package gave for made-up texts."""

from __future__ import annotations

import json
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from arms.allocation.by_item import allocate
from arms.allocation.candidates import candidates_of
from arms.allocation.evidence import EvidenceOrdering, EvidencePolicy
from arms.allocation.fusion import _scores
from arms.allocation.parts import ledger_parts, normalised
from arms.quoting.budget import resolve_budget
from arms.quoting.governing import governing_range, governing_ranges
from arms.quoting.record import quotable_records
from harness.model import BlockSet, Record, divide

from ..golden import GOLDEN
from ..make.cases import made_view
from .passage_rows import Row, fused, rows_of


@pytest.fixture(scope="module")
def reference() -> dict[str, list[dict[str, Any]]]:
    """Recorded values by function."""
    text = (GOLDEN / "text" / "cases.json").read_text("utf-8")
    found: dict[str, list[dict[str, Any]]] = {}
    for case in json.loads(text)["cases"]:
        found.setdefault(case["fn"], []).append(case)
    return found


def test_block_division(reference: dict[str, list[dict[str, Any]]]) -> None:
    for case in reference["segment+context_range"]:
        spans = [[span.start, span.end, span.forced] for span in divide(case["text"])]
        assert spans == case["spans"], case["name"]


def test_governing_ranges(reference: dict[str, list[dict[str, Any]]]) -> None:
    for case in reference["segment+context_range"]:
        bounds = [(start, end) for start, end, _ in case["spans"]]
        walked = [
            list(governing_range(case["text"], bounds, place)) for place in range(len(bounds))
        ]
        assert walked == case["context"], case["name"]
        starts, ends = np.array(bounds, dtype=np.int32).T
        first, last = governing_ranges(case["text"], starts, ends)
        together = zip(first.tolist(), last.tolist(), strict=True)
        assert list(together) == [(start, end) for start, end, _ in case["context"]], case["name"]


def test_block_ranks_and_passages(reference: dict[str, list[dict[str, Any]]]) -> None:
    (case,) = reference["rank_blocks+record_passages"]
    blocks = case["blocks"]
    record = Record(
        "r",
        case["text"],
        blocks=BlockSet(
            np.array([block["start"] for block in blocks], dtype=np.int32),
            np.array([block["end"] for block in blocks], dtype=np.int32),
            np.array([block["int8"] for block in blocks], dtype=np.int8),
        ),
    )
    view = made_view(case["query"], [record], vector=case["query_vec"])
    (quotable,) = quotable_records(view)
    assert quotable.cosine is not None
    assert quotable.cosine.tolist() == pytest.approx(case["cosines"], abs=1e-6)
    assert quotable.ranked.tolist() == case["order"]
    found = rows_of(candidates_of(view, "heads", "skip"))
    assert [(passage.start, passage.end) for passage in found] == [
        (start, end) for start, end, _, _ in case["passages"]
    ]
    cosines = [passage.cosine for passage in found]
    assert cosines == pytest.approx([cosine for _, _, cosine, _ in case["passages"]], abs=1e-6)


@pytest.mark.parametrize("whole_first", [False, True])
def test_evidence_and_whole_orders(
    reference: dict[str, list[dict[str, Any]]], whole_first: bool
) -> None:
    (case,) = reference["evidence_order+whole_order+cut_sequence"]
    candidates, ordinal_at = _candidates(case)
    sequence = fused(candidates, "sequential", whole_first=whole_first)
    found = [
        [
            passage.record,
            ordinal_at[passage.record, passage.start],
            [passage.ranks.record, passage.ranks.inside, passage.ranks.cosine],
        ]
        for passage in sequence
    ]
    assert found == case["whole" if whole_first else "evidence"]


def test_prefix_cuts_of_the_evidence_order(reference: dict[str, list[dict[str, Any]]]) -> None:
    (case,) = reference["evidence_order+whole_order+cut_sequence"]
    candidates, ordinal_at = _candidates(case)
    sequence = fused(candidates, "sequential")
    view = made_view("", [Record(str(place), "x" * 4000) for place in range(len(case["records"]))])
    ordering = EvidenceOrdering("heads", "skip", "sequential")
    for budget, expected in case["cuts"].items():
        selection = EvidencePolicy(ordering, int(budget), "after-all").cut(view, sequence)
        taken: dict[str, list[int]] = {}
        for passage in list(sequence)[: selection.taken]:
            ordinal = ordinal_at[passage.record, passage.start]
            taken.setdefault(str(passage.record), []).append(ordinal)
        assert (taken, selection.used) == (expected["taken"], expected["used"]), budget


def _candidates(case: dict[str, Any]) -> tuple[list[Row], dict[tuple[int, int], int]]:
    """The case's passages, one record an item, and each one's ordinal by record and start."""
    candidates = [
        Row(place, place, start, end, inside, cosine, case["whole_flags"][place])
        for place, passages in enumerate(case["records"])
        for inside, (start, end, cosine, _) in enumerate(passages)
    ]
    return candidates, {(found.record, found.start): found.inside for found in candidates}


def test_exact_sums_do_not_depend_on_the_order(
    reference: dict[str, list[dict[str, Any]]],
) -> None:
    (case,) = reference["float_tie_note"]
    ranks = range(12)
    triples = [[a, b, c] for a in ranks for b in ranks[a:] for c in ranks[b:]]
    depending = [triple for triple in triples if len(_sums(triple, exact=False)) > 1]
    assert depending[: len(case["triples"])] == case["triples"]
    assert len(depending) == case["count_lt12"]
    assert all(len(_sums(triple, exact=True)) == 1 for triple in triples)


def _sums(triple: list[int], *, exact: bool) -> set[float]:
    """The sums of the reciprocal ranks over all orders, by the arms' own arithmetic."""
    orders = np.array(sorted(set(permutations(triple))), dtype=np.int32)
    item, inside, cosine = np.ascontiguousarray(orders.T)
    return set(_scores(item, inside, cosine, "exact" if exact else "sequential").tolist())


def test_ledger_parts(reference: dict[str, list[dict[str, Any]]]) -> None:
    for case in reference["coverage.parts"]:
        assert normalised(case["query"]) == case["normalized"]
        parts = ledger_parts(case["query"])
        assert [[part.start, part.end, part.kind, part.text] for part in parts] == case["parts"]


def test_resolved_budgets(reference: dict[str, list[dict[str, Any]]]) -> None:
    for case in reference["resolve_budget"]:
        found = resolve_budget(case["requested"], case["count"])
        policy = {"source": found.source, "clamped": found.clamped, "reason": found.reason}
        assert [found.characters, policy] == case["result"]


def test_heads_then_excerpts_in_rounds(reference: dict[str, list[dict[str, Any]]]) -> None:
    for case in reference["allocate"]:
        found = allocate(case["heads"], case["others"], case["budget"])
        assert found.heads == case["items"]
        assert list(found.excerpts) == case["excerpts"]
        assert found.used == case["used"]
        shown = case["others"][: found.heads]
        omitted = [len(others) - count for others, count in zip(shown, found.excerpts, strict=True)]
        assert omitted == case["omitted"]
