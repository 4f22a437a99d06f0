"""A choice: the rule, the table it chose from, and the point, as one JSON file.

`docs/formats/registration.md` describes every key. There is no time in it: the same run, split and
rule give the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from harness.errors import InputError
from harness.storage.manifest import check_schema

from .candidates import Choosable, DevTable
from .rules import TIES, BestMetric, ChoosingRule, ClosestCost, DearestUnder

SCHEMA = "harness.choice/1"


@dataclass(frozen=True, slots=True)
class ChoiceRow:
    """One policy of the table. `mean_cost` in tokens a dev question; `distance` is from the cost
    aimed at; `affordable`: within the cap; `metric` is the metric's value over `scored` questions.
    None: the rule does not look at it."""

    point: str
    aliases: tuple[str, ...]
    mean_cost: float
    distance: float | None = None
    affordable: bool | None = None
    metric: float | None = None
    scored: int | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """`chosen` was picked by `rule` (`closest-cost`, `max-cost` or `best`, with `to`, `at_most` and
    `metric` as it needs them) from `table`, cheapest first, over `questions` dev questions, all
    but `absent` that the run does not have. `run_sha256` is the content hash of the run's manifest,
    `split_sha256` of the split's file."""

    rule: str
    to: str | None
    at_most: str | None
    metric: str | None
    cost: str
    ties: str
    questions: int
    absent: int
    run_sha256: str
    split_sha256: str
    chosen: str
    table: tuple[ChoiceRow, ...]

    @classmethod
    def read(cls, path: Path) -> Choice:
        """Read a choice; raises `InputError` for any other file."""
        try:
            value = json.loads(path.read_bytes().decode("utf-8"))
            check_schema(str(value["schema"]), SCHEMA, path)
            return cls.from_json(value)
        except FileNotFoundError as error:
            raise InputError(f"{path} does not exist", _HINT) from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise InputError(f"{path} is not a choice ({error})", _HINT) from error

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Choice:
        """The choice of that JSON value; raises `KeyError`, `TypeError` or `ValueError`."""
        fields = {key: part for key, part in value.items() if key != "schema"}
        rows = [
            ChoiceRow(**{**row, "aliases": tuple(row["aliases"])}) for row in fields.pop("table")
        ]
        choice = cls(**fields, table=tuple(rows))
        if choice.chosen not in (row.point for row in rows):
            raise ValueError(f"{choice.chosen!r}, which was chosen, is not in its table")
        return choice

    def to_json(self) -> dict[str, Any]:
        """The JSON value, with its schema."""
        return {"schema": SCHEMA, **asdict(self)}

    def text(self) -> str:
        """The file, byte for byte."""
        return json.dumps(self.to_json(), indent=1, ensure_ascii=False) + "\n"

    @property
    def sentence(self) -> str:
        """The rule in words."""
        if self.rule == CLOSEST_COST:
            words = f"the point whose dev mean {self.cost} is closest to that of {self.to}"
        elif self.rule == MAX_COST:
            words = f"the dearest point with a dev mean {self.cost} of at most {self.at_most}"
        else:
            words = (
                f"the point with the best {self.metric} on dev among those with a dev mean "
                f"{self.cost} of at most {self.at_most}"
            )
        return f"{words}; ties go to {self.ties}"


CLOSEST_COST, MAX_COST, BEST = "closest-cost", "max-cost", "best"
_HINT = "Write it with: harness choose RUN --split FILE --rule RULE --out FILE"


def choice_of(
    rule: ChoosingRule,
    table: DevTable,
    chosen: Choosable,
    target: Choosable | None,
    *,
    run_sha256: str,
    split_sha256: str,
) -> Choice:
    """The record of a choice; `target` is what closest-cost aimed at."""
    ordered = sorted(table.candidates, key=lambda candidate: (candidate.cost, candidate.point))
    return Choice(
        rule=_NAMES[type(rule)],
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
    )


_NAMES: dict[type, str] = {ClosestCost: CLOSEST_COST, DearestUnder: MAX_COST, BestMetric: BEST}


def _row(candidate: Choosable, rule: ChoosingRule, target: Choosable | None) -> ChoiceRow:
    value = candidate.metric
    return ChoiceRow(
        point=candidate.point,
        aliases=candidate.aliases,
        mean_cost=float(candidate.cost),
        distance=None if target is None else float(abs(candidate.cost - target.cost)),
        affordable=None
        if isinstance(rule, ClosestCost)
        else candidate.cost <= Fraction(rule.at_most),
        metric=None if value is None else value.value,
        scored=None if value is None else value.scored,
    )
