"""What the page of an arm that scores candidates says of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from xml.etree import ElementTree

import pytest

from harness.model import Case, Item, Query, Record
from harness.points import parse_point
from harness.replay import schema
from harness.replay.run import Run
from harness.show.candidates_section import CandidatesSection, PointCandidates, candidates_section
from harness.show.contribution_drawing import draw_contributions
from harness.show.figures import gather
from harness.show.pages import rendered
from harness.show.report import ReportRequest, report_pages
from harness.show.table import Table
from harness.words import markdown_of

from ..make.recordings import recording_of, run_of

POINTS = ("sea(limit=1)", "sea(limit=2)", "sea(limit=2, max_bytes=200)", "items")
QUESTION = "Which day is the meeting?"
DRAWING = "sea/signal-contributions.svg"


def _case(number: int, *records: tuple[str, str, dict[str, str]]) -> Case:
    return Case(
        f"question {number}",
        Query(QUESTION),
        tuple(Record(name, text, metadata=metadata) for name, text, metadata in records),
        tuple(Item(name) for name, _, _ in records),
    )


CASES = [
    # keyword 3/4, 2/4 and 0/4 of which, day, the, meeting; nothing else is there
    _case(
        1,
        ("a", "The meeting is on Monday.", {}),
        ("b", "The meeting moved.", {}),
        ("c", "Rain.", {}),
    ),
    # all eight words of metadata; keyword 3/4 for both, and one is a contradiction
    _case(
        2,
        ("d", "The meeting is on Monday.", {"kind": "note"}),
        ("e", "The meeting is on Tuesday.", {"kind": "contradiction"}),
    ),
]


@pytest.fixture(scope="module")
def scored_run() -> Run:
    return Run.open(run_of(recording_of(CASES, dataset_sha256=None), POINTS))


@pytest.fixture(scope="module")
def section(scored_run: Run) -> CandidatesSection:
    points = [parse_point(point) for point in POINTS[:3]]
    found = candidates_section(scored_run, "sea", points, gather(scored_run))
    assert found is not None
    return found


@pytest.fixture(scope="module")
def scored_pages(scored_run: Run) -> Mapping[str, str]:
    return report_pages(scored_run, ReportRequest())


def test_counts(section: CandidatesSection) -> None:
    """Five candidates; two cases give one or two each. 200 bytes hold one line of about 100."""
    found = [(each.point, each.candidates, each.selected, each.printed) for each in section.points]
    assert found == [
        ("sea(limit=1)", 5, 2, 2),
        ("sea(limit=2)", 5, 4, 4),
        ("sea(limit=2, max_bytes=200)", 5, 4, 2),
    ]
    assert [dict(each.reasons) for each in section.points] == [
        {"record cap": 3},
        {"record cap": 1},
        {"record cap": 1},
    ]
    assert section.at_one == 0


def test_absent_signals_are_named(section: CandidatesSection) -> None:
    """No vectors and no times anywhere; in the first question no metadata either."""
    of_metadata = ("metadata", "authority", "graph", "contradiction", "task_fit")
    wanted = {"semantic": 2, "recency": 2, **dict.fromkeys(of_metadata, 1)}
    assert dict(section.points[0].absent) == wanted
    assert tuple(map(markdown_of, section.absent)) == (
        "at every point: `semantic` and `recency` in 2 of 2 questions; `metadata`, `authority`, "
        "`graph`, `contradiction` and `task_fit` in 1 of 2 questions",
    )


def test_contributions_of_selected_and_rejected(section: CandidatesSection) -> None:
    """At limit 1, a and e are taken: keyword 3/4 each, at weight 0.15; b, c and d are not: 2/4, 0
    and 3/4. The contradiction, 1 at weight 0.05, is in the second question alone."""
    signals = {each.signal: each for each in section.points[0].signals}
    keyword = signals["keyword"]
    assert keyword.selected is not None
    assert keyword.rejected is not None
    assert keyword.selected.mean == pytest.approx(0.75 * 0.15)
    assert keyword.rejected.mean == pytest.approx((0.5 + 0 + 0.75) / 3 * 0.15)
    contradiction = signals["contradiction"]
    assert contradiction.selected is not None
    assert contradiction.rejected is not None
    assert contradiction.selected.mean == pytest.approx(0.05)
    assert contradiction.rejected.mean == 0
    assert signals["semantic"].selected is None
    assert signals["semantic"].rejected is None


def test_the_counts_are_those_of_the_table(scored_run: Run, section: CandidatesSection) -> None:
    rows = scored_run.table(schema.CANDIDATES).to_pylist()
    for each in section.points:
        own = [row for row in rows if row["point"] == each.point]
        assert each.candidates == len(own)
        assert each.selected == sum(row["selected"] for row in own)
        assert each.at_one == sum(row["score"] == 1 for row in own)


def test_the_page_says_what_scores_are(scored_pages: Mapping[str, str]) -> None:
    page = " ".join(scored_pages["sea/README.md"].split())
    for sentence in (
        "**Scores are heuristic and not calibrated**",
        "None is exactly 1, where a sum is cut off.",
        "Such scores compare only among themselves.",
        "Retrieval only: nothing was answered here",
        "invariant 9 is not promised: 0 violations in 4 comparisons",
        "it is not evidence that retrieval weights improve",
        "![Signal × weight of selected and of rejected candidates",
    ):
        assert sentence in page
    assert "## Candidates" not in scored_pages["items/README.md"]


def test_the_drawing_has_a_panel_for_each_point(scored_pages: Mapping[str, str]) -> None:
    root = ElementTree.fromstring(scored_pages[DRAWING])
    space = {"svg": "http://www.w3.org/2000/svg"}
    panels = root.findall("svg:g", space)
    assert [panel.get("aria-label") for panel in panels] == list(POINTS[:3])
    texts = [text.text for text in panels[0].findall("svg:text", space)]
    assert texts.count("absent") == 2
    words = [title.text or "" for title in panels[0].iterfind("svg:g/svg:title", space)]
    assert len(words) == 12  # six signals that are not absent, selected and rejected
    assert words[0].startswith("keyword, selected: mean 0.113")


def test_the_bars_are_as_long_as_their_means(section: CandidatesSection) -> None:
    panel = draw_contributions(section.points).panels[0]
    at = {tick.label: float(tick.at) for tick in panel.ticks}
    per_unit = (at["0.1"] - at["0"]) / 0.1
    keyword = next(row for row in panel.rows if row.name == "keyword")
    for bar in keyword.bars:
        mean = float(re.findall(r"mean ([0-9.]+)", bar.words)[0])
        assert float(bar.width) == pytest.approx(mean * per_unit, abs=0.0006 * per_unit)


def test_a_run_without_candidates_has_no_section(run: Run) -> None:
    figures = gather(run)
    assert candidates_section(run, "sea", [], figures) is None
    assert candidates_section(run, "items", run.points[:1], figures) is None


def test_scores_of_exactly_one_are_counted() -> None:
    """Through the template: the sentence has the count."""
    point = PointCandidates("sea", 1, 2, 1, 1, 2, {}, {}, {"general": 1}, 0, ())
    nothing = Table((), ())
    made = CandidatesSection(
        (point,), nothing, nothing, nothing, (), ("all",), 1234, nothing, False, nothing
    )
    growth = {"promised": True}
    page = rendered("candidates.md.j2", section=made, growth=growth)
    assert "Scores of exactly 1, which are sums that were cut off: 1,234." in page
    assert "No signal is absent in any question." in page
    assert "invariant 9" not in page
