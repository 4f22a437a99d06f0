"""What the git repository knows of openings: whether its ledger has only ever grown, and every line
and verdict that is or was there."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.errors import HarnessError
from harness.storage.chain import ChainLine
from harness.storage.git import GIT, hidden_history
from harness.storage.hashing import sha256_of_text
from harness.storage.manifest import MANIFEST_NAME
from harness.words import counted

from .grades import Grades
from .ledger import LEDGER_NAME, Opening, opening_of_line, read_ledger, top_of
from .verdict import Verdict, is_verdict, read_verdict

_NO_LINES = b""
_OF_GRADES = b'"harness.grades/'


@dataclass(frozen=True, slots=True)
class VerdictFile:
    """A verdict that lies in the checkout, and where."""

    path: Path
    verdict: Verdict


def growth_problem(ledger: Path) -> str | None:
    """Say why it is not known that the ledger has only grown; None where git shows that it has.

    Along every commit that HEAD reaches, the ledger of each parent must be a prefix of its child's.
    """
    top = top_of(ledger.parent)
    if top is None:
        return "the history of the ledger: there is no git checkout that would show it"
    hidden = hidden_history(top)
    if hidden is not None:
        return f"the history of the ledger: {hidden}"
    place = ledger.resolve().relative_to(top.resolve()).as_posix()
    listed = _git(top, "rev-list", "--parents", "HEAD")
    commits = [line.split() for line in (listed or b"").decode().splitlines()]
    blobs = _blobs_at(top, [names[0] for names in commits], place)
    contents = _contents(top, {blob for blob in blobs.values() if blob is not None})
    for child, *parents in commits:
        after = contents.get(blobs[child] or "", _NO_LINES)
        for parent in parents:
            before = contents.get(blobs.get(parent) or "", _NO_LINES)
            if not after.startswith(before):
                return (
                    f"the history of the ledger: commit {child[:12]} does not keep the lines that "
                    f"its parent {parent[:12]} has"
                )
    return None


def uncommitted_problem(ledger: Path) -> str | None:
    """Say how the file differs from its last commit other than by added lines; None where it does
    not, and where git has nothing of it."""
    folder = ledger.resolve().parent
    while not folder.is_dir():
        folder = folder.parent
    top = top_of(folder)
    if top is None:
        return None
    place = ledger.resolve().relative_to(top.resolve()).as_posix()
    committed = _git(top, "show", f"HEAD:{place}")
    if not committed:
        return None
    try:
        data = ledger.read_bytes()
    except FileNotFoundError:
        data = b""
    if data.startswith(committed):
        return None
    lines = committed.count(b"\n")
    return (
        f"{ledger} does not begin with the {counted(lines, 'line')} that its last "
        f"commit has: git checkout -- {ledger} restores it"
    )


def openings_elsewhere(ledger: Path, registration: Path | None) -> list[Opening]:
    """List the openings of every other ledger: in the checkout, ignored files too, and in all that
    was ever committed; outside git, in the registration's folder. Each line once.

    Raises `BrokenChainError` for a ledger in the checkout that is not whole.
    """
    folder = (ledger if registration is None else registration).resolve().parent
    top = top_of(ledger.parent)
    paths = {folder / LEDGER_NAME}
    if top is not None:
        paths |= {path for path in _files(top) if path.name.endswith(LEDGER_NAME)}
    paths.discard(ledger.resolve())
    openings: dict[str, Opening] = {}
    for path in sorted(path for path in paths if path.is_file()):
        for opening in read_ledger(path):
            openings.setdefault(opening.line_sha256, opening)
    for opening in _in_history(top):
        openings.setdefault(opening.line_sha256, opening)
    return list(openings.values())


def verdicts_in_checkout(ledger: Path, *beside: Path) -> Iterator[VerdictFile]:
    """Yield every verdict that lies in the checkout, whatever its name, and in the folders of the
    ledger and of the files that are named."""
    top = top_of(ledger.parent)
    paths = set() if top is None else {path for path in _files(top) if path.suffix == ".json"}
    for file in (ledger, *beside):
        paths |= set(file.resolve().parent.glob("*.json"))
    for path in sorted(paths):
        if not is_verdict(path):
            continue
        try:
            yield VerdictFile(path, read_verdict(path))
        except HarnessError:
            continue  # whatever cannot be read says nothing


def grades_in_checkout(ledger: Path) -> Iterator[Grades]:
    """Yield every folder of grades that lies in the checkout, ignored ones too; no outcome leaves
    them."""
    top = top_of(ledger.parent)
    paths = [] if top is None else [path for path in _files(top) if path.name == MANIFEST_NAME]
    for path in sorted(paths):
        try:
            with path.open("rb") as stream:
                if _OF_GRADES in stream.read(256):
                    yield Grades.open(path.parent)
        except (OSError, HarnessError):
            continue  # whatever cannot be read says nothing


def _files(top: Path) -> list[Path]:
    listed = _git(top, "ls-files", "-z", "-c", "-o", "--", f"*{LEDGER_NAME}", "*.json")
    names = (listed or b"").decode("utf-8", "surrogateescape").split("\0")
    return [top.resolve() / name for name in names if name]


def _in_history(top: Path | None) -> Iterator[Opening]:
    """Yield the openings of every ledger that HEAD's history has, whatever became of it since."""
    if top is None:
        return
    how = ("--full-history", "-m", "--root", "--raw", "--no-abbrev", "--no-renames", "--format=")
    listed = _git(top, "-c", "log.showRoot=true", "log", *how, "HEAD", "--", f"*{LEDGER_NAME}")
    paths: dict[str, str] = {}
    for line in (listed or b"").decode("utf-8", "replace").splitlines():
        modes, _, path = line.partition("\t")
        blobs = modes.split(" ")[2:4]
        paths |= {blob: path for blob in blobs if blob.strip("0")}
    for blob, data in _contents(top, paths).items():
        for number, text in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
            opening = _opening(top / paths[blob], number, text)
            if opening is not None:
                yield opening


def _opening(path: Path, number: int, text: str) -> Opening | None:
    """Read a line outside of its chain; None for what is not an opening."""
    try:
        value = json.loads(text)
        return opening_of_line(path, ChainLine(number, value, sha256_of_text(text)))
    except (ValueError, KeyError, TypeError, RecursionError, HarnessError):
        return None


def _blobs_at(top: Path, commits: Sequence[str], place: str) -> Mapping[str, str | None]:
    """Return the blob that stands at the place in each commit; None where there is none."""
    asked = "".join(f"{commit}:{place}\n" for commit in commits).encode()
    answered = _git(top, "cat-file", "--batch-check=%(objectname) %(objecttype)", given=asked)
    lines = (answered or b"").decode("utf-8", "replace").splitlines()
    blobs = [line.split(" ")[0] if line.endswith(" blob") else None for line in lines]
    return dict(zip(commits, blobs, strict=True))


def _contents(top: Path, blobs: Iterable[str]) -> dict[str, bytes]:
    wanted = sorted(blobs)
    data = _git(top, "cat-file", "--batch", given="".join(f"{blob}\n" for blob in wanted).encode())
    contents: dict[str, bytes] = {}
    rest = data or b""
    while rest:
        header, _, rest = rest.partition(b"\n")
        name, kind, *size = header.decode().split(" ")
        if kind == "missing" or not size:
            continue
        length = int(size[0])
        contents[name], rest = rest[:length], rest[length + 1 :]
    return contents


def _git(top: Path, *arguments: str, given: bytes = b"") -> bytes | None:
    command = [*GIT, "-C", str(top), *arguments]
    try:
        finished = subprocess.run(command, input=given, capture_output=True, check=False)
    except OSError:
        return None
    return finished.stdout if finished.returncode == 0 else None
