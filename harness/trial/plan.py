"""A plan: what is asked of the test questions and by which rule, fixed before a grade is read.

The types are the format: a plan's TOML has these keys, and a registration's `plan` the same ones
with the hashes of what the plan names. Decimals are text that is meant exactly.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from typing import Annotated, Any, Literal

from harness.datasets.split import Part
from harness.decode import Check, Example, FieldError, Parsed, Sha256, Via, keys, named, quoted
from harness.errors import nearest
from harness.points import Point, parse_point
from harness.statistics.counts import Level
from harness.statistics.exact_number import exact_number
from harness.statistics.mc_compat import IdOrder
from harness.statistics.methods import METHODS, PLAN_METHODS, McCompat, PlanMethod
from harness.statistics.rules import Rule, parse_rule

COST_MEASURES = ("context_tokens", "prompt_tokens_api", "prompt_tokens_estimated")
"""What a cost can be, in tokens per question: of the context text alone (`cl100k_base`), or of the
reader's whole prompt as its API reported it or as estimated."""

API_MEASURE = "prompt_tokens_api"
"""The measure that only the reader's API can give."""

MOST_DECIMALS = 12
"""More decimals than this are a slip, and make exact arithmetic slow."""

_DECIMAL = re.compile(r"(?:[0-9]*\.)?[0-9]+")
_CAP = re.compile(r"\s*(?P<measure>[^\s<>=]+)\s*(?P<sign>[<>=]++)\s*(?P<limit>\S+)\s*")
_TOKENS = re.compile(r"\d{1,9}(\.\d{1,6})?")
_UNITS = ("points", "point")


class RuleRole(Enum):
    """What a rule decides: the question of the plan, or something reported next to it."""

    PRIMARY = "primary"
    SECONDARY = "secondary"


class Correction(Enum):
    """How the primary rules are corrected for being several."""

    NONE = "none"
    HOLM = "holm"


class ExclusionRule(Enum):
    """A rule by which questions leave the cohort; each is counted, none is named by hand."""

    ABSTENTION = "abstention"
    NO_ANSWER_IN_EVIDENCE = "no-answer-in-evidence"


@dataclass(frozen=True, slots=True)
class CostCap:
    """The mean cost per question that the point may have: `measure` <= `at_most` tokens."""

    measure: str
    at_most: str

    @classmethod
    def parse(cls, text: str) -> CostCap:
        """Read `prompt_tokens_api <= 1000`; raises `ValueError` saying what is wrong."""
        match = _CAP.fullmatch(text)
        if match is None:
            raise ValueError(f"{text!r} is not spelled MEASURE <= TOKENS")
        if (fault := measure_fault(match["measure"])) is not None:
            raise ValueError(f"{text!r}: {fault}")
        if match["sign"] != "<=":
            raise ValueError(f"{text!r}: a cap is written with <=, not {match['sign']}")
        if not _TOKENS.fullmatch(match["limit"]):
            raise ValueError(f"{text!r}: {match['limit']!r} is not a number of tokens")
        return cls(match["measure"], match["limit"])

    def __str__(self) -> str:
        return f"{self.measure} <= {self.at_most}"

    @property
    def limit(self) -> Fraction:
        return exact_number(self.at_most)


def measure_fault(measure: str) -> str | None:
    """Say what is wrong with the name of a cost measure."""
    if measure in COST_MEASURES:
        return None
    close = nearest(measure, COST_MEASURES)
    return f"{measure!r} is not a cost measure with a unit ({', '.join(COST_MEASURES)}){close}"


def decimal_text(value: Any) -> str:
    """Keep a decimal strictly between 0 and 1 as it was written, as a number or as text."""
    written = isinstance(value, int | Decimal) and not isinstance(value, bool)
    number = None
    if written or (isinstance(value, str) and _DECIMAL.fullmatch(value)):
        number = Decimal(value)
    if number is None or not number.is_finite() or not 0 < number < 1:
        raise FieldError("", f"is {named(value)}, expected a decimal between 0 and 1, such as 0.05")
    if number != round(number, MOST_DECIMALS):
        raise FieldError("", f"is {named(value)}, which has more than {MOST_DECIMALS} decimals")
    return f"{number:f}"


def planned_rule(text: str) -> Rule:
    """Parse a rule whose margin names its unit, zero too: a bare 0.02 could be meant either way."""
    rule = parse_rule(text)
    if not text.rstrip().endswith(_UNITS):
        raise ValueError(f"{text!r}: the margin has no unit; write {str(rule)!r}")
    return rule


def _level(value: Any) -> Level:
    return Level.of(decimal_text(value))


def _says_nothing(value: str) -> str | None:
    return None if value.strip() else f"is {quoted(value)}, which says nothing"


def _measure_wrong(name: str) -> str | None:
    fault = measure_fault(name)
    return None if fault is None else f": {fault}"


def _method_wrong(name: str) -> str | None:
    if name in PLAN_METHODS:
        return None
    known = ", ".join(PLAN_METHODS)
    return f"is {quoted(name)}, expected one of {known}{nearest(name, PLAN_METHODS)}"


def _part_wrong(part: str) -> str | None:
    if part == Part.TEST.value:
        return None
    return f'is {quoted(part)}, which cannot be registered; a registration seals part = "test"'


def _negative(value: int) -> str | None:
    return f"is {value}, expected 0 or more" if value < 0 else None


Words = Annotated[str, Check(_says_nothing)]
"""A text that says something."""

Fractional = Annotated[str, Via(Any, decimal_text)]
PlanPoint = Annotated[Point, Parsed(parse_point), Example('"2.6.5a1(budget=2800)"')]
Measure = Annotated[str, Check(_measure_wrong), Example('"context_tokens"')]
MethodName = Annotated[str, Check(_method_wrong), Example('"exact"')]
Seed = Annotated[int, Check(_negative)]


@dataclass(frozen=True, slots=True)
class RegisteredRule:
    """One rule: met when the interval of (point - `against`) satisfies `met_when`, and the point's
    mean cost its cap.

    A plan may leave out `interval`, which is resolved when it is read. `seed` and `id_order` belong
    to mc-compat alone, which `method` makes one value of.
    """

    name: Annotated[Words, Example('"better at the same cost"')]
    role: RuleRole
    against: PlanPoint
    interval: MethodName
    level: Annotated[Level, Via(Any, _level), Example("0.95")]
    met_when: Annotated[Rule, Parsed(planned_rule), Example('"lower > 0 points"')]
    cost: (
        Annotated[CostCap, Parsed(CostCap.parse), Example('"prompt_tokens_api <= 1000"')] | None
    ) = None
    seed: Seed | None = None
    id_order: IdOrder | None = None

    def __post_init__(self) -> None:
        faults = []
        if self.interval == McCompat.name:
            if self.level.value != McCompat.level.value:
                message = f"is {self.level}, and mc-compat is defined at {McCompat.level} alone"
                faults.append((("level",), message))
            if self.seed is None:
                faults.append((("seed",), "is missing; write a whole number, such as 20261003"))
            if self.id_order is None:
                faults.append((("id_order",), 'is missing; write "text" or "integer"'))
        else:
            faults += [
                ((key,), f'belongs to interval = "{McCompat.name}"; {self.interval} draws nothing')
                for key in ("seed", "id_order")
                if getattr(self, key) is not None
            ]
        if faults:
            raise FieldError(faults=faults)

    @property
    def method(self) -> PlanMethod:
        """Method of the interval, with all that it needs."""
        if self.seed is None or self.id_order is None:
            return METHODS[self.interval]
        return McCompat(self.seed, self.id_order)


def holm_fault(correction: Correction, primary: Sequence[RegisteredRule]) -> str | None:
    """Say why Holm's procedure cannot step through the p-values of the primary rules."""
    if correction is not Correction.HOLM:
        return None
    if any(rule.interval == McCompat.name for rule in primary):
        return "a primary rule by mc-compat, which has one level, cannot be corrected by holm"
    levels = {rule.level.value: rule.level.text for rule in primary}
    if len(levels) > 1:
        several = ", ".join(levels.values())
        return f"under holm the primary rules have one level, and these have {several}"
    return None


@dataclass(frozen=True, slots=True)
class DatasetPin:
    """The dataset: its name in the register, or any name of own cases, whose split lists the
    questions; and the hash of its unpacked content."""

    name: Annotated[Words, Example('"longmemeval-s"')]
    sha256: Sha256


@dataclass(frozen=True, slots=True)
class SplitName:
    """The split's file, and the part that is judged."""

    file: Annotated[Words, Example('"datasets/splits/longmemeval-s.json"')]
    part: Annotated[str, Check(_part_wrong), Example('"test"')]


@dataclass(frozen=True, slots=True)
class SplitPin(SplitName):
    """The split with the hash of its file."""

    sha256: Sha256


@dataclass(frozen=True, slots=True)
class ControlName:
    """A point to compare with, and where its grades are, if they are older than the plan."""

    spec: PlanPoint
    grades: Annotated[Words, Example('"grades/four-items"')] | None = None


@dataclass(frozen=True, slots=True)
class Control(ControlName):
    """A control with the content hash of its grades; None where they are first given to `judge`."""

    grades_sha256: Sha256 | None = None


@dataclass(frozen=True, slots=True)
class SameCost:
    """The check that the point costs what a control costs, within a fraction of the control's."""

    measure: Measure
    within: Annotated[Fractional, Example("0.05")]

    @property
    def tolerance(self) -> Fraction:
        return exact_number(self.within)


@dataclass(frozen=True, slots=True)
class Exclusions:
    """The rules by which questions leave the cohort."""

    exclude: tuple[ExclusionRule, ...] = ()

    def __post_init__(self) -> None:
        for place, rule in enumerate(self.exclude):
            if rule in self.exclude[:place]:
                raise FieldError("exclude", f"has {rule.value!r} twice")


@dataclass(frozen=True, slots=True)
class RecordingPin:
    """The recording that the contexts are of, by its content hash."""

    sha256: Sha256 | None


@dataclass(frozen=True, slots=True)
class PointTable:
    """The point that is tested."""

    spec: PlanPoint


@dataclass(frozen=True, slots=True)
class ModelTable:
    """A reader or a judge by the name of its model."""

    model: Annotated[Words, Example('"gpt-4.1-mini-2025-04-14"')] | None


@dataclass(frozen=True, slots=True)
class Family:
    """How the primary rules are taken together."""

    correction: Correction


@dataclass(frozen=True, slots=True)
class Assumed:
    """The share of discordant pairs to compute the power at, where dev grades give none."""

    discordance: Annotated[Fractional, Example("0.12")] | None


@dataclass(frozen=True, slots=True)
class Stop:
    """When the test is run again."""

    text: Annotated[Words, Example('"One run. …"')]


ABSENT = {"when none": "absent"}
"""Marks a field whose key is left out where it is None: it came after the first files."""

EXTERNAL_CONTEXTS = "external"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanFile:
    """A plan as it is written. `contexts` is `external` for answers whose contexts are not ours to
    compare."""

    __pydantic_config__ = keys(controls="control", rules="rule")

    question: Annotated[Words, Example('"At no more than …, does … answer better than …?"')]
    dataset: Annotated[DatasetPin, Example("[dataset] with name, sha256")]
    split: Annotated[SplitName, Example("[split] with file, part")]
    cohort: Exclusions = Exclusions()
    recording: RecordingPin = RecordingPin(None)
    point: Annotated[PointTable, Example("[point] with spec")]
    controls: Annotated[tuple[ControlName, ...], Example("one [[control]] or more")]
    reader: ModelTable = ModelTable(None)
    judge: ModelTable = ModelTable(None)
    same_cost: SameCost | None = None
    rules: Annotated[tuple[RegisteredRule, ...], Example("one [[rule]] or more")]
    family: Family = Family(Correction.NONE)
    power: Assumed = Assumed(None)
    stop: Annotated[Stop, Example("[stop] with text")]
    contexts: Literal["external"] | None = field(default=None, metadata=ABSENT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan(PlanFile):
    """A checked plan: what it names is pinned by hash."""

    split: SplitPin
    controls: tuple[Control, ...]

    @property
    def primary_rules(self) -> tuple[RegisteredRule, ...]:
        return tuple(rule for rule in self.rules if rule.role is RuleRole.PRIMARY)

    @property
    def points(self) -> tuple[Point, ...]:
        """Point that is tested, then the controls."""
        return (self.point.spec, *(control.spec for control in self.controls))

    @property
    def is_corrected(self) -> bool:
        """Whether the primary rules are corrected for being several."""
        return self.family.correction is Correction.HOLM

    @property
    def cost_measures(self) -> frozenset[str]:
        """Measures that the rules' caps are of."""
        return frozenset(rule.cost.measure for rule in self.rules if rule.cost is not None)
