"""Loss attribution, against every turn looked up by hand in the run's tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.measure.loss import FATES, Fate, attribute_losses, fate_of
from harness.measure.subject import MeasuredRun
from harness.measure.turns import EvidenceTurn, OfferedPassage, RecordBlocks
from harness.model import Case, Range, divide
from harness.points import parse_point

from .naive import computed_as, quoted_characters, rows_of, turns_of

BLOCKS = RecordBlocks(3000, (500, 1000, 1500, 2000, 2500, 3000))
TAKEN, LEFT = True, False


def turn(start: int, end: int) -> EvidenceTurn:
    return EvidenceTurn("case", None, 0, "record", start, end)


@pytest.mark.parametrize(
    ("start", "end", "quoted", "passages", "fate"),
    [
        (790, 1100, [(0, 800)], [], Fate.QUOTED),  # ten characters of it
        (800, 1100, [(0, 800)], [], Fate.CUT_OFF),  # it begins where the quote was cut
        (1000, 1100, [(0, 800)], [], Fate.OUTSIDE),  # after the rest, which ends with its block
        (800, 900, [(0, 500)], [], Fate.OUTSIDE),
        (0, 10, [], [], Fate.NOT_TAKEN),
        (5, 5, [(0, 800)], [], Fate.OUTSIDE),  # no character to quote
        # a touching quote of two passages, the first of which was cut at 800
        (1450, 1490, [(0, 800), (2000, 2500)], [], Fate.OUTSIDE),
        (900, 950, [(0, 800)], [(0, 800, TAKEN), (850, 1000, LEFT)], Fate.OUTSIDE),
        (820, 840, [(0, 800)], [(0, 800, TAKEN), (850, 1000, LEFT)], Fate.CUT_OFF),
        # a cut passage that was not taken explains nothing
        (820, 840, [(2000, 2500)], [(0, 800, LEFT), (2000, 2500, TAKEN)], Fate.OUTSIDE),
        # an excerpt of a record whose passages were not taken
        (820, 840, [(500, 800)], [(0, 100, LEFT)], Fate.CUT_OFF),
    ],
)
def test_each_class(
    start: int,
    end: int,
    quoted: list[Range],
    passages: list[tuple[int, int, bool]],
    fate: Fate,
) -> None:
    offered = [OfferedPassage(*passage) for passage in passages]
    assert fate_of(turn(start, end), BLOCKS, quoted, offered) is fate


def test_a_record_outside_the_window() -> None:
    assert fate_of(turn(0, 10), None, [], []) is Fate.NOT_IN_WINDOW


def naive_fate(
    subject: MeasuredRun, case: Case, record_id: str, span: Range, point: str, quoted: set[int]
) -> str:
    """The definitions, in sets of characters."""
    if quoted & set(range(*span)):
        return "quoted"
    text = next((record.text for record in case.records if record.record_id == record_id), None)
    if text is None:
        return "session not in the window"
    if not quoted:
        return "no passage taken"
    shown, offered = passages_of(subject, case.case_id, record_id, point)
    ends = {block.end for block in divide(text)}
    for start, end in shown:
        if end in ends:
            continue
        at = end
        within = [stop for stop in ends if stop <= start + 1478 and stop > end]
        last = max([min(stop for stop in ends if stop > end), *within])
        while at < last and not any(other == at for other, _ in offered):
            if at in range(*span):
                return "cut off"
            at += 1
    return "outside the quote"


def passages_of(
    subject: MeasuredRun, case_id: str, record_id: str, point: str
) -> tuple[list[Range], list[Range]]:
    """The record's shown and offered passages: of the sequence, else its quoted ranges."""
    folder = subject.run.folder
    name = computed_as(folder)[point]
    ordering = next(row["ordering"] for row in rows_of(folder, "points") if row["point"] == point)
    taken = next(
        row["passages_taken"]
        for row in rows_of(folder, "selections")
        if (row["case_id"], row["point"]) == (case_id, name)
    )
    sequence = [
        (row["place"], row["start"], row["end"])
        for row in rows_of(folder, "sequences")
        if (row["case_id"], row["record_id"], row["ordering"]) == (case_id, record_id, ordering)
    ]
    shown = [(start, end) for place, start, end in sequence if place < taken]
    if shown:
        return shown, [(start, end) for _, start, end in sequence]
    quoted = [
        (row["start"], row["end"])
        for row in rows_of(folder, "quotes")
        if (row["case_id"], row["record_id"], row["point"]) == (case_id, record_id, name)
    ]
    return quoted, quoted


def test_every_turn_of_the_run_is_where_a_naive_reading_finds_it(
    subject: MeasuredRun, cases: Mapping[str, Case]
) -> None:
    losses = attribute_losses(subject, subject.run.points)
    turns = list(turns_of(cases))
    assert len(losses.turns) == len(turns) == 24
    seen: Counter[str] = Counter()
    for point in subject.run.points:
        quoted = quoted_characters(subject.run.folder, str(point))
        expected = [
            naive_fate(
                subject,
                case,
                span.record_id,
                (span.start, span.end),
                str(point),
                quoted.get((case.case_id, span.record_id), set()),
            )
            for case, span in turns
        ]
        assert [fate.value for fate in losses.fates[point]] == expected
        row = losses.row(point)
        assert row.turns == sum(row.fates.values()) == 24
        assert row.fates[Fate.NOT_IN_WINDOW] == 2
        seen.update(expected)
    assert {fate.value for fate in FATES} == set(seen)  # the run has every class


def test_quoted_turns_are_those_that_the_evidence_counts_touch(subject: MeasuredRun) -> None:
    losses = attribute_losses(subject, subject.run.points)
    cohort = subject.cohort(subject.run.points)
    touched = cohort.counts["evidence_turns_touched"].sum(axis=0)
    turns = cohort.counts["evidence_turns"].sum(axis=0)
    for place, point in enumerate(subject.run.points):
        row = losses.row(point)
        assert (row.fates[Fate.QUOTED], row.turns) == (touched[place], turns[place])


def test_categories_and_moves_add_up(subject: MeasuredRun) -> None:
    first, second = map(parse_point, ("count-curve(k=1)", "evidence(budget=1200)"))
    losses = attribute_losses(subject, [first, second])
    assert losses.categories == ("multi-session", "single-session", None)
    assert (losses.questions, losses.expected) == (6, 8)
    for fate in FATES:
        parts = [losses.row(first, by=(name,)).fates[fate] for name in losses.categories]
        assert sum(parts) == losses.row(first).fates[fate]
    moves = losses.moves(second, first)
    assert moves.turns == len(losses.turns)
    both = Counter(zip(losses.fates[first], losses.fates[second], strict=True))
    assert moves.counts == both
    assert moves.moved == sum(before is not after for before, after in both.elements()) > 0
    for fate in FATES:
        before = sum(count for (start, _), count in moves.counts.items() if start is fate)
        after = sum(count for (_, stop), count in moves.counts.items() if stop is fate)
        assert (before, after) == (losses.row(first).fates[fate], losses.row(second).fates[fate])


RANGES = st.tuples(st.integers(0, 2990), st.integers(1, 900)).map(
    lambda pair: (pair[0], min(sum(pair), 3000))
)


@given(RANGES, st.lists(RANGES, max_size=5))
def test_what_is_touched_is_quoted_and_nothing_else_is(span: Range, quoted: list[Range]) -> None:
    fate = fate_of(turn(*span), BLOCKS, quoted, [])
    characters = {at for start, end in quoted for at in range(start, end)}
    assert (fate is Fate.QUOTED) == bool(characters & set(range(*span)))
    assert (fate is Fate.NOT_TAKEN) == (not characters)
