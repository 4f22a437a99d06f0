"""Published figures: reading them, finding their points, and setting a run beside them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.datasets.split import Split, SplitQuestion
from harness.errors import InputError, UsageError
from harness.replay.run import Run
from harness.show.beside import set_beside
from harness.show.causes import NOT_ESTABLISHED, Causes, read_causes
from harness.show.provenance import provenance_of
from harness.show.published import Published, read_published
from harness.show.published_page import published_page
from harness.show.report import ReportRequest, report_pages

SPLIT = Split(
    seed=7,
    drawn=2,
    of=8,
    dataset_sha256=None,
    restricted_to=None,
    dev=(
        SplitQuestion(2, "question 2", "multi-session"),
        SplitQuestion(4, "question 4", "single-session"),
    ),
).read_from("ef" * 32)


def figures_of(read: Published) -> dict[tuple[str, str, str | None, str], float]:
    return {
        (str(figure.point), figure.split, figure.category, figure.metric.name): figure.value
        for figure in read.figures
    }


def changed(path: Path, **studies: Any) -> Path:
    value = json.loads(path.read_text(encoding="utf-8"))
    value["studies"][0] |= studies
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def test_shares_become_fractions_and_the_two_definitions_stay_apart(published: Path) -> None:
    read = read_published(published)
    assert figures_of(read) == pytest.approx(
        {
            ("count-curve(k=1)", "all500", None, "answer_sessions_shown"): 0.3,
            ("count-curve(k=1)", "all500", None, "all_answer_sessions_shown"): 0.286,
            ("count-curve(k=1)", "all500", None, "evidence_turn_chars_macro"): 0.4,
            ("count-curve(k=1)", "all500", None, "context_tokens"): 300.0,
            ("count-curve(k=full)", "all500", None, "evidence_turn_chars_pooled"): 0.999,
            ("count-curve(k=full)", "all500", None, "evidence_share_pooled"): 0.2,
            ("count-curve(k=full)", "all500", None, "context_tokens"): 1272.2,
            ("count-curve(k=3)", "all500", None, "evidence_turns_touched"): 0.5,
            ("evidence(budget=800)", "all500", None, "evidence_turns_touched"): 0.333,
            ("count-curve(k=4)", "dev100", None, "answer_sessions_shown"): 0.875,
            ("count-curve(k=1)", "dev100", None, "answer_sessions_shown"): 0.5,
            ("items", "all500", "multi-session", "answer_sessions_shown"): 0.97,
        }
    )
    assert read.questions == {"all500": 8, "dev100": 1}
    assert read.first_item == {"1": 1, "2-10": 6, "11+": 0, "never": 1}
    assert read.without_counterpart == ("coverage b2800 (curve)",)


def test_a_number_that_two_studies_print_is_one_figure(published: Path) -> None:
    same = [
        figure
        for figure in read_published(published).figures
        if (str(figure.point), figure.split, figure.metric.name)
        == ("count-curve(k=1)", "all500", "answer_sessions_shown")
    ]
    assert [figure.studies for figure in same] == [("curve", "again")]


def test_faults_are_named_together(published: Path) -> None:
    rows = [{"point": "k=1", "evidence": {"sessions_shown": "30"}, "cl100k": True}]
    with pytest.raises(InputError) as raised:
        read_published(changed(published, points=rows, dev100={"k=1": 1}))
    assert raised.value.message.splitlines()[1:] == [
        "  studies[0].points[0].cl100k is true, expected a finite number",
        "  studies[0].points[0].evidence.sessions_shown is the string '30', expected a finite "
        "number",
        "  studies[0].dev100 is an object, expected a list",
    ]
    rows = [{"point": "k=1", "shown": 1}]
    with pytest.raises(InputError, match="no number of questions"):
        read_published(changed(published, points=rows, dev100=[], split="x", n="8"))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "is not JSON"),
        ("[]", "is a list, expected an object"),
        ('{"studies": []}', "has no figures of a point of this project"),
        ('{"studies": [1]}', r"studies\[0\] is the number 1, expected an object"),
    ],
)
def test_what_is_no_file_of_published_figures(tmp_path: Path, text: str, reason: str) -> None:
    path = tmp_path / "published.json"
    path.write_text(text)
    with pytest.raises(InputError, match=reason):
        read_published(path)


def test_ours_beside_the_published(run: Run, published: Path) -> None:
    beside = set_beside(run, read_published(published), None)
    rows = {(str(row.point), row.figure.metric.name): row for row in beside.rows}
    shown = rows["count-curve(k=1)", "answer_sessions_shown"]
    assert (shown.ours.value, shown.ours.scored, shown.part) == (2 / 7, 7, "all")
    assert shown.difference == 2 / 7 - 0.3
    assert shown.same_part
    assert beside.points_missing == ("count-curve(k=3)", "count-curve(k=4)")
    assert beside.splits_missing == ("dev100",)
    assert beside.parts == {"all": 8}
    assert beside.first_item == (("1", 2, 1), ("2-10", 5, 6), ("11+", 0, 0), ("never", 0, 1))


def test_a_point_is_found_under_another_spelling(run: Run, published: Path) -> None:
    read = read_published(published)
    only_items = [figure for figure in read.figures if str(figure.point) == "count-curve(k=full)"]
    points = tuple(point for point in run.points if str(point) != "count-curve(k=full)")
    fewer = replace(run)
    fewer.__dict__["points"] = points
    beside = set_beside(fewer, replace(read, figures=tuple(only_items)), None)
    assert [str(row.point) for row in beside.rows] == ["items"] * 3


def test_a_split_gives_the_same_part(run: Run, published: Path) -> None:
    read = read_published(published)
    read = replace(read, questions={"all500": 8, "dev100": 2, "test400": 6})
    dev = [figure for figure in read.figures if figure.split == "dev100"]
    test = [replace(figure, split="test400", questions=6) for figure in dev]
    beside = set_beside(run, replace(read, figures=(*dev, *test)), SPLIT)
    found = {row.figure.split: row for row in beside.rows}
    counts = {row["case_id"]: row for row in run.evidence_rows(run.points[1:2]).to_pylist()}
    for split, ids in (("dev100", [2, 4]), ("test400", [0, 1, 3, 5, 7])):
        shares = [
            counts[f"question {number}"]["answer_sessions_shown"]
            / counts[f"question {number}"]["answer_sessions"]
            for number in ids
        ]
        assert found[split].ours.value == pytest.approx(sum(shares) / len(shares), abs=1e-12)
        assert found[split].same_part
    assert found["test400"].ours.expected == 6
    assert beside.parts == {"dev": 2, "test": 6}


def test_without_a_split_another_part_is_marked(run: Run, published: Path) -> None:
    read = replace(read_published(published), questions={"test400": 7})
    figures = tuple(replace(figure, split="test400", category=None) for figure in read.figures[:1])
    beside = set_beside(run, replace(read, figures=figures), None)
    assert [row.same_part for row in beside.rows] == [False]
    (section,) = published_page(beside, provenance_of(run), Causes()).sections
    assert (section.same_part, section.ours_over) == (False, "8 questions (all)")


def test_a_cause_stands_only_where_it_was_given(run: Run, published: Path, tmp_path: Path) -> None:
    causes = tmp_path / "causes.toml"
    causes.write_text('["count-curve( k=1 )"]\nanswer_sessions_shown = "the recall:\\n varied"\n')
    read = read_causes(causes)
    assert read.of("count-curve(k=1)", "answer_sessions_shown") == "the recall: varied"
    assert read.of("count-curve(k=1)", "context_tokens") == NOT_ESTABLISHED
    request = ReportRequest(published=published, causes=causes)
    pages = report_pages(run, request)
    lines = pages["published.md"].split("\n")
    cells = [line.split(" | ") for line in lines if line.startswith("| `count-curve(k=1)` | ")]
    by_metric = {row[1]: row[2] for row in cells if row[1].split()[0].isalpha()}
    assert by_metric == {
        "answer sessions shown (%)": "the recall: varied",
        "all answer sessions shown (%)": "no difference",
        "evidence turn chars macro (%)": "not established",
        "context tokens": "not established",
    }
    assert "--published published.json --causes causes.toml" in pages["README.md"]
    assert "[Beside the published figures](published.md)" in pages["README.md"]


def test_faulty_causes_are_named_together(tmp_path: Path) -> None:
    path = tmp_path / "causes.toml"
    path.write_text(
        'items = "text"\n[itmes]\n["count-curve(k=1)"]\nanswer_session_shown = "a"\n'
        "context_tokens = 3\n"
    )
    with pytest.raises(InputError) as raised:
        read_causes(path)
    for part in (
        "items is the string 'text', expected an object",
        "there is no arm 'itmes'",
        "no metric 'answer_session_shown'; did you mean 'answer_sessions_shown'?",
        "count-curve(k=1).context_tokens is the number 3, expected a string",
    ):
        assert part in raised.value.message
    path.write_text("=")
    with pytest.raises(InputError, match="is not TOML"):
        read_causes(path)


def test_causes_and_split_need_published_figures(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "file"
    for name, request in (
        ("causes", ReportRequest(causes=path)),
        ("split", ReportRequest(split=path)),
    ):
        with pytest.raises(UsageError, match=f"--{name} serves the page of published figures"):
            report_pages(run, request)


def test_a_cause_of_nothing_is_refused(run: Run, published: Path, tmp_path: Path) -> None:
    causes = tmp_path / "causes.toml"
    causes.write_text('["count-curve(k=3)"]\ncontext_tokens = "a cause"\n')
    with pytest.raises(InputError, match=r"count-curve\(k=3\), context_tokens: not compared with"):
        report_pages(run, ReportRequest(published=published, causes=causes))


@pytest.mark.shared
def test_the_published_file_as_it_is(shared: Path) -> None:
    found = figures_of(read_published(shared / "specs" / "published_figures.json"))
    shown = "answer_sessions_shown"
    assert found["count-curve(k=4)", "all500", None, shown] == pytest.approx(0.896)
    assert found["items", "test400", None, "evidence_turn_chars_pooled"] == pytest.approx(0.445)
    assert found["count-curve(k=4)", "test400", None, "evidence_turn_chars_pooled"] == (
        pytest.approx(0.414)
    )
    assert found["count-curve(k=4)", "test400", None, "evidence_turn_chars_macro"] == (
        pytest.approx(0.488)
    )
    assert found["evidence(budget=2800)", "test400", None, "context_tokens"] == 721.4
    assert found["whole(budget=4000)", "dev100", None, "evidence_turns_touched"] == (
        pytest.approx(0.929)
    )
    quotes = "quote-curve(head=320, tail=160)"
    assert found[quotes, "all500", None, "evidence_turns_touched"] == pytest.approx(0.755)
    assert found["items", "all500", "multi-session", shown] == pytest.approx(0.97)
    points = {point for point, _, _, _ in found}
    assert not [point for point in points if point.startswith("2.6.5a")]
