"""`harness gate`: exit codes, the comment and the JUnit file; and what `docs/ci.md` says of it."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import fields
from pathlib import Path
from xml.etree import ElementTree

import pytest

from harness.cli.main import run
from harness.evidence import COST_METRICS
from harness.measure.gating import GATED, GateConfig, GateCost, GateMetric, read_gate

from ..make.gates import ONE, THREE, TWO, gate_run, write_gate

CASES = {"passed": (0, TWO, ONE, 1), "failed": (1, ONE, TWO, 1), "undecided": (1, ONE, TWO, 30)}


def gate(config: Path, point: str, *options: str) -> int:
    return run(["gate", str(gate_run()), "--point", point, "--config", str(config), *options])


@pytest.mark.parametrize("state", CASES)
def test_each_state_in_every_output(
    state: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, point, against, margin = CASES[state]
    config = write_gate(tmp_path, margin)
    comment, junit = tmp_path / "gate.md", tmp_path / "gate.xml"
    files = ("--markdown", str(comment), "--junit", str(junit))
    assert gate(config, point, "--against", against, *files) == code
    printed = capsys.readouterr()
    assert printed.out.startswith(f"Evidence gate: {state}. {point} against {against}.\n\n")
    assert printed.err == f"{comment}: written\n{junit}: written\n"
    assert comment.read_text().startswith(f"Evidence gate: **{state}**. `{point}` against")
    assert ("Undecided is not failed" in printed.out) == (state == "undecided")
    suite = ElementTree.fromstring(junit.read_text()).find("testsuite")
    assert suite is not None
    kinds = {"passed": ("0", "0"), "failed": ("1", "0"), "undecided": ("0", "1")}
    assert (suite.get("failures"), suite.get("errors")) == kinds[state]
    assert suite.get("tests") == "2"
    tag = {"passed": None, "failed": "failure", "undecided": "error"}[state]
    first = suite.find("testcase")
    assert first is not None
    assert [fault.tag for fault in first] == ([tag] if tag else [])
    assert first.get("name") == "answer_sessions_shown"


def test_rows_have_a_state_and_that_of_the_gate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = write_gate(tmp_path, 1, cost="within = 0\nat_most = 1000")
    assert gate(config, TWO, "--against", ONE, "--json") == 1
    rows = json.loads(capsys.readouterr().out)
    assert [row["state"] for row in rows] == ["passed", "failed", "passed"]
    assert {row["gate"] for row in rows} == {"failed"}
    assert list(rows[0]) == [
        *("check", "metric", "point", "against", "value", "against_value", "difference", "lower"),
        *("upper", "level", "pairs", "wins", "losses", "warnings", "wanted", "state", "reason"),
        "gate",
    ]
    assert gate(config, TWO, "--against", ONE, "--csv") == 1
    assert capsys.readouterr().out.splitlines()[0] == ",".join(rows[0])


def test_the_same_point_of_another_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert gate(write_gate(tmp_path, 0), TWO, "--base", str(gate_run("--jobs", "1"))) == 0
    assert "against count-curve(k=2) of another run." in capsys.readouterr().out


def test_files_are_replaced_when_forced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config, out = write_gate(tmp_path, 1), tmp_path / "gate.md"
    out.write_text("mine\n")
    given = ("--against", ONE, "--markdown", str(out))
    assert gate(config, TWO, *given) == 2
    assert "exists and holds something else" in capsys.readouterr().err
    assert gate(config, TWO, *given, "--force") == 0


def test_bad_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = write_gate(tmp_path, 1)
    assert gate(config, "items2", "--against", ONE) == 2
    assert gate(config, TWO) == 2
    assert "Add --against SPEC, or --base RUN" in capsys.readouterr().err
    config.write_text("level = 2\n")
    assert gate(config, TWO, "--against", ONE) == 2
    assert "level is the number 2, expected a fraction between 0 and 1" in capsys.readouterr().err


@pytest.fixture(scope="module")
def page(checkout: Path) -> str:
    return (checkout / "docs/ci.md").read_text("utf-8")


def test_the_documented_file_is_read_and_decides(page: str, tmp_path: Path) -> None:
    (block,) = re.findall(r"^```toml\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    path = tmp_path / "gate.toml"
    path.write_text(block)
    read = read_gate(path)
    assert [metric.metric.name for metric in read.metrics] == [
        "answer_sessions_shown",
        "evidence_turns_touched",
    ]
    assert read.level == GateConfig(read.metrics).level
    assert (read.cost.measure, read.cost.within) == (GateCost().measure, GateCost().within)
    assert gate(path, THREE, "--against", TWO) == 1


def test_every_key_is_documented(page: str) -> None:
    documented = re.findall(r"^\| `(\S+)` \|", page, re.MULTILINE)
    assert documented == [
        "metric",
        *(f"metric[].{field.name.replace('metric', 'name')}" for field in fields(GateMetric)),
        *(f"cost.{field.name}" for field in fields(GateCost)),
        *(field.name for field in fields(GateConfig) if field.name not in ("metrics", "cost")),
    ]
    assert all(f"`{metric.name}`" in page for metric in COST_METRICS)
    assert {metric.unit for metric in GATED} <= {"fraction", "fraction of questions"}


def test_the_commands_of_the_workflow_are_understood(page: str) -> None:
    from ..test_documented_commands import faults

    (block,) = re.findall(r"^```yaml\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    lines = re.findall(r"harness (?:replay|gate) .*(?:\n {10}--.*)*", block)
    assert len(lines) == 3
    for line in lines:
        assert list(faults(shlex.split(line)[1:])) == []
