"""A plan: what is asked of the test questions and by which rule, fixed before a grade is read.

These are the values of a plan that has been checked (`plan_file` reads and checks one): points have
their canonical spelling, decimals are text that is meant exactly, and the files that the plan names
have their hashes.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

COST_MEASURES = ("context_tokens", "prompt_tokens_api", "prompt_tokens_estimated")
"""What a cost can be, in tokens a question: of the context text alone (`cl100k_base`), or of the
reader's whole prompt as its API reported it or as estimated."""

API_MEASURE = "prompt_tokens_api"
"""The measure that only the reader's API can give."""


class RuleRole(Enum):
    """What a rule decides: the question of the plan, or something reported beside it."""

    PRIMARY = "primary"
    SECONDARY = "secondary"


class MethodName(Enum):
    """The method of a rule's interval; `harness.statistics` defines each."""

    EXACT = "exact"
    TANGO = "tango"
    BONETT_PRICE = "bonett-price"
    MC_COMPAT = "mc-compat"


class IdOrder(Enum):
    """How `mc-compat` sorts the questions: ids as text by code point, or as integers."""

    TEXT = "text"
    INTEGER = "integer"


class Correction(Enum):
    """How the primary rules are corrected for being several."""

    NONE = "none"
    HOLM = "holm"


class ExclusionRule(Enum):
    """A rule by which questions leave the cohort; each is counted, none is named by hand."""

    ABSTENTION = "abstention"
    NO_ANSWER_IN_EVIDENCE = "no-answer-in-evidence"


@dataclass(frozen=True, slots=True)
class DatasetPin:
    """The dataset; `sha256` is of its unpacked content."""

    name: str
    sha256: str


@dataclass(frozen=True, slots=True)
class SplitPin:
    """The split's file, its hash, and the part that is judged, always `test`."""

    file: str
    part: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Control:
    """A point to compare with. `grades_sha256` pins the folder `grades`: the content hash of its
    manifest. Both are None where its grades are first given to `judge`."""

    spec: str
    grades: str | None = None
    grades_sha256: str | None = None


@dataclass(frozen=True, slots=True)
class CostCap:
    """The mean cost a question that the point may have: `measure` <= `at_most` tokens."""

    measure: str
    at_most: str

    def __str__(self) -> str:
        return f"{self.measure} <= {self.at_most}"

    @property
    def limit(self) -> Fraction:
        return Fraction(self.at_most)


@dataclass(frozen=True, slots=True)
class SameCost:
    """The check that the point costs what a control costs, within a fraction of the control's."""

    measure: str
    within: str

    @property
    def tolerance(self) -> Fraction:
        return Fraction(self.within)


@dataclass(frozen=True, slots=True)
class RegisteredRule:
    """One rule: met when the interval of (point - `against`) satisfies `met_when`, and the point's
    mean cost its cap.

    `level` is decimal text. `met_when` names its unit: `lower > 0 points`, read by
    `harness.statistics.rules.parse_rule`. `seed` and `id_order` belong to `mc-compat` alone.
    """

    name: str
    role: RuleRole
    against: str
    interval: MethodName
    level: str
    met_when: str
    cost: CostCap | None = None
    seed: int | None = None
    id_order: IdOrder | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """A whole plan, as the TOML has it: `exclude` stands under `[cohort]`, `recording_sha256` under
    `[recording]`, `point` under `[point]` as `spec`, `reader` and `judge` are model names,
    `correction` stands under `[family]`, `discordance` (decimal text, a fraction) under `[power]`,
    and `stop` under `[stop]` as `text`. None: not in the plan."""

    question: str
    dataset: DatasetPin
    split: SplitPin
    point: str
    controls: tuple[Control, ...]
    rules: tuple[RegisteredRule, ...]
    stop: str
    exclude: tuple[ExclusionRule, ...] = ()
    recording_sha256: str | None = None
    reader: str | None = None
    judge: str | None = None
    same_cost: SameCost | None = None
    correction: Correction = Correction.NONE
    discordance: str | None = None

    @property
    def primary_rules(self) -> tuple[RegisteredRule, ...]:
        return tuple(rule for rule in self.rules if rule.role is RuleRole.PRIMARY)

    def control(self, spec: str) -> Control:
        """The control of that canonical spelling; raises `KeyError`."""
        for control in self.controls:
            if control.spec == spec:
                return control
        raise KeyError(spec)
