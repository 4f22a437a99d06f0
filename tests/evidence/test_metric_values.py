"""Each metric against a naive recomputation from character positions, and by hand."""

from __future__ import annotations

from fractions import Fraction

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.evidence import (
    METRICS,
    CaseEvidence,
    CohortCounts,
    MetricValue,
    ShownRecord,
    as_table,
    cohort_of,
    first_item_histogram,
    labels_of,
    measure,
    metric_named,
    metric_values,
)
from harness.model import Case, EvidenceSpan, Gold, Item, Query, Record

Answer = tuple[Fraction | None, int]
"""A metric's value, and how many cases it has."""

Trial = tuple[Case, list[ShownRecord], int | None]

spans = st.tuples(st.integers(0, 9), st.integers(0, 9)).map(lambda p: (min(p), max(p)))
names = st.sampled_from(["a", "b", "c"])
golds = st.none() | st.builds(
    Gold,
    answer=st.just(1),
    sessions=st.lists(st.sampled_from(["sa", "sb", "gone"]), max_size=3).map(tuple),
    evidence=st.lists(
        st.tuples(names, spans).map(lambda t: EvidenceSpan(t[0], *t[1], role="user")), max_size=3
    ).map(tuple),
)
shown_lists = st.lists(
    st.builds(ShownRecord, st.integers(0, 2), names, st.lists(spans, max_size=3).map(tuple)),
    max_size=4,
)


def case_with(gold: Gold | None) -> Case:
    records = tuple(Record(name, "x" * 9, session_id=f"s{name}") for name in "abc")
    return Case("case", Query("?"), records, tuple(Item(name) for name in "abc"), gold=gold)


trials = st.lists(
    st.tuples(golds.map(case_with), shown_lists, st.none() | st.integers(0, 3)), max_size=6
).filter(bool)


class Recount:
    """One case's ratios from sets of positions; None where the case has none."""

    def __init__(self, case: Case, shown: list[ShownRecord], tokens: int | None) -> None:
        places = [
            (quote.item, quote.record_id, place)
            for quote in shown
            for start, end in quote.ranges
            for place in range(start, end)
        ]
        quoted = {(record, place) for _, record, place in places}
        self.tokens = tokens
        self.raw, self.repeated = len(places), len(places) - len(quoted)
        self.sessions = set(case.gold.sessions) if case.gold else set()
        answers = {(r, p) for r, p in quoted if f"s{r}" in self.sessions}
        self.in_answers = len(answers)
        self.shown = len({record for record, _ in answers})
        turns = [
            {(turn.record_id, place) for place in range(turn.start, turn.end)}
            for turn in (case.gold.evidence if case.gold else ())
        ]
        self.turns, self.touched = len(turns), sum(bool(turn & quoted) for turn in turns)
        self.turn_chars = sum(map(len, turns))
        self.turn_chars_quoted = sum(len(turn & quoted) for turn in turns)
        ranks = [item + 1 for item, record, _ in places if f"s{record}" in self.sessions]
        self.rank = min(ranks, default=None)


def mean(ratios: list[Fraction]) -> Answer:
    return (sum(ratios, Fraction(0)) / len(ratios), len(ratios)) if ratios else (None, 0)


def pool(ratios: list[tuple[int, int]]) -> Answer:
    below = sum(b for _, b in ratios)
    return (Fraction(sum(a for a, _ in ratios), below), len(ratios)) if below else (None, 0)


def expected(cases: list[Recount]) -> dict[str, Answer]:
    with_sessions = [c for c in cases if c.sessions]
    with_turns = [c for c in cases if c.turns]
    with_chars = [c for c in with_turns if c.turn_chars]
    counted = [c.tokens for c in cases if c.tokens is not None]
    return {
        "answer_sessions_shown": mean([Fraction(c.shown, len(c.sessions)) for c in with_sessions]),
        "all_answer_sessions_shown": mean(
            [Fraction(c.shown == len(c.sessions)) for c in with_sessions]
        ),
        "evidence_turns_touched": mean([Fraction(c.touched, c.turns) for c in with_turns]),
        "evidence_turn_chars_macro": mean(
            [Fraction(c.turn_chars_quoted, c.turn_chars) for c in with_chars]
        ),
        "evidence_turn_chars_pooled": pool(
            [(c.turn_chars_quoted, c.turn_chars) for c in with_chars]
        ),
        "evidence_share_pooled": pool([(c.in_answers, c.raw) for c in with_sessions]),
        "answer_sessions_per_1k_tokens": mean(
            [
                Fraction(1000 * c.shown, c.tokens) if c.tokens else Fraction(0)
                for c in with_sessions
                if c.tokens is not None
            ]
        ),
        "duplicate_share_pooled": pool([(c.repeated, c.raw) for c in cases]),
        "first_item_rank": mean([Fraction(c.rank) for c in with_sessions if c.rank]),
        "context_tokens": mean([Fraction(tokens) for tokens in counted]),
        "prompt_tokens_estimated": (None, 0),
    }


def cohort(cases: list[CaseEvidence]) -> CohortCounts:
    table = as_table(cases)
    for name, values in {
        "case_id": [f"case {place}" for place in range(len(cases))],
        "category": ["only"] * len(cases),
        "point": ["p"] * len(cases),
    }.items():
        table = table.append_column(name, pa.array(values))
    return cohort_of(table, ["p"])


def values(cases: list[CaseEvidence]) -> dict[str, MetricValue]:
    made = cohort(cases)
    return {metric.name: metric_values(metric, made)[0] for metric in METRICS}


@settings(max_examples=60, deadline=None)
@given(trials)
def test_every_metric_equals_its_recomputation(given_trials: list[Trial]) -> None:
    found = values(
        [measure(labels_of(case), shown, tokens) for case, shown, tokens in given_trials]
    )
    wanted = expected([Recount(*trial) for trial in given_trials])
    assert list(found) == list(wanted)
    for name, (value, scored) in wanted.items():
        assert found[name].scored == scored, name
        assert (
            found[name].expected == len(given_trials) == scored + sum(found[name].excluded.values())
        )
        if value is None:
            assert found[name].value is None
        else:
            assert found[name].value == pytest.approx(float(value), abs=1e-12), name


def counts(**given_counts: int | None) -> CaseEvidence:
    zero: dict[str, int | None] = dict.fromkeys(CaseEvidence.__dataclass_fields__, 0)
    zero |= {"first_item_rank": None, "labelled": True, "context_tokens": None}
    return CaseEvidence(**(zero | given_counts))  # type: ignore[arg-type]


def test_the_two_definitions_of_turn_characters() -> None:
    found = values(
        [
            counts(evidence_turns=1, evidence_turn_chars=100, evidence_turn_chars_quoted=100),
            counts(evidence_turns=2, evidence_turn_chars=900, evidence_turn_chars_quoted=0),
        ]
    )
    assert found["evidence_turn_chars_macro"].value == 0.5
    assert found["evidence_turn_chars_macro"].denominator is None
    pooled = found["evidence_turn_chars_pooled"]
    assert (pooled.value, pooled.numerator, pooled.denominator) == (0.1, 100, 1000)


def test_an_empty_selection_is_scored_as_zero() -> None:
    full = {"answer_sessions": 2, "answer_sessions_shown": 2, "first_item_rank": 1}
    shown = {"quoted_chars_raw": 10, "quoted_chars_merged": 8, "quoted_chars_in_answer_sessions": 4}
    found = values([counts(**full, **shown), counts(answer_sessions=3)])
    assert found["answer_sessions_shown"].value == 0.5
    assert found["all_answer_sessions_shown"].value == 0.5
    assert (found["evidence_share_pooled"].value, found["evidence_share_pooled"].scored) == (0.4, 2)
    assert found["duplicate_share_pooled"].value == 0.2
    rank = found["first_item_rank"]
    assert (rank.value, rank.scored, rank.excluded) == (1.0, 1, {"no answer session quoted": 1})


def test_nothing_quoted_anywhere_leaves_the_shares_undefined() -> None:
    found = values([counts(answer_sessions=1), counts(answer_sessions=2)])
    assert found["answer_sessions_shown"].value == 0.0
    for name in ("evidence_share_pooled", "duplicate_share_pooled"):
        assert found[name].value is None
        assert (found[name].scored, found[name].excluded) == (0, {"nothing quoted": 2})


def test_who_is_excluded_and_why() -> None:
    cases = [
        counts(labelled=False),
        counts(answer_sessions=1),  # an abstention question without a labelled turn
        counts(evidence_turns=1),
        counts(answer_sessions=1, evidence_turns=1, evidence_turn_chars=9),
    ]
    found = values(cases)
    assert found["answer_sessions_shown"].excluded == {"no gold": 1, "no answer sessions": 1}
    assert found["evidence_turns_touched"].excluded == {"no gold": 1, "no evidence turns": 1}
    assert found["evidence_turn_chars_macro"].excluded == {
        "no gold": 1,
        "no evidence turns": 1,
        "evidence turns without a character": 1,
    }
    assert found["answer_sessions_per_1k_tokens"].excluded == {
        "no gold": 1,
        "no answer sessions": 1,
        "tokens off": 2,
    }
    assert found["context_tokens"].excluded == {"tokens off": 4}


def test_sessions_per_1k_tokens() -> None:
    shown = {"answer_sessions": 2, "answer_sessions_shown": 2}
    found = values([counts(**shown, context_tokens=500), counts(**shown, context_tokens=0)])
    per_1k = found["answer_sessions_per_1k_tokens"]
    assert (per_1k.value, per_1k.scored) == ((4.0 + 0.0) / 2, 2)
    assert found["context_tokens"].value == 250.0


def test_first_item_histogram() -> None:
    ranks = [1, 1, 2, 10, 11, 12, None]
    cases = [counts(answer_sessions=1, first_item_rank=rank) for rank in ranks]
    made = cohort([*cases, counts(), counts(labelled=False)])
    assert first_item_histogram(made) == [{"1": 2, "2-10": 2, "11+": 2, "never": 1}]


def test_an_unknown_metric_gets_the_nearest_name() -> None:
    with pytest.raises(Exception, match="did you mean 'evidence_share_pooled'"):
        metric_named("evidence_share")
