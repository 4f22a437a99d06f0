"""`harness export omnimemeval`: answer inputs, and back again as a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from harness.cli.main import run
from harness.points import parse_point
from harness.replay.run import Run

from ...make.questions import made_questions
from ...make.recordings import recording_of_questions, run_beside
from ...make.results import CONTEXT, QUESTIONS, import_results, row, write_data, write_results

POINT = "2.6.5a1(budget=1000)"
CUT = ("--point", "count-curve(k=2)")
ROW_KEYS = [
    "question",
    "category",
    "date",
    "golden_answer",
    "answer_evidences",
    "search_context",
    "search_duration_ms",
    "status",
]


@pytest.fixture(scope="module")
def replayed() -> Path:
    """A run of twelve made-up questions, beside its recording and its data."""
    recording = recording_of_questions(made_questions(12))
    return run_beside(recording, ("items", "count-curve(k=full)", POINT))


@pytest.fixture
def imported(tmp_path: Path) -> Path:
    data = write_data(tmp_path)
    folder = write_results(tmp_path / "memo-1.0", [row(asked, extra=1) for asked in QUESTIONS])
    assert import_results(folder, data, tmp_path / "run", "-q") == 0
    return tmp_path / "run"


def export(folder: Path, spec: str, out: Path, *more: str) -> int:
    return run(["export", "omnimemeval", str(folder), "--point", spec, "--out", str(out), *more])


def imported_again(replayed: Path, spec: str, folder: Path) -> Path:
    """The run's contexts at a point, exported to `folder / "in"` and imported as a run."""
    assert export(replayed, spec, folder / "in", "-q") == 0
    data = replayed.parent / "data.json"
    assert import_results(folder / "in", data, folder / "back", "-q") == 0
    return folder / "back"


def rows(out: Path, library: str = "harness") -> dict[str, dict[str, Any]]:
    """The one row of each user id."""
    path = out / f"{library}_lme_search_results.json"
    value = json.loads(path.read_text(encoding="utf-8"))
    assert all(len(entry) == 1 for entry in value.values())
    return {user_id: entry[0] for user_id, entry in value.items()}


def test_a_row_a_question_with_the_types_that_the_pipeline_adds_up(
    replayed: Path, tmp_path: Path
) -> None:
    data = replayed.parent / "data.json"
    assert export(replayed, POINT, tmp_path / "in", "--dataset", str(data), "-q") == 0
    made = json.loads(data.read_text(encoding="utf-8"))
    found = rows(tmp_path / "in")
    assert list(found) == [f"lme_exper_user_harness_{index}" for index in range(12)]
    contexts = [text for _, _, text in Run.open(replayed).contexts(parse_point(POINT))]
    for asked, context, one in zip(made, contexts, found.values(), strict=True):
        assert list(one) == ROW_KEYS
        assert one["search_context"] == context
        assert type(one["search_duration_ms"]) is float
        assert (one["question"], one["category"]) == (asked["question"], asked["question_type"])
        assert (one["date"], one["golden_answer"]) == (asked["question_date"], str(asked["answer"]))
        labelled = [
            turn["content"].strip()
            for session in asked["haystack_sessions"]
            for turn in session
            if turn.get("has_answer")
        ]
        assert one["answer_evidences"] == labelled
    assert {path.name for path in (tmp_path / "in").iterdir()} == {
        "harness_lme_search_results.json",
        "manifest.json",
        ".step_1_done",
        ".step_2_done",
    }


@pytest.mark.parametrize("spec", ["items", POINT])
def test_there_and_back_again(replayed: Path, tmp_path: Path, spec: str) -> None:
    """The same contexts, and the same counts of every question without an ambiguous quote; but for
    the place of the first item, which a context tells among the shown ones alone."""
    data = replayed.parent / "data.json"
    assert export(replayed, spec, tmp_path / "memo-2", "-q") == 0
    assert import_results(tmp_path / "memo-2", data, tmp_path / "back", "-q") == 0
    before, after = Run.open(replayed), Run.open(tmp_path / "back")
    first, second = parse_point(spec), parse_point("external(name=memo-2)")
    assert list(after.contexts(second)) == list(before.contexts(first))
    aside = ["point", "category"] + (["first_item_rank"] if spec == POINT else [])
    counts = [
        {
            row["case_id"]: row
            for row in opened.evidence_rows([point]).drop_columns(aside).to_pylist()
        }
        for opened, point in ((before, first), (after, second))
    ]
    clear = [
        row["case_id"]
        for row in pq.read_table(after.folder / "search_results.parquet").to_pylist()
        if row["parts_ambiguous"] == row["places_ambiguous"] == 0
    ]
    assert len(clear) >= 8
    assert [counts[1][case_id] for case_id in clear] == [counts[0][case_id] for case_id in clear]


def test_an_import_is_written_as_it_was(imported: Path, tmp_path: Path) -> None:
    assert export(imported, "external(name=memo-1.0)", tmp_path / "in", "-q") == 0
    original = json.loads(
        (tmp_path / "memo-1.0" / "memo_lme_search_results.json").read_text(encoding="utf-8")
    )
    written = rows(tmp_path / "in", "memo")
    assert written == {user_id: entry[0] for user_id, entry in original.items()}


def test_the_count_curve_is_cut_from_the_contexts_of_an_import(
    imported: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert export(imported, "count-curve(k=1)", tmp_path / "one") == 0
    assert "2 answer inputs at count-curve(k=1), cut from its contexts" in capsys.readouterr().err
    first = rows(tmp_path / "one", "memo")["lme_exper_user_lme1_0"]
    assert first["search_context"] == CONTEXT[: CONTEXT.index("\n[2023-05-02")]
    assert first["search_duration_ms"] == 12.5
    assert export(imported, "count-curve(k=full)", tmp_path / "full", "-q") == 0
    assert rows(tmp_path / "full", "memo")["lme_exper_user_lme1_0"]["search_context"] == CONTEXT


def test_a_cut_says_what_its_name_rests_on(
    imported: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert export(imported, "count-curve(k=1)", tmp_path / "one") == 0
    note = "count-curve(k=1) is that only if the contexts show every item of items"
    assert note in capsys.readouterr().err
    assert export(imported, "external(name=memo-1.0)", tmp_path / "whole") == 0
    assert "only if" not in capsys.readouterr().err


@pytest.mark.parametrize("spec", ["items", "count-curve(k=full)"])
def test_contexts_of_every_item_are_cut_without_a_note(
    replayed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], spec: str
) -> None:
    back = imported_again(replayed, spec, tmp_path)
    again = import_results(tmp_path / "in", replayed.parent / "data.json", tmp_path / "cut", *CUT)
    assert (again, export(back, CUT[1], tmp_path / "one")) == (0, 0)
    assert "only if" not in capsys.readouterr().err
    cut = Run.open(tmp_path / "cut")
    rerun = ["replay", str(replayed.parent / "recording"), "--out", str(tmp_path / "own"), "-q"]
    assert run([*rerun, *CUT]) == 0
    point = parse_point(CUT[1])
    assert list(cut.contexts(point)) == list(Run.open(tmp_path / "own").contexts(point))


def test_contexts_of_another_point_are_not_cut(
    replayed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    back = imported_again(replayed, POINT, tmp_path)
    data = replayed.parent / "data.json"
    assert import_results(tmp_path / "in", data, tmp_path / "cut", *CUT) == 2
    message = f"they are of {POINT}, not every item of items"
    assert message in capsys.readouterr().err
    assert export(back, CUT[1], tmp_path / "one") == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "cut").exists()
    assert not (tmp_path / "one").exists()


def test_results_that_were_changed_since_are_of_no_known_point(
    replayed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    imported_again(replayed, POINT, tmp_path)
    path = tmp_path / "in" / "harness_lme_search_results.json"
    path.write_text(path.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    data = replayed.parent / "data.json"
    assert import_results(tmp_path / "in", data, tmp_path / "cut", *CUT) == 0
    assert "which is not known here" in capsys.readouterr().err


def test_a_cut_of_unknown_contexts_stays_unknown(
    imported: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert export(imported, "count-curve(k=full)", tmp_path / "full") == 0
    assert import_results(tmp_path / "full", tmp_path / "data.json", tmp_path / "cut", *CUT) == 0
    assert capsys.readouterr().err.count("only if the contexts show every item") == 2


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("quote-curve(head=320, tail=160)", "cannot be cut from contexts"),
        ("quote-curve(head=320, tail=160)", "harness record cpersona STORE.db"),
        ("count-curve", "--point count-curve means 9 points"),
        ("external(name=other)", "It was imported as external(name=memo-1.0)."),
        ("count-curve(k=0)", "k takes"),
    ],
)
def test_what_contexts_cannot_give(
    imported: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    spec: str,
    message: str,
) -> None:
    assert export(imported, spec, tmp_path / "in") == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "in").exists()


def test_a_point_that_was_not_replayed(
    replayed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert export(replayed, "count-curve(k=7)", tmp_path / "in") == 2
    assert "Add it: harness replay RECORDING" in capsys.readouterr().err


def test_gold_answers_come_from_the_recording_where_no_dataset_is_given(
    replayed: Path, tmp_path: Path
) -> None:
    given = ("--library", "memo", "--subject", "lme1", "-q")
    assert export(replayed, "items", tmp_path / "in", *given) == 0
    made = json.loads((replayed.parent / "data.json").read_text(encoding="utf-8"))
    found = rows(tmp_path / "in", "memo")
    answers = [one["golden_answer"] for one in found.values()]
    assert answers == [str(asked["answer"]) for asked in made]
    assert next(iter(found)) == "lme_exper_user_lme1_0"


def test_user_ids_count_in_the_full_list(
    replayed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = json.loads((replayed.parent / "data.json").read_text(encoding="utf-8"))
    ids = ["another", *(asked["question_id"] for asked in made)]
    listed = tmp_path / "list.jsonl"
    lines = [json.dumps({"question_id": name, "question_type": "x"}) + "\n" for name in ids]
    listed.write_text("".join(lines), encoding="utf-8")
    given = ("--questions", str(listed), "-q")
    assert export(replayed, "items", tmp_path / "in", *given) == 0
    assert next(iter(rows(tmp_path / "in"))) == "lme_exper_user_harness_1"
    listed.write_text("".join(lines[:-1]), encoding="utf-8")
    assert export(replayed, "items", tmp_path / "other", *given) == 2
    assert f"question {ids[-1]!r} is not in {listed}" in capsys.readouterr().err


def test_a_dataset_that_is_not_the_runs(
    replayed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = write_data(tmp_path)
    assert export(replayed, "items", tmp_path / "in", "--dataset", str(other)) == 2
    assert "Give --dataset the dataset that the run is of." in capsys.readouterr().err


def test_answer_inputs_are_not_replaced_unasked(
    replayed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "in"
    assert export(replayed, "items", out, "-q") == 0
    assert export(replayed, "items", out) == 0
    assert "holds these already" in capsys.readouterr().err
    assert export(replayed, POINT, out) == 2
    assert "--force" in capsys.readouterr().err
    assert export(replayed, POINT, out, "--force", "-q") == 0
