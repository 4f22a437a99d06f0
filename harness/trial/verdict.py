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

from harness.decode import KEEP, Format, decode
from harness.errors import InputError
from harness.storage.atomic import write_text

from .by_type import AccuracyByType
from .json_text import json_text, json_value

SCHEMA = "harness.verdict/2"
FIRST_SCHEMA = "harness.verdict/1"

CONFIRMATORY = "confirmatory"
REGISTERED = "registered"
REGISTERED_EXTERNAL = "registered (contexts not checked)"
EXPLORATORY = "exploratory"
DEMONSTRATION = "demonstration"
"""The stamps. A verdict of the first version may also have `repeat` and `order not shown`."""


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
    the same outcome, `difference` that of the accuracies. Void above `limit`, a fraction.

    `first_only` and `second_only` are the flips each way, questions that one pass alone answered
    right; `lower` and `upper` Tango's 95 % limits of their net difference. None in verdicts of the
    first version.
    """

    point: str
    first: str
    second: str
    questions: int
    agreement: float
    difference: float
    limit: float
    void: bool
    first_only: int | None = None
    second_only: int | None = None
    lower: float | None = None
    upper: float | None = None


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
class ShownEvidence:
    """How much of a question's labelled evidence a context showed."""

    answer_sessions_shown: int
    answer_sessions: int
    evidence_turns_touched: int
    evidence_turns: int


@dataclass(frozen=True, slots=True)
class DecidedQuestion:
    """A question that one side alone answered right, with the evidence that each side showed; None
    without a run that has the point, or without labels."""

    question_id: str
    question_type: str | None
    point: ShownEvidence | None
    control: ShownEvidence | None


@dataclass(frozen=True, slots=True)
class NotRegistered:
    """What is said of the point and a control without a rule: McNemar's test, two-sided, the
    interval that resamples clusters of questions, and the questions won and lost.

    `clusters` is None where the dataset was not given. `cluster_note` says why there are no limits;
    None where there are, and in verdicts of before. Descriptive: nothing here decides a rule.
    """

    against: str
    wins: int
    losses: int
    mcnemar_exact_p: float
    mcnemar_mid_p: float
    clusters: int | None = None
    cluster_lower: float | None = None
    cluster_upper: float | None = None
    cluster_note: str | None = None
    won: tuple[DecidedQuestion, ...] = ()
    lost: tuple[DecidedQuestion, ...] = ()


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
    """A further pass of a point, over the judged questions that it graded; it judges nothing.

    `errors`: judged questions whose answer or judgment failed in it; None in verdicts of before.
    """

    name: str
    n: int
    correct: int
    accuracy: float
    errors: int | None = None


@dataclass(frozen=True, slots=True)
class PointFigures:
    """What is known of the point or of a control over the judged questions.

    `tokens` has the mean prompt tokens by measure, where every question has it. `evidence` is None
    without a run that has the point. `errors`: as of a pass; a judged pass has none.
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
    by_type: AccuracyByType | None = None
    errors: int | None = None


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
    this split up to and with this one."""

    ledger: str
    number: int
    line_sha256: str
    of_split: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FixedSet:
    """One outcome set by its identity, and the hash of the tokens that its reader reported."""

    kind: str
    point: str
    role: str
    identity: str
    costs: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fixed:
    """What the opening fixed: outcome sets, the run that gives contexts and costs, and the
    recording that the run is of, None without a run; and the clusters, None without the dataset."""

    sets: tuple[FixedSet, ...]
    run_sha256: str | None
    recording_sha256: str | None
    clusters_sha256: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The whole verdict; `registration` is the path of its file as seen from the verdict's.

    `stamp` is `confirmatory` only where everything that decides was checked and held;
    `not_checked` lists what was not, and `stamp_reasons` says what did not hold.
    `seen_at_other_points`: judged questions whose answers were seen before at another point with
    the same context, None where the contexts of the point are not known. `departures` are
    differences from the plan, `notes` what is not known beside, `code` the harness's own version
    and commit.
    """

    schema: str = SCHEMA
    stamp: str
    not_checked: tuple[str, ...] = ()
    stamp_reasons: tuple[str, ...]
    registration: str
    registration_sha256: str
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
    seen_at_other_points: int | None = None
    fixed: Fixed | None = None
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


def is_verdict(path: Path) -> bool:
    """Return whether the file begins as a verdict does, without reading the whole of it."""
    try:
        with path.open("rb") as stream:
            return b'"harness.verdict/' in stream.read(256)
    except OSError:
        return False
