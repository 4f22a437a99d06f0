"""A small part of the fuzzed inputs, the same every time; the whole is a command of its own."""

from __future__ import annotations

import gzip
import random

import pytest

from . import fuzz

PER_READER = 3


@pytest.mark.parametrize("part", range(PER_READER))
def test_no_input_ends_in_a_traceback(part: int) -> None:
    count = len(fuzz.READERS)
    assert fuzz.findings(range(part * count, (part + 1) * count)) == []


@pytest.mark.parametrize("reader", fuzz.READERS, ids=lambda reader: reader.verb[:40])
def test_the_inputs_are_valid_before_they_are_broken(reader: fuzz.Reader) -> None:
    assert (fuzz.FIXTURES / reader.source / reader.inside).exists()


def test_an_input_is_the_same_every_time() -> None:
    data = gzip.compress(b'{"a": [1, 2]}\n{"b": {"c": null}}\n', mtime=0)
    for number in range(50):
        one, other = (fuzz.mutated(data, random.Random(number), "x.jsonl.gz") for _ in range(2))
        assert one == other


FOUND = (1454, 6193, 7282, 8841, 8921, 9919)
"""Inputs that once ended in a traceback."""


@pytest.mark.parametrize("number", FOUND)
def test_what_was_found_once_is_not_found_again(number: int) -> None:
    assert fuzz.findings([number]) == []
