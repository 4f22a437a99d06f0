"""A chain of lines shows every edit, removal and insertion but those at its end."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import HarnessError
from harness.storage.chain import BrokenChainError, locked_chain, read_chain
from harness.storage.hashing import sha256_of_text


def make(path: Path, count: int = 3) -> list[str]:
    """A chain of `count` lines, and its lines."""
    for place in range(count):
        with locked_chain(path) as chain:
            chain.append({"kind": "made", "text": f"line {place} … ü"})
    return path.read_text(encoding="utf-8").splitlines()


def test_each_line_holds_the_hash_of_the_one_before(tmp_path: Path) -> None:
    texts = make(tmp_path / "chain.jsonl")
    lines = [json.loads(text) for text in texts]
    assert [line["number"] for line in lines] == [1, 2, 3]
    assert [line["previous"] for line in lines] == [None, *map(sha256_of_text, texts[:2])]
    read = read_chain(tmp_path / "chain.jsonl")
    assert [line.value for line in read] == [
        {"kind": "made", "text": f"line {place} … ü"} for place in range(3)
    ]
    assert [line.text_sha256 for line in read] == [sha256_of_text(text) for text in texts]


def test_no_file_is_an_empty_chain(tmp_path: Path) -> None:
    assert read_chain(tmp_path / "none.jsonl") == ()


EDITS: dict[str, tuple[Callable[[list[str]], list[str]], int, str]] = {
    "edited": (lambda lines: [lines[0], lines[1].replace("line", "LINE"), lines[2]], 2, "edited"),
    "edited at the end": (lambda lines: [*lines[:2], lines[2].replace("line", "x")], 3, "edited"),
    "removed": (lambda lines: [lines[0], lines[2]], 2, "says that it is line 3"),
    "swapped": (lambda lines: [lines[1], lines[0], lines[2]], 1, "says that it is line 2"),
    "twice": (lambda lines: [lines[0], *lines], 2, "says that it is line 1"),
    "not JSON": (lambda lines: [lines[0], "{", lines[2]], 2, "not JSON"),
    "blank": (lambda lines: [lines[0], "", *lines[1:]], 2, "not JSON"),
    "a number": (lambda lines: ["1", *lines[1:]], 1, "has no kind"),
    "not a number": (lambda lines: [lines[0][:-1] + ', "x": NaN}', *lines[1:]], 1, "x is nan"),
    "a key twice": (
        lambda lines: [lines[0][:-1] + ', "kind": "made"}', *lines[1:]],
        1,
        "has the key 'kind' twice",
    ),
}


@pytest.mark.parametrize("edit", EDITS)
def test_a_broken_line_is_named(tmp_path: Path, edit: str) -> None:
    path = tmp_path / "chain.jsonl"
    change, number, problem = EDITS[edit]
    path.write_text("".join(f"{line}\n" for line in change(make(path))), encoding="utf-8")
    with pytest.raises(BrokenChainError, match=f"line {number}: .*{problem}") as found:
        read_chain(path)
    assert found.value.number == number


def test_a_line_that_was_cut(tmp_path: Path) -> None:
    path = tmp_path / "chain.jsonl"
    make(path)
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(BrokenChainError, match="line 3: has no line end"):
        read_chain(path)


def test_a_rewritten_line_breaks_the_next(tmp_path: Path) -> None:
    """With its own hash made anew, an edited line no longer fits the one after it."""
    path = tmp_path / "chain.jsonl"
    lines = make(path)
    with locked_chain(tmp_path / "third.jsonl") as chain:
        chain.append({"kind": "made", "text": "another"})
    another = (tmp_path / "third.jsonl").read_text(encoding="utf-8").rstrip("\n")
    path.write_text("".join(f"{line}\n" for line in [another, *lines[1:]]), encoding="utf-8")
    with pytest.raises(BrokenChainError, match="line 2: follows a line with sha256"):
        read_chain(path)


@given(st.data())
def test_any_changed_byte_breaks_it(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    path = tmp_path_factory.mktemp("chain") / "chain.jsonl"
    make(path, 2)
    content = bytearray(path.read_bytes())
    place = data.draw(st.integers(0, len(content) - 1))
    byte = data.draw(st.integers(0, 255).filter(lambda value: value != content[place]))
    before = [line.value for line in read_chain(path)]
    content[place] = byte
    path.write_bytes(bytes(content))
    try:
        after = [line.value for line in read_chain(path)]
    except BrokenChainError:
        return
    # white space between tokens is no change of what is said
    assert after == before


@pytest.mark.parametrize("step", ["write", "fsync", "replace"])
def test_an_append_that_fails_leaves_the_file_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    path = tmp_path / "chain.jsonl"
    make(path)
    before = path.read_bytes()
    plain = Path.write_bytes

    def half(file: Path, data: bytes) -> int:
        plain(file, data[:-20])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    ways: dict[str, tuple[object, str, object]] = {
        "write": (Path, "write_bytes", half),
        "fsync": (os, "fsync", full),
        "replace": (Path, "replace", full),
    }
    with monkeypatch.context() as patch, locked_chain(path) as chain:
        patch.setattr(*ways[step])
        with pytest.raises(HarnessError, match="no room left"):
            chain.append({"kind": "made"})
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]
    with locked_chain(path) as chain:
        assert chain.append({"kind": "made"}).number == 4


def test_two_lines_under_one_lock(tmp_path: Path) -> None:
    path = tmp_path / "chain.jsonl"
    with locked_chain(path) as chain:
        assert [chain.append({"kind": "made"}).number for _ in range(2)] == [1, 2]
    assert [line.number for line in read_chain(path)] == [1, 2]


def test_who_waits_for_the_lock_sees_what_was_appended(tmp_path: Path) -> None:
    path = tmp_path / "chain.jsonl"
    program = (
        "import sys; from pathlib import Path; from harness.storage.chain import locked_chain\n"
        "for _ in range(20):\n"
        "    with locked_chain(Path(sys.argv[1])) as chain: chain.append({'kind': 'made'})"
    )
    running = [subprocess.Popen([sys.executable, "-c", program, str(path)]) for _ in range(2)]
    assert [process.wait() for process in running] == [0, 0]
    assert len(read_chain(path)) == 40


def test_a_link_and_the_permissions_stay(tmp_path: Path) -> None:
    path = tmp_path / "elsewhere" / "chain.jsonl"
    path.parent.mkdir()
    make(path, 1)
    path.chmod(0o600)
    link = tmp_path / "chain.jsonl"
    link.symlink_to(path)
    make(link, 1)
    assert link.is_symlink()
    assert len(read_chain(path)) == 2
    assert path.stat().st_mode & 0o777 == 0o600
