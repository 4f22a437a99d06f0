"""`harness.api`: what Python users are given, and that `docs/python.md` says so."""

from __future__ import annotations

import inspect
import json
import pkgutil
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import harness
from harness import api
from harness.cli.main import run as call
from harness.errors import HarnessError, InputError, UsageError
from harness.evidence import Bootstrap
from harness.replay.run import Run
from harness.show.frames import DIFFERENCE_FRAME, EVIDENCE_FRAME
from harness.trial.grades import Grades

from .make.notebook import cells_of, printed, run_cells
from .make.project import DEV_IDS, TEST_IDS, make_project
from .make.recordings import SMALL_POINTS, long_recording, long_run, small_recording, small_run
from .make.splits import LONG_DEV, json_lines, long_split
from .make.study import POINT

FRAMES = {"int32": "Int32", "int64": "Int64", "bool": "boolean", "double": "float64"}


def signature(function: Any) -> str:
    """Names and defaults, without annotations."""
    found = inspect.signature(function)
    bare = [
        parameter.replace(annotation=inspect.Parameter.empty)
        for name, parameter in found.parameters.items()
        if name != "self"
    ]
    named = inspect.Signature(bare)
    return f"{function.__name__}{named}"


def sentence(member: Any) -> str:
    """The first paragraph of a docstring, in one line."""
    return " ".join((inspect.getdoc(member) or "").split("\n\n")[0].split())


def rows_under(page: str, heading: str) -> list[list[str]]:
    """The rows of the tables between a heading and the next."""
    section = page.split(f"## {heading}\n", 1)[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


@pytest.fixture(scope="module")
def page(checkout: Path) -> str:
    return (checkout / "docs/python.md").read_text("utf-8")


def test_every_function_is_documented_with_its_signature(page: str) -> None:
    functions = [getattr(api, name) for name in api.__all__ if name.islower()]
    documented = sorted(rows_under(page, "Functions"))
    assert documented == sorted([f"`{signature(one)}`", sentence(one)] for one in functions)


@pytest.mark.parametrize("name", [name for name in api.__all__ if not name.islower()])
def test_every_attribute_of_a_class_is_documented(name: str, page: str) -> None:
    kind = getattr(api, name)
    members = {key: member for key, member in vars(kind).items() if not key.startswith("_")}
    assert rows_under(page, f"`{name}`") == [
        [f"`{key if isinstance(member, property) else signature(member)}`", sentence(member)]
        for key, member in members.items()
    ]


def test_the_columns_of_an_evidence_frame_are_documented(page: str) -> None:
    documented = rows_under(page, "Types of columns")
    fields = [*EVIDENCE_FRAME, *DIFFERENCE_FRAME]
    assert documented == [
        [f"`{field.name}`", _type(field.type), field.metadata[b"meaning"].decode()]
        for field in fields
    ]


def _type(kind: Any) -> str:
    return "category" if "dictionary" in str(kind) else FRAMES.get(str(kind), str(kind))


def test_the_names_are_those_of_the_package_and_of_no_module() -> None:
    modules = {module.name for module in pkgutil.iter_modules(harness.__path__)}
    assert set(api.__all__) & modules == set()
    for name in api.__all__:
        assert getattr(harness, name) is getattr(api, name)
    with pytest.raises(AttributeError, match="no attribute 'open_runs'"):
        _ = harness.open_runs  # type: ignore[attr-defined]


def test_importing_it_loads_nothing_heavy() -> None:
    code = (
        "import sys, harness; harness.open_run, harness.api; "
        "print(*{name.split('.')[0] for name in sys.modules})"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout
    assert {"numpy", "pyarrow", "pandas", "scipy", "click", "pydantic"} & {*loaded.split()} == set()


def test_defaults_are_those_of_the_verbs() -> None:
    assert Bootstrap(api._LEVEL, api._RESAMPLES, api._SEED) == Bootstrap()


def test_the_examples_of_the_page_run(
    page: str, checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "datasets").symlink_to(checkout / "datasets")
    names: dict[str, Any] = {}
    for block in re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL):
        exec(block, names)
    assert names["shown"]["value"].round(3).tolist() == [0.865, 0.939]


def test_the_notebook_runs_and_prints_what_it_shows(checkout: Path, tmp_path: Path) -> None:
    cells = cells_of(checkout / "examples/notebook.ipynb")
    assert len(cells) == 10
    (tmp_path / "datasets").symlink_to(checkout / "datasets")
    (tmp_path / "examples").mkdir()
    shown = [printed(cell) for cell in cells if cell["cell_type"] == "code"]
    assert list(run_cells(cells, tmp_path / "examples")) == shown


# Values of small_cases by hand: q1 has one answer session, in the second item; q2 two, in both.


def test_evidence_has_a_row_per_point_and_metric() -> None:
    opened = api.open_run(small_run())
    frame = opened.evidence(against="count-curve(k=1)")
    assert opened.points == SMALL_POINTS
    named = [*EVIDENCE_FRAME.names, *DIFFERENCE_FRAME.names]
    assert list(frame.columns) == [name for name in named if name != "category"]
    shown: Any = frame[frame.metric == "answer_sessions_shown"].set_index("point")
    assert shown["value"].tolist() == [0.25, 1.0, 1.0]
    assert shown["scored"].tolist() == [2, 2, 2]
    assert shown["reasons"].tolist() == ["no gold: 1"] * 3
    assert shown.loc["count-curve(k=2)", "difference"] == 0.75
    assert shown.loc["count-curve(k=2)", ["wins", "losses", "ties"]].tolist() == [2, 0, 0]
    assert shown.loc["count-curve(k=1)", ["against", "difference", "pairs"]].isna().all()


def test_evidence_says_what_the_verb_says(capsys: pytest.CaptureFixture[str]) -> None:
    run = long_run()
    against = "count-curve(k=1)"
    frame = api.open_run(run.folder).evidence(against=against, by_category=True)
    given = ["evidence", str(run.folder), "--against", against, "--by", "category", "--json"]
    assert call(given) == 0
    for row in json.loads(capsys.readouterr().out):
        own = frame[frame.point == row["point"]]
        same = own.category.isna() if row["category"] is None else own.category == row["category"]
        by_metric = own[same].set_index("metric")
        for name, counts in row["denominators"].items():
            found = by_metric.loc[name]
            assert _plain(found["value"]) == row[name]
            assert (found["expected"], found["scored"]) == (counts["expected"], counts["scored"])
            assert _plain(found["numerator"]) == counts.get("numerator")
            difference = row["differences"].get(name, {})
            for key in ("difference", "lower", "upper", "pairs", "wins", "losses", "ties"):
                assert _plain(found[key]) == difference.get(key)


def _plain(value: Any) -> Any:
    return None if pd.isna(value) else value


def test_evidence_of_chosen_rows_is_that_of_a_run_of_those_cases(tmp_path: Path) -> None:
    split = long_split(tmp_path)
    run = api.open_run(long_run().folder)
    points = list(run.points)
    counts = run.frame("evidence")
    dev = api.replay_recording(long_recording(), tmp_path / "dev", points, split=split, part="dev")
    assert set(dev.case_ids) == set(LONG_DEV)
    chosen = api.evidence_of(counts[counts.case_id.isin(LONG_DEV)], against="items")
    computed = list(dict.fromkeys(counts["point"]))
    same = dev.evidence(computed, against="items")
    pd.testing.assert_frame_equal(chosen, same)


@pytest.mark.parametrize("table", ["cases", "points", "selections", "evidence", "contexts"])
def test_a_frame_has_the_rows_and_columns_of_its_table(table: str) -> None:
    opened = api.open_run(str(small_run()))
    run = Run.open(small_run())
    written = run.cases() if table == "cases" else run.table(table)
    frame = opened.frame(table)
    assert table in opened.tables
    assert list(frame.columns) == written.column_names
    for name in written.column_names:
        assert [_plain(value) for value in frame[name]] == written[name].to_pylist()


def test_columns_are_typed() -> None:
    types = api.open_run(small_run()).frame("selections").dtypes.map(str)
    assert types["point"] == "category"
    assert types["context_tokens"] == "Int32"
    assert types["context_sha256"] == "string"


def test_contexts_are_what_is_exported(capsys: pytest.CaptureFixture[str]) -> None:
    frame = api.open_run(small_run()).contexts("items")
    assert frame["case_id"].tolist() == ["q1", "q2", "q3"]
    assert call(["export", "prompts", str(small_run()), "--point", "items"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert frame["context_sha256"].tolist() == [line["context_sha256"] for line in lines]
    assert all(text in line["prompt"] for text, line in zip(frame["context"], lines, strict=True))


def test_a_recording_has_cases_and_tables() -> None:
    opened = api.open_recording(small_recording())
    assert opened.case_ids == ("q1", "q2", "q3")
    assert opened.kind == "memory"
    assert opened.case("q2").category == "multi"
    assert [case.case_id for case in opened.cases()] == list(opened.case_ids)
    assert opened.frame("windows").groupby("case").size().tolist() == [2, 2, 1]
    assert repr(opened).endswith("3 memory cases>")


def test_replaying_without_points_takes_every_default_point(tmp_path: Path) -> None:
    run = api.replay_recording(
        api.open_recording(small_recording()), tmp_path / "run", tokens=False
    )
    assert set(SMALL_POINTS[:1]) < set(run.points)
    assert run.frame("selections")["context_tokens"].isna().all()
    again = api.replay_recording(small_recording(), tmp_path / "run", "items", tokens=False)
    assert again.points == run.points


def test_an_interval_is_that_of_the_verb(capsys: pytest.CaptureFixture[str]) -> None:
    found = api.interval(wins=13, losses=10, n=400, method="tango", level=0.9)
    given = ["--wins", "13", "--losses", "10", "--n", "400", "--method", "tango", "--level", "0.9"]
    assert call(["interval", *given, "--json"]) == 0
    row = json.loads(capsys.readouterr().out)
    assert (found.difference, found.lower, found.upper) == (
        row["difference"],
        row["lower"],
        row["upper"],
    )
    assert (found.pairs, found.ties, found.level) == (400, 377, 0.9)


def test_sealed_outcomes_stay_unread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    project = make_project(tmp_path)
    exploratory = ("--part", "test", "--exploratory")
    test = project.grade("test", POINT, project.rows(TEST_IDS[:5]), *exploratory)
    (tmp_path / "dev.jsonl").write_text(json_lines(project.rows(DEV_IDS[:1], DEV_IDS)))
    given = ["--format", "jsonl", "--point", POINT, "--split", "split.json", "--part", "dev"]
    assert call(["grades", "import", "dev.jsonl", *given, "--out", "grades/dev"]) == 0
    opened = api.open_grades("grades/dev")
    assert (opened.sealed, opened.part, opened.point) == (False, "dev", POINT)
    assert opened.frame()["correct"].tolist() == [True, False, False, False]
    sealed = api.open_grades(test)
    with monkeypatch.context() as patched:
        patched.setattr(Grades, "outcomes", _refused)
        assert sealed.sealed
        assert sealed.frame()["correct"].isna().all()
    assert not project.ledger.exists()
    assert call(["grades", "show", str(test)]) == 0  # which opens them, on record
    assert not sealed.sealed
    assert sealed.frame()["correct"].sum() == 5


def _refused(self: Grades) -> None:
    raise AssertionError("sealed outcomes were read")


def test_a_split_is_read(tmp_path: Path) -> None:
    assert api.read_split(long_split(tmp_path)).dev_ids == LONG_DEV


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: api.open_run("nowhere"), "nowhere"),
        (lambda: api.open_recording(Path("nowhere")), "nowhere"),
        (lambda: api.read_verdict("nowhere.json"), "nowhere.json does not exist"),
        (lambda: api.open_run(small_run()).frame("selection"), "did you mean 'selections'"),
        (lambda: api.open_recording(small_recording()).frame("case"), "has no table 'case'"),
        (lambda: api.open_recording(small_recording()).case("q9"), "has no case 'q9'"),
        (lambda: api.open_run(small_run()).evidence(["items2"]), "no arm 'items2'"),
        (lambda: api.open_run(small_run()).contexts("count-curve"), "no point"),
        (lambda: api.open_run(small_run()).evidence(level=95), "the level is 95"),
        (lambda: api.evidence_of(pd.DataFrame({"a": [1]})), "no column 'case_id'"),
        (lambda: api.interval(wins=3, losses=2, n=4), "3 wins and 2 losses are more than 4"),
        (lambda: api.interval(wins=1.5, losses=2, n=4), "float"),  # type: ignore[arg-type]
        (lambda: api.interval(wins=1, losses=2, n=4, method="walt"), "did you mean 'wald'"),
        (lambda: api.replay_recording(small_recording(), "x", part="dev"), "is of a split"),
        (lambda: api.replay_recording(small_recording(), "x", part="tset"), "did you mean 'test'"),
    ],
)
def test_what_is_wrong_is_said(make: Any, message: str) -> None:
    with pytest.raises(HarnessError) as raised:
        make()
    assert message in str(raised.value)
    assert isinstance(raised.value, InputError | UsageError)
