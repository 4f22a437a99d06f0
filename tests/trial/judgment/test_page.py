"""The page of a verdict."""

from __future__ import annotations

from dataclasses import replace

from harness.show.verdict_page import verdict_page
from harness.trial.verdict import read_verdict, verdict_text, write_verdict

from ...make.project import TEST_IDS, Project
from ...make.study import POINT


def test_the_page_says_all_of_it(ready: Project) -> None:
    ready.judged()
    page = verdict_page(read_verdict(ready.verdict_file))
    for part in (
        "# Verdict: `external(name=new)` against `external(name=old)`\n",
        "\n\nStamp: **registered (contexts not checked)**.\n\n"
        "- Not checked: which contexts were answered: the plan declares them external\n",
        "- Judged: 20 of the 20 questions of the test part; excluded by rule: none\n",
        "| better | primary | `external(name=old)` | **NOT MET** | +20.00 | (0.00, +45.00) "
        "| 5 / 1 / 14 | 0.1176 |",
        "## Not registered\n",
        "## Reader noise\n\nNothing was answered a second time",
        "| mean over types | 20 | ",
        "Questions won and lost against `external(name=old)`",
        "| won | not known | not known |\n",
        "| `external(name=old)` | 5 | 1 | 0.2188 | 0.1250 | not known | none: clusters not known "
        "(give the dataset with --data) |\n",
        "**NOT MET**: the lower limit is 0.00 points, which does not meet lower > 0 points.\n",
        "This does not show that external(name=old) and external(name=new) answer equally well",
        "Descriptive: no rule was registered for a type.\n",
        "| even | 8 | 2 | 0 | 6 | 62.50 | 37.50 | +25.00 |\n",
        "## Departures from the plan\n\nNone.\n",
        "## Notes\n\nNone.\n",
    ):
        assert part in page
    assert page.endswith("\n")
    assert not page.endswith("\n\n")


def test_the_page_does_not_depend_on_when_it_was_judged(ready: Project) -> None:
    ready.judged()
    verdict = read_verdict(ready.verdict_file)
    later = replace(
        verdict,
        committed=replace(verdict.committed, commit="f" * 40, statement="Added by commit ffff."),
        opening=replace(verdict.opening, number=9, of_split=7, line_sha256="0" * 64),
        code={"version": "9", "commit": "f" * 40, "dirty": True},
    )
    assert verdict_page(later) == verdict_page(verdict)


def test_what_keeps_it_from_being_confirmatory_is_on_the_page(project: Project) -> None:
    project.register()
    project.grade("new", POINT, project.rows(TEST_IDS[:12]), "--exploratory")
    project.grade("old", "external(name=old)", project.rows(TEST_IDS[:9]))
    project.judged()
    page = verdict_page(read_verdict(project.verdict_file))
    assert (
        "Stamp: **exploratory**: the grades of the point external(name=new) were imported as "
        "exploratory.\n"
    ) in page


def test_a_verdict_reads_back_as_it_was_written(ready: Project) -> None:
    ready.judged()
    verdict = read_verdict(ready.verdict_file)
    copy = ready.folder / "copy.json"
    write_verdict(verdict, copy)
    assert copy.read_bytes() == ready.verdict_file.read_bytes()
    assert read_verdict(copy) == verdict
    assert verdict_text(verdict) == copy.read_text()
