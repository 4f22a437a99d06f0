"""What keeps outcomes of test questions unread: no opening holds them yet."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.errors import InputError
from harness.trial.grades import KIND, Grades
from harness.trial.ledger import (
    EXPLORATORY,
    JUDGMENT,
    OpenedSet,
    OpeningLine,
    locked_ledger,
    read_ledger,
    the_ledger,
)
from harness.trial.seal import looked_at, seal_of

from ...make.study import IDS, Study, commit, verdicts

LEDGER = Path("registrations/ledger.jsonl")


def open_grades(*opened: Grades, ledger: Path = LEDGER) -> int:
    """Append a judgment's opening of the grades; returns its number."""
    line = OpeningLine(
        registration="made.json",
        registration_sha256="0" * 64,
        dataset_sha256=None,
        split_sha256=opened[0].split_sha256,
        part="test",
        sets=tuple(
            OpenedSet(
                kind=KIND, point=str(grades.point), role="point", identity=identity, costs="0" * 64
            )
            for grades in opened
            for identity in grades.identities.values()
        ),
        questions=opened[0].expected_ids,
        verdict="verdict.json",
    )
    with locked_ledger(ledger) as locked:
        return locked.append(JUDGMENT, line).number


@pytest.fixture
def registered(study: Study) -> list[str]:
    """Options that import test grades under a committed registration."""
    (study.folder / "registrations").mkdir()
    registration = study.register_plan("registrations/new.json")
    commit(study.folder, registration)
    return ["--part", "test", "--registration", "registrations/new.json"]


def test_dev_is_free_and_test_is_sealed_until_an_opening_holds_it(
    study: Study, registered: list[str]
) -> None:
    log = study.log("log.jsonl", verdicts(IDS))
    other = study.log("other.jsonl", dict.fromkeys(IDS, True))
    dev = study.imported([log], "--part", "dev", out="dev")
    test = study.imported([log], *registered, out="test")
    unopened = study.imported([other], *registered, out="unopened")
    both = study.imported([log, other], *registered, out="both")
    assert not looked_at(dev).holds
    assert looked_at(test).holds
    assert looked_at(test).outcomes is None
    assert not LEDGER.exists()
    number = open_grades(test)
    opening = looked_at(test).opening
    assert opening is not None
    assert opening.number == number == 1
    assert looked_at(test).outcomes == test.outcomes()
    assert looked_at(unopened).holds  # the point was opened, these answers were not
    assert looked_at(both).holds  # one of its two passes was not
    open_grades(unopened)
    assert not looked_at(both).holds


def test_a_look_at_exploratory_grades_is_an_opening(study: Study) -> None:
    log = study.log("log.jsonl", verdicts(IDS))
    test = study.imported([log], "--part", "test", "--exploratory", out="test")
    assert seal_of(test).holds
    assert looked_at(test).outcomes == test.outcomes()
    (opening,) = read_ledger(LEDGER)
    assert (opening.kind, opening.line.points) == (EXPLORATORY, ("external(name=new)",))
    assert not seal_of(test).holds
    looked_at(test)
    assert len(read_ledger(LEDGER)) == 1


def test_a_ledger_that_was_edited_opens_nothing(study: Study) -> None:
    log = study.log("log.jsonl", verdicts(IDS))
    test = study.imported([log], "--part", "test", "--exploratory")
    open_grades(test)
    LEDGER.write_text(LEDGER.read_text().replace("external(name=new)", "external(name=old)"))
    with pytest.raises(InputError, match=r"ledger\.jsonl, line 1"):
        seal_of(test)


def test_the_ledger_is_at_the_top_of_the_repository_or_here(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert the_ledger() == LEDGER
    (study.folder / "kept").mkdir()
    monkeypatch.chdir(study.folder / "kept")
    assert the_ledger() == LEDGER
    commit(study.folder, study.folder / "split.json")
    for near in (None, Path("new.json"), study.folder / "nowhere/new.json"):
        assert the_ledger(near).resolve() == study.folder / LEDGER


def test_an_identity_is_of_what_was_answered(study: Study) -> None:
    rows = verdicts(IDS)
    first, turned = study.log("1.jsonl", rows), study.log("2.jsonl", dict(reversed(rows.items())))
    turned.write_text(turned.read_text() + "\n")
    wrong = study.log("3.jsonl", {**rows, study.test[0]: not rows[study.test[0]]})
    elsewhere = study.log("4.jsonl", rows, context_sha256="0" * 64)
    options = ("--part", "test", "--exploratory")
    one, same, other, contexts = (
        study.imported([file], *options, out=file.stem).identity(1)
        for file in (first, turned, wrong, elsewhere)
    )
    assert one == same
    assert len({one, other, contexts}) == 3
