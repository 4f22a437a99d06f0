"""Outcomes are read by `Grades.outcomes` and by nothing else."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from harness.errors import InputError
from harness.storage.hashing import sha256_of_file
from harness.trial.grades import OUTCOMES_SCHEMA, Grades

from ...make.manifests import edit_manifest
from ...make.study import IDS, Study, verdicts


def rewritten(folder: Path, name: str) -> None:
    """Make the manifest name the file's bytes as they are now."""
    entry = {"bytes": (folder / name).stat().st_size, "sha256": sha256_of_file(folder / name)}
    edit_manifest(folder, lambda value: value["files"].update({name: entry}))


@pytest.fixture
def folder(study: Study) -> Path:
    log = study.log("log.jsonl", verdicts(IDS))
    return study.imported([log], "--part", "test", "--exploratory").folder


def test_what_is_not_as_recorded_does_not_open(folder: Path) -> None:
    outcomes = folder / "outcomes.parquet"
    outcomes.write_bytes(outcomes.read_bytes()[:-1] + b"?")
    with pytest.raises(InputError, match=r"outcomes\.parquet has sha256"):
        Grades.open(folder)


def test_all_but_the_outcomes_is_read_without_decoding_them(folder: Path) -> None:
    (folder / "outcomes.parquet").write_bytes(b"no Parquet at all")
    rewritten(folder, "outcomes.parquet")
    grades = Grades.open(folder)
    assert grades.counts.graded == len(grades.rows()) == len(grades.expected_ids) == 8
    assert (grades.judges, grades.passes, grades.part) == (("a-judge",), (1,), "test")
    with pytest.raises(InputError, match=r"outcomes\.parquet cannot be read"):
        grades.outcomes()


def test_outcomes_of_other_questions_are_refused(folder: Path) -> None:
    grades = Grades.open(folder)
    rows = [
        {"question_id": one.question_id, "pass": 1, "correct": one.correct}
        for one in grades.outcomes()
    ]
    for changed in (rows[1:], [*rows, rows[0]], [{**rows[0], "question_id": "q"}, *rows[1:]]):
        table = pa.Table.from_pylist(changed, schema=OUTCOMES_SCHEMA)
        pq.write_table(table, folder / "outcomes.parquet")
        rewritten(folder, "outcomes.parquet")
        with pytest.raises(InputError, match="is not of the questions that are graded"):
            Grades.open(folder).outcomes()
    pq.write_table(pa.table({"question_id": ["q"]}), folder / "outcomes.parquet")
    rewritten(folder, "outcomes.parquet")
    with pytest.raises(InputError, match="does not have the columns"):
        Grades.open(folder).outcomes()


def test_the_other_table_and_the_manifest_say_nothing_of_outcomes(study: Study) -> None:
    files = [study.log(f"{value}.jsonl", dict.fromkeys(IDS, value)) for value in (True, False)]
    options = ("--part", "test", "--exploratory")
    right, wrong = (study.imported([file], *options, out=file.stem) for file in files)

    def without_origin(grades: Grades) -> list[object]:
        table = pq.read_table(grades.folder / "graded.parquet")
        return [table.drop_columns(["source_sha256"]).to_pydict(), grades.counts, grades.passes]

    assert without_origin(right) == without_origin(wrong)
    assert [outcome.correct for outcome in right.outcomes()] == [True] * 8
    assert [outcome.correct for outcome in wrong.outcomes()] == [False] * 8


def test_a_manifest_that_names_no_outcomes_is_refused(folder: Path) -> None:
    edit_manifest(folder, lambda value: value["files"].pop("outcomes.parquet"))
    with pytest.raises(InputError, match=r"does not name outcomes\.parquet"):
        Grades.open(folder)


@pytest.mark.parametrize(
    ("key", "value"),
    [("point", "items"), ("part", "dev"), ("exploratory", None), ("split", {"sha256": "0" * 64})],
)
def test_a_manifest_that_says_other_things_is_refused(
    folder: Path, key: str, value: object
) -> None:
    edit_manifest(folder, lambda manifest: manifest["content"].update({key: value}))
    with pytest.raises(InputError, match="the manifest says other things"):
        Grades.open(folder)
    changes = {"point": "items", "part": "dev", "exploratory": False, "split_sha256": "0" * 64}
    edit_manifest(folder, lambda manifest: manifest["work"].update(changes))
    with pytest.raises(InputError, match="the manifest says other things"):
        Grades.open(folder)


def test_the_hash_is_also_of_the_point(study: Study) -> None:
    log = study.log("log.jsonl", verdicts(IDS))
    hashes = {
        study.imported([log], "--part", "dev", "--point", point, out=point).sha256
        for point in ("external(name=a)", "external(name=b)")
    }
    assert len(hashes) == 2
