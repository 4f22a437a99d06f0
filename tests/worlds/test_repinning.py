"""A dataset pinned anew: equal hashes prove that nothing changed, and what moved is listed."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from harness.worlds.freezing import freeze
from harness.worlds.identity import CheckResult, identity_checks
from harness.worlds.lint import findings
from harness.worlds.opening import OpenedWorld, open_world
from harness.worlds.packing import pack
from harness.worlds.repinning import Moved, Repinning, Stay, against

from .folder import DOCUMENTS, QUOTE, RUBRIC, TASKS, rubric_with, write_folder, write_json

CORPUS_NAMES = ("corpus", "tasks", "rubric")


def stays(found: Repinning) -> dict[str, Stay]:
    assert tuple(part.name for part in found.parts) == CORPUS_NAMES
    return {part.name: part.stay for part in found.parts}


def spelled(content: bytes) -> str:
    return f"sha256-{hashlib.sha256(content).hexdigest()}"


def write_archive(folder: Path, name: str = "mill-v1", **dataset: Any) -> Path:
    """A world in the reference format, whose archive holds the mill."""
    write_folder(folder, documents={})
    lines = []
    for path, texts in {
        "/mill/wheel.md": [DOCUMENTS["mill/wheel.v1.md"], DOCUMENTS["mill/wheel.md"]],
        "/mill/race.md": [DOCUMENTS["mill/race.md"]],
    }.items():
        versions = [{"Version": n, "Content": text} for n, text in enumerate(texts, start=1)]
        line = {"Path": path, "Document": {"Versions": versions, "Archived": False}}
        lines.append(json.dumps(line) + "\n")
    content = "".join(lines).encode("utf-8")
    packed = pack(content, ".gz")
    (folder / "mill.jsonl.gz").write_bytes(packed)
    manifest = {
        "format": "demarkus-corpus-jsonl-gzip-v1",
        "id": name,
        "source": "mark://mill",
        "artifact": "mill.jsonl.gz",
        "sha256": spelled(packed),
        "corpus_sha256": spelled(content),
        "compressed_bytes": len(packed),
        "uncompressed_bytes": len(content),
        "documents": 2,
        "active_documents": 2,
        "versions": 3,
    }
    write_json(folder / "manifest.json", manifest)
    pinned = {
        "format": "demarkus-answer-dataset-v1",
        "id": name,
        "source": "mark://mill",
        "archive_manifest_sha256": spelled((folder / "manifest.json").read_bytes()),
        "corpus_sha256": spelled(content),
        "tasks_sha256": spelled((folder / "tasks.json").read_bytes()),
        "rubric_sha256": spelled((folder / "rubric.json").read_bytes()),
        "scoring_version": "independent-evidence-v1",
        "tool_profile": "scoped-direct-read-v1",
        "reader_policy": "section-first",
        "reader_contract_sha256": spelled(b"contract"),
        "authored": "2026-09-15",
    }
    write_json(folder / "dataset.json", pinned | dataset)
    return folder


def different(opened: OpenedWorld) -> list[str]:
    return [each.what for each in identity_checks(opened) if each.verdict is CheckResult.DIFFERENT]


def test_an_archive_is_what_its_records_say(tmp_path: Path) -> None:
    opened = open_world(write_archive(tmp_path / "v1"))
    assert (findings(opened), different(opened)) == ([], [])
    (unchecked,) = [
        each for each in identity_checks(opened) if each.verdict is CheckResult.NOT_CHECKED
    ]
    assert unchecked.what == "dataset.json reader_contract_sha256"
    wheel = opened.world.document("/mill/wheel.md")
    assert wheel is not None
    assert (wheel.version, wheel.metadata["title"]) == (2, "The wheel")


def test_an_archive_that_is_not_there_is_said_to_be_unchecked(tmp_path: Path) -> None:
    folder = write_archive(tmp_path / "v1")
    (folder / "mill.jsonl.gz").unlink()
    opened = open_world(folder)
    assert opened.world.documents is None
    assert (findings(opened), different(opened)) == ([], [])
    unchecked = [
        each.what for each in identity_checks(opened) if each.verdict is CheckResult.NOT_CHECKED
    ]
    assert unchecked[:4] == [
        "archive sha256 and size",
        "archive corpus_sha256 and size",
        "archive counts",
        "archive quotes of the rubric",
    ]


@pytest.mark.parametrize(
    ("key", "value", "what"),
    [
        ("id", "other", "manifest.json id"),
        ("source", "mark://other", "manifest.json source"),
        ("archive_manifest_sha256", spelled(b""), "manifest.json sha256"),
        ("corpus_sha256", spelled(b""), "manifest.json corpus_sha256"),
        ("tasks_sha256", spelled(b""), "tasks.json sha256"),
        ("rubric_sha256", spelled(b""), "rubric.json sha256"),
    ],
)
def test_each_record_of_a_dataset_is_checked(
    tmp_path: Path, key: str, value: str, what: str
) -> None:
    opened = open_world(write_archive(tmp_path / "v1", **{key: value}))
    assert different(opened) == [what]


@pytest.mark.parametrize(
    "key", ["sha256", "corpus_sha256", "compressed_bytes", "uncompressed_bytes", "versions"]
)
def test_each_record_of_an_archive_is_checked(tmp_path: Path, key: str) -> None:
    folder = write_archive(tmp_path / "v1")
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest[key] = spelled(b"") if "sha256" in key else manifest[key] + 1
    write_json(folder / "manifest.json", manifest)
    found = different(open_world(folder))
    assert f"archive {key}" in found
    assert "manifest.json sha256" in found


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"reader": ""}, "dataset.json.reader is an unknown key"),
        ({"format": "x"}, "dataset.json.format is 'x', expected 'demarkus-answer-dataset-v1'"),
        ({"authored": "May"}, "dataset.json.authored is 'May', expected a date like 2026-09-15"),
        (
            {"tasks_sha256": "md5"},
            "dataset.json.tasks_sha256 is 'md5', expected sha256- and 64 hexadecimal digits",
        ),
        ({"source": "x"}, "dataset.json.source is 'x', expected one like 'mark://name'"),
        ({"reader_policy": ""}, "dataset.json.reader_policy is empty"),
    ],
)
def test_faults_of_a_dataset(tmp_path: Path, change: dict[str, Any], fault: str) -> None:
    opened = open_world(write_archive(tmp_path / "v1", **change))
    assert any(each.startswith(fault) for each in findings(opened))


def test_a_repinned_archive(tmp_path: Path) -> None:
    before = open_world(write_archive(tmp_path / "v1"))
    after = open_world(write_archive(tmp_path / "v2", "mill-v2", scoring_version="evidence-v2"))
    found = against(after, before)
    assert found.proven
    assert set(stays(found).values()) == {Stay.UNCHANGED}
    assert [each.what for each in found.moved] == [
        "dataset.json id",
        "dataset.json archive_manifest_sha256",
        "dataset.json scoring_version",
        "manifest.json id",
    ]
    assert found.moved[2] == Moved(
        "dataset.json scoring_version", "independent-evidence-v1", "evidence-v2"
    )


@pytest.mark.parametrize("part", CORPUS_NAMES)
def test_a_changed_part_is_not_proven(tmp_path: Path, part: str) -> None:
    documents = DOCUMENTS | ({"mill/stone.md": "# Stone\n"} if part == "corpus" else {})
    tasks = [TASKS[0] | {"category": "other"}, TASKS[1]] if part == "tasks" else TASKS
    rubric = rubric_with(quote="9 times") if part == "rubric" else RUBRIC
    write_folder(tmp_path / "old")
    write_folder(tmp_path / "new", documents=documents, tasks=tasks, rubric=rubric)
    for name in ("old", "new"):
        freeze(tmp_path / name, tmp_path / f"{name}-world", world_id=name)
    found = against(open_world(tmp_path / "new-world"), open_world(tmp_path / "old-world"))
    changed = [name for name, stay in stays(found).items() if stay is Stay.CHANGED]
    assert (changed, found.proven) == ([part], False)
    assert Moved("manifest.json world_id", "old", "new") in found.moved


def test_packing_and_form_may_move(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "mill")
    freeze(folder, tmp_path / "packed", suffix=".gz")
    found = against(open_world(tmp_path / "packed"), open_world(folder))
    assert found.proven
    assert [each.what for each in found.moved][:2] == ["form", "corpus file"]


def test_an_archive_and_a_frozen_world_are_compared_by_their_documents(tmp_path: Path) -> None:
    archive = write_archive(tmp_path / "archive")
    documents = {name: DOCUMENTS[name] for name in DOCUMENTS if name != "yard/cart.md"}
    folder = write_folder(tmp_path / "mill", documents=documents)
    assert stays(against(open_world(folder), open_world(archive)))["corpus"] is Stay.UNCHANGED
    (archive / "mill.jsonl.gz").unlink()
    assert stays(against(open_world(folder), open_world(archive)))["corpus"] is Stay.UNPROVEN


def test_an_older_world_that_is_not_itself_proves_nothing(tmp_path: Path) -> None:
    new = open_world(write_archive(tmp_path / "v2"))
    old = open_world(write_archive(tmp_path / "v1", tasks_sha256=spelled(b"")))
    found = against(new, old)
    assert set(stays(found).values()) == {Stay.UNCHANGED}
    assert not found.proven
    assert found.faults[0].startswith("tasks.json sha256: recorded")


def test_a_reformatted_rubric_is_a_change(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "old")
    other = write_folder(tmp_path / "new")
    text = json.dumps({"speed": RUBRIC["speed"], "smith": RUBRIC["smith"]}, indent=2)
    (other / "rubric.json").write_text(text)
    assert json.loads(text)["speed"]["evidence"]["turns"] == [QUOTE]
    found = against(open_world(other), open_world(folder))
    assert stays(found)["rubric"] is Stay.CHANGED


REAL = "data/lookups/tools/benchmarks/corpora"


@pytest.mark.shared
@pytest.mark.parametrize("name", ["latebit", "music"])
@pytest.mark.parametrize("version", [2, 3, 4])
def test_the_real_worlds_verify_without_bodies(shared: Path, name: str, version: int) -> None:
    opened = open_world(shared / REAL / f"{name}-2026-09-14-v{version}")
    assert (findings(opened), different(opened)) == ([], [])
    assert (opened.world.source, len(opened.world.tasks)) == (f"mark://{name}", 8)
    passages = [len(v) for each in opened.world.rubric.values() for v in each.evidence.values()]
    assert passages == [1] * 16


@pytest.mark.shared
def test_the_real_worlds_were_repinned_without_a_change(shared: Path) -> None:
    worlds = [open_world(shared / REAL / f"music-2026-09-14-v{n}") for n in (3, 4)]
    found = against(worlds[1], worlds[0])
    assert found.proven
    assert Moved(
        "dataset.json reader_policy", "section-first", "section-first-outcome-v2"
    ) in found.moved  # fmt: skip
    latebit = open_world(shared / REAL / "latebit-2026-09-14-v4")
    assert set(stays(against(latebit, worlds[1])).values()) == {Stay.CHANGED}


@pytest.mark.shared
def test_the_small_real_world_is_proven(shared: Path) -> None:
    opened = open_world(shared / "data/lookups/tools/internal/answerbench/fixtures")
    assert findings(opened) == []
    assert {each.verdict for each in identity_checks(opened)} == {CheckResult.COMPUTED}
    documents = opened.world.documents or {}
    assert len(documents) == 10
    retention = documents["/ops/retention.md"]
    assert [each.number for each in retention.versions] == [1, 2]
