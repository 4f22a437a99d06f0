"""The log of LongMemEval's official evaluation: JSON Lines, one answered question per line.

The verdict is `autoeval_label`, `{model, label}`. The reader's tokens are those that its API
reported: `usage.prompt_tokens`, else `tokens.prompt_tokens`; `eval_…` are the judge's. A line may
say the hash of the context that was answered, `context_sha256`. The log does not name the reader.
Every file is one pass, in the order given.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from harness.datasets.question_list import ListedQuestion
from harness.decode import KEEP, Count, Format, Positive, Sha256, Text
from harness.errors import Faults

from ..grade import API
from .rows import NO_VERDICT, GradeFile, GradeFormat, GradeRow, ReadGrades, lines_of


@dataclass(frozen=True, slots=True)
class _Label:
    label: bool | None
    model: Text | None = None


@dataclass(frozen=True, slots=True)
class _Usage:
    prompt_tokens: Positive | None = None
    completion_tokens: Count | None = None


@dataclass(frozen=True, slots=True)
class _LogLine:
    question_id: Text
    autoeval_label: _Label | None
    usage: _Usage | None = None
    tokens: _Usage | None = None
    context_sha256: Sha256 | None = None


LINE = Format("a line of LongMemEval's log", _LogLine, unknown=KEEP, of_others=True)


def read(
    files: Sequence[GradeFile], listed: Sequence[ListedQuestion], faults: Faults
) -> ReadGrades:
    """Read all files, each as a pass; what is wrong with them is added to `faults`."""
    read_grades = ReadGrades()
    for pass_number, file in enumerate(files, 1):
        rows = 0
        for number, line in lines_of(LINE, file, faults):
            rows += 1
            if line is not None:
                read_grades.rows.append(_row(line, number, file, pass_number))
        read_grades.add_source(file, rows, [pass_number])
    return read_grades


def _row(line: _LogLine, number: int, file: GradeFile, pass_number: int) -> GradeRow:
    label = line.autoeval_label or _Label(None)
    # both counts are from the first of the two places that has a prompt's
    reported = (usage for usage in (line.usage, line.tokens) if usage and usage.prompt_tokens)
    usage = next(reported, _Usage())
    return GradeRow(
        question_id=line.question_id,
        pass_number=pass_number,
        correct=label.label,
        problem=NO_VERDICT if label.label is None else None,
        source_sha256=file.sha256,
        row=number,
        judge=label.model,
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
        tokens_source=None if usage.prompt_tokens is None else API,
        context_sha256=line.context_sha256,
    )


FORMAT = GradeFormat("longmemeval-eval", "the official evaluation log; each FILE is a pass", read)
