"""What keeps the accuracy of test questions unread."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.errors import InputError
from harness.trial.ledger import (
    OpeningRequest,
    ledger_of,
    opened_split,
    opening_of,
    sealed,
    unsealed_outcomes,
)

from ...make.study import CONTROL, IDS, POINT, Study, commit, verdicts


def open_split(ledger: Path, split_sha256: str, *points: str) -> int:
    """Append an opening to the ledger; returns its number."""
    asked = OpeningRequest(
        registration=f"{split_sha256}{points}.json",
        registration_sha256=f"{split_sha256}{points}",
        split_sha256=split_sha256,
        part="test",
        points=points,
        grades={},
        passes={},
        sources={},
        verdict="verdict.json",
    )
    with opened_split(ledger, asked, None) as (opening, _):
        return opening.number


def test_dev_is_free_and_test_is_sealed_until_an_opening_covers_it(study: Study) -> None:
    log = study.log("log.jsonl", verdicts(IDS))
    dev = study.imported([log], "--part", "dev", out="dev")
    test = study.imported([log], "--part", "test", "--exploratory", out="test")
    every = study.imported([log], "--part", "all", "--exploratory", out="all")
    ledger = study.folder / "ledger.jsonl"
    for known in (None, ledger):
        assert not sealed(dev, known)
        assert sealed(test, known)
        assert sealed(every, known)
        assert unsealed_outcomes(test, known) is None
    open_split(ledger, "another split", POINT, CONTROL)
    open_split(ledger, test.split_sha256, CONTROL, "items")
    assert sealed(test, ledger)
    number = open_split(ledger, test.split_sha256, CONTROL, POINT)
    assert number == opening_of(test, ledger) == 3
    assert unsealed_outcomes(test, ledger) == test.outcomes()
    assert not sealed(every, ledger)
    assert sealed(test, None)


def test_a_ledger_that_was_edited_opens_nothing(study: Study) -> None:
    log = study.log("log.jsonl", verdicts(IDS))
    test = study.imported([log], "--part", "test", "--exploratory")
    ledger = study.folder / "ledger.jsonl"
    open_split(ledger, test.split_sha256, CONTROL)
    ledger.write_text(ledger.read_text().replace(CONTROL, POINT))
    with pytest.raises(InputError, match=r"ledger\.jsonl, line 1"):
        sealed(test, ledger)


def test_the_ledger_is_beside_the_registration(study: Study) -> None:
    log = study.log("log.jsonl", verdicts(IDS))
    exploratory = study.imported([log], "--part", "test", "--exploratory", out="one")
    assert ledger_of(exploratory) == Path("registrations/ledger.jsonl")
    (study.folder / "kept").mkdir()
    registration = study.register_plan("kept/new.json")
    commit(study.folder, registration)
    options = ("--part", "test", "--registration", "kept/new.json")
    assert ledger_of(study.imported([log], *options)) == Path("kept/ledger.jsonl")
