"""Lines of selections: read whole, or every fault named by line and field."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.errors import InputError
from harness.explain.parity import RankedPassage, RecordedSequence, TextByHash
from harness.explain.parity.recorded import Budget, ShownExcerpt, ShownItem
from harness.explain.parity.selections import ExpectedFile, SelectionFile, read_selection
from harness.model import MEMORY, Case, Omitted, view_of
from harness.points import Point, default_points, parse_point
from harness.replay.context import render_context
from harness.replay.selection_writer import selection_object

from ...arms.any_arm import answer_object
from ...make.selections import COFFEE, TEA, expected_lines, made_case, write_lines
from ...make.strategies import cases

ITEMS, EVIDENCE, _ = expected_lines()
SELECTED = answer_object(parse_point("evidence(budget=800)"), made_case())


def changed(line: dict[str, Any], *path: str | int, to: Any = None) -> dict[str, Any]:
    """The line with another value at a path; without `to`, with nothing there."""
    value = copy.deepcopy(line)
    at: Any = value
    for step in path[:-1]:
        at = at[step]
    if to is None:
        del at[path[-1]]
    else:
        at[path[-1]] = to
    return value


def test_an_expected_line(tmp_path: Path) -> None:
    hashed = copy.deepcopy(EVIDENCE)
    hashed["items"][0]["content_sha256"] = TextByHash.of(hashed["items"][0].pop("content")).sha256
    source = write_lines(tmp_path / "expected.jsonl", "", hashed)
    (found,) = ExpectedFile(source)
    assert (found.line, found.case_id, str(found.point)) == (2, "first", "evidence(budget=800)")
    assert (found.selection.used, found.fields_left_out) == (24, ())
    assert found.selection.items == (
        ShownItem(
            "tea",
            ((0, 12),),
            TextByHash.of(TEA),
            (ShownExcerpt("coffee", ((0, 7),), TextByHash.of(COFFEE)),),
        ),
        ShownItem("long", ((0, 5),), TextByHash.of("Tea? ")),
    )
    assert found.selection.sequence == RecordedSequence(
        (RankedPassage("tea", 0, 12, 0, 0), RankedPassage("long", 0, 5, 1, 0)), (None, None)
    )


def test_what_a_line_leaves_out(tmp_path: Path) -> None:
    passages = [
        {**passage, "ranks": {"record": 0, "inside": 0}} for passage in EVIDENCE["sequence_taken"]
    ]
    without_cosine = {**EVIDENCE, "left_out": "cosine_ranks", "sequence_taken": passages}
    without_sequence = {**EVIDENCE, "budget": 900, "left_out": "sequence", "sequence_taken": None}
    source = write_lines(tmp_path / "expected.jsonl", without_cosine, without_sequence)
    one, other = ExpectedFile(source)
    assert one.fields_left_out == ("cosine_ranks",)
    assert one.selection.sequence is not None
    assert one.selection.sequence.cosine_ranks is None
    assert other.fields_left_out == ("sequence", "cosine_ranks")
    assert other.selection.sequence is None


EXPECTED_FAULTS = [
    ("{", "line 2: is not JSON (at character 3"),
    ([], "line 2: is a list, expected an object"),
    (changed(EVIDENCE, "used"), "line 2: used is missing"),
    (changed(EVIDENCE, "used", to="7"), "line 2: used is the string '7', expected a whole number"),
    (changed(EVIDENCE, "usd", to=7), "line 2: usd is an unknown key; did you mean 'used'?"),
    (
        changed(EVIDENCE, "items", 0, "ranges", 0, 1, to="7"),
        "line 2: items[0].ranges[0][1] is the string '7', expected a whole number",
    ),
    (
        changed(EVIDENCE, "items", 0, "ranges", 0, to=[1]),
        "line 2: items[0].ranges[0][1] is missing",
    ),
    (changed(EVIDENCE, "items", 1, "head"), "line 2: items[1].head is missing"),
    (
        changed(EVIDENCE, "items", 1, "content"),
        "line 2: items[1] has no content; give content, or content_sha256 in its place",
    ),
    (
        changed(EVIDENCE, "items", 0, "excerpts", 0, "content_sha256", to="0" * 64),
        "line 2: items[0].excerpts[0] has both content and content_sha256",
    ),
    (
        changed(EVIDENCE, "items", 1, "content_sha256", to="beef"),
        "line 2: items[1].content_sha256 is 'beef', expected 64 lower-case hexadecimal",
    ),
    (
        changed(EVIDENCE, "arm", to="evidnce"),
        "line 2: arm: no arm 'evidnce' is installed; did you mean 'evidence'?",
    ),
    (
        changed(EVIDENCE, "budget", to=799),
        "line 2: point 'evidence(budget=799)': budget takes a whole number from 800 to 20,000",
    ),
    (
        changed(EVIDENCE, "left_out", to="ranks"),
        "line 2: left_out is 'ranks', expected 'cosine_ranks' or 'sequence'",
    ),
    (
        changed(EVIDENCE, "left_out", to="sequence"),
        "line 2: sequence_taken is a list, but left_out says that it is left out; give null",
    ),
    (
        changed(ITEMS, "left_out", to="cosine_ranks"),
        "line 2: sequence_taken is null, but left_out says that only its cosine ranks are",
    ),
    (
        changed(EVIDENCE, "left_out", to="cosine_ranks"),
        "line 2: sequence_taken[0].ranks.cosine is there, but left_out says",
    ),
    (
        changed(EVIDENCE, "sequence_taken", 1, "ranks", "cosine"),
        "line 2: sequence_taken[1].ranks.cosine is missing",
    ),
    (ITEMS, "line 2: case 'first' at items(budget=800) is already in line 1"),
]


@pytest.mark.parametrize(("line", "message"), EXPECTED_FAULTS)
def test_a_faulty_expected_line(tmp_path: Path, line: Any, message: str) -> None:
    source = write_lines(tmp_path / "expected.jsonl", ITEMS, line)
    with pytest.raises(InputError) as raised:
        list(ExpectedFile(source))
    assert raised.value.message.startswith(f"{source}: 1 fault\n  {message}")


def test_all_faulty_lines_are_told_together(tmp_path: Path) -> None:
    source = write_lines(tmp_path / "expected.jsonl", *[line for line, _ in EXPECTED_FAULTS])
    with pytest.raises(InputError) as raised:
        list(ExpectedFile(source))
    assert raised.value.message.count("\n  line ") == len(EXPECTED_FAULTS) - 1  # ITEMS is first


def test_a_file_without_lines(tmp_path: Path) -> None:
    source = write_lines(tmp_path / "expected.jsonl", "")
    with pytest.raises(InputError, match="holds no line"):
        list(ExpectedFile(source))


def test_a_selection_line(tmp_path: Path) -> None:
    source = write_lines(tmp_path / "selections.jsonl", SELECTED)
    (found,) = SelectionFile(source).selections(None)
    assert (found.case_id, found.point) == ("first", "evidence(budget=800)")
    selection = found.selection
    assert [item.head for item in selection.items] == ["tea", "long"]
    assert selection.items[0].excerpts == (
        ShownExcerpt("coffee", ((0, 7),), TextByHash.of(COFFEE)),
    )
    assert selection.sequence == RecordedSequence(
        (
            RankedPassage("tea", 0, 12, 0, 0),
            RankedPassage("long", 0, 5, 1, 0),
            RankedPassage("long", 5, 805, 1, 1),
        ),
        (None, None, None),
        None,
        2,
    )
    assert selection.budget == Budget(800, "characters")
    assert (selection.used, selection.omitted) == (24, Omitted(0, 1, 0))
    assert selection.context is not None
    assert selection.context.text == SELECTED["context"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            changed(SELECTED, "schema", to="harness.selection/2"),
            "line 1: schema is 'harness.selection/2', newer than 'harness.selection/1'",
        ),
        (changed(SELECTED, "schema"), "line 1: schema is missing"),
        (changed(SELECTED, "context"), "line 1: context is missing"),
        (
            changed(SELECTED, "sequence", 1, "ranks", "inside", to=None),
            "line 1: sequence[1].ranks.inside is missing",
        ),
        (
            changed(SELECTED, "sequence", 0, "taken", to=1),
            "line 1: sequence[0].taken is the number 1, expected true or false",
        ),
        (
            {**SELECTED, "sequence": SELECTED["sequence"][::-1]},
            "line 1: sequence[1].taken is true after one that is not taken",
        ),
        (
            changed(SELECTED, "sequence", 0, "parts", to=[0]),
            "line 1: sequence names part 0, but parts has 0",
        ),
    ],
)
def test_a_faulty_selection_line(tmp_path: Path, line: Any, message: str) -> None:
    source = write_lines(tmp_path / "selections.jsonl", line)
    with pytest.raises(InputError) as raised:
        list(SelectionFile(source).selections(None))
    assert raised.value.message.startswith(f"{source}: 1 fault\n  {message}")


def test_selections_at_chosen_points(tmp_path: Path) -> None:
    points = ("items", "evidence(budget=900)", "evidence(budget=800)")
    lines = [answer_object(parse_point(point), made_case()) for point in points]
    source = write_lines(tmp_path / "selections.jsonl", *lines)
    found = SelectionFile(source).selections(["items", "evidence(budget=800)"])
    assert [line.point for line in found] == ["items", "evidence(budget=800)"]
    with pytest.raises(InputError) as raised:
        list(SelectionFile(source).selections(["items", "evidence(budget=850)"]))
    assert str(raised.value) == (
        f"{source} has no selection at evidence(budget=850); did you mean 'evidence(budget=800)'?\n"
        f"  It has {', '.join(points)}."
    )


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(cases(), st.sampled_from(default_points(kind=MEMORY)))
def test_every_selection_is_read_as_it_was_made(case: Case, point: Point) -> None:
    view, records = view_of(case)
    selection = point.policy.select(view)
    context = render_context(selection, records)
    line = read_selection(selection_object(case, records, str(point), selection, context))
    read = line.selection
    quoted = [
        (item.head.record, item.head.ranges, [(one.record, one.ranges) for one in item.excerpts])
        for item in selection.items
    ]
    ids = [record.record_id for record in records.records]
    assert [
        (ids.index(str(item.head)), item.ranges,
         [(ids.index(one.record_id), one.ranges) for one in item.excerpts])
        for item in read.items
    ] == quoted  # fmt: skip
    assert read.sequence is not None
    assert read.sequence.taken == selection.taken
    assert [(ids.index(one.record_id), *one[1:]) for one in read.sequence.passages] == [
        (one.record, one.start, one.end, one.ranks.record, one.ranks.inside)
        for one in selection.sequence
    ]
    assert read.context == TextByHash.of(context)
    assert (read.candidates is None) == (selection.candidates is None)
