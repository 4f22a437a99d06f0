"""No sequence of acts leads to a confirmatory verdict that should not be one.

Random sequences of importing, showing, registering, judging, editing, deleting, committing,
merging, grafting, renaming and cloning are played beside a small model, which knows what was opened
and what of it could still be known.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from harness.cli.main import run
from harness.replay.run import Run
from harness.storage.hashing import sha256_of_text

from ...make.project import CONTROL_RIGHT, TEST_IDS, Project
from ...make.trial import FULL, ITEMS, ONE, TWO, Trial, make_trial

POLICIES = {TWO: "two", FULL: "every", ITEMS: "every"}
LOCAL = ("datasets", "grades", "run", "recording", "other-run", "other-recording")
"""What is not in git, and is brought along to a clone; ledger and verdicts are not."""
LEDGER = Path("registrations/ledger.jsonl")


@dataclass(frozen=True)
class Answers:
    """Grades of a point: under which registration, and whether they are what they say."""

    name: str
    point: str
    registration: str | None
    honest: bool


def git(*arguments: str) -> bool:
    who = ["-c", "user.name=made", "-c", "user.email=made@example.org"]
    return (
        subprocess.run(["git", *who, *arguments], capture_output=True, check=False).returncode == 0
    )


def lines_in(path: Path) -> list[str]:
    return [sha256_of_text(line) for line in path.read_text().splitlines()] if path.exists() else []


def line_of(verdict: Path) -> str:
    return str(json.loads(verdict.read_text())["opening"]["line_sha256"])


def verdicts() -> list[Path]:
    return [path for path in Path().rglob("*.json") if '"harness.verdict/' in path.read_text()[:99]]


class Machine(RuleBasedStateMachine):
    """The acts; `base` is a trial that each sequence begins with."""

    base: Trial
    work: Path

    def __init__(self) -> None:
        super().__init__()
        self.place = self.work / f"play-{len(list(self.work.iterdir()))}"
        shutil.copytree(self.base.folder, self.place, symlinks=True)
        os.chdir(self.place)
        self.trial = Trial(Project(self.place), self.base.contexts)
        self.count = 0
        self.registered: dict[str, str] = {}
        self.answers: list[Answers] = []
        self.openings: list[tuple[str, str]] = []  # the line, and the policy that it opened
        self.committed: set[str] = set()
        self.untouched = True  # nothing was cut, lost, merged or left behind
        self.hidden = False  # a part of the history

    def teardown(self) -> None:
        os.chdir(self.work)
        shutil.rmtree(self.place)

    def _name(self, kind: str) -> str:
        self.count += 1
        return f"{kind}{self.count}"

    def _note(self, before: list[str], point: str) -> None:
        after = lines_in(LEDGER)
        self.openings += [(line, POLICIES[point]) for line in after if line not in before]

    def _known(self) -> set[str]:
        """Lines of which something is left: committed, in the ledger, or in a verdict."""
        return self.committed | set(lines_in(LEDGER)) | {line_of(path) for path in verdicts()}

    @rule(point=st.sampled_from(list(POLICIES)))
    def register(self, point: str) -> None:
        name = self._name("r")
        keys = {
            "control_keys": 'grades = "grades/kept"',
            "rule_keys": 'cost = "context_tokens <= 9"',
        }
        self.trial.register(name, point=point, **keys)
        self.registered[name] = point

    @rule(
        point=st.sampled_from(list(POLICIES)),
        right=st.integers(0, 20),
        how=st.sampled_from(["honest", "honest", "honest", "other contexts", "claim", "unknown"]),
        run_of=st.sampled_from(["run", "run", "run", "run", "other-run", None]),
    )
    def try_out(self, point: str, right: int, how: str, run_of: str | None) -> None:
        """Register, import and judge, in one go."""
        self.register(point)
        registration = list(self.registered)[-1]
        self._judge(self._import(registration, right, how), run_of)

    def _import(self, registration: str, right: int, how: str) -> Answers:
        point = self.registered[registration]
        values: dict[str, Any] = {"context_tokens": 1} if how == "claim" else {}
        name = self.trial.grade(
            self._name("g"),
            point,
            TEST_IDS[:right],
            registration,
            contexts_of=ONE if how == "other contexts" else None,
            known=how != "unknown",
            **values,
        )
        answers = Answers(name, point, registration, how == "honest")
        self.answers.append(answers)
        return answers

    @rule(point=st.sampled_from(list(POLICIES)), right=st.integers(0, 20))
    def look(self, point: str, right: int) -> None:
        name = self.trial.grade(self._name("x"), point, TEST_IDS[:right], None)
        before = lines_in(LEDGER)
        run(["grades", "show", f"grades/{name}"])
        self._note(before, point)

    @rule(data=st.data(), run_of=st.sampled_from(["run", "other-run", None]))
    def judge_again(self, data: st.DataObject, run_of: str | None) -> None:
        """Judge answers that may have been judged, with their verdict there or gone."""
        if self.answers:
            self._judge(data.draw(st.sampled_from(self.answers)), run_of)

    def _judge(self, answers: Answers, run_of: str | None) -> None:
        registration = str(answers.registration)
        out = Path(f"registrations/{registration}.verdict.json")
        known, before = self._known(), lines_in(LEDGER)
        there = out.exists()
        code = self.trial.judge([answers.name], registration, run_of=run_of)
        self._note(before, answers.point)
        if there or lines_in(LEDGER) == before:
            assert code != 0 or out.exists()
            return
        assert code == 0
        is_confirmatory = json.loads(out.read_text())["stamp"] == "confirmatory"
        seen = {policy for line, policy in self.openings[:-1] if line in known}
        was_seen = POLICIES[answers.point] in seen
        if is_confirmatory:
            assert not self.hidden
            assert not was_seen
            assert answers.honest
            assert run_of == "run"
            point = json.loads(out.read_text())["points"][0]
            assert point["tokens"]["context_tokens"] == self.base_tokens[answers.point]
        elif self.untouched:
            assert was_seen or not answers.honest or run_of != "run"

    base_tokens: dict[str, float]

    @rule(data=st.data())
    def add_a_line_break(self, data: st.DataObject) -> None:
        """Import the same answers again, from a file of other bytes, under any registration."""
        fitting = [
            (answers, name)
            for answers in self.answers
            for name, point in self.registered.items()
            if point == answers.point and (self.place / f"{answers.name}.jsonl").exists()
        ]
        if not fitting:
            return
        answers, registration = data.draw(st.sampled_from(fitting))
        rows = map(json.loads, Path(f"{answers.name}.jsonl").read_text().splitlines())
        name = self._name("g")
        given = ["--registration", f"registrations/{registration}.json"]
        self.trial.project.grade(name, answers.point, list(rows)[::-1], *given)
        self.answers.append(Answers(name, answers.point, registration, answers.honest))

    @rule()
    def commit(self) -> None:
        if LEDGER.exists() and git("add", "-f", str(LEDGER)):
            git("commit", "-q", "-m", "opened")
            self.committed |= set(lines_in(LEDGER))

    @rule(whole=st.booleans())
    def cut_the_ledger(self, whole: bool) -> None:
        self.untouched = False
        if whole:
            LEDGER.unlink(missing_ok=True)
            git("rm", "-q", "--cached", str(LEDGER))
            git("commit", "-q", "-m", "removed")
        elif LEDGER.exists():
            LEDGER.write_text("".join(LEDGER.read_text().splitlines(keepends=True)[:-1]))
            git("add", "-f", str(LEDGER))
            git("commit", "-q", "-m", "cut")

    @rule(data=st.data(), renamed=st.booleans())
    def lose_a_verdict(self, data: st.DataObject, renamed: bool) -> None:
        self.untouched = False
        if not verdicts():
            return
        path = data.draw(st.sampled_from(sorted(verdicts())))
        if renamed:
            path.rename(self._name("kept") + ".json")
        else:
            path.unlink()

    @rule()
    def merge_without(self) -> None:
        """A branch in which the ledger was committed is merged, and what it brought is dropped."""
        self.untouched = False
        if not LEDGER.exists():
            return
        branch = self._name("side")
        git("checkout", "-q", "-b", branch)
        self.commit()
        git("checkout", "-q", "-f", "-")
        git("merge", "-q", "-s", "ours", "-m", "merged", branch)

    @rule()
    def graft(self) -> None:
        """The last commit gets the first for a parent, in what git shows by itself."""
        self.untouched = False
        root = subprocess.run(
            ["git", "rev-list", "--max-parents=0", "HEAD"], capture_output=True, check=True
        )
        head = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, check=True)
        if root.stdout != head.stdout and git(
            "replace", "--graft", "HEAD", root.stdout.decode().split()[-1]
        ):
            self.hidden = True

    @rule(how=st.sampled_from([(), (), ("--depth", "1"), ("--depth", "3")]))
    def clone(self, how: tuple[str, ...]) -> None:
        """Into a place of its own: with the whole history, which has no grafts, or with a part."""
        self.untouched = False
        place = self.work / f"{self.place.name}-{self._name('clone')}"
        source = f"file://{self.place}"
        subprocess.run(["git", "clone", "-q", *how, source, str(place)], check=True)
        self.hidden = (place / ".git/shallow").exists()
        for name in LOCAL:
            shutil.copytree(self.place / name, place / name, dirs_exist_ok=True)
        os.chdir(place)
        shutil.rmtree(self.place)
        self.place = self.trial.project.folder = place


def test_no_sequence_of_acts_is_confirmatory_and_should_not_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = tmp_path / "base"
    base.mkdir()
    monkeypatch.chdir(base)
    trial = make_trial(base)
    trial.grade("kept", ONE, CONTROL_RIGHT, None)
    trial.another_run()
    rows = Run.open(Path("run")).table("selections").to_pylist()
    names = Run.open(Path("run")).computed_as
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    means = {
        point: sum(row["context_tokens"] for row in rows if row["point"] == names[point]) / 20
        for point in POLICIES
    }
    machine = type("Play", (Machine,), {"base": trial, "work": work, "base_tokens": means})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=EXAMPLES,
            stateful_step_count=10,
            deadline=None,
            derandomize=True,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


EXAMPLES = 12
"""Sequences that are played each time; thousands take hours."""
