"""What a sweep replays: the dev questions of a split, the same ones in every recording."""

from __future__ import annotations

from collections.abc import Mapping

from harness.datasets.split import Part, Split
from harness.errors import Faults, InputError
from harness.model import MEMORY
from harness.recording.recording import Recording
from harness.replay.engine import Cohort


def dev_cohort(recording: Recording, split: Split) -> Cohort:
    """The recording's dev cases, whatever the order of its cases.

    Raises `InputError` where the split cannot be one of the recording's questions, or where these
    are no questions with labelled evidence at all.
    """
    if recording.kind != MEMORY:
        raise InputError(
            f"{recording.folder} holds {recording.kind} cases, which have no evidence metric",
            "Give a recording of questions, such as harness record longmemeval makes.",
        )
    ids = recording.case_ids
    dev = frozenset(split.partition(ids).dev)
    numbers = tuple(number for number, case_id in enumerate(ids) if case_id in dev)
    return Cohort(numbers, Part.DEV.value, split.sha256)


def check_same_questions(recordings: Mapping[str, Recording], split: Split) -> None:
    """Refuse recordings that differ in their dev questions, by id or by text, and one that is
    given twice; `recordings` by name."""
    faults = Faults(limit=10)
    (first, reference), *others = (
        (name, (opened.sha256, _dev_questions(opened, split)))
        for name, opened in recordings.items()
    )
    seen = {reference[0]: first}
    for name, (sha256, questions) in others:
        if sha256 in seen:
            faults.add(f"{name} and {seen[sha256]} are the same recording")
        seen.setdefault(sha256, name)
        for case_id in sorted(reference[1].keys() ^ questions.keys()):
            has, lacks = (first, name) if case_id in reference[1] else (name, first)
            faults.add(f"question {case_id!r} is in {has} and not in {lacks}")
        for case_id in sorted(reference[1].keys() & questions.keys()):
            if reference[1][case_id] != questions[case_id]:
                faults.add(f"question {case_id!r} has another text in {name} than in {first}")
    faults.raise_if_any(
        "the recordings do not hold the same dev questions",
        "Record the same dataset each time, with another --recall or --embedder.",
    )


def _dev_questions(recording: Recording, split: Split) -> dict[str, str]:
    numbers = dev_cohort(recording, split).numbers
    return {query["case_id"]: query["text"] for _, query in recording.queries(numbers)}
