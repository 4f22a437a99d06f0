"""Asking a judge: a reader that says yes or no, with the guarantees of the store of answers.

A judge is given texts of the grader and nothing else. All that is to be judged is asked together,
in the seeded order of asking, so that neither a point nor an order shows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from decimal import Decimal
from pathlib import Path
from typing import Any

from harness.errors import UsageError
from harness.evidence.tokens import Tokenizer
from harness.readers.asking import Asking, ask_all
from harness.readers.entry import AnswerKey
from harness.readers.prompts import PromptSpool
from harness.readers.reader import Reader, ReaderDefinition, read_reader
from harness.readers.reply import Prompt, ReaderError, Reply
from harness.readers.store import AnswerStore

from .answer_estimate import AnswerEstimate, asking_estimate
from .graders import Answered, AnyGrader, AskingGrader

JUDGMENT_BYTES = 4096
"""Size of a stored judgment of a test question: it tells nothing of what was said."""

NEITHER = "the judge said neither yes nor no"


@dataclass(frozen=True)
class YesNoReader(ReaderDefinition):
    """A reader whose replies must be verdicts; any other is an error, which is asked again."""

    verdict: Callable[[str], bool | None]

    def connect(self) -> Reader:
        return _Strict(super().connect(), self.verdict)


class _Strict:
    def __init__(self, reader: Reader, verdict: Callable[[str], bool | None]) -> None:
        self._reader = reader
        self._verdict = verdict

    def ask(self, prompt: Prompt) -> Reply:
        reply = self._reader.ask(prompt)
        if self._verdict(reply.text) is None:
            # without what it said: that would tell of a sealed outcome
            hint = "Another judge, or a --template, may be read better."
            raise ReaderError(NEITHER, hint, usage=reply.usage)
        return reply

    def close(self) -> None:
        self._reader.close()


@dataclass(frozen=True)
class Judge:
    """A grader that asks, the reader that it asks, and its texts."""

    grader: AskingGrader
    reader: YesNoReader
    templates: Any

    @property
    def model(self) -> str:
        return self.reader.file.model

    def prompt(self, answered: Answered) -> str:
        return self.grader.prompt(answered, self.templates)


def judge_of(grader: AskingGrader, reader: str, template: Path | None) -> Judge:
    """Return the judge that a reader's file or name makes of the grader."""
    read = read_reader(reader)
    values = {field.name: getattr(read, field.name) for field in fields(read)}
    templates = grader.templates() if template is None else grader.read_templates(template)
    return Judge(grader, YesNoReader(**values, verdict=grader.verdict), templates)


@dataclass(frozen=True, kw_only=True)
class JudgingLimits:
    """How far a judge is asked; `seed` orders what it is asked."""

    seed: int = 0
    max_calls: int | None = None
    max_cost: Decimal | None = None


NO_LIMITS = JudgingLimits()


def judgments(
    judge: Judge,
    answered: Iterable[Answered],
    store: AnswerStore,
    *,
    sealed: bool,
    limits: JudgingLimits = NO_LIMITS,
    quiet: bool = False,
) -> Mapping[Answered, bool | None]:
    """Ask the judge what the store does not hold yet; None where it gave no verdict.

    `sealed`: test questions are among them, so nothing of time, usage or cost is shown, and what is
    stored has one length.
    """
    with PromptSpool() as prompts:
        digests = {each: prompts.add(judge.prompt(each)) for each in answered}
        asking = Asking(
            reader=judge.reader,
            store=store,
            prompts=prompts,
            seed=limits.seed,
            max_calls=limits.max_calls,
            max_cost=limits.max_cost,
            padded_to=JUDGMENT_BYTES if sealed else None,
        )
        if sealed:
            store.seal(prompts)
        asked = ask_all(asking, label="judged", unit="judgment", quiet=quiet, timed=not sealed)
        if asked.stopped is not None:
            raise asked.stopped
    return {each: _verdict(judge, store, digest) for each, digest in digests.items()}


def judging_estimate(
    judge: Judge, answered: Iterable[Answered], store: AnswerStore, *, points: int
) -> AnswerEstimate:
    """Say what asking the judge takes; nothing is asked."""
    tokenizer = Tokenizer(judge.reader.file.encoding)
    system = tokenizer.count(judge.reader.file.parameters.system or "")
    with PromptSpool() as prompts:
        given = list(answered)
        for each in given:
            prompts.add(judge.prompt(each))
        return asking_estimate(
            judge.reader,
            prompts,
            1,
            store,
            lambda text: tokenizer.count(text) + system,
            points=points,
            questions=len(given),
        )


def _verdict(judge: Judge, store: AnswerStore, digest: str) -> bool | None:
    entry = store.get(AnswerKey(judge.reader.identity, digest))
    return None if entry is None or entry.answer is None else judge.grader.verdict(entry.answer)


def check_asks(
    grader: AnyGrader, judge: str | None, second_judge: str | None, template: Path | None
) -> AskingGrader | None:
    """Return the grader if it asks a reader; raises `UsageError` where the options do not fit."""
    if isinstance(grader, AskingGrader):
        if judge is None:
            raise UsageError(f"the grader {grader.name} asks a reader", "Name it: --judge READER.")
        return grader
    options = {"--judge": judge, "--second-judge": second_judge, "--template": template}
    given = [option for option, value in options.items() if value is not None]
    if given:
        raise UsageError(f"{given[0]} is for a grader that asks a reader", "Use --grader judge.")
    return None
