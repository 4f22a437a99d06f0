"""`harness sweep` as a verb: what it prints, and the page that it writes."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

from harness.cli.main import run

from ..make.cases import long_cases
from ..make.recordings import worst_first, write_recording
from ..make.splits import LONG_DEV, long_split

GRID = "count-curve(k=[1,2,4])"
METRIC = "evidence_turns_touched"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`best/recording`, `worst/recording`, `split.json` and a finished sweep of each kind."""
    folder = tmp_path_factory.mktemp("swept")
    long_split(folder)
    write_recording(folder / "best", long_cases())
    write_recording(folder / "worst", worst_first())
    assert sweep(folder, "run", "-q") == 0
    assert sweep(folder, "runs", "-q", names=("best", "worst")) == 0
    return folder


def sweep(made: Path, out: str, *more: str, names: tuple[str, ...] = ("best",)) -> int:
    recordings = [str(made / name / "recording") for name in names]
    fixed = ["--split", str(made / "split.json"), "--out", str(made / out)]
    points = () if "--point" in more else ("--point", GRID)
    return run(["sweep", *recordings, *fixed, *points, *more])


def printed(
    made: Path, capsys: pytest.CaptureFixture[str], out: str, *more: str, names: tuple[str, ...]
) -> str:
    capsys.readouterr()
    assert sweep(made, out, *more, "-q", names=names) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out


def rows_of(
    made: Path, capsys: pytest.CaptureFixture[str], *more: str, out: str = "run"
) -> list[dict[str, Any]]:
    names = ("best",) if out == "run" else ("best", "worst")
    rows: list[dict[str, Any]] = json.loads(
        printed(made, capsys, out, "--json", *more, names=names)
    )
    return rows


def test_the_ranking_as_people_read_it(
    made: Path, checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = printed(made, capsys, "run", "--cap", "context_tokens <= 700", names=("best",))
    golden = checkout / "tests" / "measure" / "sweeping" / "ranking.txt"
    assert text == golden.read_text(encoding="utf-8")


def test_values_and_costs_are_those_of_the_evidence_table(
    made: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = rows_of(made, capsys)
    assert run(["evidence", str(made / "run"), "--against", "count-curve(k=1)", "--json"]) == 0
    expected = {row["point"]: row for row in json.loads(capsys.readouterr().out)}
    assert {row["point"] for row in rows} == expected.keys()
    for row in rows:
        evidence = expected[row["point"]]
        assert row[METRIC] == evidence[METRIC]
        assert row["mean_context_tokens"] == evidence["context_tokens"]
        assert row["questions"] == len(LONG_DEV)
        if row["against"] is not None:
            difference = evidence["differences"][METRIC]
            for key in ("against", "difference", "lower", "upper", "wins", "losses", "ties"):
                assert row[key] == difference[key]


def test_csv_has_the_keys_of_json(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = rows_of(made, capsys, "--metric", "evidence_share_pooled")
    text = printed(
        made, capsys, "run", "--csv", "--metric", "evidence_share_pooled", names=("best",)
    )
    cells = list(csv.DictReader(io.StringIO(text)))
    assert list(cells[0]) == list(rows[0])
    assert [cell["point"] for cell in cells] == [row["point"] for row in rows]
    assert {cell["settings_tried"] for cell in cells} == {"3"}
    assert {row["band_lower"] for row in rows} == {None}  # a pooled metric


def test_one_of_several_recordings(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = rows_of(made, capsys, out="runs")
    alone = rows_of(made, capsys)
    of_best = [row for row in rows if row["recording"] == "best-recording"]
    correlations = of_best[0]["rank_correlations"]
    assert list(correlations) == ["worst-recording"]
    for row, same in zip(of_best, alone, strict=True):
        assert row == {**same, "recording": "best-recording", "rank_correlations": correlations}
    best = {row["recording"]: row["point"] for row in rows if row["best"]}
    text = printed(made, capsys, "runs", names=("best", "worst"))
    assert best == {"best-recording": "count-curve(k=4)", "worst-recording": "count-curve(k=4)"}
    assert (
        "The best setting survives. count-curve(k=4): first on best-recording and worst-recording."
        in text.splitlines()
    )


def test_it_says_what_it_did_and_what_comes_next(
    made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    capsys.readouterr()
    assert sweep(made, str(out)) == 0
    following = (
        f"{out}: cosine, 1 of the 2 signals of count-curve, is absent in 4 of 4 cases: the "
        "question has no vector and no block has a vector\n"
        f"Next: harness evidence {out}, or harness report {out} --out {out}-report\n"
    )
    assert capsys.readouterr().err == (
        f"{out}: 3 settings of 4 dev questions replayed\n{following}"
    )
    assert sweep(made, str(out)) == 0
    assert capsys.readouterr().err == f"{out}: holds these settings already\n{following}"


def test_the_page(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(made)
    fixed = ["--split", "split.json", "--point", GRID, "--cap", "context_tokens <= 700"]
    call = ["sweep", "best/recording", "worst/recording", *fixed, "--out", "runs", "-q"]
    report = tmp_path / "report"
    assert run([*call, "--report", str(report)]) == 0
    page = (report / "sweep.md").read_text(encoding="utf-8")
    assert page.startswith(f"# Settings ranked by `{METRIC}` at `context_tokens <= 700`\n")
    assert "3 settings were tried on these 4 dev questions, of which 3 are scored" in page
    assert "| `count-curve(k=1)` | 2 | 33.3 | the first | – |" in page
    assert "## Does the ranking survive another recording?" in page
    assert (
        "harness sweep best/recording worst/recording --point 'count-curve(k=[1,2,4])' "
        "--split split.json --cap 'context_tokens <= 700' --out RUN --report REPORT\n"
    ) in page
    assert str(made) not in page
    assert re.search(r"\n\n\n| \n", page) is None
    assert run([*call, "--report", str(tmp_path / "again")]) == 0
    assert (tmp_path / "again" / "sweep.md").read_text(encoding="utf-8") == page


def test_the_page_shares_no_folder_with_the_report_of_a_run(
    made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = str(tmp_path / "report")
    assert sweep(made, "run", "-q", "--report", report) == 0
    pooled = ("--metric", "evidence_share_pooled")
    assert sweep(made, "run", "-q", "--report", report, *pooled) == 0
    assert run(["report", str(made / "run"), "--out", report]) == 2
    assert "holds a report of another part (dev sweep, this run has dev)" in capsys.readouterr().err
    page = (tmp_path / "report" / "sweep.md").read_text(encoding="utf-8")
    assert page.startswith("# Settings ranked by `evidence_share_pooled`\n")
    assert "No band corrects for it" in page


@pytest.mark.parametrize(
    ("report", "message"),
    [
        ("new", "is --out"),
        ("new/report", "or inside it"),
        ("run", "holds the manifest.json of a run"),
        ("runs", "holds the manifest.json of a sweep"),
        ("best/recording", "holds the manifest.json of a recording"),
        ("started", "holds the started.json of a run"),
        ("split.json", "exists and is not a folder"),
        ("of a run", "holds the report of a run (part dev)"),
        ("of a sweep", "holds the report of a sweep of other recordings"),
    ],
)
def test_a_report_goes_nowhere_else(
    made: Path, capsys: pytest.CaptureFixture[str], report: str, message: str
) -> None:
    """Said before the sweep starts, and nothing is written."""
    if report == "of a run":
        assert run(["report", str(made / "run"), "--out", str(made / report), "-q"]) == 0
    elif report == "of a sweep":
        assert (
            sweep(made, "runs", "-q", "--report", str(made / report), names=("best", "worst")) == 0
        )
    elif report == "started":
        (made / report).mkdir()
        (made / report / "started.json").write_text('{"schema": "harness.run/1", "work": {}}')
    before = sorted(made.rglob("*"))
    capsys.readouterr()
    assert sweep(made, "new", "--report", str(made / report)) == 2
    error = capsys.readouterr().err
    assert f"--report {made / report}" in error
    assert message in error
    assert sorted(made.rglob("*")) == before


def test_the_report_of_another_sweep_is_replaced_when_asked(made: Path, tmp_path: Path) -> None:
    report = str(tmp_path / "report")
    assert sweep(made, "runs", "-q", "--report", report, names=("best", "worst")) == 0
    given = ("-q", "--report", report)
    assert sweep(made, str(tmp_path / "run"), *given) == 2
    assert sweep(made, str(tmp_path / "run"), *given, "--force") == 0
    page = (tmp_path / "report" / "sweep.md").read_text(encoding="utf-8")
    assert "worst-recording" not in page


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--metric", "turns_touched"), "did you mean 'evidence_turns_touched'?"),
        (("--cap", "500"), "--cap '500' is not spelled MEASURE <= TOKENS"),
        (("--cap", "prompt_tokens_api <= 500"), "known only after a reader has answered"),
        (("--point", "count-curve(k=[1,0])"), "k takes a whole number from 1 to 1,000"),
        (("--point", "count-curve(k=[1..2"), "is not spelled arm(setting=[value, …], …)"),
        (("--json", "--csv"), "--json and --csv exclude each other"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_written(
    made: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    options: tuple[str, ...],
    message: str,
) -> None:
    assert sweep(made, str(tmp_path / "run"), *options) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_a_cap_below_every_setting(
    made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert sweep(made, "run", "--cap", "context_tokens <= 5") == 2
    captured = capsys.readouterr()
    assert "no setting has context_tokens <= 5 on the dev questions" in captured.err
    assert "the cheapest, count-curve(k=1), costs" in captured.err
    assert captured.out == ""


def test_a_run_of_all_questions_is_left_alone(
    made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recording, out = str(made / "best" / "recording"), tmp_path / "run"
    assert run(["replay", recording, "--out", str(out), "--point", "items", "-q"]) == 0
    assert sweep(made, str(out)) == 2
    assert "holds a run of another part (all, asked for dev)" in capsys.readouterr().err
