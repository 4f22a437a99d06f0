"""How old the measured client is, counted in its repository."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from harness.cli.main import run

from ...make.reports import BEFORE, report, write


def _git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "commit.gpgsign=false"]
    finished = subprocess.run(
        ["git", "-C", str(folder), *identity, *arguments],
        check=True,
        capture_output=True,
        text=True,
    )
    return finished.stdout.strip()


@pytest.fixture
def client(tmp_path: Path) -> tuple[Path, list[str]]:
    """A repository with four commits in a row, and their names."""
    folder = tmp_path / "client"
    folder.mkdir()
    _git(folder, "init", "-q", "-b", "main")
    commits = []
    for number in range(4):
        _git(folder, "commit", "-q", "--allow-empty", "-m", f"change {number}")
        commits.append(_git(folder, "rev-parse", "HEAD"))
    return folder, commits


def _measured(path: Path, commit: str | None) -> str:
    more = {} if commit is None else {"implementation_commits": {"mcp": commit}}
    return str(write(path, report(BEFORE, **more)))


def _compared(
    capsys: pytest.CaptureFixture[str], pair: list[str], *options: str
) -> tuple[int, dict[str, Any]]:
    code = run(["compare", *pair, "--json", *options])
    return code, json.loads(capsys.readouterr().out)


def test_the_distance_is_said(
    client: tuple[Path, list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, commits = client
    pair = [
        _measured(tmp_path / "b.json", commits[1][:10]),
        _measured(tmp_path / "a.json", commits[3]),
    ]
    code, found = _compared(capsys, pair, "--client-repo", str(folder))
    assert (code, found["state"]) == (0, "unchanged")
    assert found["clients"] == {
        "before": {"commit": commits[1][:10], "behind": 2, "ahead": 0},
        "after": {"commit": commits[3], "behind": 0, "ahead": 0},
    }
    assert run(["compare", *pair, "--client-repo", str(folder), "--client-ref", commits[2]]) == 0
    out = capsys.readouterr().out
    assert f"- client of before: {commits[1][:10]}, 1 commit behind {commits[2]}\n" in out
    assert f"0 commits behind {commits[2]}, 1 commit of its own\n" in out


def test_a_stale_client_is_refused(
    client: tuple[Path, list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, commits = client
    pair = [_measured(tmp_path / "b.json", commits[0]), _measured(tmp_path / "a.json", commits[3])]
    for most, code in ((3, 0), (2, 2)):
        found = _compared(
            capsys,
            pair,
            "--client-repo",
            str(folder),
            "--client-ref",
            "main",
            "--max-behind",
            str(most),
        )
        assert found[0] == code
    assert found[1]["reasons"] == [
        f"before: implementation_commits.mcp is {commits[0]}, 3 commits behind main: more than 2"
    ]


def test_a_client_that_is_not_known_is_refused_where_its_age_matters(
    client: tuple[Path, list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, _ = client
    pair = [_measured(tmp_path / "b.json", None), _measured(tmp_path / "a.json", "0123456789")]
    options = ["--client-repo", str(folder)]
    assert _compared(capsys, pair, *options)[0] == 0
    code, found = _compared(capsys, pair, *options, "--max-behind", "9")
    assert (code, found["state"]) == (2, "incomparable")
    assert found["reasons"] == [
        "before: implementation_commits.mcp is not recorded",
        f"after: implementation_commits.mcp is 0123456789, which {folder} does not have",
    ]
    assert run(["compare", *pair, *options]) == 0
    assert "- client of before: of no recorded commit; its distance" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        (["--max-behind", "0"], "--max-behind goes with --client-repo"),
        (["--client-ref", "main"], "--client-ref goes with --client-repo"),
        (["--client-repo", "nowhere"], "--client-repo nowhere: not a git repository"),
        (["--client-repo", ".", "--preflight", "."], "--client-repo compares reports"),
    ],
)
def test_what_does_not_go(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    options: list[str],
    fault: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    path = _measured(tmp_path / "r.json", "0123456789")
    assert run(["compare", path, path, *options]) == 2
    assert fault in capsys.readouterr().err


def test_a_ref_is_never_an_option(
    client: tuple[Path, list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = _measured(tmp_path / "r.json", client[1][0])
    assert run(["compare", path, path, "--client-repo", str(client[0]), "--client-ref=--all"]) == 2
    assert "not a git repository that has '--all'" in capsys.readouterr().err


@pytest.mark.parametrize("commit", ["main", "0123", "HEAD~1", "", "0123456Z"])
def test_only_a_commit_names_a_build(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], commit: str
) -> None:
    path = _measured(tmp_path / "r.json", commit)
    assert run(["compare", path, path]) == 2
    assert "implementation_commits.mcp is " in capsys.readouterr().err
