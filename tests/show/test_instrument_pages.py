"""The pages of the instruments: our figures, the published ones beside them, and sealed grades."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from harness.errors import InputError
from harness.measure.loss import Fate, attribute_losses
from harness.measure.shown import ShownClass
from harness.measure.subject import subject_of
from harness.points import parse_point
from harness.replay.run import Run
from harness.show.published_instruments import read_published_instruments
from harness.show.report import ReportRequest, report_pages
from harness.trial.grades import Grades

from ..make.cases import long_cases
from ..make.recordings import LONG_POINTS, labelled_run, long_recording, replayed
from ..make.splits import LONG_DEV, LONG_IDS, long_grades
from .test_report import table_under

FIGURES = {
    "studies": [
        {
            "id": "count_curve",
            "split": "all500",
            "n": 8,
            "smallest_k_that_holds": "2",
            "points": [
                {
                    "point": "k=1",
                    "accuracy": 42.2,
                    "diff_vs_full": -39.4,
                    "ci95": [-44.2, -34.6],
                    "cl100k_context_tokens": 184.9,
                    "evidence": {"turns_touched": 51.7},
                },
                {"point": "k=full", "accuracy": 81.6, "diff_vs_full": None, "ci95": None},
            ],
        },
        {
            "id": "quote_curve",
            "split": "all500",
            "n": 8,
            "points": [{"point": "320/160", "accuracy": 69.6}],
            "comparisons": [
                {
                    "a": "320/160",
                    "b": "k=1",
                    "diff": -7.4,
                    "ci95": [-11.2, -3.6],
                    "verdict": "fewer items better",
                },
                {
                    "a": "320/160",
                    "b": "full",
                    "diff": -12.0,
                    "ci95": [-15.6, -8.4],
                    "verdict": "no",
                },
            ],
            "wrong_answers_by_shown": {
                "columns": [
                    "wrong",
                    "no_answer_session",
                    "session_no_turn",
                    "some_turns",
                    "every_turn",
                    "no_turn_labelled",
                ],
                "rows": {"k=6": [96, 12, 8, 39, 33, 4]},
            },
        },
        {
            "id": "evidence",
            "split": "all500",
            "n": 8,
            "first_item": {"item1": 4, "items2_10": 2, "items11_12": 0, "never": 1},
            "design_doc_section1": {
                "turn_outside_quote_in_quoted_record_pct": {"full": 7.5, "q320": 23.3},
                "evidence_turns_in_quoted_answer_records": 859,
                "best_rank_of_evidence_pct": {
                    "1": 62.9,
                    "2": 16.3,
                    "3": 6.3,
                    "4-5": 6.4,
                    "later": 8.1,
                },
                "quoted_ranges_reproduced": 5888,
            },
        },
    ]
}


@pytest.fixture(scope="module")
def labelled() -> Run:
    return labelled_run()


@pytest.fixture
def figures(tmp_path: Path) -> Path:
    path = tmp_path / "figures.json"
    path.write_text(json.dumps(FIGURES), encoding="utf-8")
    return path


def test_the_published_values_stand_beside_ours(labelled: Run, figures: Path) -> None:
    pages = report_pages(labelled, ReportRequest(published=figures))
    curves, shown, losses, ranks = (
        pages[f"instruments/{name}.md"] for name in ("curves", "evidence", "losses", "ranks")
    )
    rows = table_under(curves, "## Evidence turns touched")
    assert rows["count-curve(k=1)"]["published"] == "51.7 at 184.9 tokens"
    assert rows["count-curve(k=2)"]["published"] == "–"
    accuracies = table_under(curves, "## Published")
    assert accuracies["count-curve(k=1)"]["accuracy (%)"] == "42.2"
    quotes = accuracies["quote-curve(head=320, tail=160)"]
    assert (quotes["less every item (points)"], quotes["95 % interval (points)"]) == (
        "−12.0",
        "(−15.6, −8.4)",
    )
    assert "The smallest count that held −2.0 points was `count-curve(k=2)`." in curves
    assert "| −7.4 (−11.2, −3.6) | fewer items better |" in curves
    first = table_under(shown, "## First item with an answer session")
    assert list(first["*published, every item*"].values())[1:] == ["4", "2", "0", "1", "7"]
    assert "| k=6 | 96 | 12 | 8 | 39 | 33 | 4 |" in shown
    assert "No grades were given: nothing was answered here." in shown
    beside = table_under(ranks, "## Published")
    assert list(beside["published"].values())[1:7] == ["859", "62.9", "16.3", "6.3", "6.4", "8.1"]
    assert beside["published"]["quoted ranges reproduced"] == "5,888"

    items = parse_point("items")
    row = attribute_losses(subject_of(labelled), [items]).row(items)
    lost = row.fates[Fate.OUTSIDE] + row.fates[Fate.CUT_OFF]
    outside = table_under(losses, "## Published")["items"]
    assert list(outside.values())[1:] == [
        "7.5",
        f"{100 * lost / row.in_quoted_records:.1f}",
        f"{100 * lost / row.turns:.1f}",
    ]


def test_figures_of_far_more_questions_are_not_beside(labelled: Run, tmp_path: Path) -> None:
    value = json.loads(json.dumps(FIGURES))
    for study in value["studies"]:
        study["n"] = 500
    path = tmp_path / "figures.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    pages = report_pages(labelled, ReportRequest(published=path))
    assert not any(
        "## Published" in pages[f"instruments/{name}.md"] for name in ("curves", "ranks")
    )


@pytest.mark.shared
def test_what_the_file_of_the_published_figures_says(shared: Path) -> None:
    found = read_published_instruments(shared / "specs" / "published_figures.json")
    assert found.questions == 500
    assert found.smallest == parse_point("count-curve(k=8)")
    assert found.outside[parse_point("quote-curve(head=320, tail=160)")] == 23.3
    assert (found.ranked_turns, found.reproduced) == (859, 5888)
    assert sum(found.ranks.values()) == pytest.approx(100)
    assert [(each.label, each.wrong) for each in found.wrong] == [
        ("k=6", 96),
        ("500/250", 117),
        ("k=4", 115),
        ("320/160", 152),
        ("every item", 92),
    ]
    assert all(sum(each.classes.values()) == each.wrong for each in found.wrong)
    assert found.wrong[0].classes[ShownClass.SOME_TURNS] == 39
    assert len(found.accuracies) == 11


def test_a_published_value_of_another_kind_is_refused(tmp_path: Path) -> None:
    value = json.loads(json.dumps(FIGURES))
    value["studies"][0]["points"][0]["ci95"] = "wide"
    path = tmp_path / "figures.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    with pytest.raises(InputError, match=r"1 fault\n  count_curve\.points\[0\]\.ci95 is the str"):
        read_published_instruments(path)


def test_a_report_without_the_recording_says_so(tmp_path: Path) -> None:
    run = Run.open(replayed(long_recording(), tmp_path, LONG_POINTS))
    shutil.move(tmp_path / "recording", tmp_path / "moved")
    pages = report_pages(run, ReportRequest())
    assert "instruments/losses.md" not in pages
    assert "needs the recording, which was not at hand" in pages["README.md"]
    named = report_pages(run, ReportRequest(recording=tmp_path / "moved"))
    assert "instruments/losses.md" in named
    assert "--recording moved" in named["README.md"]
    with pytest.raises(InputError, match="is not at"):
        report_pages(run, ReportRequest(recording=tmp_path / "nowhere"))


def test_sealed_grades_are_named_and_open_ones_shown(
    labelled: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Grades, "exploratory", False)  # as if they were of a registration
    sealed = long_grades(tmp_path, "items", LONG_IDS, part="all").folder
    dev = long_grades(tmp_path, "count-curve(k=1)", ["question 3"]).folder
    request = ReportRequest(grades=(sealed, dev))
    pages = report_pages(labelled, request)
    shown, curves = pages["instruments/evidence.md"], pages["instruments/curves.md"]
    assert "Sealed, and not read: the grades of `items`." in shown
    assert "## Accuracy" not in curves  # every item, which all are compared with, is sealed
    rows = table_under(shown, "## Wrong answers by what the context showed")
    assert list(rows) == ["count-curve(k=1)"]
    assert (rows["count-curve(k=1)"]["graded"], rows["count-curve(k=1)"]["wrong"]) == ("4", "3")
    assert "No model has answered anything here" not in pages["README.md"]


def test_accuracies_stand_on_the_page_of_the_curves(labelled: Run, tmp_path: Path) -> None:
    graded = [
        long_grades(tmp_path, point, right).folder
        for point, right in (("items", LONG_IDS), ("count-curve(k=1)", ["question 3"]))
    ]
    request = ReportRequest(grades=tuple(graded))
    page = report_pages(labelled, request)["instruments/curves.md"]
    rows = table_under(page, "## Accuracy")
    assert list(rows) == ["count-curve(k=1)"]
    assert rows["count-curve(k=1)"]["accuracy (%)"] == "25.0"
    assert "4 of 8 questions; 4 not graded" in page


@pytest.mark.parametrize("name", ["README.md", "instruments/evidence.md", "instruments/curves.md"])
def test_accuracies_by_type_stand_where_grades_appear(
    labelled: Run, tmp_path: Path, name: str
) -> None:
    """One of four right at one item, all right at every item."""
    graded = [
        long_grades(tmp_path, point, right).folder
        for point, right in (("items", LONG_IDS), ("count-curve(k=1)", ["question 3"]))
    ]
    page = report_pages(labelled, ReportRequest(grades=tuple(graded)))[name]
    said = next(line for line in page.split("\n") if line.startswith("Accuracy by question type"))
    rows = table_under(page, said)
    types = {case.case_id: str(case.category) for case in long_cases()}
    parts = {kind: [each for each in LONG_DEV if types[each] == kind] for kind in types.values()}
    parts = {kind: names for kind, names in sorted(parts.items()) if names}
    assert list(rows) == [*parts, "mean over types"]
    shares = []
    for kind, names in parts.items():
        shares.append(names.count("question 3") / len(names))
        wanted = {"type": kind, "n": str(len(names)), "items (%)": "100.00"}
        wanted["count-curve(k=1) (%)"] = f"{100 * shares[-1]:.2f}"
        assert rows[kind] == wanted
    mean = 100 * sum(shares) / len(shares)
    assert rows["mean over types"]["count-curve(k=1) (%)"] == f"{mean:.2f}"
    assert rows["mean over types"]["n"] == "4"
