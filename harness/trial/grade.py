"""The values that grades are made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum

API = "api"
ESTIMATED = "estimated"
"""Where a prompt's tokens come from: the reader's API reported them, or they were estimated."""

STAND_IN, STAND_IN_READER, STAND_IN_JUDGE = (
    "answer-in-context",
    "none (answer-in-context)",
    "answer-in-context/1",
)
"""Format, reader and judge of grades that were made without a reader. The judge is a rule with its
version: another way to compare texts gets another number."""

PARTS = ("dev", "test", "all")


class Status(Enum):
    """What became of one question in one pass; every question of the cohort has exactly one."""

    GRADED = "graded"
    MISSING = "missing"
    DUPLICATE = "duplicate"
    ERROR = "error"
    EXCLUDED = "excluded"


@dataclass(frozen=True, slots=True)
class Grade:
    """One question in one pass: what became of it and where that comes from, without the outcome.

    `reason` is None for a graded question. `source_sha256` and `row` say where the grade stands:
    the file and its line or entry from 1; None for a question that has no row. `prompt_tokens` are
    of the reader's whole prompt, and `tokens_source` says whether its API reported them (`api`) or
    they were estimated (`estimated`); all are None where not known. `context_tokens` are of the
    context text alone. `answer_sha256` is known of answers that the harness asked for itself.
    """

    question_id: str
    pass_number: int
    status: Status
    reason: str | None = None
    source_sha256: str | None = None
    row: int | None = None
    reader: str | None = None
    judge: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    tokens_source: str | None = None
    context_tokens: int | None = None
    context_sha256: str | None = None
    answer_sha256: str | None = None

    @property
    def prompt_tokens_api(self) -> int | None:
        """What the reader's API reported."""
        return self.prompt_tokens if self.tokens_source == API else None

    @property
    def prompt_tokens_estimated(self) -> int | None:
        return self.prompt_tokens if self.tokens_source == ESTIMATED else None


@dataclass(frozen=True, slots=True)
class Outcome:
    """Whether the answer to a graded question was right in one pass."""

    question_id: str
    pass_number: int
    correct: bool


@dataclass(frozen=True, slots=True)
class Counts:
    """How many grades have each status; together they are `expected`: questions times passes.

    `reasons`: by status, then by reason.
    """

    expected: int
    graded: int
    missing: int
    duplicate: int
    error: int
    excluded: int
    reasons: Mapping[str, Mapping[str, int]]

    @property
    def complete(self) -> bool:
        """Whether every question was graded or excluded by rule, as a verdict needs."""
        return self.graded + self.excluded == self.expected


@dataclass(frozen=True, slots=True)
class GradeSource:
    """A file that grades were read from; `rows` counts all of its rows, of either part.

    `name` is the path as written.
    """

    name: str
    sha256: str
    bytes: int
    rows: int
    passes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class GradedAnswers:
    """What grades of the harness's own answers are of, by identity: the set of answers, the reader,
    the grader with version and settings, and where a judge was asked, the judge and its texts."""

    answers: str
    reader: str
    grader: str
    judge: str | None = None
    templates_sha256: str | None = None


@dataclass(frozen=True, slots=True)
class TokenTotals:
    """What a token-usage file says of one module, over all of its calls; None where it does not.

    These are sums, and belong to no question.
    """

    source_sha256: str
    module: str
    model: str | None = None
    call_count: int | None = None
    usage_reported_call_count: int | None = None
    prompt_tokens: int | None = None
    estimated_prompt_tokens: int | None = None
    estimated_prompt_call_count: int | None = None
    completion_tokens: int | None = None
    total_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class RegistrationReference:
    """The registration under which test questions were graded: its path as given, the hash of its
    file, and the commit that added it, None where it was in no git checkout."""

    path: str
    sha256: str
    commit: str | None


@dataclass(frozen=True, slots=True)
class Clearance:
    """What lets test questions be graded: a registration, or the word that it is exploratory.

    Neither for dev questions, which need none.
    """

    registration: RegistrationReference | None = None
    exploratory: bool = False


def count_grades(grades: Iterable[Grade]) -> Counts:
    """Return the counts of the grades, by status and reason."""
    statuses: Counter[Status] = Counter()
    reasons: dict[str, Counter[str]] = {}
    for grade in grades:
        statuses[grade.status] += 1
        if grade.reason is not None:
            reasons.setdefault(grade.status.value, Counter())[grade.reason] += 1
    return Counts(
        expected=statuses.total(),
        graded=statuses[Status.GRADED],
        missing=statuses[Status.MISSING],
        duplicate=statuses[Status.DUPLICATE],
        error=statuses[Status.ERROR],
        excluded=statuses[Status.EXCLUDED],
        reasons={name: dict(sorted(counts.items())) for name, counts in sorted(reasons.items())},
    )
