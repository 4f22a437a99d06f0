"""TREC's files: their lines, and that another tool reads our figures from them."""

from __future__ import annotations

import io
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import InputError
from harness.evidence import SESSION_PRECISION, cohort_of, metric_named, metric_values
from harness.measure.sessions import answer_sessions, shown_sessions, with_sessions_shown
from harness.measure.subject import recording_of
from harness.measure.trec import qrels_text, run_text
from harness.replay.run import Run

from ..make.recordings import labelled_run
from ..make.sessions import session_run

RECALL = metric_named("answer_sessions_shown")

ids = st.text(min_size=1, max_size=6)
rankings = st.dictionaries(ids, st.lists(ids, max_size=5, unique=True).map(tuple), max_size=4)


def test_lines_of_a_run_and_of_qrels() -> None:
    assert run_text({"q 1": ("a b", "s%"), "q2": ()}, "arm(k=1, n=2)") == (
        "q%201 Q0 a%20b 1 2 arm(k=1,%20n=2)\nq%201 Q0 s%25 2 1 arm(k=1,%20n=2)\n"
    )
    assert qrels_text({"q 1": ("a b",), "q2": ("s2",)}) == "q%201 0 a%20b 1\nq2 0 s2 1\n"


def test_an_empty_id_is_refused() -> None:
    with pytest.raises(InputError, match="an id is empty"):
        run_text({"q1": ("",)}, "items")


@given(rankings)
def test_any_id_comes_back(given_rankings: dict[str, tuple[str, ...]]) -> None:
    lines = [line.split() for line in run_text(given_rankings, "t").split("\n") if line]
    assert all(len(fields) == 6 for fields in lines)
    found = [(unquote(query), unquote(document)) for query, _, document, *_ in lines]
    wanted = [
        (query, document) for query, documents in given_rankings.items() for document in documents
    ]
    assert found == wanted
    scores = [(fields[0], int(fields[4])) for fields in lines]
    assert all(a[1] > b[1] for a, b in pairwise(scores) if a[0] == b[0])


@pytest.mark.parametrize(
    "folder", [session_run, lambda: labelled_run().folder], ids=["awkward", "long"]
)
def test_ir_measures_reads_our_recall_and_precision(folder: Callable[[], Path]) -> None:
    run = Run.open(folder())
    recording = recording_of(run)
    points = run.points
    rows = with_sessions_shown(run.evidence_rows(points), run, points, recording)
    cohort = cohort_of(rows, list(map(str, points)))
    ours = {
        measure: [value.value for value in metric_values(metric, cohort)]
        for measure, metric in ((ir_measures.SetR, RECALL), (ir_measures.SetP, SESSION_PRECISION))
    }
    qrels = qrels_text(answer_sessions(recording, run.cohort.ids))
    for place, point in enumerate(points):
        text = run_text(shown_sessions(run, point, recording), str(point))
        theirs = ir_measures.calc_aggregate(
            list(ours),
            ir_measures.read_trec_qrels(io.StringIO(qrels)),  # type: ignore[no-untyped-call]
            ir_measures.read_trec_run(io.StringIO(text)),  # type: ignore[no-untyped-call]
        )
        for measure, values in ours.items():
            assert theirs[measure] == pytest.approx(values[place], abs=1e-12), (point, measure)
