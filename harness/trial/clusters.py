"""Clusters of the judged questions, and the interval that resamples them whole.

Questions that share a haystack or an answer session are not independent. With D(c) the sum of the
paired differences of the n(c) questions of cluster c, the statistic is sum(D) / sum(n), which is
the mean difference; a resample draws as many clusters as there are, with replacement, each with
all of its questions (`harness.statistics.paired_bootstrap`).

Source: Davison and Hinkley (1997), Bootstrap Methods and their Application, section 3.8.

What questions share is in the dataset itself, which the registration names by hash; the opening
fixes the clusters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from harness.datasets.layout import read_questions
from harness.datasets.sharing import clusters_of, sources_of
from harness.errors import Faults, InputError
from harness.progress import progress
from harness.statistics.paired_bootstrap import Ratios, paired_bootstrap
from harness.statistics.warnings import FEW_CLUSTERS, FEW_PAIRS
from harness.storage.content import content_size_and_sha256
from harness.storage.hashing import sha256_of_json

NOT_KNOWN = "clusters not known (give the dataset with --data)"
ALONE = "no two questions share a haystack or an answer session"


@dataclass(frozen=True, slots=True)
class Clusters:
    """The cluster of each judged question, by its least id."""

    labels: Mapping[str, str]

    @property
    def number(self) -> int:
        return len(set(self.labels.values()))

    @property
    def sha256(self) -> str:
        """Identity: what is joined with what."""
        return sha256_of_json(sorted(self.labels.items()))


@dataclass(frozen=True, slots=True)
class ClusterInterval:
    """Limits of the mean difference at level 0.95; None where `reason` says why."""

    clusters: int | None
    lower: float | None = None
    upper: float | None = None
    reason: str | None = None


def read_clusters(
    data: Path, dataset_sha256: str, questions: Sequence[str], faults: Faults, *, quiet: bool
) -> Clusters | None:
    """Read the clusters of the questions from the dataset file; a file that is not the registered
    dataset, or lacks a question, is a fault."""
    try:
        if not data.is_file():
            raise InputError(f"{data} is not a file")
        sha256 = content_size_and_sha256(data)[1]
        if sha256 != dataset_sha256:
            faults.add(
                f"--data {data}: sha256 of its content is {sha256}, the registration names "
                f"{dataset_sha256}"
            )
            return None
        wanted = frozenset(questions)
        read = progress(
            read_questions(data), total=None, label="dataset", unit="question", quiet=quiet
        )
        labels = {
            question.question_id: sources_of(question).every
            for question in read
            if question.question_id in wanted
        }
    except InputError as error:
        faults.add(f"--data: {error.message}")
        return None
    if lacking := sorted(wanted - labels.keys()):
        faults.add(f"--data {data} lacks {len(lacking)} judged questions, such as {lacking[0]}")
        return None
    return Clusters(clusters_of({name: labels[name] for name in sorted(labels)}))


def cluster_interval(pairs: Mapping[str, int], clusters: Clusters | None) -> ClusterInterval:
    """Compute the interval of the mean of the pairs, by question, resampling clusters whole."""
    if clusters is None:
        return ClusterInterval(None, reason=NOT_KNOWN)
    number = clusters.number
    if number == len(pairs):
        return ClusterInterval(number, reason=ALONE)
    if number < FEW_CLUSTERS:
        return ClusterInterval(number, reason=f"fewer than {FEW_CLUSTERS} clusters")
    if sum(difference != 0 for difference in pairs.values()) < FEW_PAIRS:
        return ClusterInterval(number, reason=f"fewer than {FEW_PAIRS} discordant pairs")
    ids = sorted(pairs)
    differences = np.array([pairs[name] for name in ids], dtype=np.float64)
    ones = np.ones(len(ids))
    found = paired_bootstrap(
        Ratios(differences, ones),
        Ratios(np.zeros(len(ids)), ones),
        clusters=[clusters.labels[name] for name in ids],
    )
    return ClusterInterval(number, float(found.lower[0]), float(found.upper[0]))
