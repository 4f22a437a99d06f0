"""A split: which questions are for development and which for the test, drawn once by a seed.

A split file names the dev questions by index and id; every other question is test. The published
format (`seed`, `drawn`, `of`, `dev`) is read as it is; this harness adds `dataset_sha256` and
`restricted_to`.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterable, Iterator
from copy import copy
from dataclasses import asdict, dataclass, field
from enum import Enum
from itertools import pairwise
from pathlib import Path
from typing import Annotated

from harness.decode import Count, Format, at_least, decode_file
from harness.errors import Faults, InputError
from harness.storage.hashing import sha256_of_file
from harness.words import counted

from .question_list import ListedQuestion

_HINT = "Draw it again with: harness dataset split NAME --seed SEED --dev N --out FILE"


class Part(Enum):
    """A part of a dataset."""

    DEV = "dev"
    TEST = "test"


@dataclass(frozen=True, slots=True)
class SplitQuestion:
    """One dev question; `index` is its position, from 0, in the dataset's full list."""

    index: Count
    question_id: str
    question_type: str


@dataclass(frozen=True, slots=True)
class Restriction:
    """The data at hand lacked questions: it has `questions` of them, without `missing` (ids)."""

    questions: Count
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Partition:
    """Ids by part, in the order given; `absent` are dev ids that were not among them."""

    dev: tuple[str, ...]
    test: tuple[str, ...]
    absent: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """A drawn split. `drawn` of `of` questions are dev; `dev` has fewer only where restricted.

    `dataset_sha256` is None in the published format. `restricted_to` is None when the data had
    every question. `questions` is the full list, of a split of one's own cases; None for a dataset
    of a register, which has the list. `sha256` is of the file it was read from, None for a split
    just drawn.
    """

    seed: Annotated[int, at_least(0)]
    drawn: Count
    of: Count
    dataset_sha256: str | None = None
    restricted_to: Restriction | None = None
    dev: tuple[SplitQuestion, ...]
    questions: tuple[ListedQuestion, ...] | None = None
    sha256: str | None = field(default=None, init=False)

    @property
    def dev_ids(self) -> tuple[str, ...]:
        return tuple(question.question_id for question in self.dev)

    def part_of(self, question_id: str) -> Part:
        """Return the part of a question of the dataset; raises `InputError` for one it was made
        without.

        A split does not list the test questions, so any other id is taken as one of the dataset's.
        """
        if self.restricted_to and question_id in self.restricted_to.missing:
            raise InputError(
                f"question {question_id!r} is not in the data that this split was restricted to",
                _HINT,
            )
        return Part.DEV if question_id in self.dev_ids else Part.TEST

    def partition(self, question_ids: Iterable[str]) -> Partition:
        """Return the ids of a dataset, or of some of its questions, by part.

        Raises `InputError` when they cannot be of the split's dataset: more than it has, or none
        that is dev though the split has some.
        """
        ids = tuple(question_ids)
        dev = frozenset(self.dev_ids)
        present = frozenset(ids)
        reason = None
        if len(present) > self.of:
            reason = (
                f"{counted(len(present), 'question')}, more than the {self.of:,} it was drawn from"
            )
        elif dev and not dev & present:
            reason = f"none of its {counted(len(dev), 'dev question')} is there"
        if reason:
            raise InputError(
                f"the split is not one of this data: {reason}",
                "Use the split that was drawn for this dataset.",
            )
        absent = tuple(question_id for question_id in self.dev_ids if question_id not in present)
        return Partition(
            tuple(question_id for question_id in ids if question_id in dev),
            tuple(question_id for question_id in ids if self.part_of(question_id) is Part.TEST),
            absent,
        )

    def read_from(self, sha256: str) -> Split:
        """Return the split as that of a file with this hash."""
        split = copy(self)
        object.__setattr__(split, "sha256", sha256)  # no key of a split file, so not of __init__
        return split

    def text(self) -> str:
        """Return the split file that this harness writes."""
        value = asdict(self)
        del value["sha256"]
        if self.questions is None:
            del value["questions"]
        return json.dumps(value, indent=1, ensure_ascii=False) + "\n"


def drawn_indices(seed: int, drawn: int, of: int) -> list[int]:
    """Return `drawn` positions out of `of`, ascending, as Python's generator draws them for
    `seed`."""
    return sorted(random.Random(seed).sample(range(of), drawn))  # noqa: S311 (a fixed draw)


def read_split(path: Path) -> Split:
    """Read a split file, published or ours; raises `InputError` naming every fault by field."""
    split = decode_file(_SPLIT, path).read_from(sha256_of_file(path))
    faults = Faults()
    for message in _draw_faults(split):
        faults.add(message)
    faults.raise_if_any(str(path), _HINT)
    return split


_SPLIT = Format("split", Split, hint=_HINT)


def _draw_faults(split: Split) -> Iterator[str]:
    if not 0 < split.drawn <= split.of:
        yield f"drawn is {split.drawn}, expected 1 to of, {split.of}"
        return
    for position, (before, question) in enumerate(pairwise(split.dev), 1):
        if question.index <= before.index:
            yield f"dev[{position}].index is {question.index}, expected more than {before.index}"
        if question.question_id in split.dev_ids[:position]:
            yield f"dev[{position}].question_id is {question.question_id!r}, as before it"
    if split.questions is not None:
        yield from _list_faults(split, split.questions)
    drawn = drawn_indices(split.seed, split.drawn, split.of)
    for position, question in enumerate(split.dev):
        if question.index not in drawn:
            yield (
                f"dev[{position}].index is {question.index}, not drawn by seed {split.seed} "
                f"({split.drawn} of {split.of})"
            )
    lacking = split.drawn - len(split.dev)
    missing = split.restricted_to.missing if split.restricted_to else ()
    if not 0 <= lacking <= len(missing):
        yield (
            f"dev has {counted(len(split.dev), 'question')}, drawn is "
            f"{split.drawn}, {len(missing)} missing"
        )
    for question_id in set(split.dev_ids) & set(missing):
        yield f"restricted_to.missing names {question_id!r}, which is in dev"
    if split.restricted_to and split.restricted_to.questions + len(missing) != split.of:
        yield f"restricted_to.questions and missing do not add up to of, {split.of}"


def _list_faults(split: Split, questions: tuple[ListedQuestion, ...]) -> Iterator[str]:
    """Say where the list of questions is not the one that was drawn from."""
    if len(questions) != split.of:
        yield f"questions has {counted(len(questions), 'question')}, of is {split.of}"
    names = [question.question_id for question in questions]
    for name, times in Counter(names).items():
        if times > 1:
            yield f"questions names {name!r} {times} times"
    for position, question in enumerate(split.dev):
        if names[question.index : question.index + 1] != [question.question_id]:
            yield f"dev[{position}].question_id is not that of questions[{question.index}]"
