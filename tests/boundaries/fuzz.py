"""Broken inputs for every reader: `python -m tests.boundaries.fuzz --count 10000`.

Each input is a valid one that was mutated, by a generator whose seed is its number, so that a
finding is made again by its number alone. A verb must end with 0, 1 or 2 within a time, in little
memory, without a traceback, and with nothing half written.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import io
import json
import random
import resource
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.cli.main import run
from harness.storage.hashing import sha256_of_file, sha256_of_json

from ..make.questions import word_embedder

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures" / "f76bb23"
SECONDS = 20
MEGABYTES = 1024

ODD: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2**31, 2**63, -(2**70), 1e308, -0.0, 0.5, "", " ", "\u0000"),
    *("é", "\u202e", "\x1b[31m", "a" * 3000, "../../x", "2024-13-45", "NaN", [], {}, [[]], [None]),
    *({"": ""}, {"a": {"b": []}}, ["a", "a"], "=1+1", "<script>", 10**400),
)
RAW: tuple[bytes, ...] = (
    *(b"NaN", b"-Infinity", b"1e999", b'"\\ud800"', b"9" * 5000, b"[" * 1500 + b"]" * 1500),
    *(
        b'{"a":1,"a":2}',
        b"\xff",
        b"\x00",
        b"\xef\xbb\xbf",
        b"\n",
        b"'",
        b'"',
        b"{",
        b"]",
        b",",
        b"\r",
    ),
)


@dataclass(frozen=True)
class Reader:
    """A verb that reads `source`, or that file of a folder; `FILE` and `OUT` stand in `verb`."""

    source: str
    verb: str
    inside: str = ""


READERS = (
    Reader("inputs/cases.jsonl", "select FILE --point items --point 2.6.5a1 --point sea"),
    Reader("inputs/cases.jsonl", "import cases FILE --out OUT -q"),
    Reader("inputs/cases-with-vectors.jsonl.gz", "import cases FILE --out OUT -q"),
    Reader("selections/cases.jsonl.gz", "diff FILE selections/cases.jsonl.gz"),
    Reader("inputs/data.json.gz", "record longmemeval FILE --cache CACHE --out OUT -q"),
    Reader(
        "inputs/searches.jsonl",
        "record cpersona inputs/store.db --searches FILE --embedder words --cache CACHE "
        "--out OUT -q",
    ),
    Reader(
        "inputs/store.db",
        "record cpersona FILE --searches inputs/searches.jsonl --embedder words --cache CACHE "
        "--out OUT -q",
    ),
    Reader("inputs/kiln-queries.jsonl", "record lookups inputs/kiln --queries FILE --out OUT -q"),
    Reader("inputs/attempts-before.jsonl", "record lookups inputs/mill --traces FILE --out OUT -q"),
    Reader("inputs/attempts-after.jsonl", "score inputs/mill FILE --out OUT"),
    Reader("scores/before.json", "compare FILE scores/after.json"),
    Reader("inputs/kiln", "world lint FILE", "corpus.json"),
    Reader("inputs/kiln", "world show FILE", "tasks.json"),
    Reader("inputs/kiln", "record lookups FILE --out OUT -q", "rubric.json"),
    Reader(
        "inputs/omni/results",
        "import omnimemeval FILE --dataset inputs/omni/data.json --records inputs/omni/data.json "
        "--point count-curve(k=1) --out OUT -q",
        "memo_lme_search_results.json",
    ),
    Reader(
        "inputs/omni/data.json",
        "import omnimemeval inputs/omni/results --dataset FILE --records FILE "
        "--point count-curve(k=1) --out OUT -q",
    ),
    Reader(
        "inputs/graded-k1-all.jsonl",
        "grades import FILE --format jsonl --point count-curve(k=1) --split inputs/split.json "
        "--questions inputs/questions.jsonl --part all --exploratory --out OUT -q",
    ),
    Reader(
        "inputs/questions.jsonl",
        "grades import inputs/graded-k1-all.jsonl --format jsonl --point count-curve(k=1) --split "
        "inputs/split.json --questions FILE --part all --exploratory --out OUT -q",
    ),
    Reader(
        "inputs/split.json",
        "choose runs/cases --split FILE --rule closest-cost --to count-curve(k=2)",
    ),
    Reader("inputs/plan.toml", "register FILE --register inputs/register.toml --out OUT -q"),
    Reader("registration.json", "report FILE"),
    Reader("trial/registrations/made.verdict.json", "report FILE"),
    Reader("trial/registrations/ledger.jsonl", "ledger FILE --verify"),
    Reader("recordings/cases", "show FILE --verify", "manifest.json"),
    Reader("recordings/cases", "replay FILE --out OUT --point items -q", "records.parquet"),
    Reader(
        "recordings/with-vectors", "replay FILE --out OUT --point evidence -q", "windows.parquet"
    ),
    Reader("recordings/lookups", "show FILE --case t1", "documents.parquet"),
    Reader("recordings/cases", "replay FILE --out OUT --point items -q", "manifest.json"),
    Reader("runs/cases", "evidence FILE", "manifest.json"),
    Reader("runs/cases", "instrument curves FILE", "evidence/000-00000.parquet"),
    Reader("grades/items-dev", "grades show FILE", "manifest.json"),
)


def mutated(data: bytes, draw: random.Random, name: str) -> bytes:
    """The bytes with one to three things broken, in the tree or in the text."""
    if data.startswith(b"\x1f\x8b"):
        if draw.random() < 0.3:
            return _broken(data, draw)
        return gzip.compress(mutated(gzip.decompress(data), draw, name), 1, mtime=0)
    for _ in range(draw.randint(1, 3)):
        as_tree = not name.endswith((".parquet", ".db", ".toml")) and draw.random() < 0.7
        changed = _in_tree(data, draw) if as_tree else None
        data = _broken(data, draw) if changed is None else changed
    return data


def _in_tree(data: bytes, draw: random.Random) -> bytes | None:
    """Change a place of the JSON, or of one line; None for what is JSON no more."""
    lines = data.split(b"\n") if data.count(b"\n{") else [data]
    place = draw.randrange(len(lines))
    try:
        tree = json.loads(lines[place])
    except (ValueError, RecursionError):
        return None
    places = list(_places(tree))
    if not places:
        return None
    holder, key = draw.choice(places)
    action = draw.random()
    if action < 0.55:
        holder[key] = draw.choice(ODD)
    elif action < 0.7:
        del holder[key]
    elif action < 0.8 and isinstance(holder, dict):
        holder[draw.choice(["", "x", "id", "schema", "\x1b", str(key).upper()])] = holder[key]
    elif action < 0.9:
        other, there = draw.choice(places)
        with contextlib.suppress(LookupError, TypeError):
            holder[key] = json.loads(json.dumps(other[there]))
    elif isinstance(holder, list):
        holder.extend(json.loads(json.dumps(holder[:3])))
    lines[place] = json.dumps(tree).encode()
    return b"\n".join(lines)


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    for key in list(value) if isinstance(value, dict) else range(len(value)):
        yield value, key
        if isinstance(value[key], dict | list):
            yield from _places(value[key])


def _broken(data: bytes, draw: random.Random) -> bytes:
    start = draw.randrange(len(data) + 1)
    end = min(len(data), start + draw.choice([0, 0, 1, 2, 8, 64, 4096]))
    ways: list[Callable[[], bytes]] = [
        lambda: data[:start] + draw.choice(RAW) + data[end:],
        lambda: data[:start] + data[end:],
        lambda: data[:start],
        lambda: data[:end] + data[start:],
        lambda: data[:start] + draw.randbytes(4) + data[start + 4 :],
    ]
    return draw.choice(ways)()


def _rehashed(folder: Path, inside: str) -> None:
    """Make the hashes of a manifest hold again, so that what they cover is read."""
    path = folder / "manifest.json"
    if not path.exists():  # a world
        return
    try:
        value = json.loads(path.read_bytes())
        if inside != "manifest.json":
            file = folder / inside
            value["files"][inside] = {"bytes": file.stat().st_size, "sha256": sha256_of_file(file)}
        value.pop("manifest_sha256", None)
        hashes = {name: entry["sha256"] for name, entry in value["files"].items()}
        value["content_sha256"] = sha256_of_json(hashes)
        value["manifest_sha256"] = sha256_of_json(value)
        path.write_text(json.dumps(value), encoding="utf-8")
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return


class _TooLongError(BaseException):
    """Not an `Exception`, so that nothing takes it for an error of the input."""


def _late(*_: object) -> None:
    raise _TooLongError


def finding(number: int, folder: Path) -> str | None:
    """Run the verb of an input in `folder`; what is wrong with how it ended, or None."""
    draw = random.Random(number)
    reader = READERS[number % len(READERS)]
    source = FIXTURES / reader.source
    for other in FIXTURES.iterdir():  # a plan names its inputs from the folder it is run in
        (folder / other.name).symlink_to(other)
    (folder / "given").mkdir()
    given = folder / "given" / source.name
    if reader.inside:
        shutil.copytree(source, given)
        file = given / reader.inside
    else:
        file = given
    name = reader.inside or source.name
    original = (source / reader.inside if reader.inside else source).read_bytes()
    file.write_bytes(mutated(original, draw, name))
    if reader.inside and draw.random() < 0.9:
        _rehashed(given, reader.inside)
    out = folder / "out"
    command = [_part(part, given, out) for part in reader.verb.split()]
    with contextlib.chdir(folder):
        code, said = _ended(command)
    fault = None
    if code not in (0, 1, 2):
        fault = f"exit code {code}"
    elif "Traceback" in said:
        fault = "a traceback"
    elif code == 2 and out.exists():
        fault = "something at --out"
    elif _megabytes() > MEGABYTES:
        fault = f"{_megabytes():,} MB"
    return None if fault is None else f"{number}: {fault}: {' '.join(command)}\n{said[-600:]}"


def _part(part: str, given: Path, out: Path) -> str:
    if part in ("FILE", "OUT", "CACHE"):
        return str({"FILE": given, "OUT": out, "CACHE": out.parent / "cache"}[part])
    return part


def _ended(command: Sequence[str]) -> tuple[int | str, str]:
    printed = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="backslashreplace")
    before = signal.signal(signal.SIGALRM, _late)
    signal.alarm(SECONDS)
    code: int | str
    try:
        with (
            contextlib.redirect_stdout(printed),
            contextlib.redirect_stderr(printed),
        ):
            code = run(list(command))
    except _TooLongError:
        code = f"none after {SECONDS} seconds"
    except UnicodeEncodeError as error:
        code = f"none, but {error}"
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    printed.flush()
    return code, printed.buffer.getvalue().decode("utf-8", "replace")


def _megabytes() -> int:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak // (1024 * 1024 if sys.platform == "darwin" else 1024)


def findings(numbers: Sequence[int], tell: Callable[[str], None] = lambda _: None) -> list[str]:
    """What is wrong with how the verbs of these inputs ended."""
    found = []
    for number in numbers:
        with tempfile.TemporaryDirectory(prefix="fuzz-") as folder, word_embedder():
            wrong = finding(number, Path(folder))
        if wrong is not None:
            found.append(wrong)
            tell(wrong)
    return found


def main() -> int:
    """Run as a command; exit with 1 where something was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0)
    given = parser.parse_args()
    found = findings(range(given.first, given.first + given.count), print)
    print(f"{given.count:,} inputs, {len(found):,} findings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
