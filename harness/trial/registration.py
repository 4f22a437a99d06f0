"""A registration: a plan with everything it depends on pinned, as one JSON file.

The types are the format; `docs/formats/registration.md` describes every key. The file holds no time
and no commit: that it was there before a grade was read is shown by git.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from harness.datasets.cohort import Cohort, ids_sha256
from harness.datasets.layout import is_abstention
from harness.decode import FieldError, Format, decode
from harness.errors import InputError
from harness.storage.atomic import write_text
from harness.storage.hashing import sha256_of_text

from .choice import Choice
from .json_text import json_text, json_value
from .plan import ExclusionRule, Plan, holm_fault

SCHEMA = "harness.registration/2"
FIRST_SCHEMA = "harness.registration/1"
"""Of registrations whose Holm correction, where they have one, is that of the first version. One
that needs nothing of the second is still written as of it, so that it keeps its bytes."""

WARNINGS = "accepted_warnings"


@dataclass(frozen=True, slots=True)
class PinnedFile:
    """A file or folder that the plan names: its path, relative to the directory the command ran
    in, and the SHA-256 of its bytes (of a folder: the content hash of its manifest)."""

    path: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Excluded:
    """The test questions that a rule excludes, in code point order; None where neither ids nor a
    control's grades tell, and the grades that apply the rule will."""

    rule: ExclusionRule
    count: int | None
    question_ids: tuple[str, ...] | None

    def __post_init__(self) -> None:
        if self.count != (None if self.question_ids is None else len(self.question_ids)):
            raise FieldError("count", f"is {self.count}, not that of question_ids: it was edited")


@dataclass(frozen=True, slots=True)
class RegisteredQuestions:
    """The test part, and what leaves it by rule; a question leaves once, by the first that applies.

    `test_ids`: every question of the test part, in code point order, before any exclusion, and
    `sha256` of that list. `judged_questions` is None where a rule's questions are not known yet.
    """

    test_questions: int
    judged_questions: int | None
    sha256: str
    excluded: tuple[Excluded, ...]
    test_ids: tuple[str, ...]

    def __post_init__(self) -> None:
        if self.sha256 != ids_sha256(self.test_ids):
            raise FieldError("sha256", "is not of test_ids: it was edited")
        judged = len(self.cohort.ids) if self.is_exact else None
        for key, counted in (
            ("test_questions", len(self.test_ids)),
            ("judged_questions", judged),
        ):
            if getattr(self, key) != counted:
                raise FieldError(key, f"is not {counted}, as test_ids has it: it was edited")

    @classmethod
    def of(
        cls,
        test_ids: Iterable[str],
        exclude: Iterable[ExclusionRule],
        known: Mapping[ExclusionRule, Collection[str]] | None = None,
    ) -> RegisteredQuestions:
        """Apply the rules to the test ids. `known`: the ids that a rule excludes, where grades say
        so; abstention is recognised by the id."""
        ids = tuple(sorted(test_ids))
        left = list(ids)
        excluded = []
        for rule in exclude:
            applies = (known or {}).get(rule)
            if rule is ExclusionRule.ABSTENTION:
                applies = [name for name in left if is_abstention(name)]
            if applies is None:
                excluded.append(Excluded(rule, None, None))
                continue
            gone = tuple(name for name in left if name in set(applies))
            left = [name for name in left if name not in set(gone)]
            excluded.append(Excluded(rule, len(gone), gone))
        exact = all(entry.question_ids is not None for entry in excluded)
        judged = len(left) if exact else None
        return cls(len(ids), judged, ids_sha256(ids), tuple(excluded), ids)

    @property
    def cohort(self) -> Cohort:
        """Test ids less those that are known to be excluded, each with its rule."""
        known = [(entry.rule.value, entry.question_ids or ()) for entry in self.excluded]
        return Cohort.of_registration(self.test_ids, known)

    @property
    def is_exact(self) -> bool:
        """Whether it is known for every rule what it excludes."""
        return all(entry.question_ids is not None for entry in self.excluded)


@dataclass(frozen=True, slots=True)
class DevGrades:
    """The dev grades of a point: the folder, its content hash, and how many of the graded questions
    were answered right."""

    point: str
    path: str
    sha256: str
    graded: int
    correct: int


@dataclass(frozen=True, slots=True)
class Development:
    """What was done before: the dev questions of the split, the grades of points on them, and the
    choice of the point, where `harness choose` made it."""

    questions: int
    grades: tuple[DevGrades, ...] = ()
    choice: Choice | None = None


@dataclass(frozen=True, slots=True)
class DevPairs:
    """The point against a control on `n` dev questions: only the point right, only the control."""

    n: int
    wins: int
    losses: int


@dataclass(frozen=True, slots=True)
class RulePower:
    """What a primary rule can show with `n` test questions (`exact` False: with at most so many).

    Numbers are fractions. `dev` is what the dev grades say of the rule's pair of points.
    `discordance` and `difference` are what the power was computed at, and `source` says where they
    come from: `dev grades` or `assumed`. `level` is the decimal text of the level that was used.
    `power` is the probability that the rule is met; `mde` the smallest true difference at which it
    is met with probability `target`. Each is None where it is not known, `mde` also where no
    difference reaches the target. `decides`: False when the test cannot decide the question, None
    when that is not known. `statement` says all of it in words.
    """

    rule: str
    n: int
    exact: bool
    level: str
    target: str
    dev: DevPairs | None
    source: str | None
    discordance: float | None
    difference: float | None
    power: float | None
    mde: float | None
    decides: bool | None
    statement: str


@dataclass(frozen=True, kw_only=True)
class Registration:
    """A plan and what was pinned with it.

    `pinned`: every file and folder that the plan or the command named, the plan's own file aside.
    `accepted_warnings`: the names of what `harness register` warned of; the file has no such key
    where it warned of nothing. `sha256` is of the registration's own file.
    """

    schema: str
    plan_file: PinnedFile
    plan: Plan
    pinned: tuple[PinnedFile, ...]
    cohort: RegisteredQuestions
    development: Development
    power: tuple[RulePower, ...]
    accepted_warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.decides_by_p:
            return
        if not self.plan.is_corrected:
            raise FieldError("schema", f"is not {FIRST_SCHEMA}, which suffices: it was edited")
        if fault := holm_fault(self.plan.family.correction, self.plan.primary_rules):
            raise FieldError("plan.rule", f": {fault}")

    @property
    def decides_by_p(self) -> bool:
        """Whether Holm's procedure steps through the p-values of the rules' own intervals."""
        return self.schema != FIRST_SCHEMA

    @classmethod
    def read(cls, path: Path) -> Registration:
        """Read a registration; raises `InputError` for one that is damaged or was edited."""
        try:
            data = path.read_bytes()
        except FileNotFoundError as error:
            raise InputError(
                f"{path} does not exist", f"Write it with: harness register PLAN.toml --out {path}"
            ) from error
        registration = decode(REGISTRATION, data, place=f"{path} is not a registration")
        if registration.text().encode() != data:
            raise InputError(
                f"{path} is not as `harness register` writes it: it was edited", RESTORE
            )
        return registration

    @cached_property
    def sha256(self) -> str:
        """Hex SHA-256 of the registration's file."""
        return sha256_of_text(self.text())

    def text(self) -> str:
        """Return the file, byte for byte."""
        tree = json_value(self)
        if not self.accepted_warnings:
            del tree[WARNINGS]
        return json_text(tree)

    def write(self, path: Path) -> None:
        """Write the file atomically."""
        write_text(path, self.text())


RESTORE = "Restore the committed file: git checkout -- FILE"
REGISTRATION = Format(SCHEMA, Registration, hint=RESTORE, earlier=(FIRST_SCHEMA,))
