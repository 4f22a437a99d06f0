"""`harness init`: from own cases to a registered test, without a register of datasets."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from harness.cli.main import run
from harness.datasets import register as registers
from harness.datasets.split import read_split
from harness.errors import UsageError
from harness.measure.gating import read_gate

from ..make.gates import gate_cases
from ..make.recordings import recording_of
from ..make.study import git
from ..test_documented_commands import commands, faults


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """No register is found, as where the harness is installed as a package."""

    def none(path: Path | None) -> Path:
        raise UsageError("no register")

    for module in ("register", "cohort"):
        monkeypatch.setattr(f"harness.datasets.{module}.find_register", none)
    assert registers.known_datasets(None).datasets == ()


@pytest.fixture
def study(tmp_path: Path, nowhere: None, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "mine"
    cases = recording_of(gate_cases(), dataset_sha256=None).parent / "cases.jsonl"
    assert run(["init", str(folder), str(cases), "-q"]) == 0
    monkeypatch.chdir(folder)
    return folder


def filled(text: str, **changes: str) -> str:
    """The plan with every choice made as it is suggested, or otherwise."""
    made = text.replace("#! ", "")
    for old, new in changes.items():
        made = made.replace(old, new)
    return made


def test_a_folder_has_a_split_a_plan_a_gate_and_the_way(study: Path) -> None:
    assert {path.name for path in study.iterdir()} == {
        *("split.json", "plan.toml", "gate.toml", "README.md", ".gitignore", "recording"),
    }
    split = read_split(study / "split.json")
    assert (split.drawn, split.of) == (8, 40)
    assert split.questions is not None
    assert [metric.metric.name for metric in read_gate(study / "gate.toml").metrics] == [
        "answer_sessions_shown",
        "evidence_turns_touched",
    ]
    assert [fault for words in commands(study / "README.md") for fault in faults(words)] == []


def test_the_same_call_changes_nothing_and_another_is_refused(
    study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {path: path.read_bytes() for path in study.rglob("*") if path.is_file()}
    cases = str(recording_of(gate_cases(), dataset_sha256=None).parent / "cases.jsonl")
    assert run(["init", str(study), cases]) == 0
    assert "nothing to do" in capsys.readouterr().err
    assert run(["init", str(study), cases, "--dev", "5"]) == 2
    assert "exists and holds something else" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in study.rglob("*") if path.is_file()} == before
    assert run(["init", str(study), cases, "--dev", "5", "--force", "-q"]) == 0
    assert read_split(study / "split.json").drawn == 5


def test_a_plan_that_is_not_filled_in_names_what_is_missing(
    study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["register", "plan.toml", "--out", "registrations/plan.json"]) == 2
    printed = capsys.readouterr().err
    plan = Path("plan.toml").read_text().splitlines()
    choices = [line.split()[1] for line in plan if line.startswith("#! ")]
    assert len(choices) == 7
    assert [key for key in choices if f"{key} is missing" not in printed] == []


def test_from_cases_to_a_verdict(study: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The commands of README.md, with points that differ in these cases."""
    point, control = "count-curve(k=2)", "count-curve(k=1)"
    plan = filled(
        (study / "plan.toml").read_text(),
        **{
            "2.6.5a1(budget=2400)": point,
            "count-curve(k=4)": control,
            "within = 0.05": "within = 0.9",
        },
    )
    (study / "plan.toml").write_text(plan)
    points = ("--point", point, "--point", control)
    dev = ["replay", "recording", "--split", "split.json", "--part", "dev", "--out", "runs/dev"]
    assert run([*dev, *points, "-q"]) == 0
    chosen = ["choose", "runs/dev", "--split", "split.json", "--rule", "best"]
    assert run([*chosen, "--metric", "answer_sessions_shown", "--at-most", "800"]) == 0
    assert point in capsys.readouterr().out
    git(study, "init", "-q")
    registering = ["register", "plan.toml", "--out", "registrations/plan.json"]
    assert run([*registering, "--accept-warning", "low-power", "-q"]) == 0
    git(study, "add", ".")
    git(study, "commit", "-q", "-m", "made")
    test = ["replay", "recording", "--split", "split.json", "--part", "test", "--out", "runs/test"]
    assert run([*test, *points, "-q"]) == 0
    for name, spec in (("point", point), ("control", control)):
        prompts = f"prompts/{name}.jsonl"
        exporting = ["export", "prompts", "runs/test", "--point", spec, "--out", prompts]
        assert run([*exporting, "-q"]) == 0
        answered = [json.loads(line) for line in Path(prompts).read_text().splitlines()]
        rows = [
            {"question_id": row["question_id"], "correct": name == "point" or place % 2 == 0}
            for place, row in enumerate(answered)
        ]
        Path("graded.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        importing = ["grades", "import", "graded.jsonl", "--format", "jsonl", "--point", spec]
        importing += ["--split", "split.json", "--part", "test", "--prompts", prompts]
        importing += ["--registration", "registrations/plan.json", "--out", f"grades/{name}"]
        assert run([*importing, "-q"]) == 0
    judging = ["judge", "registrations/plan.json", "--grades", "grades/point", "grades/control"]
    assert run([*judging, "--run", "runs/test", "-q"]) == 0
    verdict = json.loads(Path("registrations/plan.verdict.json").read_text())
    (rule,) = verdict["rules"]
    assert (rule["n"], rule["wins"], rule["losses"]) == (32, 16, 0)
    assert rule["state"] == "MET"
    assert verdict["stamp"] in ("confirmatory", "registered")


def test_a_recording_is_named_from_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recording = recording_of(gate_cases())
    folder = tmp_path / "a study"
    assert run(["init", str(folder), str(recording), "--dev", "4", "--seed", "7", "-q"]) == 0
    monkeypatch.chdir(folder)
    page = (folder / "README.md").read_text()
    (first,) = {shlex.split(line)[2] for line in re.findall(r"^harness replay .*", page, re.M)}
    assert Path(first).resolve() == recording.resolve()
    assert not (folder / "recording").exists()
    assert 'name = "a study"' in (folder / "plan.toml").read_text()
    assert read_split(folder / "split.json").seed == 7


def test_bad_sources(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "mine"
    assert run(["init", str(out), str(tmp_path / "nowhere.jsonl")]) == 2
    (tmp_path / "cases.jsonl").write_text("{}\n")
    assert run(["init", str(out), str(tmp_path / "cases.jsonl")]) == 2
    assert run(["init", str(out), str(tmp_path)]) == 2
    assert not out.exists()
    assert capsys.readouterr().err.count("error: ") == 3
