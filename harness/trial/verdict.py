"""A verdict: what a registered rule says of the grades, as values and as a JSON file.

The types are the format: a verdict's file has the same names, in the same order.

Accuracies, differences, limits and shares are fractions; costs are in tokens per question. None
means not known or not defined, and a reason stands next to it. `docs/formats/verdict.md` describes
every key.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from harness.decode import KEEP, Format, decode, json_of_file
from harness.errors import InputError
from harness.storage.atomic import write_text

from .json_text import json_text, json_value

SCHEMA = "harness.verdict/2"
FIRST_SCHEMA = "harness.verdict/1"

CONFIRMATORY = "confirmatory"
EXPLORATORY = "exploratory"
REPEAT = "repeat"
ORDER_NOT_SHOWN = "order not shown"


class RuleState(Enum):
    """What a rule came to."""

    MET = "MET"
    NOT_MET = "NOT MET"
    CANNOT_SAY = "CANNOT SAY"


@dataclass(frozen=True, slots=True)
class Cost:
    """The mean cost a question of the point against its cap; `held` is None where it is unknown.

    `reported` questions of `questions` have the measure; the mean is over all or not given.
    """

    measure: str
    at_most: str
    mean: float | None
    questions: int
    reported: int
    held: bool | None
    reason: str


@dataclass(frozen=True, slots=True)
class SameCostCheck:
    """`ratio` is the point's mean cost over the control's; held when it is within `within` of 1."""

    measure: str
    within: str
    point_mean: float | None
    control_mean: float | None
    ratio: float | None
    held: bool | None
    reason: str


@dataclass(frozen=True, slots=True)
class NoiseCheck:
    """Two passes of one point, the judged one first: `agreement` is the share of questions with
    the same outcome, `difference` that of the accuracies. Void above `limit`, a fraction."""

    point: str
    first: str
    second: str
    questions: int
    agreement: float
    difference: float
    limit: float
    void: bool


@dataclass(frozen=True, slots=True)
class TypeRow:
    """One question type of a rule's comparison. Descriptive: no rule was registered for it."""

    question_type: str | None
    n: int
    wins: int
    losses: int
    ties: int
    accuracy: float
    control_accuracy: float
    difference: float


@dataclass(frozen=True, slots=True)
class NotRegistered:
    """What is said of the point and a control without a rule: McNemar's test, two-sided.

    Descriptive: nothing here decides a rule.
    """

    against: str
    wins: int
    losses: int
    mcnemar_exact_p: float
    mcnemar_mid_p: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleVerdict:
    """One rule: `state` with its `reason`, and the numbers it rests on.

    `difference` is the accuracy of the point minus that of `against`; wins are questions that only
    the point answered right. `lower` and `upper` are by the registered method at `level`;
    `decided_at` is the level at which the rule was applied, which a correction for several primary
    rules raises, with `decided_lower` and `decided_upper`. `p` is the smallest 1 - level at which
    the rule's own interval meets it, None of a method of one level; `adjusted_p` is `p` after that
    correction, which the state follows from. Verdicts of `harness.verdict/1` have McNemar's
    `exact_p` in their place, and `adjusted_p` is that one's. `mde` is the smallest true difference
    at which the rule is met with probability 0.8, at this n and the discordance seen.
    `may_be_said` and `does_not_show` are Markdown.
    """

    name: str
    role: str
    against: str
    state: RuleState
    reason: str
    met_when: str
    interval: str
    level: str
    wins: int
    losses: int
    ties: int
    n: int
    accuracy: float
    control_accuracy: float
    difference: float
    lower: float
    upper: float
    decided_at: str
    decided_lower: float | None
    decided_upper: float | None
    tango_lower: float
    tango_upper: float
    p: float | None = None
    exact_p: float | None = None
    adjusted_p: float | None
    discordance: float
    mde: float | None
    cost: Cost | None
    same_cost: SameCostCheck | None
    may_be_said: str
    does_not_show: str | None
    by_question_type: tuple[TypeRow, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EvidenceValue:
    """An evidence metric or cost of a point over the judged questions; `scored` of `expected`
    questions enter."""

    value: float | None
    expected: int
    scored: int


@dataclass(frozen=True, slots=True)
class PassFigures:
    """A further pass of a point, over the judged questions that it graded; it judges nothing."""

    name: str
    n: int
    correct: int
    accuracy: float


@dataclass(frozen=True, slots=True)
class PointFigures:
    """What is known of the point or of a control over the judged questions.

    `tokens` has the mean prompt tokens by measure, where every question has it. `evidence` is None
    without a run that has the point.
    """

    point: str
    role: str
    n: int
    correct: int
    accuracy: float
    reader: str | None
    judges: tuple[str, ...]
    grades_sha256: str
    judged_pass: str
    other_passes: tuple[PassFigures, ...]
    tokens: Mapping[str, float]
    evidence: Mapping[str, EvidenceValue] | None


@dataclass(frozen=True, slots=True)
class JudgedCohort:
    """How many questions the test part has, how many were excluded by each rule, and how many were
    judged; `sha256` is of the judged ids in code point order."""

    test_questions: int
    excluded: Mapping[str, int]
    judged: int
    sha256: str


@dataclass(frozen=True, slots=True)
class CommitEvidence:
    """Whether git shows that the registration came first: the commit that added it, or None."""

    commit: str | None
    statement: str


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """The line of the ledger under which the outcomes were read. `of_split` counts the openings of
    this split up to and with this one; `resumed` says that an interrupted judgment was continued.
    """

    ledger: str
    number: int
    line_sha256: str
    of_split: int
    repeat: str | None
    resumed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The whole verdict; `registration` is the path of its file as seen from the verdict's.

    `stamp` is `confirmatory`, or what keeps it from being that, joined by `, `; `stamp_reasons`
    says why. `departures` are differences from the plan, `notes` what could not be checked, `code`
    the harness's own version and commit.
    """

    schema: str = SCHEMA
    registration: str
    registration_sha256: str
    stamp: str
    stamp_reasons: tuple[str, ...]
    question: str
    dataset: str
    dataset_sha256: str
    split: str
    split_sha256: str
    part: str
    correction: str
    stop: str
    cohort: JudgedCohort
    rules: tuple[RuleVerdict, ...]
    points: tuple[PointFigures, ...]
    noise_checks: tuple[NoiseCheck, ...]
    not_registered: tuple[NotRegistered, ...] = ()
    departures: tuple[str, ...]
    notes: tuple[str, ...]
    committed: CommitEvidence
    opening: LedgerEntry
    code: Mapping[str, str | bool | None]


VERDICT = Format(
    SCHEMA, Verdict, unknown=KEEP, hint="Restore its last commit.", earlier=(FIRST_SCHEMA,)
)
VERDICT_SUFFIX = ".verdict.json"


def default_verdict(registration: Path) -> Path:
    """Return the path `NAME.verdict.json` next to the registration `NAME.json`."""
    return registration.with_name(registration.stem + VERDICT_SUFFIX)


def verdict_text(verdict: Verdict) -> str:
    """Return the file, byte for byte; floats in their shortest exact spelling."""
    tree = json_value(verdict)
    for rule in tree["rules"]:
        del rule["exact_p"]
    return json_text(tree)


def write_verdict(verdict: Verdict, path: Path) -> None:
    """Write the file atomically."""
    write_text(path, verdict_text(verdict))


def read_verdict(path: Path) -> Verdict:
    """Read a verdict; raises `InputError` with every fault of a file that is not one."""
    try:
        data = path.read_bytes()
    except FileNotFoundError as error:
        raise InputError(
            f"{path} does not exist", "Write it with: harness judge REGISTRATION …"
        ) from error
    except OSError as error:
        raise InputError(f"{path} is not a verdict ({error})") from error
    return decode(VERDICT, data, place=f"{path} is not a verdict")


def verdict_of_opening(path: Path, line_sha256: str) -> bool:
    """Return whether `path` holds the verdict that was reached under that line of a ledger."""
    value = json_of_file(path)  # whatever cannot be read is not the verdict
    opening = value.get("opening") if isinstance(value, dict) else None
    return isinstance(opening, dict) and opening.get("line_sha256") == line_sha256
