"""What the dev questions of a split tell of its test questions: shared stems and shared labels,
such as those of `sharing`.

A stem is the id of a question without the mark of abstention: `a1_abs` is the question `a1`, asked
of a haystack that does not answer it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

_MARK = re.compile(r"_abs(_\d+)?$")


@dataclass(frozen=True, slots=True)
class Shared:
    """The dev and the test questions that have something in common, each in its order."""

    dev: tuple[str, ...]
    test: tuple[str, ...]


def stems_of(question_ids: Iterable[str]) -> Mapping[str, frozenset[str]]:
    """Label each question with its stem."""
    return {name: frozenset({_MARK.sub("", name)}) for name in question_ids}


def shared_labels(dev: Iterable[str], labels: Mapping[str, frozenset[str]]) -> Shared:
    """Return the questions of which a label is in both parts; `labels` are of all questions."""
    in_dev = frozenset(dev)
    of_dev = frozenset().union(*(labels[name] for name in labels if name in in_dev))
    of_test = frozenset().union(*(labels[name] for name in labels if name not in in_dev))
    both = [name for name, own in labels.items() if own & of_dev & of_test]
    return Shared(
        tuple(name for name in both if name in in_dev),
        tuple(name for name in both if name not in in_dev),
    )
