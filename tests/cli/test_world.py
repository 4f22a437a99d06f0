"""`harness world`."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest

from harness.cli.main import run

from ..worlds.folder import DOCUMENTS, rubric_with, write_folder

VERIFIED = [
    ["corpus.jsonl sha256", "as recorded"],
    ["rubric.json sha256", "as recorded"],
    ["tasks.json sha256", "as recorded"],
    ["manifest.json corpus_sha256", "as recorded"],
    ["manifest.json corpus_bytes", "as recorded"],
    ["manifest.json documents", "as recorded"],
    ["manifest.json active_documents", "as recorded"],
    ["manifest.json versions", "as recorded"],
    ["manifest.json tasks", "as recorded"],
    ["structure and quotes", "proven"],
    ["corpus", "unchanged"],
    ["tasks", "unchanged"],
    ["rubric", "unchanged"],
    ["moved: form", "moved"],
    ["moved: corpus file", "moved"],
    ["moved: source", "moved"],
]
SECTIONS = """\
/mill/wheel.md v1, 57 characters

anchor       level    start    end    lines  title
---------  -------  -------  -----  -------  ---------
the-wheel        1        0     57        5  The wheel
speed            2       13     57        3  Speed
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_folder(tmp_path / "mill")


def test_from_a_folder_to_a_verified_world(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert run(["world", "lint", str(folder)]) == 0
    assert run(["world", "freeze", str(folder), "--out", str(out)]) == 0
    counts = "3 documents (4 versions), 2 tasks, 1 passage"
    assert f"{out}: frozen: {counts}" in capsys.readouterr().err
    assert run(["world", "freeze", str(folder), "--out", str(out)]) == 0
    assert f"{out}: holds this world already: {counts}" in capsys.readouterr().err
    assert run(["world", "verify", str(out), "--against", str(folder)]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[:2] == ["mill: frozen by the harness, mark://mill", counts]
    assert [re.split(r" {2,}", line)[:2] for line in shown[5:-2]] == VERIFIED
    assert shown[-1] == "corpus, tasks and rubric: unchanged; 3 values moved"


def test_a_changed_world_is_a_difference(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert run(["world", "freeze", str(folder), "--out", str(out), "-q"]) == 0
    assert capsys.readouterr().err == ""
    write_folder(folder, rubric=rubric_with(quote="9 times"))
    assert run(["world", "verify", str(out), "--against", str(folder), "--json"]) == 1
    rows = {row["check"]: row["result"] for row in json.loads(capsys.readouterr().out)}
    parts = (rows["corpus"], rows["tasks"], rows["rubric"])
    assert parts == ("unchanged", "unchanged", "changed")
    (out / "corpus.jsonl").write_text("")
    assert run(["world", "verify", str(out), "--csv"]) == 1
    table = {
        row["check"]: row["result"] for row in csv.DictReader(io.StringIO(capsys.readouterr().out))
    }
    assert table["corpus.jsonl sha256"] == "different"
    assert table["manifest.json documents"] == "different"
    assert table["tasks.json sha256"] == "as recorded"
    assert table["structure and quotes"] == "faulty"
    assert run(["world", "show", str(out)]) == 2


def test_lint_lists_every_finding(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_folder(folder, rubric=rubric_with(version=1, xyz="red"))
    assert run(["world", "lint", str(folder), "-q"]) == 1
    written = capsys.readouterr()
    where = "rubric.json 'speed'.evidence.turns[0]"
    assert written.out.splitlines() == [
        f"{folder}: 2 findings",
        f"  {where}.xyz is an unknown key",
        f"  {where} quotes 'The wheel turns 9 times a minute.', "
        "which is not in /mill/wheel.md v1#speed",
    ]
    assert written.err == ""
    assert run(["world", "lint", str(folder), "--json"]) == 1
    assert len(json.loads(capsys.readouterr().out)) == 2


def test_what_cannot_be_read_is_an_error(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "rubric.json").write_text("{} {}")
    for arguments in (["lint"], ["verify"], ["show"], ["diff", str(folder)]):
        assert run(["world", *arguments, str(folder)]) == 2
        assert "rubric.json has more after its JSON value ends" in capsys.readouterr().err


def test_diff_lists_what_is_broken(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["world", "diff", str(folder), str(folder)]) == 0
    written = capsys.readouterr()
    assert written.out == "(none)\n"
    assert written.err == "0 broken; new: documents 0, versions 0\n"
    race = DOCUMENTS["mill/race.md"].replace("dawn", "dusk")
    after = write_folder(tmp_path / "after", documents=DOCUMENTS | {"mill/race.md": race})
    assert run(["world", "diff", str(folder), str(after), "--json"]) == 1
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["kind"], row["path"], row["version"]) == ("version", "/mill/race.md", 1)
    assert row["change"] == "its text was written over"


def test_what_show_prints(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["world", "show", str(folder), "--json"]) == 0
    properties = {row["property"]: row["value"] for row in json.loads(capsys.readouterr().out)}
    assert (properties["documents"], properties["archived documents"]) == (3, 1)
    assert (properties["versions"], properties["tasks: direct"]) == (4, 1)
    assert run(["world", "show", str(folder), "--document", "/mill/wheel.md/v1"]) == 0
    shown = capsys.readouterr().out
    assert [line.rstrip() for line in shown.splitlines()] == SECTIONS.splitlines()
    assert run(["world", "show", str(folder), "--tasks", "--json"]) == 0
    tasks = json.loads(capsys.readouterr().out)
    assert [(row["task"], row["outcome"], row["passages"]) for row in tasks] == [
        ("speed", "answered", 1),
        ("smith", "not-found", 0),
    ]
    assert run(["world", "show", str(folder), "--documents", "--json"]) == 0
    documents = {row["path"]: row for row in json.loads(capsys.readouterr().out)}
    wheel = documents["/mill/wheel.md"]
    assert (wheel["versions"], wheel["current"], wheel["sections"], wheel["relations"]) == (
        *(2, 2),
        *(3, 1),
    )
    assert [row["archived"] for row in documents.values()] == [False, False, True]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--document", "/mill/weel.md"],
            "no document '/mill/weel.md'; did you mean '/mill/wheel.md'?",
        ),
        (["--document", "/mill/wheel.md/v7"], "/mill/wheel.md has no version 7"),
        (["--tasks", "--documents"], "exclude each other"),
        (["--json", "--csv"], "--json and --csv exclude each other"),
    ],
)
def test_bad_usage(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert run(["world", "show", str(folder), *arguments]) == 2
    written = capsys.readouterr()
    assert message in written.err
    assert written.out == ""


def test_files_that_are_no_documents_are_said_to_be_passed_over(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "documents/mill/plan.png").write_bytes(b"")
    assert run(["world", "freeze", str(folder), "--out", str(tmp_path / "out")]) == 0
    message = "skipped (not .md files): documents/mill/plan.png (of 1)"
    assert message in capsys.readouterr().err


def test_a_corpus_without_tasks_is_said_to_have_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/a.md").write_text("# A\n")
    arguments = ["--out", str(tmp_path / "out"), "--pack", "zst"]
    assert run(["world", "freeze", str(tmp_path / "notes"), *arguments]) == 0
    assert "it has no tasks" in capsys.readouterr().err
    assert run(["world", "verify", str(tmp_path / "out")]) == 0


@pytest.mark.shared
def test_the_small_real_world_records_no_hashes(
    shared: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = shared / "data/lookups/tools/internal/answerbench/fixtures"
    assert run(["world", "verify", str(folder)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:3] == [
        "fixtures: plain corpus.json",
        "10 documents (11 versions), 8 tasks, 11 passages",
        "hashes: none recorded (the computed ones are below)",
    ]
    assert "structure and quotes  proven" in lines


@pytest.mark.shared
def test_a_real_repinning_lists_what_moved(
    shared: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    worlds = [
        str(shared / f"data/lookups/tools/benchmarks/corpora/latebit-2026-09-14-v{n}")
        for n in (2, 3)
    ]
    assert run(["world", "verify", worlds[1], "--against", worlds[0], "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["check"] for row in rows if row["result"] == "moved"] == [
        "moved: dataset.json id",
        "moved: dataset.json archive_manifest_sha256",
        "moved: dataset.json scoring_version",
        "moved: manifest.json id",
    ]
