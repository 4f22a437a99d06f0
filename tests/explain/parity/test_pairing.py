"""Joining two streams whose orders differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.explain.parity import pairing
from harness.explain.parity.pairing import Pair, paired
from harness.explain.parity.run_selections import SelectionLine

from ...make.selections import made_selection

KEYS = [(case, point) for case in ("a", "b", "ü") for point in ("items", "whole(budget=800)")]
orders = st.lists(st.sampled_from(KEYS), unique=True)


def lines(keys: Sequence[tuple[str, str]], used: int) -> list[SelectionLine]:
    """Lines of which each is like no other."""
    return [
        SelectionLine(*key, replace(made_selection(), used=used + KEYS.index(key))) for key in keys
    ]


def joined(left: Sequence[SelectionLine], right: Sequence[SelectionLine]) -> list[Pair]:
    """The definition."""
    sides = [
        {(line.case_id, line.point): line.selection for line in side} for side in (left, right)
    ]
    keys = dict.fromkeys([*sides[0], *sides[1]])
    return [Pair(*key, sides[0].get(key), sides[1].get(key)) for key in keys]


@settings(max_examples=200, deadline=None)
@given(orders, orders, st.sampled_from([1, pairing.IN_MEMORY]))
def test_whatever_the_orders(
    left: list[tuple[str, str]], right: list[tuple[str, str]], in_memory: int
) -> None:
    sides = lines(left, 100), lines(right, 200)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairing, "IN_MEMORY", in_memory)  # 1 byte: everything waits on the disk
        found = list(paired(iter(sides[0]), iter(sides[1])))
    assert sorted(found, key=repr) == sorted(joined(*sides), key=repr)


def test_the_same_order_needs_no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("nothing has to wait")

    monkeypatch.setattr(pairing._Waiting, "put", refuse)
    sides = lines(KEYS, 100), lines(KEYS, 200)
    assert list(paired(iter(sides[0]), iter(sides[1]))) == joined(*sides)


def test_what_waits_no_longer_takes_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """One selection that the other side lacks puts both sides out of step for good."""
    monkeypatch.setattr(pairing, "IN_MEMORY", 1)
    largest = 0
    whole = pairing._Waiting.put

    def watched(waiting: pairing._Waiting, line: SelectionLine) -> None:
        nonlocal largest
        whole(waiting, line)
        largest = max(largest, waiting._file.tell())

    monkeypatch.setattr(pairing._Waiting, "put", watched)
    many = [SelectionLine(f"case {number}", "items", made_selection()) for number in range(50)]
    size = len(msgspec.msgpack.encode(made_selection()))
    found = list(paired(iter(many), iter(many[1:])))
    assert found == [
        Pair(one.case_id, "items", one.selection, one.selection) for one in many[1:]
    ] + [Pair("case 0", "items", many[0].selection, None)]
    assert largest <= 4 * size
