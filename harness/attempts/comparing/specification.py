"""The run specification of a report: what was run, and how two of them differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Annotated, Any

from harness.attempts.scoring.scoring import scoring_version
from harness.decode import Count, FieldError, matching

INDEPENDENT_SUITE = "independent-answer-"
"""How the suites begin whose worlds are frozen datasets."""

SCORED_HERE = (scoring_version(stubs=False), scoring_version(stubs=True))
SCORING_VERSIONS = (*(f"independent-evidence-v{number}" for number in (1, 2, 3)), *SCORED_HERE)
"""The rules of scoring that are known."""

DEFAULT_POLICY = "budget-body"
"""What an empty `reader_policy` means."""

OF_A_POLICY = (
    "reader_policy",
    "reader_prompt_hash",
    "reader_config_hash",
    "reader_contract_hash",
    "dataset",
    "dataset_hash",
    "fixture_hashes.dataset",
    "fixture_hashes.archive_manifest",
)
"""What follows from a reader's policy: a dataset names its policy, and its archive names the
dataset. Corpus, tasks and rubric do not follow from it."""


Hash = Annotated[str, matching(r"(sha256-[0-9a-f]{64})?", "sha256-<64 hexadecimal digits>")] | None
"""A hash as reports spell it; an empty one says as much as none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fixtures:
    """The hashes of a world."""

    corpus: Hash = None
    tasks: Hash = None
    rubric: Hash = None
    dataset: Hash = None
    archive_manifest: Hash = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Specification:
    """What a specification may say; a head of attempts says less than a report."""

    suite: str | None = None
    model: str | None = None
    variant: str | None = None
    opencode_version: str | None = None
    timeout: str | None = None
    case: str | None = None
    origin: str | None = None
    reader_policy: str | None = None
    scoring_version: str | None = None
    dataset: str | None = None
    steps: Count = 0
    repeats: Count = 0
    port: Count = 0
    expected_attempts: Count = 0
    documents: Count = 0
    versions: Count = 0
    reader_prompt_hash: Hash = None
    reader_config_hash: Hash = None
    dataset_hash: Hash = None
    reader_contract_hash: Hash = None
    fixture_hashes: Fixtures = Fixtures()

    def __post_init__(self) -> None:
        named = self.fixture_hashes.dataset
        if named and self.dataset_hash and named != self.dataset_hash:
            path = ("fixture_hashes", "dataset")
            raise FieldError(faults=[(path, f"is {named}, but dataset_hash {self.dataset_hash}")])


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeFixtures(Fixtures):
    """The hashes that every report has."""

    corpus: Hash = field()
    tasks: Hash = field()
    rubric: Hash = field()


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeSpecification(Specification):
    """What every report says of itself."""

    suite: str | None = field()
    repeats: Count = field()
    expected_attempts: Count = field()
    fixture_hashes: WholeFixtures = field()


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the keys that differ, and how; missing is the same as empty or 0."""
    left, right = dict(_flat(before)), dict(_flat(after))
    for key in dict.fromkeys((*left, *right)):
        if left.get(key) != right.get(key):
            yield key, f"{_shown(left.get(key))} → {_shown(right.get(key))}"


def policy_of(specification: Mapping[str, Any]) -> str:
    return specification.get("reader_policy") or DEFAULT_POLICY


def _flat(specification: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for key in (declared.name for declared in fields(Specification)):
        value = specification.get(key)
        if key == "fixture_hashes":
            for name in (declared.name for declared in fields(Fixtures)):
                yield f"{key}.{name}", (value or {}).get(name) or None
        elif key == "reader_policy":
            yield key, policy_of(specification)
        else:
            yield key, value or None


def _shown(value: Any) -> str:
    return "none" if value is None else str(value)
