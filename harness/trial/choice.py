"""A choice: the rule, the table it chose from, and the point, as one JSON file.

`docs/formats/registration.md` describes every key. There is no time in it: the same run, split and
rule give the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from harness.decode import Check, FieldError, Format, decode_file
from harness.decode.format import schema_fault
from harness.errors import InputError
from harness.statistics.exact_number import exact_number
from harness.words import counted

from .choosing import (
    TIES,
    BestMetric,
    Choosable,
    ChoosingRule,
    ClosestCost,
    DevTable,
    RuleName,
)
from .dev_packs import DevPack
from .json_text import json_text
from .plan import ABSENT

SCHEMA = "harness.choice/1"


@dataclass(frozen=True, slots=True)
class ChoiceRow:
    """One policy of the table. `mean_cost` in tokens per dev question; `distance` is from the cost
    aimed at; `affordable`: within the cap; `metric` is the metric's value over `scored` questions.
    None: the rule does not look at it. `accuracy` is a fraction, of a choice from grades."""

    point: str
    aliases: tuple[str, ...]
    mean_cost: float
    distance: float | None = None
    affordable: bool | None = None
    metric: float | None = None
    scored: int | None = None
    accuracy: float | None = field(default=None, metadata=ABSENT)


@dataclass(frozen=True, slots=True)
class ChoicePack:
    """The dev part of a split that points were graded on: its file and hash, how much it weighs as
    written, how many questions count, and the content hash of the grades of each point."""

    split_file: str
    split_sha256: str
    weight: str
    questions: int
    grades: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """`chosen` was picked by `rule` (with `to`, `at_most` and `metric` as it needs them) from
    `table`, cheapest first, over `questions` dev questions, all but `absent` that the run does not
    have. `run_sha256` is the content hash of the run's manifest, `split_sha256` of the split's
    file. A choice from grades has no run; its `packs` say which grades, and it has a
    `split_sha256` where there is one pack.

    A registration holds it as its file has it, so the schema is a field.
    """

    schema: Annotated[str, Check(lambda name: schema_fault(name, SCHEMA))] = SCHEMA
    rule: RuleName
    to: str | None
    at_most: str | None
    metric: str | None
    cost: str
    ties: str
    questions: int
    absent: int
    run_sha256: str | None
    split_sha256: str | None
    chosen: str
    table: tuple[ChoiceRow, ...]
    packs: tuple[ChoicePack, ...] | None = field(default=None, metadata=ABSENT)

    def __post_init__(self) -> None:
        if self.chosen not in (row.point for row in self.table):
            raise FieldError("chosen", f"is {self.chosen!r}, which is not in the table")

    @classmethod
    def read(cls, path: Path) -> Choice:
        """Read a choice; raises `InputError` for any other file."""
        if not path.exists():
            raise InputError(f"{path} does not exist", CHOICE.hint)
        return decode_file(CHOICE, path)

    def text(self) -> str:
        """Return the file, byte for byte."""
        return json_text(self)

    @property
    def splits(self) -> frozenset[str]:
        """Hashes of the files of every split that dev questions were of."""
        packs = self.packs or ()
        hashes = {self.split_sha256, *(pack.split_sha256 for pack in packs)}
        return frozenset(sha256 for sha256 in hashes if sha256 is not None)

    @property
    def sentence(self) -> str:
        """Rule in words."""
        if self.rule == "closest-cost":
            words = f"the point whose dev mean {self.cost} is closest to that of {self.to}"
        elif self.rule == "max-cost":
            words = (
                f"the most expensive point with a dev mean {self.cost} of at most {self.at_most}"
            )
        else:
            best = "accuracy" if self.rule == "best-accuracy" else self.metric
            words = (
                f"the point with the best {best} on dev among those with a dev mean "
                f"{self.cost} of at most {self.at_most}"
            )
        return f"{words}; ties go to {self.ties}{self._weights}"

    @property
    def _weights(self) -> str:
        packs = self.packs or ()
        if len(packs) < 2:
            return ""
        parts = [
            f"{pack.split_file} {pack.weight} ({counted(pack.questions, 'question')})"
            for pack in packs
        ]
        return f"; means are over packs that weigh: {', '.join(parts)}"


CHOICE = Format(
    "choice", Choice, hint="Write it with: harness choose RUN --split FILE --rule RULE --out FILE"
)


def choice_of(
    rule: ChoosingRule,
    table: DevTable,
    chosen: Choosable,
    target: Choosable | None,
    *,
    run_sha256: str | None = None,
    split_sha256: str | None = None,
    packs: Sequence[DevPack] = (),
) -> Choice:
    """Record a choice; `target` is what closest-cost aimed at."""
    if len(packs) == 1:
        split_sha256 = packs[0].split_sha256
    ordered = sorted(table.candidates, key=lambda candidate: (candidate.cost, candidate.point))
    return Choice(
        rule=rule.name,
        to=rule.to if isinstance(rule, ClosestCost) else None,
        at_most=None if isinstance(rule, ClosestCost) else rule.at_most,
        metric=rule.metric if isinstance(rule, BestMetric) else None,
        cost=table.cost_measure,
        ties=TIES,
        questions=table.questions,
        absent=table.absent,
        run_sha256=run_sha256,
        split_sha256=split_sha256,
        chosen=chosen.point,
        table=tuple(_row(candidate, rule, target) for candidate in ordered),
        packs=tuple(map(_pack, packs)) or None,
    )


def _pack(pack: DevPack) -> ChoicePack:
    return ChoicePack(
        pack.split_file,
        pack.split_sha256,
        pack.weight,
        len(pack.questions),
        {str(point): grades.sha256 for point, grades in pack.grades.items()},
    )


def _row(candidate: Choosable, rule: ChoosingRule, target: Choosable | None) -> ChoiceRow:
    value = candidate.metric
    return ChoiceRow(
        point=candidate.point,
        aliases=candidate.aliases,
        mean_cost=float(candidate.cost),
        distance=None if target is None else float(abs(candidate.cost - target.cost)),
        affordable=None
        if isinstance(rule, ClosestCost)
        else candidate.cost <= exact_number(rule.at_most),
        metric=None if value is None else value.value,
        scored=None if value is None else value.scored,
        accuracy=None if candidate.accuracy is None else float(candidate.accuracy),
    )
