"""What a recording of a store says of itself: in its manifest, and at the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.errors import listed
from harness.words import counted

from .block_sets import RANKED_LEXICALLY, WITHOUT_VECTORS
from .cases import SearchTally
from .query_vectors import QueryVectors
from .searches import Searches
from .store import SCHEMA_VERSION
from .survey import STALE_RANKING, Survey, stale_lines

NOT_DECLARED = "not declared"
"""How an empty embedder label is shown."""


@dataclass(frozen=True, slots=True, eq=False)
class Summary:
    """All that there is to say of one recording.

    `labels`: the embedder labels that count as the server's; `labels_given`: whether they were
    named, or are the store's only one. `width`: components of the recording's vectors.
    """

    store_name: str
    store_sha256: str
    searches: Searches
    dataset: Mapping[str, Any]
    labels: tuple[str, ...]
    labels_given: bool
    width: int | None
    vectors: QueryVectors
    survey: Survey
    tally: SearchTally
    asked: Mapping[str, Any]

    def work(self) -> dict[str, Any]:
        """Return what decides the recording, inputs by hash: the store by the hash of what was
        read."""
        return {
            "store": {"name": self.store_name, "sha256": self.store_sha256},
            "searches": {
                "name": Path(self.searches.name).name,
                "sha256": self.searches.sha256,
            },
            "dataset_sha256": self.dataset["sha256"],
            "embedding_models": list(self.labels),
            "query_embedder": self.vectors.embedder,
            "stale": self.survey.stale,
            "asked": dict(self.asked),
        }

    def described(self) -> dict[str, Any]:
        """Return dataset, recall and embedder, for the manifest's content; flat, since it is shown
        so."""
        return {
            "dataset": dict(self.dataset) | self._misfits(),
            "recall": self._recall()
            | self._empty_windows()
            | self._staleness()
            | self._without_vectors(),
            "embedder": self._embedder(),
        }

    def notes(self) -> list[str]:
        """Return what the person at the terminal should know, a line each."""
        lines = []
        if self.labels and not self.labels_given:
            lines.append(f"embedder label {self.labels[0]!r}: the only one in the store")
        if self.survey.stale:
            lines += ["the store is stale:"]
            lines += [f"  {line}" for line in stale_lines(self.survey, self.searches.refs)]
            lines.append(f"  {STALE_RANKING}")
        for state in WITHOUT_VECTORS:
            if count := self.tally.states[state]:
                records = counted(count, "record")
                lines.append(f"{records} {state.meaning}: {RANKED_LEXICALLY}")
        if self.vectors.embedder is not None or self.vectors.without:
            lines.append(f"vectors of questions: {self.vectors.label}")
        if empty := self.searches.empty_windows:
            lines.append(
                f"{counted(empty, 'question')} of {len(self.searches.rows):,} with an empty window"
            )
        if self.tally.undated:
            lines.append(f"records without a valid time: {self.tally.undated:,}")
        lines += [f"{name.replace('_', ' ')}: {count:,}" for name, count in self._misfits().items()]
        return lines

    def _recall(self) -> dict[str, Any]:
        versions = {row.window.server_version for row in self.searches.rows}
        return {
            "name": "cpersona",
            "server_version": listed(sorted(one for one in versions if one)) or None,
            "windows": "asked of the server by the harness" if self.asked else "as recorded",
            **{key: str(value) for key, value in self.asked.items()},
            "store_schema": SCHEMA_VERSION,
            "store_records": self.survey.records,
            "records_without_a_valid_time": self.tally.undated,
        }

    def _empty_windows(self) -> dict[str, int]:
        empty = self.searches.empty_windows
        return {"questions_with_an_empty_window": empty} if empty else {}

    def _staleness(self) -> dict[str, Any]:
        if not self.survey.stale:
            return {}
        refs = self.survey.stale_refs
        return {
            "stale": STALE_RANKING,
            "pending_tasks": sum(self.survey.pending.values()),
            "records_not_current": len(refs),
            "records_not_current_in_windows": len(refs & self.searches.refs),
            **{
                f"records_with_{state.value}": len(found)
                for state, found in self.survey.not_current.items()
            },
        }

    def _without_vectors(self) -> dict[str, Any]:
        return {
            f"records_with_{state.value}": f"{count} in windows, {RANKED_LEXICALLY}"
            for state in WITHOUT_VECTORS
            if (count := self.tally.states[state])
        }

    def _embedder(self) -> dict[str, Any]:
        made_again = self.vectors.embedder or {}
        return {
            "name": listed([label or NOT_DECLARED for label in self.labels]) or NOT_DECLARED,
            "fingerprint": None,
            "dimension": self.width,
            "licence": "unknown",
            "query_vectors": self.vectors.label,
            "query_embedder": made_again.get("name"),
            "query_embedder_fingerprint": made_again.get("fingerprint"),
        }

    def _misfits(self) -> dict[str, int]:
        """Return counts of what the dataset has and the store or the searches have not."""
        labelled = self.tally.labelled
        counts = {
            "evidence_turns_not_in_the_store": sum(
                len(one.gold.evidence) - one.evidence_stored for one in labelled
            ),
            "questions_asked_in_other_words": self.tally.in_other_words,
        }
        return {name: count for name, count in counts.items() if count}
