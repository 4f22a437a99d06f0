"""The gold answers that answers are graded by: those of a dataset's file, or of a recording."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from harness.datasets.cohort import QuestionSource, question_source
from harness.datasets.question_list import NO_TYPE, ListedQuestion
from harness.datasets.split import Split
from harness.errors import InputError, UsageError
from harness.recording import schema
from harness.recording.recording import Recording
from harness.storage.parquet import read_table
from harness.trial.answer_in_context import GoldAnswer, dataset_file, read_gold_answers
from harness.trial.grades import DatasetReference
from harness.trial.plan import ExclusionRule


@dataclass(frozen=True, slots=True)
class GoldPlace:
    """Where gold answers are looked for: `data` or `recording`, else the bundled dataset of the
    wanted hash."""

    data: Path | None = None
    recording: Path | None = None
    register: Path | None = None

    def __post_init__(self) -> None:
        if self.data is not None and self.recording is not None:
            raise UsageError(
                "--data and --recording both say what the gold answers are", "Use one of them."
            )


ANYWHERE = GoldPlace()


@dataclass(frozen=True, slots=True)
class GoldSource:
    """Gold answers by question id, and where they are from."""

    by_id: Mapping[str, GoldAnswer]
    reference: DatasetReference
    from_recording: bool = False

    def questions(self, split: Split, place: GoldPlace) -> QuestionSource:
        """Return all questions of the dataset: of the file or the recording that was named, else
        the register's list."""
        if place.data is None and not self.from_recording:
            return question_source(split, register=place.register)
        noun = "recording" if self.from_recording else "data"
        listed = tuple(answer.listed for answer in self.by_id.values())
        return QuestionSource(listed, f"{noun} {self.reference.file}")


def read_gold(
    place: GoldPlace,
    dataset_sha256: str | None,
    recording_sha256: str | None,
    *,
    of: str,
    quiet: bool = False,
) -> GoldSource:
    """Read the gold answers of what has this dataset and this recording, where they are known.

    Raises `InputError` for others than these, and `UsageError` where none are at hand.
    """
    if place.recording is not None:
        return _of_recording(place.recording, recording_sha256)
    data = dataset_file(dataset_sha256, place.data, place.register, of=of)
    gold = read_gold_answers(data, dataset_sha256, quiet=quiet)
    return GoldSource(gold.by_id, DatasetReference(data.as_posix(), gold.sha256))


def _of_recording(folder: Path, wanted: str | None) -> GoldSource:
    recording = Recording.open(folder)
    if wanted is not None and recording.sha256 != wanted:
        raise InputError(
            f"{folder} is the recording {recording.sha256}, the run was made from {wanted}",
            "Pass the recording that was replayed with --recording.",
        )
    queries = read_table(folder / schema.QUERIES, columns=["case", "case_id", "category", "text"])
    golds = read_table(folder / schema.GOLD, columns=["case", "answer", "abstention"])
    gold_of = {row["case"]: row for row in golds.to_pylist()}
    by_id = {}
    for query in queries.to_pylist():
        row = gold_of.get(query["case"])
        if row is None:
            continue
        listed = ListedQuestion(query["case_id"], query["category"] or NO_TYPE)
        excluded = ExclusionRule.ABSTENTION.value if row["abstention"] else None
        if row["answer"] is None and excluded is None:
            excluded = ExclusionRule.NO_ANSWER_IN_EVIDENCE.value
        by_id[listed.question_id] = GoldAnswer(
            listed, query["text"], row["answer"], excluded, row["abstention"]
        )
    reference = DatasetReference(folder.as_posix(), recording.sha256)
    return GoldSource(by_id, reference, from_recording=True)
