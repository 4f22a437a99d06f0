"""What is asked for the points of a run: every distinct prompt of their questions, once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from harness.datasets.cohort import ALL, Cohort
from harness.datasets.register import find_register
from harness.datasets.split import Part, Split, read_split
from harness.errors import HarnessError, InputError, UsageError
from harness.evidence.prompt import DEFAULT_TEMPLATE, PromptTemplate
from harness.evidence.tokens import Tokenizer
from harness.points import Point
from harness.readers.asking import Asking
from harness.readers.prompts import PromptSpool
from harness.readers.reader import ReaderDefinition, read_reader
from harness.readers.store import AnswerStore
from harness.replay.run import Run
from harness.trial.answer_in_context import dataset_sha256_of
from harness.trial.clearance import cleared
from harness.trial.grade import Clearance
from harness.trial.grades import SplitReference

from .answer_set import AnswerSet, PromptedQuestion
from .run_prompts import check_template, run_prompts

SPLITS = "splits"
"""Folder of the splits, next to a register of datasets."""


@dataclass(frozen=True, kw_only=True)
class AnswerRequest:
    """What is asked for: the `points` of a run as they are spelled, and a reader by file or name.

    `split` and `part` are None where the questions are of no split. `max_calls` and `max_cost` are
    of all calls of the reader in the store.
    """

    run: Path
    points: tuple[str, ...]
    reader: str
    split: Path | None = None
    part: str | None = None
    registration: Path | None = None
    repeats: int = 1
    seed: int = 0
    max_calls: int | None = None
    max_cost: Decimal | None = None


@dataclass(frozen=True)
class AnswerPlan:
    """A set of answers for each point, and the prompts that they have together."""

    request: AnswerRequest
    reader: ReaderDefinition
    sets: tuple[AnswerSet, ...]
    prompts: PromptSpool
    tokenizer: Tokenizer

    @property
    def sealed(self) -> bool:
        """Whether the questions are of a test part."""
        return self.request.part == Part.TEST.value

    def tokens(self, prompt: str) -> int:
        """Count the tokens of a prompt, and of the reader's system text."""
        system = self.reader.file.parameters.system
        return self.tokenizer.count(prompt) + self.tokenizer.count(system or "")

    def asking(self, store: AnswerStore, say: Callable[[str], None]) -> Asking:
        """Return what is to be asked into a store, in which the sets are written first; `say` is
        given what somebody who interrupts should know."""
        request = self.request
        if self.sealed:
            store.seal(self.prompts)
        for answers in self.sets:
            answers.write(store.folder)
        return Asking(
            reader=self.reader,
            store=store,
            prompts=self.prompts,
            repeats=request.repeats,
            seed=request.seed,
            max_calls=request.max_calls,
            max_cost=request.max_cost,
            count=self.tokens,
            say=say,
        )


def plan_answers(request: AnswerRequest, prompts: PromptSpool, *, asked: bool = True) -> AnswerPlan:
    """Gather the prompts of the points into `prompts`, and what each set says.

    Test questions that are `asked` for need a registration. Raises `UsageError` without one, for a
    part without a split, for a template that is not the run's and for a point that it lacks, and
    `InputError` for what is damaged or does not fit together.
    """
    reader = read_reader(request.reader)
    run = Run.open(request.run)
    points = run.chosen(request.points)
    split = _split(request, run)
    clearances = {point: _clearance(request, point, split, asked=asked) for point in points}
    cohort = _cohort(request, run, split)
    template = _template(reader, run)
    sets = tuple(
        AnswerSet(
            point=point,
            part=cohort.part,
            split=_reference(request, split),
            registration=clearances[point].registration,
            run=request.run.as_posix(),
            run_sha256=run.manifest.content_sha256,
            dataset_sha256=dataset_sha256_of(run),
            template_sha256=template.sha256,
            reader=reader.identity,
            reader_name=reader.name,
            reader_about=reader.about,
            repeats=request.repeats,
            seed=request.seed,
            questions=tuple(_questions(run, point, template, cohort, prompts)),
        )
        for point in points
    )
    return AnswerPlan(request, reader, sets, prompts, Tokenizer(reader.file.encoding))


def _questions(
    run: Run, point: Point, template: PromptTemplate, cohort: Cohort, prompts: PromptSpool
) -> Iterator[PromptedQuestion]:
    wanted = frozenset(cohort.ids)
    for prompt in run_prompts(run, point, template):
        if prompt.question_id in wanted:
            yield PromptedQuestion(
                prompt.question_id,
                prompts.add(prompt.text),
                prompt.context_sha256,
                prompt.context_tokens,
                prompt.prompt_tokens_estimated,
            )


def _template(reader: ReaderDefinition, run: Run) -> PromptTemplate:
    if reader.template is None:
        template, named = DEFAULT_TEMPLATE, "the bundled template"
    else:
        named = f"the template of {reader.path}"
        template = PromptTemplate.of(reader.template, named)
    check_template(run, template, named=named, option="`template` in the reader's file")
    return template


def _split(request: AnswerRequest, run: Run) -> Split | None:
    """Read the split. Test questions are known by it, so one that is known must be named."""
    if (request.split is None) != (request.part is None):
        raise UsageError("--split and --part go together", "Give both, or neither.")
    if request.split is not None:
        return read_split(request.split)
    if request.registration is not None:
        raise UsageError("--registration is about test questions", "Give --split and --part test.")
    of_run = None if run.cohort.split_sha256 is None else f"the part {run.cohort.part} of a split"
    known = of_run or _split_of_dataset(run)
    if known is not None:
        raise UsageError(
            f"the questions of {run.folder} are of {known}, which says which are test questions",
            "Name the split with --split FILE, and the part with --part dev or --part test.",
        )
    return None


def _split_of_dataset(run: Run) -> str | None:
    """Find a split of the run's dataset next to the register."""
    dataset = dataset_sha256_of(run)
    if dataset is None:
        return None
    try:
        folder = find_register(None).parent / SPLITS
    except UsageError:
        return None
    for path in sorted(folder.glob("*.json")):
        try:
            split = read_split(path)
        except HarnessError:  # not a split, or a damaged one, which is nothing to this command
            continue
        if split.dataset_sha256 == dataset:
            return f"the dataset of {path}"
    return None


def _clearance(
    request: AnswerRequest, point: Point, split: Split | None, *, asked: bool
) -> Clearance:
    if split is None or request.part is None or not asked:
        return Clearance()
    return cleared(request.part, point, split, registration=request.registration, exploratory=None)


def _cohort(request: AnswerRequest, run: Run, split: Split | None) -> Cohort:
    if split is None or request.part is None:
        return Cohort(run.cohort.ids, ALL)
    of_run = run.cohort
    if (of_run.part, of_run.split_sha256) == (request.part, split.sha256):
        return of_run
    cohort = Cohort.of_split(split, request.part, of_run.ids)
    if not cohort.ids:
        raise InputError(
            f"{run.folder} has no question of the part {request.part} of {request.split}",
            "Name the split of its dataset, or another part.",
        )
    return cohort


def _reference(request: AnswerRequest, split: Split | None) -> SplitReference | None:
    if split is None or request.split is None:
        return None
    return SplitReference(request.split.as_posix(), str(split.sha256))
