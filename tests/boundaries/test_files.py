"""Files and folders as users name and keep them."""

from __future__ import annotations

from pathlib import Path

from .conftest import CASES, Harness


def contents(folder: Path) -> dict[str, bytes]:
    """Every file but the manifest, which names folders as they were given."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != "manifest.json"
    }


def test_a_folder_may_have_a_colon_in_its_name(harness: Harness) -> None:
    cases = CASES / "out-with-a-colon" / "cases.jsonl"
    for recording, run in (("rec-12:30", "run-12:30"), ("rec", "run")):
        assert harness("import", "cases", cases, "--out", recording).code == 0
        assert harness("replay", recording, "--out", run, "--point", "items").code == 0
        assert harness("evidence", run).code == 0
        assert harness("show", recording, "--verify").code == 0
        # a run of several batches, and a report, read and write tables in other places
        assert harness("replay", recording, "--out", run, "--point", "count-curve(k=1)").code == 0
        assert harness("report", run, "--recording", recording, "--out", f"{run}-report").code == 0
    assert contents(Path("rec-12:30")) == contents(Path("rec"))
    assert contents(Path("run-12:30")) == contents(Path("run"))
