"""The project as a whole: what its documents, lock files and set-up promise."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from harness.errors import ExitCode
from harness.evidence import SCHEMA as EVIDENCE_COUNTS
from harness.recording import lookup_tables as lookups
from harness.recording import schema as recording
from harness.replay import schema as run

TABLES: dict[str, pa.Schema] = {
    recording.QUERIES: recording.QUERIES_SCHEMA,
    recording.CASE_RECORDS: recording.CASE_RECORDS_SCHEMA,
    recording.WINDOWS: recording.WINDOWS_SCHEMA,
    recording.GOLD: recording.GOLD_SCHEMA,
    recording.RECORDS: recording.RECORDS_SCHEMA,
    recording.BLOCKS: recording.blocks_schema(512),
    lookups.DOCUMENTS: lookups.DOCUMENTS_SCHEMA,
    lookups.LOOKUPS: lookups.LOOKUPS_SCHEMA,
    lookups.LOOKUP_GOLD: lookups.LOOKUP_GOLD_SCHEMA,
    run.CASES: run.CASES_SCHEMA,
    run.POINTS: run.POINTS_SCHEMA,
    **run.PART_SCHEMAS,
}
NAMES = {"float": "float32", "double": "float64"}
Column = tuple[str, str, bool]
"""Name, type, and whether it may be null."""


def spelled(kind: pa.DataType) -> str:
    if pa.types.is_list(kind):
        inner = kind.value_type
        return "list of struct" if pa.types.is_struct(inner) else f"list of {spelled(inner)}"
    if pa.types.is_dictionary(kind):
        return f"{kind.value_type} (dictionary)"
    if pa.types.is_fixed_size_binary(kind):
        return "fixed bytes"
    return NAMES.get(str(kind), str(kind))


def declared(schema: pa.Schema) -> Iterator[Column]:
    for field in schema:
        yield field.name, spelled(field.type), field.nullable
        if pa.types.is_list(field.type) and pa.types.is_struct(field.type.value_type):
            for child in field.type.value_type:
                yield f"{field.name}[].{child.name}", spelled(child.type), child.nullable


def documented(page: str, name: str) -> list[list[str]]:
    """The cells of the column table under the heading of the table `name`."""
    section = page.split(f"### `{name}`\n", 1)[1].split("\n## ")[0].split("\n### ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


@pytest.mark.parametrize("name", TABLES)
def test_every_column_is_documented(name: str, checkout: Path) -> None:
    page = (checkout / "docs" / "file-formats.md").read_text("utf-8")
    rows = documented(page, name)
    found = [(column.strip("`"), kind, null != "never") for column, kind, _, _, null in rows]
    assert found == list(declared(TABLES[name]))
    assert all(meaning for _, _, _, meaning, _ in rows)


def test_counts_are_documented_as_declared(checkout: Path) -> None:
    page = (checkout / "docs" / "file-formats.md").read_text("utf-8")
    rows = {column.strip("`"): row for column, *row in documented(page, run.EVIDENCE)}
    for field in EVIDENCE_COUNTS:
        _, _, meaning, null = rows[field.name]
        assert meaning == field.metadata[b"meaning"].decode()
        assert null == field.metadata.get(b"null", b"never").decode()


def test_exit_codes_are_documented_as_declared(checkout: Path) -> None:
    page = (checkout / "docs" / "exit-codes.md").read_text("utf-8")
    rows = re.findall(r"^\| (\d+) \| (.+?) \| (.+?) \|$", page, re.MULTILINE)
    assert rows == [(str(int(code)), code.name.lower(), code.meaning) for code in ExitCode]


def test_links_between_documents_lead_somewhere(checkout: Path) -> None:
    pages = [checkout / "README.md", *sorted((checkout / "docs").rglob("*.md"))]
    broken = [
        f"{page.name}: {target}"
        for page in pages
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text("utf-8"))
        if not target.startswith("https://") and not (page.parent / target).exists()
    ]
    assert broken == []


def test_the_readme_shows_the_two_commands(checkout: Path) -> None:
    lines = (checkout / "README.md").read_text("utf-8").splitlines()
    assert {"make replay", "make test"} <= {line.split("#")[0].strip() for line in lines}


def locked(path: Path) -> dict[str, str]:
    """Version by package name; every entry must have hashes."""
    entries = re.findall(r"^([a-z0-9.-]+)==(\S+)(.*(?:\n    .*)+)", path.read_text("utf-8"), re.M)
    assert all("--hash=sha256:" in rest for _, _, rest in entries)
    return {name: version for name, version, _ in entries}


def names_of(requirements: list[str]) -> set[str]:
    return {re.split(r"[<>=!~;\[ ]", line)[0] for line in requirements}


def test_lock_files_hold_what_the_project_names(checkout: Path) -> None:
    project = tomllib.loads((checkout / "pyproject.toml").read_text("utf-8"))
    base = locked(checkout / "requirements.lock")
    tools = locked(checkout / "requirements-dev.lock")
    extras = project["project"]["optional-dependencies"]
    assert names_of(project["project"]["dependencies"] + project["build-system"]["requires"]) <= {
        *base
    }
    assert names_of(extras["answer"] + extras["embed"] + extras["dev"]) <= {*tools}
    assert base.items() <= tools.items()
    package = locked(checkout / "requirements-parity.lock")
    assert names_of(extras["parity"]) <= {*package}
    shared = base.keys() & package.keys()
    assert {name: base[name] for name in shared} == {name: package[name] for name in shared}


@pytest.mark.parametrize(
    "name",
    [
        "requirements.lock",
        "requirements-dev.lock",
        "requirements-parity.lock",
        "requirements-local-reader.lock",
    ],
)
def test_lock_files_name_no_place(name: str, checkout: Path) -> None:
    text = (checkout / name).read_text("utf-8")
    assert re.findall(r"https?:|file:|--index-url|--find-links| @ ", text) == []


def imports(folder: Path) -> Iterator[tuple[str, str]]:
    """File and absolute module of every import under `folder`."""
    for path in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                yield from ((path.name, alias.name) for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                yield path.name, node.module or ""


def test_arms_import_the_case_model_alone_and_the_engine_no_arm(checkout: Path) -> None:
    by_arms = {module for _, module in imports(checkout / "arms") if module.startswith("harness")}
    assert {module.split(".")[1] for module in by_arms} == {"model"}
    by_harness = [
        found for found in imports(checkout / "harness") if found[1].split(".")[0] == "arms"
    ]
    assert by_harness == []


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys; from harness.cli.main import run; run(['--help']); "
        "print('loaded', *{name.split('.')[0] for name in sys.modules})"
    )
    finished = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    loaded = finished.stdout.splitlines()[-1].split()
    assert "click" in loaded
    assert {"numpy", "pyarrow", "pandas", "scipy", "bm25s", "msgspec", "jinja2"} & {
        *loaded
    } == set()


def make(checkout: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    # not the variables of a make that runs the tests
    environment = {name: value for name, value in os.environ.items() if "MAKE" not in name}
    return subprocess.run(
        ["make", *arguments], cwd=checkout, env=environment, capture_output=True, text=True
    )


def test_make_explains_itself(checkout: Path) -> None:
    shown = make(checkout).stdout
    for words in ("make replay", "make test", "make lint", "make bench", "RECORDING=", "POINTS="):
        assert words in shown


@pytest.mark.parametrize(
    ("python", "message"),
    [
        ("", "No Python 3.11, 3.12 or 3.13"),
        ("/no/python", "/no/python is not a Python 3.11 to 3.13"),
    ],
)
def test_make_says_which_python_it_needs(
    python: str, message: str, checkout: Path, tmp_path: Path
) -> None:
    target = tmp_path / "venv" / "bin" / "python"
    finished = make(checkout, f"PYTHON={python}", f"VENV={tmp_path / 'venv'}", str(target))
    assert finished.returncode == 2
    assert message in finished.stderr
    assert "python3-venv" in finished.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["register"],
            "make register needs PLAN, the plan of a test, for example: make register PL",
        ),
        (["register", "PLAN=plan.txt"], "PLAN=plan.txt is not a .toml file"),
        (
            ["judge"],
            "make judge needs GRADES, folders of grades of the point and its controls, for",
        ),
    ],
)
def test_make_says_what_a_target_lacks(
    arguments: list[str], message: str, checkout: Path, tmp_path: Path
) -> None:
    installed = tmp_path / ".installed-base"
    installed.touch()  # newer than the locks: nothing is installed
    finished = make(checkout, *arguments, f"BASE={installed}")
    assert finished.returncode == 2
    assert message in finished.stderr


def replay_call(checkout: Path, *arguments: str) -> str:
    """The commands that `make replay` would run, set-up apart."""
    return make(checkout, "--dry-run", "replay", "PYTHON=python3", *arguments).stdout


def test_make_writes_the_committed_reports_of_the_whole_sample_alone(checkout: Path) -> None:
    assert "report 'build/run' --out 'reports'" in replay_call(checkout)
    for arguments in (["POINTS=items"], ["RECORDING=elsewhere/sample/recording/"]):
        call = replay_call(checkout, *arguments)
        assert "report 'build/run-sample' --out 'build/report-sample'" in call


def test_the_reports_of_made_up_text_say_so_first(checkout: Path) -> None:
    pages = [checkout / "reports" / "README.md", *(checkout / "reports/worlds").glob("*/README.md")]
    assert len(pages) == 5
    for page in pages:
        assert "The text is made up" in "".join(page.read_text("utf-8").splitlines()[:4])


def test_continuous_integration_runs_lint_and_tests(checkout: Path) -> None:
    script = checkout / ".ci" / "run"
    assert os.access(script, os.X_OK)
    assert {"make lint", "make test"} <= {*script.read_text("utf-8").splitlines()}
