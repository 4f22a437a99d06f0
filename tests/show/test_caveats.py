"""A caveat goes with its number to every output that shows it: terminal, page, CSV and JSON.

Each test makes one caveat true and walks all outputs of the numbers that it belongs to.
`docs/statistics.md` has the list.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from harness.cli.main import run
from harness.statistics.counts import PairedCounts
from harness.statistics.tango import tango_interval
from harness.trial.caveats import EXPLORATORY, NOBODY_ANSWERED
from harness.trial.grade import STAND_IN_READER

from ..make.cases import long_cases
from ..make.project import DEV_IDS, TEST_IDS, Project, make_project
from ..make.recordings import labelled_run, long_run, write_recording
from ..make.splits import LONG_DEV, long_grades, long_split
from ..make.study import CONTROL, POINT
from ..make.trial import TWO, Trial, make_trial
from ..make.worlds import write_world

FORMS = ((), ("--json",), ("--csv",))
FEW = "fewer than 10 pairs differ"


class Printed:
    """What commands print, by command and form, white space folded."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *arguments: str, forms: Iterable[tuple[str, ...]] = FORMS) -> dict[str, str]:
        return {" ".join((*arguments[:2], *form)): self.one(*arguments, *form) for form in forms}

    def one(self, *arguments: str) -> str:
        self._capsys.readouterr()
        assert run(list(arguments)) in (0, 1)
        return folded(self._capsys.readouterr().out)


@pytest.fixture
def printed(capsys: pytest.CaptureFixture[str]) -> Printed:
    return Printed(capsys)


def folded(text: str) -> str:
    return " ".join(text.split())


def pages_of(folder: Path, *names: str) -> dict[str, str]:
    return {name: folded((folder / name).read_text(encoding="utf-8")) for name in names}


def lacking(outputs: Mapping[str, str], words: str) -> list[str]:
    """Outputs that do not say it."""
    return [name for name, text in outputs.items() if words not in text]


# few differing pairs


def test_few_pairs_of_a_run(printed: Printed, tmp_path: Path) -> None:
    folder, report = str(long_run().folder), tmp_path / "report"
    outputs = printed("evidence", folder, "--against", "count-curve(k=2)")
    outputs |= printed("instrument", "curves", str(labelled_run().folder))
    assert run(["report", folder, "--out", str(report), "-q"]) == 0
    outputs |= pages_of(report, "README.md", "count-curve/README.md")
    assert run(["report", str(labelled_run().folder), "--out", f"{report}-2", "-q"]) == 0
    outputs |= pages_of(Path(f"{report}-2"), "instruments/curves.md")
    assert lacking(outputs, FEW) == []
    # and no people are shown the limits
    assert lacking(pages_of(report, "README.md"), "†") == []


def test_few_pairs_of_a_sweep(printed: Printed, tmp_path: Path) -> None:
    long_split(tmp_path)
    recording = str(write_recording(tmp_path / "best", long_cases()) or tmp_path / "best/recording")
    given = ["--split", str(tmp_path / "split.json"), "--point", "count-curve(k=[1,2,4])"]
    given += ["--out", str(tmp_path / "run"), "--report", str(tmp_path / "report"), "--force"]
    outputs = printed("sweep", recording, *given, "-q")
    outputs |= pages_of(tmp_path / "report", "sweep.md")
    assert lacking(outputs, FEW) == []
    people = [text for name, text in outputs.items() if not name.endswith(("json", "csv"))]
    assert [text for text in people if "No band corrects for it" not in text] == []


def test_few_pairs_and_few_clusters_of_lookups(printed: Printed, tmp_path: Path) -> None:
    world, recording = write_world(tmp_path / "world"), str(tmp_path / "lookups")
    queries = tmp_path / "queries.jsonl"
    queries.write_text('{"case_id": "t1", "query": "firing the kiln", "scope": "/"}\n')
    asked = ["--queries", str(queries), "--out", recording, "-q"]
    assert run(["record", "lookups", str(world), *asked]) == 0
    points = ["--point", "lookup-before", "--point", "lookup-budgeted"]
    made = str(tmp_path / "run")
    assert run(["replay", recording, "--out", made, *points, "-q"]) == 0
    report = ["--out", str(tmp_path / "report"), "--recording", recording, "-q"]
    assert run(["report", made, *report]) == 0
    outputs = printed("lookups", made, "--against", "lookup-before()")
    outputs |= printed("ablate", recording)
    outputs |= pages_of(tmp_path / "report", "lookups.md")
    assert lacking(outputs, FEW) == []
    assert lacking(outputs, "fewer than 20 clusters") == []


@pytest.mark.usefixtures("terminal")
def test_few_pairs_of_an_interval(printed: Printed) -> None:
    counts = ("--wins", "0", "--losses", "3", "--n", "400")
    assert lacking(printed("interval", *counts), "3 discordant pairs, fewer than 10") == []


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.cli.output.on_terminal", lambda: True)


# answers


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ({"reader": STAND_IN_READER}, NOBODY_ANSWERED),
        ({"part": "all"}, EXPLORATORY),
        ({"names": LONG_DEV[:3]}, "1 of 4 questions not graded: 1 missing"),
        ({}, "the grades do not say which context was answered"),
    ],
    ids=["stand-in", "exploratory", "ungraded", "contexts"],
)
def test_what_goes_with_answers(
    printed: Printed,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    answers: dict[str, object],
    words: str,
) -> None:
    """Of answers at every item and at one item, all right and one right."""
    monkeypatch.chdir(tmp_path)
    made = [
        str(long_grades(tmp_path, point, right, **answers).folder)  # type: ignore[arg-type]
        for point, right in (("items", LONG_DEV), ("count-curve(k=1)", LONG_DEV[:1]))
    ]
    folder, given = str(labelled_run().folder), ("--grades", made[0], "--grades", made[1])
    outputs = printed("instrument", "evidence", folder, *given)
    outputs |= printed("instrument", "curves", folder, *given)
    outputs |= printed("evidence", folder, *given)
    assert run(["report", folder, "--out", "report", *given, "-q"]) == 0
    outputs |= pages_of(Path("report"), "instruments/evidence.md", "instruments/curves.md")
    outputs |= pages_of(Path("report"), "README.md", "items/README.md", "cost-evidence.svg")
    if words in (NOBODY_ANSWERED, EXPLORATORY) or "not graded" in words:
        outputs |= printed("grades", "agree", *made)
        outputs |= printed("grades", "show", made[0], forms=FORMS[1:])
    assert lacking(outputs, words) == []
    shown = printed.one("grades", "show", made[0])
    assert str(answers.get("reader", "exploratory" if "part" in answers else "items")) in shown


def test_sealed_answers_are_said_to_be(
    printed: Printed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    grades = str(long_grades(tmp_path, "items", LONG_DEV, part="all").folder)
    monkeypatch.setattr("harness.trial.grades.Grades.exploratory", False)
    folder = str(labelled_run().folder)
    outputs = printed("instrument", "evidence", folder, "--grades", grades, "-q", forms=FORMS[1:])
    outputs |= printed("evidence", folder, "--grades", grades)
    assert lacking(outputs, "its grades are sealed") == []
    outputs = printed("grades", "show", grades)
    assert lacking({name: text.lower() for name, text in outputs.items()}, "sealed") == []


def test_tokens_that_not_every_grade_has(printed: Printed, tmp_path: Path) -> None:
    project_rows = [
        {"question_id": name, "correct": True, **({"prompt_tokens": 10} if place else {})}
        for place, name in enumerate(LONG_DEV)
    ]
    split = long_split(tmp_path)
    source = tmp_path / "graded.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in project_rows))
    out = str(tmp_path / "grades")
    what = ["--format", "jsonl", "--point", "items", "--split", str(split), "--part", "dev"]
    listed = ["--questions", str(tmp_path / "questions.jsonl"), "--out", out, "-q"]
    assert run(["grades", "import", str(source), *what, *listed]) == 0
    text, as_json, as_csv = printed("grades", "show", out).values()
    assert "10.0 (n=3)" in text
    assert '"prompt_tokens_api_known": 3' in as_json
    assert "prompt_tokens_api_known" in as_csv


# a verdict


def verdict_outputs(printed: Printed, name: str = "made") -> dict[str, str]:
    """The page, the file, and a report's page and index of a verdict."""
    verdict = Path(f"registrations/{name}.verdict.json")
    registration = f"registrations/{name}.json"
    given = ["--registration", registration, "--verdict", str(verdict), "--out", "report", "-q"]
    assert run(["report", "run" if Path("run").exists() else str(long_run().folder), *given]) == 0
    return {
        "page": printed.one("report", str(verdict)),
        "file": folded(verdict.read_text(encoding="utf-8")),
        **pages_of(Path("report"), "verdict.md"),
    }


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return make_project(folder)


@pytest.fixture
def trial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Trial:
    folder = tmp_path / "trial"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return make_trial(folder)


def judged(printed: Printed, *grades: str, name: str = "made") -> dict[str, str]:
    """The terminal, JSON, page, file and report of a judgment."""
    folders = [part for each in grades for part in ("--grades", f"grades/{each}")]
    given = ["--run", "run"] if Path("run").exists() else []
    command = ("judge", f"registrations/{name}.json", *folders, *given, "-q")
    outputs = printed(*command, forms=FORMS[:2])
    return outputs | verdict_outputs(printed, name)


def test_what_a_verdict_says_of_its_numbers(printed: Printed, project: Project) -> None:
    """Six discordant pairs, contexts that nobody checked, clusters that are not known."""
    project.register()
    project.grade_both()
    outputs = judged(printed, "new", "old")
    for words in (
        "6 discordant pairs, fewer than 10",
        "which contexts were answered: the plan declares them external",
        "clusters not known (give the dataset with --data)",
        "registered (contexts not checked)",
    ):
        assert lacking(outputs, words) == [], words
    assert lacking(printed("ledger"), "registered") == []
    assert "registered (contexts not checked)" in pages_of(Path("report"), "README.md")["README.md"]


def test_an_exploratory_verdict(printed: Printed, project: Project) -> None:
    project.register()
    project.grade("new", POINT, project.rows(TEST_IDS[:12]), "--exploratory")
    project.grade("old", CONTROL, project.rows(TEST_IDS[:9]))
    outputs = judged(printed, "new", "old")
    assert lacking(outputs, "were imported as exploratory") == []
    assert lacking(printed("ledger"), "exploratory") == []


def test_another_cost_than_the_control(printed: Printed, trial: Trial) -> None:
    same_cost = '[same_cost]\nmeasure = "context_tokens"\nwithin = 0.01'
    trial.register("made", tail=same_cost)
    outputs = judged(printed, *trial.grade_both())
    assert lacking(outputs, "the two do not cost the same") == []


def test_tokens_that_were_estimated(printed: Printed, project: Project) -> None:
    project.register(rule_keys='cost = "prompt_tokens_api <= 900"')
    project.grade_both(prompt_tokens_estimated=10)
    outputs = judged(printed, "new", "old")
    assert lacking(outputs, "CANNOT SAY") == []
    assert lacking(outputs, "those of 20 are estimated") == []


def test_a_limit_that_is_too_close_to_call(printed: Printed, project: Project) -> None:
    """The margin is the lower limit of no discordant pair, to the last digit of a double."""
    limit = tango_interval(PairedCounts(0, 0, 20), "0.95").lower
    keys = f'[[rule]]\nname = "held"\nrole = "secondary"\nagainst = "{CONTROL}"\nlevel = 0.95\n'
    keys += f'met_when = "lower >= {100 * limit:.14f} points"\ninterval = "tango"'
    project.register(tail=keys)
    project.grade("new", POINT, project.rows(TEST_IDS[:9]))
    project.grade("old", CONTROL, project.rows(TEST_IDS[:9]))
    outputs = judged(printed, "new", "old")
    assert lacking(outputs, "too close to call, which counts as not meeting") == []


def test_a_curve_that_is_too_close_to_call(
    printed: Printed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    limit = tango_interval(PairedCounts(0, 0, 4), 0.95).lower
    given = []
    for point in ("items", "count-curve(k=1)"):
        given += ["--grades", str(long_grades(tmp_path, point, LONG_DEV[:2]).folder)]
    margin = ("--margin", f"{100 * limit:.14f} points")
    outputs = printed("instrument", "curves", str(labelled_run().folder), *given, *margin)
    assert lacking(outputs, "too close to call") == []


def test_noise_between_passes(printed: Printed, project: Project) -> None:
    """The control was answered twice, with ten answers that differ."""
    project.register()
    project.grade("new", POINT, project.rows(TEST_IDS[:12]))
    project.grade("old", CONTROL, project.rows(TEST_IDS[:9]))
    project.grade("again", CONTROL, project.rows(TEST_IDS[:19]))
    outputs = judged(printed, "new", "old", "again")
    assert lacking(outputs, "CANNOT SAY") == []
    assert lacking(outputs, "the noise check voids the comparison") == []
    assert DEV_IDS  # the four others are dev
    assert lacking(printed("grades", "agree", "grades/old", "grades/again"), "VOID") == []


def test_the_figure_says_how_many_questions_it_is_of(tmp_path: Path) -> None:
    assert run(["report", str(long_run().folder), "--out", str(tmp_path / "report"), "-q"]) == 0
    figure = pages_of(tmp_path / "report", "cost-evidence.svg")
    assert lacking(figure, "of 8 questions scored") == []


def test_contexts_of_another_run_are_no_caveat(printed: Printed, trial: Trial) -> None:
    """They are a fault: nothing is shown of them."""
    trial.grade("looked", TWO, TEST_IDS[:3], None)
    trial.another_run()
    assert run(["instrument", "evidence", "other-run", "--grades", "grades/looked"]) == 2
