"""The cohort of a registration: which questions are judged, named before a grade is read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from harness.storage.hashing import sha256_of_json

from .plan import ExclusionRule

ABSTENTION_ENDING = "_abs"
"""How LongMemEval marks the id of a question whose haystack does not hold the answer."""


@dataclass(frozen=True, slots=True)
class Excluded:
    """How many test questions a rule excludes; None where ids alone cannot tell, and the grades
    that apply the rule count them."""

    rule: ExclusionRule
    count: int | None


@dataclass(frozen=True, slots=True)
class RegisteredCohort:
    """`test_ids`: every question of the test part, in code point order, before any exclusion.

    `sha256` is of that list (`ids_sha256`).
    """

    test_ids: tuple[str, ...]
    sha256: str
    excluded: tuple[Excluded, ...] = ()

    @property
    def ids(self) -> tuple[str, ...]:
        """The test ids less those whose id shows that a rule excludes them."""
        rules = {excluded.rule for excluded in self.excluded}
        return tuple(
            question_id
            for question_id in self.test_ids
            if not (ExclusionRule.ABSTENTION in rules and is_abstention(question_id))
        )

    @property
    def is_exact(self) -> bool:
        """Whether `ids` is the whole truth: no rule excludes what ids do not show."""
        return all(excluded.count is not None for excluded in self.excluded)


def is_abstention(question_id: str) -> bool:
    """Whether the id marks an abstention question."""
    return question_id.endswith(ABSTENTION_ENDING)


def ids_sha256(question_ids: Iterable[str]) -> str:
    """The hash of a set of ids: of the canonical JSON list of them in code point order."""
    return sha256_of_json(sorted(question_ids))


def register_cohort(test_ids: Iterable[str], exclude: Iterable[ExclusionRule]) -> RegisteredCohort:
    """The cohort of the test ids, with what each rule excludes counted where ids can tell."""
    ids = tuple(sorted(test_ids))
    excluded = tuple(
        Excluded(
            rule,
            sum(map(is_abstention, ids)) if rule is ExclusionRule.ABSTENTION else None,
        )
        for rule in exclude
    )
    return RegisteredCohort(ids, ids_sha256(ids), excluded)
