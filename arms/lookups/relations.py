"""How relations of a document are printed, and in which order they are followed."""

from __future__ import annotations

from collections.abc import Sequence

from harness.model import RELATION_PREFIX, Relation


def relation_line(relations: Sequence[Relation]) -> str:
    """Return `>>> related: rel-P t1, t2; rel-Q t3`, with the blank line that ends it."""
    by_predicate: dict[str, list[str]] = {}
    for relation in relations:
        by_predicate.setdefault(relation.predicate, []).append(relation.reference)
    groups = (
        f"{RELATION_PREFIX}{name} {', '.join(targets)}" for name, targets in by_predicate.items()
    )
    return f">>> related: {'; '.join(groups)}\n\n"


def strongest_first(relations: Sequence[Relation], predicates: Sequence[str]) -> list[Relation]:
    """Return relations of the given predicates first, as one group; each group in declared
    order."""
    return sorted(relations, key=lambda relation: relation.predicate not in predicates)
