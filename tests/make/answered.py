"""Answers in a store, as if a reader had given them, over the made-up project's questions.

Every question is in the recording, dev and test; the answer to each is its own id.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from harness.cli.main import run
from harness.datasets.split import read_split
from harness.grading.answer_set import AnswerSet, PromptedQuestion
from harness.model import Case
from harness.points import parse_point
from harness.readers.entry import AnswerEntry, AnswerKey
from harness.readers.reply import ReportedUsage
from harness.readers.store import AnswerStore
from harness.replay import schema
from harness.replay.run import Run
from harness.storage.hashing import sha256_of_json, sha256_of_text
from harness.trial.grade import RegistrationReference
from harness.trial.grades import SplitReference

from .once import copied
from .project import DEV_IDS, TEST_IDS, Project, make_project
from .recordings import recording_of
from .trial import FULL, ITEMS, ONE, TWO, made_case

ALL_IDS = tuple(sorted((*DEV_IDS, *TEST_IDS)))
STORE = Path("answers")
IGNORED = (
    "grade*/\nby-rule/\nagain/\n*.jsonl\n*.verdict.json\nrecording/\nrun/\nanswers/\njudges/\n"
)
READER = {"version": 1, "kind": "recorded", "model": "a-reader", "source": "made up"}
READER_ID = sha256_of_json(READER)
TIME = "2026-01-02T03:04:05+00:00"
Responses = Mapping[str, str | None]
"""By question id; None where the reader failed."""


@dataclass
class Answered:
    """The project with a recording and a run of its questions."""

    project: Project
    run: Run

    def store(
        self,
        point: str,
        part: str,
        responses: Responses,
        *more: Responses,
        registration: str | None = None,
        tokens: int | None = 900,
    ) -> Path:
        """Keep answers to the questions of the part, `more` of further repeats; return the file of
        the set. A question that `responses` lack was not asked."""
        split = read_split(Path("split.json"))
        parsed = parse_point(point)
        ids = split.partition(ALL_IDS)
        asked = ids.dev if part == "dev" else ids.test
        counts = self.counts(point)
        reference = None
        if registration is not None:
            reference = RegistrationReference(registration, "0" * 64, None)
        answers = AnswerSet(
            point=parsed,
            part=part,
            split=SplitReference("split.json", str(split.sha256)),
            registration=reference,
            run="run",
            run_sha256=self.run.manifest.content_sha256,
            dataset_sha256=None,
            template_sha256="f" * 64,
            reader=READER_ID,
            reader_name="made",
            reader_about=READER,
            repeats=1 + len(more),
            seed=0,
            questions=tuple(
                PromptedQuestion(
                    question_id=case_id,
                    prompt_sha256=sha256_of_text(f"{context}{case_id}"),
                    context_sha256=digest,
                    context_tokens=counts[case_id][0],
                    prompt_tokens_estimated=counts[case_id][1],
                )
                for case_id, digest, context in self.run.contexts(parsed)
                if case_id in asked
            ),
        )
        with AnswerStore(STORE) as store:
            store.register(READER_ID, READER)
            for repeat, given in enumerate((responses, *more), 1):
                self._put(store, answers, repeat, given, tokens)
        return answers.write(STORE)

    def _put(
        self,
        store: AnswerStore,
        answers: AnswerSet,
        repeat: int,
        responses: Responses,
        tokens: int | None,
    ) -> None:
        usage = ReportedUsage(input=tokens, output=None if tokens is None else 7)
        for question in answers.questions:
            key = answers.key(question, repeat)
            if question.question_id not in responses or store.has(key):
                continue
            text = responses[question.question_id]
            entry = AnswerEntry(answer=text, usage=usage, time=TIME)
            if text is None:
                entry = AnswerEntry(error="the service said 500", time=TIME)
            store.put(key, entry)

    def counts(self, point: str) -> dict[str, tuple[int | None, int | None]]:
        columns = ["case_id", "point", "context_tokens", "prompt_tokens_estimated"]
        rows = self.run.table(schema.SELECTIONS, columns).to_pylist()
        name = self.run.computed_as[point]
        return {
            row["case_id"]: (row["context_tokens"], row["prompt_tokens_estimated"])
            for row in rows
            if row["point"] == name
        }


def grade(*options: str, answers: Iterable[str] = ("answers",), out: str = "graded") -> int:
    """`harness grade` of the store with gold answers of the recording."""
    command = ["grade", *answers, "--recording", "recording", "--out", out, "-q", *options]
    return run(command)


def make_answered(folder: Path, *, without_gold_answer: Collection[str] = ()) -> Answered:
    """The project in `folder`, which must be the current directory of the test."""
    project = make_project(folder)
    (folder / ".gitignore").write_text(IGNORED)
    project.commit(".gitignore")
    cases = [_case(question_id, question_id in without_gold_answer) for question_id in ALL_IDS]
    copied(recording_of(cases, dataset_sha256=None), folder / "recording")
    points = [part for point in (ONE, TWO, FULL, ITEMS) for part in ("--point", point)]
    assert run(["replay", "recording", "--out", "run", "-q", *points]) == 0
    return Answered(project, Run.open(Path("run")))


def _case(question_id: str, without_gold_answer: bool) -> Case:
    case = made_case(question_id)
    if without_gold_answer and case.gold is not None:
        return replace(case, gold=replace(case.gold, answer=None))
    if case.gold is None or not question_id.endswith("_abs"):
        return case
    return replace(case, gold=replace(case.gold, abstention=True))


def right(ids: Iterable[str], *wrong: str) -> dict[str, str | None]:
    """Right answers in a sentence, and wrong ones to the questions named."""
    return {name: "I cannot say." if name in wrong else f"You are {name}." for name in ids}


def key_of(answers: AnswerSet, question_id: str, repeat: int = 1) -> AnswerKey:
    """Where the answer to a question lies."""
    (question,) = (each for each in answers.questions if each.question_id == question_id)
    return answers.key(question, repeat)


JUDGE = """
import json, sys
for line in sys.stdin:
    prompt = json.loads(line)["prompt"]
    with open("LOG", "a") as log:
        log.write(json.dumps(prompt) + "\\n")
    gold, response = prompt.split("|")[1:3]
    print(json.dumps(REPLY), flush=True)
"""
"""A judge's program: `gold` and `response` are what it was shown; it logs every prompt."""

TEMPLATE = "{question}|{answer}|{response}"
RIGHT_IF_SAID = """{"answer": "yes" if gold in response else "no"}"""


def write_judge(name: str, reply: str = RIGHT_IF_SAID, more: str = "") -> str:
    """Write a judge that gives this reply, an expression, and the text that it is shown; `more` is
    of its file. Returns the reader's file."""
    folder = Path("judges")
    folder.mkdir(exist_ok=True)
    (folder / "template.txt").write_text(TEMPLATE)
    program = JUDGE.replace("LOG", f"{name}.log").replace("REPLY", reply)
    (folder / f"{name}.py").write_text(program)
    words = f'command = ["{sys.executable}", "{name}.py"]'
    limits = "[limits]\nconcurrency = 1\npause_seconds = 0.01\n"
    file = folder / f"{name}.toml"
    file.write_text(f'kind = "command"\nmodel = "{name}-model"\n{words}\n{limits}{more}')
    return str(file)


def prompts_of(name: str) -> list[str]:
    """What a judge was shown, in the order in which it was asked."""
    log = Path("judges") / f"{name}.log"
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


def judged(name: str, *options: str, out: str = "graded") -> int:
    """`harness grade` by a judge that was written."""
    asked = ("--judge", f"judges/{name}.toml", "--template", "judges/template.txt")
    return grade("--grader", "judge", *asked, *options, out=out)
