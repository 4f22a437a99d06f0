"""Files that commit f76bb23 wrote open, give the same figures, and are written again alike."""

from __future__ import annotations

import csv
import gzip
import io
import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from harness.cli.main import run

from ..make.questions import word_embedder

FIXTURES = Path(__file__).parent.parent / "fixtures" / "f76bb23"


def rows_of(name: str) -> list[dict[str, Any]]:
    lines = gzip.decompress((FIXTURES / f"{name}.jsonl.gz").read_bytes()).decode().split("\n")
    return [json.loads(line) for line in lines if line]


EXPECTED, EXPECTED_CSV = rows_of("expected"), rows_of("expected-csv")
PROSE = {*("meaning", "statement", "summary", "reason", "warnings", "may_be_said", "does_not_show")}
"""Keys whose texts may be worded otherwise; everything else that was printed is a promise."""
CELLS = {"before_shown", "after_shown", "difference_shown", "interval_shown"}
"""Keys of `harness compare` for what stands in its table, whose look is not promised."""


@pytest.fixture(scope="module")
def earlier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy, so that nothing can be written to the fixtures; files that are `kept` get their
    names."""
    copy = shutil.copytree(FIXTURES, tmp_path_factory.mktemp("earlier") / "f76bb23")
    for path in copy.rglob("*.kept"):
        path.rename(path.with_suffix(""))
    return copy


def differences(found: Any, wanted: Any, place: str = "") -> Iterator[str]:
    """Where `found` differs from `wanted`; it may have keys that are not in `wanted`."""
    found, wanted = _by_property(found), _by_property(wanted)
    if isinstance(wanted, dict) and isinstance(found, dict):
        for key, value in wanted.items():
            if key not in found:
                yield f"{place}.{key} is gone"
            elif key in CELLS or (key == "warnings" and not value):
                continue  # more warnings are said by now
            elif key in PROSE and isinstance(value, str | list):
                if bool(found[key]) != bool(value):
                    yield f"{place}.{key} says {found[key]!r}, was {value!r}"
            else:
                yield from differences(found[key], value, f"{place}.{key}")
    elif isinstance(wanted, list) and isinstance(found, list) and len(found) == len(wanted):
        for number, (one, other) in enumerate(zip(found, wanted, strict=True)):
            yield from differences(one, other, f"{place}[{number}]")
    elif isinstance(wanted, float) and isinstance(found, float):
        # the last bit may depend on the processor's way of summing
        if found != pytest.approx(wanted, rel=1e-13, abs=0):
            yield f"{place}: {found!r}, was {wanted!r}"
    elif found != wanted or isinstance(found, bool) != isinstance(wanted, bool):
        yield f"{place}: {found!r}, was {wanted!r}"


def _by_property(rows: Any) -> Any:
    """The rows of `harness show` by property, of which there may be more by now."""
    if not isinstance(rows, list) or not rows:
        return rows
    if not all(isinstance(row, dict) and row.keys() == {"property", "value"} for row in rows):
        return rows
    return {row["property"]: row["value"] for row in rows}


def without_failures(printed: Any) -> Any:
    """What `compare` printed without `failures`: attempts that broke off then, failed calls now."""
    if isinstance(printed, list):
        return [
            {"measure": "failures"}
            if isinstance(each, dict) and each.get("measure") == "failures"
            else without_failures(each)
            for each in printed
        ]
    if isinstance(printed, dict):
        return {key: without_failures(value) for key, value in printed.items() if key != "failures"}
    return printed


def with_new_parameters(found: list[dict[str, Any]], wanted: list[dict[str, Any]]) -> Any:
    """Rows of arms, whose parameters are listed by name: more may have come after them."""
    for row, earlier in zip(found, wanted, strict=True):
        assert row["parameters"][: len(earlier["parameters"])] == earlier["parameters"]
    return [
        {**earlier, "parameters": row["parameters"]}
        for row, earlier in zip(found, wanted, strict=True)
    ]


def as_ruled_now(found: list[dict[str, Any]], wanted: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows of curves: no band where fewer than ten questions differ, and what held is by name the
    published rule."""
    made = []
    for row, earlier in zip(found, wanted, strict=True):
        kept = {key: value for key, value in earlier.items() if key not in HELD}
        kept["holds_by_percentile"] = earlier["holds"]
        if not row["wins"] or row["wins"] + row["losses"] < 10:
            assert row["band_lower"] in (None, "")
            kept = {key: value for key, value in kept.items() if not key.startswith("band_")}
        made.append(kept)
    return made


HELD = {"holds", "band_holds", "smallest", "smallest_by_band"}


def accepting(command: list[str]) -> list[str]:
    """The command with the warning accepted that its plan has by now: four test questions are too
    few."""
    return [*command, "--accept-warning", "low-power"] if command[0] == "register" else command


OPENED_BY_SHOWING = ["grades", "show", "grades/k1-all"]
"""Exploratory grades of test questions: sealed then, and opened by showing them now."""
OUTCOMES = {"sealed", "opening", "correct", "accuracy"}


@pytest.mark.parametrize("row", EXPECTED, ids=lambda row: " ".join(row["command"]))
def test_the_same_figures(
    row: dict[str, Any],
    earlier: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(earlier / row["folder"])
    assert run(accepting(row["command"])) == row["exit"]
    found, wanted = json.loads(capsys.readouterr().out), row["printed"]
    if row["command"][:2] == ["instrument", "curves"]:
        wanted = as_ruled_now(found, wanted)
    if row["command"][0] == "compare":
        wanted = without_failures(wanted)
    if row["command"] == ["arms", "--json"]:
        wanted = with_new_parameters(found, wanted)
    assert list(differences(found, without_outcomes(row, wanted))) == []


@pytest.mark.parametrize("row", EXPECTED_CSV, ids=lambda row: " ".join(row["command"]))
def test_the_same_columns(
    row: dict[str, Any],
    earlier: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A script that reads a column of CSV by its name reads the same numbers and words."""
    monkeypatch.chdir(earlier / row["folder"])
    assert run(accepting(row["command"])) == row["exit"]
    found = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    wanted = [dict(zip(row["columns"], cells, strict=True)) for cells in row["rows"]]
    numbers, wanted_numbers = _numbers(found), _numbers(without_outcomes(row, wanted))
    if row["command"][:2] == ["instrument", "curves"]:
        wanted_numbers = as_ruled_now(numbers, wanted_numbers)
    if row["command"][0] == "compare":
        wanted_numbers = without_failures(wanted_numbers)
    if row["command"] == ["arms", "--csv"]:
        wanted_numbers = with_new_parameters(numbers, wanted_numbers)
    assert list(differences(numbers, wanted_numbers)) == []


def without_outcomes(row: dict[str, Any], printed: Any) -> Any:
    """What was printed, without what a look at exploratory grades shows now."""
    if row["command"][:3] != OPENED_BY_SHOWING:
        return printed
    return [{key: each[key] for key in each.keys() - OUTCOMES} for each in printed]


def _numbers(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Cells that are numbers or JSON as what they are, whichever way they are spelled."""

    def value(text: str) -> Any:
        try:
            return json.loads(text) if text[:1] in ("{", "[") else float(text)
        except ValueError:
            return text

    return [{key: value(cell) for key, cell in row.items()} for row in rows]


def assert_same_files(made: Path, name: str) -> None:
    """Assert that `made` holds what the fixture `name` does: the same bytes of every table, and
    manifests that differ in the version of the code alone."""
    wanted = FIXTURES / name
    names = sorted(path.relative_to(wanted) for path in wanted.rglob("*") if path.is_file())
    assert sorted(path.relative_to(made) for path in made.rglob("*") if path.is_file()) == names
    tables = [name for name in names if name.suffix == ".parquet"]
    manifests = [name for name in names if name.name == "manifest.json"]
    assert len(tables) + len(manifests) == len(names)
    writers = {pq.read_metadata(path / tables[0]).created_by for path in (made, wanted)}
    for table in tables:
        assert pq.read_table(made / table).equals(pq.read_table(wanted / table)), table
        if len(writers) == 1:  # another pyarrow may lay the same table out otherwise
            assert (made / table).read_bytes() == (wanted / table).read_bytes(), table
    left_out = {"code", "manifest_sha256"}
    if len(writers) > 1:
        left_out |= {"files", "content_sha256"}
    for manifest in manifests:
        found, expected = (json.loads((path / manifest).read_text()) for path in (made, wanted))
        assert found.keys() == expected.keys()
        for key in expected.keys() - left_out:
            assert found[key] == expected[key], (manifest, key)


@pytest.fixture
def again(earlier: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder: with the same inputs and recordings by the same names, without runs."""
    for name in ("inputs", "recordings"):
        (tmp_path / name).symlink_to(earlier / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


CASES = ("items", "count-curve(k=1)", "count-curve(k=2)", "count-curve(k=full)")
RECORDINGS = {
    "cases": "import cases inputs/cases.jsonl",
    "worst-first": "import cases inputs/cases-worst-first.jsonl",
    "with-vectors": "import cases inputs/cases-with-vectors.jsonl.gz",
    "questions": "record longmemeval inputs/data.json.gz --items 4 --reserved 1 --cache cache",
    "store": "record cpersona inputs/store.db --searches inputs/searches.jsonl --cache cache "
    "--embedder words",
    "lookups": "record lookups inputs/kiln",
    "lookup-queries": "record lookups inputs/kiln --queries inputs/kiln-queries.jsonl",
    "lookup-traces": "record lookups inputs/mill --traces inputs/attempts-before.jsonl",
}
REPLAYS: dict[str, tuple[str, tuple[tuple[str, ...], ...]]] = {
    "cases": (
        "cases",
        (
            (
                *CASES,
                "quote-curve(head=320, tail=160)",
                "2.6.5a1(budget=800)",
                "evidence(budget=800)",
                "whole(budget=800)",
            ),
        ),
    ),
    "questions": (
        "questions",
        (
            ("items", "2.6.5a1(budget=800)", "2.6.5a2(budget=800)", "count-curve(k=2)"),
            ("sea(limit=3)", "evidence(budget=800)"),
        ),
    ),
    "store": ("store", (("items", "2.6.5a1(budget=800)"),)),
    "lookups": (
        "lookups",
        (
            (
                "lookup-table",
                "lookup-before(budget_tokens=400)",
                "lookup-budgeted(budget_tokens=400)",
                "items",
            ),
        ),
    ),
    "lookup-queries": (
        "lookup-queries",
        (("lookup-before(budget_tokens=400)", "lookup-budgeted(budget_tokens=400)"),),
    ),
}


@pytest.mark.parametrize("name", RECORDINGS)
def test_recording_again_gives_the_same_bytes(name: str, again: Path) -> None:
    with word_embedder():
        assert run([*RECORDINGS[name].split(), "--out", "made", "-q"]) == 0
    assert_same_files(again / "made", f"recordings/{name}")


@pytest.mark.parametrize("name", REPLAYS)
def test_replaying_again_gives_the_same_bytes(name: str, again: Path) -> None:
    recording, calls = REPLAYS[name]
    out = f"runs/{name}"
    more = ["--no-tokens"] if name == "store" else []
    for points in calls:
        specs = [part for point in points for part in ("--point", point)]
        command = ["replay", f"recordings/{recording}", "--out", out, "-q", *specs, *more]
        assert run(command) == 0
    assert_same_files(again / out, out)


def test_importing_and_sweeping_again_gives_the_same_bytes(again: Path) -> None:
    data = "inputs/omni/data.json"
    what = ["inputs/omni/results", "--dataset", data, "--records", data]
    options = ["--point", "count-curve(k=1)", "--out", "runs/imported", "-q"]
    assert run(["import", "omnimemeval", *what, *options]) == 0
    assert_same_files(again / "runs/imported", "runs/imported")
    grid = ["--point", "evidence(budget=[800, 1000])", "--point", "count-curve(k=2)"]
    options = ["--split", "inputs/split.json", "--out", "runs/sweep", "-q"]
    assert run(["sweep", "recordings/cases", *grid, *options]) == 0
    assert_same_files(again / "runs/sweep", "runs/sweep")


def test_registering_again_gives_the_same_bytes(
    earlier: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(earlier)
    command = next(row["command"] for row in EXPECTED if row["command"][0] == "register")
    out = tmp_path / "registration.json"
    given = [str(out) if part == "registration.json" else part for part in command]
    assert run([*given, "-q"]) == 2
    assert run([*accepting(given), "-q"]) == 0
    made = out.read_text(encoding="utf-8")
    accepted = ',\n "accepted_warnings": [\n  "low-power"\n ]'
    assert made.count(accepted) == 1
    assert made.replace(accepted, "") == (FIXTURES / "registration.json").read_text("utf-8")


def test_the_committed_registration_is_written_again_alike(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(checkout)
    out = tmp_path / "sample.json"
    assert run(["register", "registrations/sample.toml", "--out", str(out), "-q"]) == 0
    assert out.read_bytes() == (checkout / "registrations/sample.json").read_bytes()


def test_the_committed_recording_is_valid(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["show", str(checkout / "datasets/sample/recording"), "--verify", "--json"]) == 0
    assert {row["state"] for row in json.loads(capsys.readouterr().out)} == {"as recorded"}


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)


def test_judging_again_gives_the_same_verdict(
    earlier: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trial = shutil.copytree(earlier / "trial", tmp_path / "trial")
    for name in ("ledger.jsonl", "made.verdict.json", "again.json"):
        (trial / "registrations" / name).unlink()
    for part in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{part}_DATE", "2026-01-02T03:04:05+00:00")
        monkeypatch.setenv(f"GIT_{part}_NAME", "made")
        monkeypatch.setenv(f"GIT_{part}_EMAIL", "made@example.org")
    git(trial, "init", "-q")
    (trial / ".gitignore").write_text("grades/\n*.jsonl\n")
    git(trial, "add", ".gitignore", "datasets", "split.json")
    git(trial, "commit", "-q", "-m", "made")
    git(trial, "add", "made.toml", "registrations")
    git(trial, "commit", "-q", "-m", "made")
    monkeypatch.chdir(trial)
    grades = [part for name in ("new", "old") for part in ("--grades", f"grades/{name}")]
    assert run(["judge", "registrations/made.json", *grades, "-q"]) == 0
    made = json.loads((trial / "registrations/made.verdict.json").read_text())
    wanted = json.loads((FIXTURES / "trial/registrations/made.verdict.json").read_text())
    assert made.pop("code") != wanted.pop("code")
    # the second version of the format: McNemar's p stands beside the rules, and each has its own
    assert (made.pop("schema"), wanted.pop("schema")) == (
        "harness.verdict/2",
        "harness.verdict/1",
    )
    (beside,) = made.pop("not_registered")
    for rule, earlier_rule in zip(made["rules"], wanted["rules"], strict=True):
        assert earlier_rule.pop("exact_p") == beside["mcnemar_exact_p"]
        assert (rule.pop("p") is None) == (rule["interval"] == "mc-compat")
        earlier_rule.pop("adjusted_p")
        assert rule.pop("adjusted_p") is None
    # no run says which contexts were answered, so it is not confirmatory any more
    assert (made.pop("stamp"), wanted.pop("stamp")) == ("registered", "confirmatory")
    assert made["not_checked"] == [
        "which contexts were answered: no run was given to compare them with"
    ]
    for key in ("line_sha256", "repeat", "resumed"):
        del wanted["opening"][key]
    assert list(differences(made, wanted)) == []
    (line,) = (trial / "registrations/ledger.jsonl").read_text().splitlines()
    first, _ = (FIXTURES / "trial/registrations/ledger.jsonl").read_text().splitlines()
    opening, earlier_opening = json.loads(line), json.loads(first)
    for key in ("kind", "number", "registration_sha256", "split_sha256"):
        assert opening[key] == earlier_opening[key]


@pytest.fixture
def earlier_trial(earlier: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The trial as it was left, in a checkout of its own with the commits that it had."""
    trial = shutil.copytree(earlier / "trial", tmp_path / "trial")
    for part in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{part}_DATE", "2026-01-02T03:04:05+00:00")
        monkeypatch.setenv(f"GIT_{part}_NAME", "made")
        monkeypatch.setenv(f"GIT_{part}_EMAIL", "made@example.org")
    git(trial, "init", "-q")
    (trial / ".gitignore").write_text("grades/\n*.jsonl\n")
    git(trial, "add", ".gitignore", "datasets", "split.json")
    git(trial, "commit", "-q", "-m", "made")
    git(trial, "add", "made.toml", "registrations/made.json")
    git(trial, "commit", "-q", "-m", "made")
    monkeypatch.chdir(trial)
    return trial


JUDGE = ["judge", "registrations/made.json", "--grades", "grades/new", "--grades", "grades/old"]


def test_an_earlier_opening_is_not_judged_again(
    earlier_trial: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ledger = (earlier_trial / "registrations/ledger.jsonl").read_bytes()
    kept = (earlier_trial / "registrations/made.verdict.json").read_bytes()
    assert run(JUDGE) == 0
    assert "done already" in capsys.readouterr().err
    assert (earlier_trial / "registrations/made.verdict.json").read_bytes() == kept
    (earlier_trial / "registrations/made.verdict.json").unlink()
    assert run([*JUDGE, "-q"]) == 0  # as if its judgment had been interrupted
    made = json.loads((earlier_trial / "registrations/made.verdict.json").read_text())
    assert made["rules"][0]["state"] == json.loads(kept)["rules"][0]["state"]
    assert made["stamp"] == "exploratory"  # the line that it continues was a repeat
    assert any("its line is of the ledger's first version" in line for line in made["not_checked"])
    assert (earlier_trial / "registrations/ledger.jsonl").read_bytes() == ledger


def test_an_earlier_opening_shows_its_points(earlier_trial: Path) -> None:
    """Whatever registration comes after: made.json and its two points were opened by then."""
    plan = (earlier_trial / "made.toml").read_text()
    (earlier_trial / "second.toml").write_text(plan.replace("question = ", "# again\nquestion = "))
    register = ["register", "second.toml", "--out", "registrations/second.json", "-q"]
    assert run([*register, "--accept-warning", "low-power"]) == 0
    git(earlier_trial, "add", "registrations/second.json")
    git(earlier_trial, "commit", "-q", "-m", "second")
    for name in ("new", "old"):
        what = ["--format", "jsonl", "--point", f"external(name={name})", "--split", "split.json"]
        how = ["--part", "test", "--registration", "registrations/second.json", "-q"]
        out = ["--out", f"grades/{name}-2"]
        assert run(["grades", "import", f"{name}.jsonl", *what, *how, *out]) == 0
    grades = ["--grades", "grades/new-2", "grades/old-2", "-q"]
    assert run(["judge", "registrations/second.json", *grades]) == 0
    verdict = json.loads((earlier_trial / "registrations/second.verdict.json").read_text())
    assert verdict["stamp"] == "exploratory"
    assert "were opened before, for made.json" in verdict["stamp_reasons"][0]


@pytest.mark.parametrize(
    "name",
    [
        "registration.json",
        "trial/registrations/made.json",
        "trial/registrations/made.verdict.json",
        "trial/registrations/again.json",
        "sample-trial/verdict.json",
    ],
)
def test_pages_of_registrations_and_verdicts(
    name: str, earlier: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["report", str(earlier / name)]) == 0
    page = capsys.readouterr().out
    value = json.loads((earlier / name).read_text())
    for rule in value.get("rules", value.get("plan", {}).get("rule")):
        assert rule["name"] in page
        assert rule.get("state", "") in page


def test_a_report_folder_is_known_as_ours(
    earlier: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(earlier)
    assert run(["report", "runs/cases", "--out", "report", "-q"]) == 0
    value = json.loads((earlier / "report/report.json").read_text())
    wanted = json.loads((FIXTURES / "report/report.json").read_text())
    assert value["subject"] == wanted["subject"]
    assert value["files"].keys() >= wanted["files"].keys()
