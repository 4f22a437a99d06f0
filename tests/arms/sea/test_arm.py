"""The arm `sea` on cases written by hand."""

from __future__ import annotations

import numpy as np
import pytest

from arms.sea import ARM, SIGNALS, TASKS, estimate_tokens, snippet
from harness.model import CandidateTrace, Query, Record, Selection
from harness.points import parse_points
from harness.replay.growth import growth_pairs, losses, shown_by

from .made import chosen, policy, vectors, view

LINE = "- (vec {}, profile=unknown, kind={}, authority={}, score={}): {}\n"
OF_METADATA = ("metadata", "authority", "graph", "contradiction", "task_fit")


def trace_of(selection: Selection) -> CandidateTrace:
    assert selection.candidates is not None
    return selection.candidates


def signals_of(selection: Selection, item: int) -> dict[str, float]:
    """The signals of an item by name, NaN for an absent one."""
    trace = trace_of(selection)
    row = trace.signals[trace.item.tolist().index(item)]
    return {name: round(float(value), 6) for name, value in zip(SIGNALS, row, strict=True)}


def test_records_without_anything_but_text() -> None:
    """Keyword alone is there: one of the two words of three bytes, two, none; times 0.15."""
    records = [Record("z", "a red car"), Record("y", "The red\nboat"), Record("x", "nothing")]
    selection = chosen("red boat", records)
    assert selection.context == (
        "[SEA evidence]\n"
        + LINE.format(2, "note", "inferred", "0.150", "text=The red\nboat")
        + LINE.format(1, "note", "inferred", "0.075", "text=a red car")
        + LINE.format(3, "note", "inferred", "0.000", "text=nothing")
    )
    assert [(item.item, item.head.ranges) for item in selection.items] == [
        (0, ((0, 9),)),
        (1, ((0, 12),)),
        (2, ((0, 7),)),
    ]
    assert (selection.used, selection.budget) == (len(selection.context.encode()), 4096)
    assert selection.budget_unit == "bytes"
    trace = trace_of(selection)
    assert trace.item.tolist() == [1, 0, 2]
    assert trace.absent == ("semantic", "metadata", "recency", *OF_METADATA[1:])
    assert np.isnan(trace.signals).all(axis=0).tolist() == [
        name in trace.absent for name in SIGNALS
    ]
    assert trace.signals[:, 1].tolist() == [1, 0.5, 0]
    assert (trace.plan, trace.exact, trace.summary) == ("general", False, "all candidates selected")


def test_all_signals() -> None:
    """A record that has everything, one half-life older than the other."""
    metadata = {
        "kind": "constraint",
        "project": "apollo",
        "importance": 1,
        "supersedes": "x",
        "source_uri": "y",
        "tags": [1],
        "authority": "file_verified",
        "updated_ms": 0,
    }
    records = [
        Record("a", "in May", "2020-01-01T00:00:00", metadata=metadata, blocks=vectors([3, 4])),
        Record("b", "", "1970-01-31T01:00:00+01:00", metadata={"kind": "contradiction"}),
    ]
    query = Query("When is the Apollo bug?", vector=np.array([4, 3], np.float32))
    selection = chosen(query, records)
    assert signals_of(selection, 0) == {
        "semantic": 0.98,  # (24/25 + 1) / 2
        "keyword": 0.25,  # of when, the, Apollo, bug: "apollo" is in the metadata
        "metadata": 1.0,  # a quarter, the project, the kind, the importance
        "recency": 0.5,  # its metadata's time goes before its timestamp
        "authority": 0.3,
        "graph": 1.0,
        "contradiction": 0.0,
        "task_fit": 1.0,
    }
    assert signals_of(selection, 1) == {
        "semantic": 0.0,
        "keyword": 0.0,
        "metadata": 0.25,
        "recency": 1.0,
        "authority": 0.3,
        "graph": 0.25,
        "contradiction": 1.0,
        "task_fit": 0.8,
    }
    trace = trace_of(selection)
    assert (trace.plan, trace.absent) == ("code_repair", ())
    assert np.allclose(trace.weights, [0.25, 0.15, 0.20, 0.15, 0.10, 0.10, 0.05, 0.10])
    wanted = trace.signals.astype(np.float64) @ trace.weights.astype(np.float64)
    assert np.allclose(trace.score, wanted, atol=1e-6)


def test_trusted_authority() -> None:
    records = [
        Record("a", "x", metadata={"authority": "system_pinned"}),
        Record("b", "y", metadata={"authority": "owner"}),
        Record("c", "z"),
    ]
    trusted = chosen("why?", records, authority="trusted")
    assert [signals_of(trusted, item)["authority"] for item in range(3)] == [1.0, 0.3, 0.3]
    assert trusted.context is not None
    assert "(vec 1, profile=unknown, kind=note, authority=system_pinned" in trusted.context
    assert signals_of(chosen("why?", records), 0)["authority"] == 0.3


@pytest.mark.parametrize("task", TASKS)
def test_a_task_may_be_given(task: str) -> None:
    trace = trace_of(chosen("fix the bug", [Record("a", "x")], task=task))
    assert (trace.plan, trace.exact) == (task, task == "project_recall")


def test_the_best_block_with_a_vector_counts() -> None:
    query = Query("why?", vector=np.array([1, 0], np.float32))
    records = [
        Record("a", "xyz", blocks=vectors([0, 5], None, [-7, 0])),
        Record("b", "x", blocks=vectors([0, 0])),
        Record("c", "x", blocks=vectors(None)),
        Record("d", "x", blocks=vectors([0, 0, 1])),
        Record("e", "x"),
    ]
    selection = chosen(query, records, per_cluster_limit=5)
    found = [signals_of(selection, item)["semantic"] for item in range(5)]
    assert found == [0.5, 0.5, 0.0, 0.0, 0.0]
    without = chosen(query, records[2:])
    assert "semantic" in trace_of(without).absent


def test_the_record_is_the_json_of_metadata_and_text() -> None:
    """Keywords match the JSON: an escaped quote hides a word's other half, a key's name matches."""
    record = Record("a", 'say "é"', metadata={"b": 1, "a": ["ö"], "text": "other"})
    selection = chosen('{"a":["ö"],"b":1,"text":"say', [record])
    assert signals_of(selection, 0)["keyword"] == 1.0
    assert signals_of(chosen("other", [record]), 0)["keyword"] == 0.0


def test_a_raw_record_is_verbatim_and_quotes_nothing() -> None:
    raw = '{"text": "own text", "kind": "benchmark"}'
    records = [Record("a", "a hidden word", metadata={"raw": raw}), Record("b", "x")]
    selection = chosen("hidden", records)
    assert selection.context is not None
    assert "kind=benchmark" in selection.context
    assert ": text=own text\n" in selection.context
    assert signals_of(selection, 0)["keyword"] == 0.0
    assert [item.head.ranges for item in selection.items] == [(), ((0, 1),)]
    no_string = chosen("hidden", [Record("a", "a hidden word", metadata={"raw": 7})])
    assert no_string.items[0].head.ranges == ((0, 13),)


@pytest.mark.parametrize(
    ("metadata", "text", "quoted"),
    [
        ({}, "x" * 600, 504),  # 509 bytes, of which `text=` has 5
        ({}, "日" * 200, 168),
        ({"summary": "s" * 100}, "x" * 600, 394),  # `summary=`, 100, `; text=`
        ({"summary": "s" * 600}, "x", 0),
        ({"summary": "s" * 497}, "x", 0),  # 513 bytes: the text is what is cut
        ({"summary": "s" * 496}, "x", 1),
        ({}, "", 0),
    ],
)
def test_the_quoted_range(metadata: dict[str, str], text: str, quoted: int) -> None:
    selection = chosen("why?", [Record("a", text, metadata=metadata)])
    assert selection.items[0].head.ranges == (((0, quoted),) if quoted else ())
    assert selection.context is not None
    assert text[:quoted] in selection.context
    assert f"{text[:quoted]}x" not in selection.context or quoted == len(text)


def test_every_reason() -> None:
    """Four notes, two more, and a constraint that no cap of notes keeps out."""
    records = [Record(str(n), f"{'word ' * (6 - n)}", metadata={"a": 1}) for n in range(6)]
    records.append(Record("c", "word", metadata={"kind": "constraint"}))
    selection = chosen("word", records, limit=5)
    trace = trace_of(selection)
    found = dict(zip(trace.item.tolist(), trace.reasons, strict=True))
    assert trace.item.tolist() == [6, 0, 1, 2, 3, 4, 5]
    assert found[6] == found[3] == ()
    assert found[4] == found[5] == ("cluster cap", "record cap")
    assert trace.cluster.tolist() == [6, 0, 0, 0, 0, 0, 0]
    assert trace.summary == "budget-limited"
    assert [item.item for item in selection.items] == [0, 1, 2, 3, 6]
    assert selection.omitted.items == 2


def test_the_token_budget() -> None:
    """Snippets of 512 bytes cost 128 tokens: eight fit 1,024, and a short one does not."""
    records = [Record(str(n), "word " + "x" * 600) for n in range(8)] + [Record("s", "x")]
    trace = trace_of(chosen("word", records, limit=100, per_cluster_limit=100))
    assert trace.cost.tolist() == [128] * 8 + [2]
    assert trace.selected.tolist() == [True] * 8 + [False]
    assert trace.reasons[-1] == ("token budget",)
    assert trace.rendered.tolist() == [True] * 6 + [False] * 3  # lines of 585 bytes


def test_a_line_that_does_not_fit_is_in_the_trace_alone() -> None:
    records = [Record("a", "word"), Record("b", "x" * 300), Record("c", "x")]
    selection = chosen("word", records, max_bytes=200)
    trace = trace_of(selection)
    assert trace.selected.tolist() == [True, True, True]
    assert trace.rendered.tolist() == [True, False, False]
    assert [item.item for item in selection.items] == [0]
    assert selection.omitted.items == 2
    none = chosen("word", records, max_bytes=14)
    assert (none.context, none.items, none.used) == ("", (), 0)
    assert trace_of(none).selected.all()


def test_ties_go_to_the_earlier_place_by_number() -> None:
    records = [Record(chr(120 - n), "same") for n in range(11)]
    trace = trace_of(chosen("why?", records, limit=11, per_cluster_limit=11))
    assert trace.item.tolist() == list(range(11))


def test_a_record_twice_in_the_window_is_one_candidate() -> None:
    records = [Record("a", "word"), Record("b", "x")]
    selection = policy().select(view("word", records, heads=["b", "a", "b"]))
    trace = trace_of(selection)
    assert trace.item.tolist() == [1, 0, 2]
    assert trace.reasons == ((), (), ("duplicate",))
    assert [item.item for item in selection.items] == [0, 1]
    assert trace.summary == "all candidates selected"


def test_the_exception() -> None:
    """Near-perfect constraints for a repair pass the cap of one of a kind."""
    metadata = {
        "kind": "constraint",
        "project": "fix",
        "importance": 1,
        "supersedes": 1,
        "source_uri": 1,
        "tags": 1,
        "updated_ms": 1,
    }
    records = [Record(n, "fix it", metadata=metadata, blocks=vectors([1])) for n in "ab"]
    query = Query("fix", vector=np.array([1], np.float32))
    trace = trace_of(chosen(query, records, per_cluster_limit=1))
    assert trace.reasons == ((), ("exception used",))
    assert np.allclose(trace.score, 0.98)


@pytest.mark.parametrize(("query", "count"), [("", 2), ("why?", 0)])
def test_no_query_and_no_window(query: str, count: int) -> None:
    selection = chosen(query, [Record(str(n), "x") for n in range(count)])
    trace = trace_of(selection)
    assert (selection.context, selection.items, len(trace)) == ("", (), 0)
    assert trace.summary == "no candidates to select from"
    assert selection.omitted.items == count
    assert trace.signals.shape == (0, 8)


def test_a_larger_cap_may_lose_an_item() -> None:
    """The choice is no prefix: a fifth note takes the place of the constraint."""
    records = [Record(str(n), "word", metadata={"a": 1}) for n in range(5)]
    records.append(Record("c", "x", metadata={"kind": "constraint"}))
    points = parse_points(["sea(limit=5)", "sea(limit=5, per_cluster_limit=5)"])
    (pair,) = growth_pairs(points)
    smaller, larger = (
        shown_by(point.policy.select(view("word", records)))
        for point in (pair.smaller, pair.larger)
    )
    assert not ARM.promises_growth
    assert [(loss.lost, loss.item) for loss in losses(pair, smaller, larger)] == [("item", 5)]


def test_times() -> None:
    """Without a zone a time is UTC; what is no time is none."""
    records = [
        Record("a", "x", "2023-05-30T00:00:00+00:00"),
        Record("b", "x", "2023-04-30"),
        Record("c", "x", "soon"),
    ]
    selection = chosen("why?", records)
    assert [signals_of(selection, item)["recency"] for item in range(3)] == [1.0, 0.5, 0.0]


def test_the_snippet_is_what_the_trace_charges_for() -> None:
    record = Record("a", "é" * 100, metadata={"summary": "s"})
    trace = trace_of(chosen("why?", [record]))
    raw = '{"summary":"s","text":"' + "é" * 100 + '"}'
    assert trace.cost.tolist() == [estimate_tokens(snippet(raw))] == [54]
