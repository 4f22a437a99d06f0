"""A split: which questions are for development and which for the test, drawn once by a seed.

A split file names the dev questions by index and id; every other question is test. The published
format (`seed`, `drawn`, `of`, `dev`) is read as it is; this harness adds `dataset_sha256` and
`restricted_to`.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from enum import Enum
from itertools import pairwise
from pathlib import Path
from typing import Any

from harness.errors import Faults, InputError, nearest
from harness.storage.hashing import sha256_of_file

_COUNTS = ("seed", "drawn", "of")
_KEYS = (*_COUNTS, "dataset_sha256", "restricted_to", "dev")
_HINT = "Draw it again with: harness dataset split NAME --seed SEED --dev N --out FILE"


class Part(Enum):
    """A part of a dataset."""

    DEV = "dev"
    TEST = "test"


@dataclass(frozen=True, slots=True)
class SplitQuestion:
    """One dev question; `index` is its position, from 0, in the dataset's full list."""

    index: int
    question_id: str
    question_type: str


@dataclass(frozen=True, slots=True)
class Restriction:
    """The data at hand lacked questions: it has `questions` of them, without `missing` (ids)."""

    questions: int
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Partition:
    """Ids by part, in the order given; `absent` are dev ids that were not among them."""

    dev: tuple[str, ...]
    test: tuple[str, ...]
    absent: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Split:
    """A drawn split. `drawn` of `of` questions are dev; `dev` has fewer only where restricted.

    `dataset_sha256` is None in the published format. `restricted_to` is None when the data had
    every question. `sha256` is of the file it was read from, None for a split just drawn.
    """

    seed: int
    drawn: int
    of: int
    dataset_sha256: str | None
    restricted_to: Restriction | None
    dev: tuple[SplitQuestion, ...]
    sha256: str | None = None

    @property
    def dev_ids(self) -> tuple[str, ...]:
        return tuple(question.question_id for question in self.dev)

    def part_of(self, question_id: str) -> Part:
        """The part of a question of the dataset; raises `InputError` for one it was made without.

        A split does not list the test questions, so any other id is taken as one of the dataset's.
        """
        if self.restricted_to and question_id in self.restricted_to.missing:
            raise InputError(
                f"question {question_id!r} is not in the data that this split was restricted to",
                _HINT,
            )
        return Part.DEV if question_id in self.dev_ids else Part.TEST

    def partition(self, question_ids: Iterable[str]) -> Partition:
        """The ids of a dataset, or of some of its questions, by part.

        Raises `InputError` when they cannot be of the split's dataset: more than it has, or none
        that is dev though the split has some.
        """
        ids = tuple(question_ids)
        dev = frozenset(self.dev_ids)
        there = frozenset(ids)
        reason = None
        if len(there) > self.of:
            reason = f"{len(there):,} questions, more than the {self.of:,} it was drawn from"
        elif dev and not dev & there:
            reason = f"none of its {len(dev):,} dev questions is there"
        if reason:
            raise InputError(
                f"the split is not one of this data: {reason}",
                "Give the split that was drawn for this dataset.",
            )
        absent = tuple(question_id for question_id in self.dev_ids if question_id not in there)
        return Partition(
            tuple(question_id for question_id in ids if question_id in dev),
            tuple(question_id for question_id in ids if self.part_of(question_id) is Part.TEST),
            absent,
        )

    def text(self) -> str:
        """The split file that this harness writes."""
        value = asdict(self)
        del value["sha256"]
        return json.dumps(value, indent=1, ensure_ascii=False) + "\n"


def drawn_indices(seed: int, drawn: int, of: int) -> list[int]:
    """`drawn` positions out of `of`, ascending, as Python's generator draws them for `seed`."""
    return sorted(random.Random(seed).sample(range(of), drawn))  # noqa: S311 (a fixed draw)


def read_split(path: Path) -> Split:
    """Read a split file, published or ours; raises `InputError` naming every fault by field."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise InputError(f"{path} does not exist", _HINT) from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is not JSON: {error}", _HINT) from error
    if not isinstance(value, dict):
        raise InputError(f"{path}: expected an object with {', '.join(_KEYS)}", _HINT)
    faults = Faults()
    for message in _field_faults(value):
        faults.add(message)
    faults.raise_if_any(str(path), _HINT)
    split = _split(value, sha256_of_file(path))
    for message in _draw_faults(split):
        faults.add(message)
    faults.raise_if_any(str(path), _HINT)
    return split


def _split(value: Mapping[str, Any], sha256: str) -> Split:
    restricted = value.get("restricted_to")
    return Split(
        seed=value["seed"],
        drawn=value["drawn"],
        of=value["of"],
        dataset_sha256=value.get("dataset_sha256"),
        restricted_to=restricted
        and Restriction(restricted["questions"], tuple(restricted["missing"])),
        dev=tuple(SplitQuestion(**entry) for entry in value["dev"]),
        sha256=sha256,
    )


def _field_faults(value: Mapping[str, Any]) -> Iterator[str]:
    for key in value.keys() - set(_KEYS):
        yield f"unknown key {key!r}{nearest(key, _KEYS)}"
    for key in _COUNTS:
        if not _is_count(value.get(key)):
            yield f"{key}: {value.get(key)!r} is not an integer of 0 or more"
    sha256 = value.get("dataset_sha256")
    if sha256 is not None and not isinstance(sha256, str):
        yield f"dataset_sha256: {sha256!r} is not a text"
    restricted = value.get("restricted_to")
    if restricted is not None and not _is_restriction(restricted):
        yield "restricted_to: expected null or an object with questions (count) and missing (ids)"
    if not isinstance(value.get("dev"), list):
        yield "dev: expected a list of questions"
        return
    wanted = {"index": int, "question_id": str, "question_type": str}
    for position, entry in enumerate(value["dev"]):
        types = {key: type(part) for key, part in entry.items()} if isinstance(entry, dict) else {}
        if types != wanted:
            yield (
                f"dev[{position}]: expected an object with index (an integer), question_id and "
                f"question_type (texts), found {json.dumps(entry, ensure_ascii=False)[:80]}"
            )


def _draw_faults(split: Split) -> Iterator[str]:
    if not 0 < split.drawn <= split.of:
        yield f"drawn: {split.drawn} is not between 1 and of, {split.of}"
        return
    for position, (before, question) in enumerate(pairwise(split.dev), 1):
        if question.index <= before.index:
            yield f"dev[{position}].index: {question.index} does not come after {before.index}"
        if question.question_id in split.dev_ids[:position]:
            yield f"dev[{position}].question_id: {question.question_id!r} is there twice"
    drawn = drawn_indices(split.seed, split.drawn, split.of)
    for position, question in enumerate(split.dev):
        if question.index not in drawn:
            yield (
                f"dev[{position}].index: {question.index} is not drawn by seed {split.seed} "
                f"({split.drawn} of {split.of})"
            )
    lacking = split.drawn - len(split.dev)
    missing = split.restricted_to.missing if split.restricted_to else ()
    if not 0 <= lacking <= len(missing):
        yield f"dev: has {len(split.dev)} questions, drawn is {split.drawn}, {len(missing)} missing"
    for question_id in set(split.dev_ids) & set(missing):
        yield f"restricted_to.missing: {question_id!r} is in dev"
    if split.restricted_to and split.restricted_to.questions + len(missing) != split.of:
        yield f"restricted_to: questions and missing do not add up to of, {split.of}"


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_restriction(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() == {"questions", "missing"}
        and _is_count(value["questions"])
        and isinstance(value["missing"], list)
        and all(isinstance(question_id, str) for question_id in value["missing"])
    )
