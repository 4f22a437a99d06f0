"""A split: which questions are for development and which for the test, drawn once by a seed.

A split file names the dev questions by index and id; every other question is test. The published
format (`seed`, `drawn`, `of`, `dev`) is read as it is; this harness adds `dataset_sha256` and
`restricted_to`.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import asdict, dataclass, field
from enum import Enum
from itertools import pairwise
from pathlib import Path
from typing import Annotated

from harness.decode import Count, Format, at_least, decode_file
from harness.errors import Faults, InputError, nearest
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
    of a register, which has the list. `categories`: those that were drawn, whose questions are dev;
    None where questions were drawn. `sha256` is of the file it was read from, None for a split just
    drawn.
    """

    seed: Annotated[int, at_least(0)]
    drawn: Count
    of: Count
    dataset_sha256: str | None = None
    restricted_to: Restriction | None = None
    dev: tuple[SplitQuestion, ...]
    questions: tuple[ListedQuestion, ...] | None = None
    categories: tuple[str, ...] | None = None
    sha256: str | None = field(default=None, init=False)

    @property
    def dev_ids(self) -> tuple[str, ...]:
        return tuple(question.question_id for question in self.dev)

    def part_of(self, question_id: str) -> Part:
        """Return the part of a question of the dataset; raises `InputError` for one it was made
        without.

        A split does not list the test questions, so any other id is taken as one of the dataset's.
        An attempt at a listed task, `TASK#REPEAT`, is of the part of its task.
        """
        question_id = self.question_of(question_id)
        if self.restricted_to and question_id in self.restricted_to.missing:
            raise InputError(
                f"question {question_id!r} is not in the data that this split was restricted to",
                _HINT,
            )
        return Part.DEV if question_id in self.dev_ids else Part.TEST

    def question_of(self, case_id: str) -> str:
        """Return the question that a case asks: the listed task of an attempt, else its own id."""
        task = case_id.rpartition("#")[0]
        if not task:
            return case_id
        listed = {question.question_id for question in self.questions or ()}
        return task if case_id not in listed and task in listed else case_id

    def listed(self, part: str) -> tuple[str, ...]:
        """Return the ids of a part, `dev`, `test` or `all`, in the order of the list that the split
        holds; raises `InputError` for a split of a register's dataset, which holds none."""
        if self.questions is None:
            raise InputError(
                "the split does not list its questions, so it is not one of a world",
                "Draw one with: harness dataset split WORLD --seed SEED --dev N --out FILE",
            )
        ids = (question.question_id for question in self.questions)
        return tuple(each for each in ids if part in ("all", self.part_of(each).value))

    def of_part(self, part: str, case_ids: Iterable[str]) -> tuple[str, ...]:
        """Select the cases of a part, `dev`, `test` or `all`, in their order.

        Raises `InputError` for a case that asks none of the questions that the split lists, and
        where no case is of the part.
        """
        ids = tuple(case_ids)
        known = frozenset(self.listed("all"))
        for case_id in ids:
            if (question := self.question_of(case_id)) not in known:
                raise InputError(
                    f"{case_id!r} is not in the list of the split{nearest(question, known)}",
                    "Use the split that was drawn for this world.",
                )
        chosen = tuple(each for each in ids if part in ("all", self.part_of(each).value))
        if not chosen:
            raise InputError(f"none of {len(ids)} cases is of the part {part}", "Use another part.")
        return chosen

    def partition(self, question_ids: Iterable[str]) -> Partition:
        """Return the ids of a dataset, or of some of its questions, by part.

        Raises `InputError` when they cannot be of the split's dataset: more than it has, or none
        that is dev though the split has some.
        """
        ids = tuple(question_ids)
        dev = frozenset(self.dev_ids)
        asked = {question_id: self.question_of(question_id) for question_id in ids}
        present = frozenset(asked.values())
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
            tuple(question_id for question_id in ids if asked[question_id] in dev),
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
        for optional in ("questions", "categories"):
            if value[optional] is None:
                del value[optional]
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
    if split.categories is not None:
        yield from _category_faults(split, split.categories)
        return
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


def drawn_categories(questions: Sequence[ListedQuestion], seed: int, drawn: int) -> tuple[str, ...]:
    """Return `drawn` of the categories, which are sorted, as `seed` draws them."""
    names = sorted({question.question_type for question in questions})
    return tuple(names[index] for index in drawn_indices(seed, drawn, len(names)))


def _category_faults(split: Split, categories: tuple[str, ...]) -> Iterator[str]:
    """Say where dev is not all questions of the categories that the seed draws."""
    listed = split.questions
    if listed is None:
        yield "questions is missing, and a split by category lists them"
        return
    names = {question.question_type for question in listed}
    if not 0 < len(categories) < len(names):
        yield f"categories has {len(categories)} of the {len(names)} categories of questions"
    elif categories != (wanted := drawn_categories(listed, split.seed, len(categories))):
        yield f"categories is {list(categories)}, and seed {split.seed} draws {list(wanted)}"
    else:
        dev = tuple(each.question_id for each in listed if each.question_type in categories)
        if dev != split.dev_ids or split.drawn != len(dev):
            yield f"dev is not the {len(dev)} questions of the categories"


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
