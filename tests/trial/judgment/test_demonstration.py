"""A demonstration: the bundled sample without a reader, in a ledger beside its verdict.

It is refused for anything else, and exposes nothing.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from harness.cli.main import run

from ...make.recordings import run_of
from ...make.splits import json_lines
from ...make.study import git

POINT, CONTROL = "2.6.5a1(budget=2400)", "count-curve(k=4)"
SPLIT = "datasets/splits/sample.json"
PLAN = """
question = "Does the point put the answer into the context more often?"
[dataset]
name = "sample"
sha256 = "9510ad0137b2ac67a19feb3658f1beafd89deec1f4cdcd2953038c6080a35c72"
[split]
file = "datasets/splits/sample.json"
part = "test"
[cohort]
exclude = ["abstention", "no-answer-in-evidence"]
[point]
spec = "2.6.5a1(budget=2400)"
[[control]]
spec = "count-curve(k=4)"
[[rule]]
name = "better"
role = "primary"
against = "count-curve(k=4)"
level = 0.95
met_when = "lower > 0 points"
[power]
discordance = 0.3
[stop]
text = "One run."
"""


@pytest.fixture
def sample(tmp_path: Path, checkout: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with the sample, a committed registration of it, and grades without a reader."""
    monkeypatch.chdir(tmp_path)
    for name in ("register.toml", "sample/questions.jsonl", "sample/sample.json.xz"):
        place = Path("datasets") / name
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(checkout / "datasets" / name, place)
    for name in ("splits/sample.json", "longmemeval-s.questions.jsonl"):
        place = Path("datasets") / name
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(checkout / "datasets" / name, place)
    Path("registrations").mkdir()
    Path("plan.toml").write_text(PLAN)
    Path(".gitignore").write_text("grades/\nshown/\n")
    assert run(["register", "plan.toml", "--out", "registrations/made.json", "-q"]) == 0
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "registered")
    for name, point in (("new", POINT), ("old", CONTROL)):
        stand_in(name, point, checkout)
    return tmp_path


def run_folder(checkout: Path) -> str:
    return str(run_of(checkout / "datasets/sample/recording", (POINT, CONTROL)))


def stand_in(name: str, point: str, checkout: Path) -> None:
    what = ["--point", point, "--split", SPLIT, "--part", "test"]
    how = ["--registration", "registrations/made.json", "--out", f"grades/{name}", "-q"]
    assert run(["grades", "answer-in-context", run_folder(checkout), *what, *how]) == 0


def imported(name: str, point: str, right: Iterable[str]) -> None:
    """Answers of a reader to the same questions."""
    correct = set(right)
    questions = Path("datasets/sample/questions.jsonl").read_text().splitlines()
    names = [json.loads(line)["question_id"] for line in questions]
    rows = [{"question_id": each, "correct": each in correct} for each in names]
    Path(f"{name}.jsonl").write_text(json_lines(rows))
    what = ["--format", "jsonl", "--point", point, "--split", SPLIT, "--part", "test"]
    how = ["--registration", "registrations/made.json", "--out", f"grades/{name}", "-q"]
    assert run(["grades", "import", f"{name}.jsonl", *what, *how]) == 0


def judge(checkout: Path, *options: str, grades: Iterable[str] = ("new", "old")) -> int:
    given = [part for each in grades for part in ("--grades", f"grades/{each}")]
    where = ["--run", run_folder(checkout), "-q"]
    return run(["judge", "registrations/made.json", *given, *where, *options])


SHOWN = ("--demonstration", "--out", "shown/verdict.json")


def read(path: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path(path).read_text())
    return found


def test_the_sample_without_a_reader(
    sample: Path, checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert judge(checkout, *SHOWN) == 0
    assert capsys.readouterr().out.startswith("Stamp: demonstration: the bundled sample was graded")
    verdict = read("shown/verdict.json")
    assert (verdict["stamp"], verdict["not_checked"]) == ("demonstration", [])
    assert {figures["reader"] for figures in verdict["points"]} == {"none (answer-in-context)"}
    (line,) = map(json.loads, Path("shown/ledger.jsonl").read_text().splitlines())
    assert (line["kind"], line["stamp"]) == ("demonstration", "demonstration")
    assert verdict["opening"]["ledger"] == "ledger.jsonl"
    assert not Path("registrations/ledger.jsonl").exists()
    assert not Path("registrations/made.verdict.json").exists()


def test_judging_again_adds_nothing(sample: Path, checkout: Path) -> None:
    assert judge(checkout, *SHOWN) == 0
    names = ("shown/verdict.json", "shown/ledger.jsonl")
    before = [Path(name).read_bytes() for name in names]
    assert judge(checkout, *SHOWN) == 0
    Path("shown/verdict.json").unlink()
    assert judge(checkout, *SHOWN) == 0
    assert [Path(name).read_bytes() for name in names] == before


def test_it_exposes_nothing(sample: Path, checkout: Path) -> None:
    """Ledger and verdict of the demonstration lie in the checkout; the judgment after it is what it
    would have been, and so is a look at its grades."""
    assert judge(checkout, *SHOWN) == 0
    assert judge(checkout) == 0
    verdict = read("registrations/made.verdict.json")
    assert (verdict["stamp"], verdict["stamp_reasons"]) == ("confirmatory", [])
    assert verdict["seen_at_other_points"] == 0
    (line,) = map(json.loads, Path("registrations/ledger.jsonl").read_text().splitlines())
    assert (line["kind"], line["number"]) == ("opening", 1)
    assert verdict["opening"]["of_split"] == 1


def test_a_verdict_of_a_demonstration_without_its_ledger_is_no_loss(
    sample: Path, checkout: Path
) -> None:
    assert judge(checkout, *SHOWN) == 0
    Path("shown/ledger.jsonl").unlink()
    assert judge(checkout) == 0
    assert read("registrations/made.verdict.json")["stamp"] == "confirmatory"


@pytest.mark.parametrize(
    ("grades", "named"),
    [
        (("read", "old"), [f"grades/read (point {POINT})"]),
        (("new", "read-too"), [f"grades/read-too (control {CONTROL})"]),
        (("read", "read-too"), [f"grades/read (point {POINT})", "grades/read-too (control"]),
    ],
    ids=["the point", "the control", "both"],
)
def test_answers_of_a_reader_are_refused(
    sample: Path,
    checkout: Path,
    capsys: pytest.CaptureFixture[str],
    grades: tuple[str, ...],
    named: list[str],
) -> None:
    imported("read", POINT, ())
    imported("read-too", CONTROL, ())
    assert judge(checkout, *SHOWN, grades=grades) == 2
    message = capsys.readouterr().err
    for each in named:
        assert f"{each}" in message
    refused = "--demonstration is for grades of harness grades answer-in-context"
    assert message.count(refused) == len(named)
    assert not Path("shown").exists()


def test_a_further_pass_of_a_reader_is_refused(
    sample: Path, checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    imported("read", POINT, ())
    assert judge(checkout, *SHOWN, grades=("new", "read", "old")) == 2
    assert "--demonstration is for grades of" in capsys.readouterr().err


@pytest.mark.parametrize("out", [(), ("--out", "registrations/shown.json")])
def test_the_ledger_of_real_openings_is_not_its_own(
    sample: Path, checkout: Path, capsys: pytest.CaptureFixture[str], out: tuple[str, ...]
) -> None:
    assert judge(checkout, "--demonstration", *out) == 2
    assert "is the ledger of real openings" in " ".join(capsys.readouterr().err.split())
    assert not Path("registrations/ledger.jsonl").exists()


def test_a_demonstration_does_not_pass_for_a_judgment(
    sample: Path, checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its verdict is not one that the ledger of real openings knows."""
    assert judge(checkout, *SHOWN) == 0
    assert judge(checkout, "--out", "shown/verdict.json") == 2
    assert "is a verdict of an opening that" in capsys.readouterr().err
