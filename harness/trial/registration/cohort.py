"""The cohort of a registration: which questions are judged, named before a grade is read."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from harness.storage.hashing import sha256_of_json

from .plan import ExclusionRule

ABSTENTION_ENDING = "_abs"
"""How LongMemEval marks the id of a question whose haystack does not hold the answer."""


@dataclass(frozen=True, slots=True)
class Excluded:
    """The test questions that a rule excludes, in code point order; None where neither ids nor a
    control's grades tell, and the grades that apply the rule will."""

    rule: ExclusionRule
    question_ids: tuple[str, ...] | None

    @property
    def count(self) -> int | None:
        return None if self.question_ids is None else len(self.question_ids)


@dataclass(frozen=True, slots=True)
class RegisteredCohort:
    """`test_ids`: every question of the test part, in code point order, before any exclusion.

    `sha256` is of that list (`ids_sha256`). A question is excluded once, by the first rule that
    applies.
    """

    test_ids: tuple[str, ...]
    sha256: str
    excluded: tuple[Excluded, ...] = ()

    @property
    def ids(self) -> tuple[str, ...]:
        """The test ids less those that are known to be excluded."""
        out = {name for excluded in self.excluded for name in excluded.question_ids or ()}
        return tuple(question_id for question_id in self.test_ids if question_id not in out)

    @property
    def is_exact(self) -> bool:
        """Whether `ids` is what will be judged: for every rule it is known what it excludes."""
        return all(excluded.question_ids is not None for excluded in self.excluded)


def is_abstention(question_id: str) -> bool:
    """Whether the id marks an abstention question."""
    return question_id.endswith(ABSTENTION_ENDING)


def ids_sha256(question_ids: Iterable[str]) -> str:
    """The hash of a set of ids: of the canonical JSON list of them in code point order."""
    return sha256_of_json(sorted(question_ids))


def register_cohort(
    test_ids: Iterable[str],
    exclude: Iterable[ExclusionRule],
    known: Mapping[ExclusionRule, Collection[str]] | None = None,
) -> RegisteredCohort:
    """The cohort of the test ids. `known`: the ids that a rule excludes, where grades say so."""
    ids = tuple(sorted(test_ids))
    out: set[str] = set()
    excluded = []
    for rule in exclude:
        found = _excluded_ids(rule, ids, known or {})
        if found is not None:
            found = tuple(name for name in found if name not in out)
            out.update(found)
        excluded.append(Excluded(rule, found))
    return RegisteredCohort(ids, ids_sha256(ids), tuple(excluded))


def _excluded_ids(
    rule: ExclusionRule, ids: Sequence[str], known: Mapping[ExclusionRule, Collection[str]]
) -> tuple[str, ...] | None:
    if rule is ExclusionRule.ABSTENTION:
        return tuple(filter(is_abstention, ids))
    if rule not in known:
        return None
    return tuple(name for name in ids if name in known[rule])
