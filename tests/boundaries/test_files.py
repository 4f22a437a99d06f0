"""Files and folders as users name and keep them."""

from __future__ import annotations

import gzip
import json
import lzma
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from harness.errors import InputError
from harness.recording.recording import Recording
from harness.storage.folder import open_output
from harness.storage.parquet import read_table

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


def test_force_removes_what_the_harness_wrote_and_nothing_else(harness: Harness) -> None:
    cases = CASES / "out-with-a-colon" / "cases.jsonl"
    assert harness("import", "cases", cases, "--out", "REC", "-q").code == 0
    replay = ("replay", "REC", "--out", "RUN", "--point", "items", "-q")
    assert harness(*replay).code == 0
    kept = [Path("RUN/selections/notes.txt"), Path("RUN/mine/a.parquet"), Path("RUN/.mine.part")]
    for path in kept:
        path.parent.mkdir(exist_ok=True)
        path.write_text("mine", encoding="utf-8")
    before = contents(Path("RUN"))
    assert harness(*replay, "--force").code == 0
    assert contents(Path("RUN")) == before
    assert all(path.read_text(encoding="utf-8") == "mine" for path in kept)


def test_force_goes_over_unfinished_work_alone(harness: Harness, tmp_path: Path) -> None:
    cases = CASES / "out-with-a-colon" / "cases.jsonl"
    assert harness("import", "cases", cases, "--out", "REC", "-q").code == 0
    replay = ("replay", "REC", "--out", "RUN", "--point", "items", "-q")
    assert harness(*replay).code == 0
    whole = contents(Path("RUN"))
    run = Path("RUN")
    work = {"schema": "harness.run/1", "work": {"adding": ["items"]}}
    (run / "started.json").write_text(json.dumps(work), encoding="utf-8")
    (run / "manifest.json").unlink()
    (run / "selections" / "000-00009.parquet").write_bytes(b"half")
    (run / "selections" / "notes.txt").write_text("mine", encoding="utf-8")
    assert harness(*replay, "--force").code == 0
    assert contents(run) == whole | {"selections/notes.txt": b"mine"}


def test_a_folder_is_written_by_one_process_at_a_time(harness: Harness, tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from harness.storage.folder import open_output;"
        "folder = open_output(Path('REC'), 'harness.recording/1', {}, ()); folder.start();"
        "print('held', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", program]
    cases = CASES / "out-with-a-colon" / "cases.jsonl"
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=tmp_path, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        finished = harness("import", "cases", cases, "--out", "REC", "--force")
        assert finished.code == 2
        assert f"REC is being written by process {holder.pid} on " in finished.err
        holder.kill()
    assert harness("import", "cases", cases, "--out", "REC", "--force").code == 0
    assert not [path for path in Path("REC").iterdir() if path.name.startswith(".")]


def test_what_was_written_in_the_meantime_is_not_written_over(tmp_path: Path) -> None:
    first, second = (
        open_output(tmp_path / "out", "harness.run/1", {"n": n}, ["table"]) for n in (1, 2)
    )
    first.start()
    first.release()
    with pytest.raises(InputError, match="was written by another process in the meantime"):
        second.start()


def test_many_imports_into_one_folder_leave_one_whole(tmp_path: Path) -> None:
    cases = CASES / "out-with-a-colon" / "cases.jsonl"
    command = [sys.executable, "-m", "harness.cli.main", "import", "cases", str(cases)]
    command += ["--out", "REC"]
    running = [
        subprocess.Popen(
            [*command, "--out", "REC"], cwd=tmp_path, stderr=subprocess.PIPE, text=True
        )
        for _ in range(3)
    ]
    ended = [(process.communicate()[1], process.returncode) for process in running]
    assert {code for _, code in ended} <= {0, 2}
    assert 0 in [code for _, code in ended]
    for said, code in ended:
        assert code == 0 or "another process in the meantime" in said or "written by" in said
    Recording.open(tmp_path / "REC")


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress])
def test_what_unpacks_to_far_more_than_it_is_is_refused(
    pack: Callable[[bytes], bytes], harness: Harness
) -> None:
    Path("bomb").write_bytes(pack((b" " * (1 << 20) + b"\n") * 300))
    for arguments in (
        ("select", "bomb", "--point", "items"),
        ("record", "longmemeval", "bomb", "--out", "REC"),
    ):
        finished = harness(*arguments)
        assert finished.code == 2
        assert "more than 500 times as many" in finished.err


def test_a_line_has_a_largest_size(harness: Harness) -> None:
    with Path("long.jsonl").open("wb") as stream:
        stream.write(b"{}\n" + b" " * (65 << 20))
    finished = harness("select", "long.jsonl", "--point", "items")
    assert finished.code == 2
    assert "line 2 is longer than 64 MB" in finished.err


def test_text_of_a_table_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    data = pa.array([b"\xff\xfe"]).cast(pa.binary()).view(pa.string())
    pq.write_table(pa.table({"text": data}), path)
    with pytest.raises(InputError, match=r"table\.parquet cannot be read"):
        read_table(path)
