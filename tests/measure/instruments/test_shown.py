"""What the contexts showed, and the wrong answers, against a naive reading of the run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from harness.datasets.split import read_split
from harness.evidence import CohortCounts
from harness.measure.answers import read_answers
from harness.measure.shown import CLASSES, shown_classes, shown_rows
from harness.measure.subject import MeasuredRun, subject_of
from harness.model import Case
from harness.replay.run import Run

from ...make.splits import LONG_DEV, long_grades, long_split
from .naive import quoted_characters


def naive_class(case: Case, quoted: Mapping[tuple[str, str], set[int]]) -> str:
    if case.gold is None or not case.gold.sessions:
        return "without labels"
    shown = {
        record.session_id for record in case.records if (case.case_id, record.record_id) in quoted
    }
    if not shown & set(case.gold.sessions):
        return "no answer session"
    touched = [
        bool(quoted.get((case.case_id, turn.record_id), set()) & set(range(turn.start, turn.end)))
        for turn in case.gold.evidence
    ]
    if not touched:
        return "none labelled"
    if all(touched):
        return "every turn"
    return "some turns" if any(touched) else "a session, no turn"


def test_the_classes_of_the_run(subject: MeasuredRun, cases: Mapping[str, Case]) -> None:
    seen: set[str] = set()
    rows = shown_rows(subject.cohort(subject.run.points), subject.run.points)
    for row in rows:
        quoted = quoted_characters(subject.run.folder, str(row.point))
        expected = Counter(naive_class(case, quoted) for case in cases.values())
        assert row.unlabelled == expected.pop("without labels") == 1
        found = {name.value: count for name, count in row.classes.items() if count}
        assert found == expected
        assert row.expected == row.unlabelled + sum(row.classes.values()) == 8
        assert sum(row.first_item.values()) == 7
        assert (row.graded, row.wrong, row.all_wrong) == (None, None, None)
        seen |= expected.keys()
    assert {"no answer session", "some turns", "every turn", "none labelled"} <= seen


@pytest.mark.parametrize(
    ("labelled", "sessions", "shown", "turns", "touched", "name"),
    [
        (1, 2, 0, 3, 0, "no answer session"),
        (1, 2, 0, 0, 0, "no answer session"),  # before "none labelled"
        (1, 2, 1, 0, 0, "none labelled"),
        (1, 2, 1, 3, 0, "a session, no turn"),
        (1, 2, 1, 3, 2, "some turns"),
        (1, 2, 1, 3, 3, "every turn"),
        (0, 0, 0, 0, 0, None),
        (1, 0, 0, 0, 0, None),
    ],
)
def test_each_class(
    labelled: int, sessions: int, shown: int, turns: int, touched: int, name: str | None
) -> None:
    counts = {
        "labelled": labelled,
        "answer_sessions": sessions,
        "answer_sessions_shown": shown,
        "evidence_turns": turns,
        "evidence_turns_touched": touched,
    }
    cells = {key: np.array([[float(value)]]) for key, value in counts.items()}
    found = int(shown_classes(CohortCounts(("case",), (None,), ("items",), cells))[0, 0])
    assert (None if found < 0 else CLASSES[found].value) == name


def test_wrong_answers_stand_in_the_classes_of_their_contexts(
    run: Run, cases: Mapping[str, Case], tmp_path: Path
) -> None:
    grades = long_grades(tmp_path, "count-curve(k=1)", ["question 3"])
    dev = subject_of(run, read_split(long_split(tmp_path)), "dev")
    assert (dev.part, set(dev.case_ids)) == ("dev", set(LONG_DEV))
    graded = read_answers([grades.folder], dev)
    rows = shown_rows(dev.cohort(run.points), run.points, graded.answers)
    with_grades = [row for row in rows if row.wrong is not None]
    assert [str(row.point) for row in with_grades] == ["count-curve(k=1)"]
    row = with_grades[0]
    quoted = quoted_characters(run.folder, "count-curve(k=1)")
    expected = Counter(
        naive_class(cases[name], quoted) for name in LONG_DEV if name != "question 3"
    )
    assert (row.graded, row.all_wrong, row.wrong_unlabelled) == (4, 3, 1)
    assert row.wrong is not None
    assert expected.pop("without labels") == 1
    assert {name.value: count for name, count in row.wrong.items() if count} == expected
