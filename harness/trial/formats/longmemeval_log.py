"""The log of LongMemEval's official evaluation: JSON Lines, one answered question per line.

The verdict is `autoeval_label`, `{model, label}`; a row that says that answer or judgment failed is
an error, whatever its label. The reader's tokens are those that its API
reported: `usage.prompt_tokens`, else `tokens.prompt_tokens`; `eval_…` are the judge's. A line may
say the hash of the context that was answered, `context_sha256`. The log does not name the reader.
Every file is one pass, in the order given.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from harness.datasets.question_list import ListedQuestion
from harness.decode import KEEP, Count, FieldError, Format, Positive, Sha256, Text
from harness.errors import Faults

from ..grade import API
from .rows import NO_VERDICT, ErrorMarkers, GradeFile, GradeFormat, GradeRow, ReadGrades, lines_of


@dataclass(frozen=True, slots=True)
class _Label(ErrorMarkers):
    label: bool | None
    model: Text | None = None


_NO_LABEL = _Label(None)
"""Where the key is absent; a label of nothing that is given equals it, but is not it."""


@dataclass(frozen=True, slots=True)
class _Usage:
    prompt_tokens: Positive | None = None
    completion_tokens: Count | None = None


@dataclass(frozen=True, slots=True)
class _LogLine(ErrorMarkers):
    question_id: Text
    autoeval_label: _Label | None = _NO_LABEL
    usage: _Usage | None = None
    tokens: _Usage | None = None
    context_sha256: Sha256 | None = None

    def __post_init__(self) -> None:
        if self.autoeval_label is _NO_LABEL and self.failure is None:
            raise FieldError("autoeval_label", "is missing")

    @property
    def problem(self) -> str | None:
        """What the line says of a failure, of its answer or of its label."""
        return self.failure or (self.autoeval_label and self.autoeval_label.failure) or None

    @property
    def label(self) -> bool | None:
        """The verdict; None where there is none."""
        return None if self.problem or self.autoeval_label is None else self.autoeval_label.label


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
    # both counts are from the first of the two places that has a prompt's
    reported = (usage for usage in (line.usage, line.tokens) if usage and usage.prompt_tokens)
    usage = next(reported, _Usage())
    return GradeRow(
        question_id=line.question_id,
        pass_number=pass_number,
        correct=line.label,
        problem=(line.problem or NO_VERDICT) if line.label is None else None,
        source_sha256=file.sha256,
        row=number,
        judge=None if line.autoeval_label is None else line.autoeval_label.model,
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
        tokens_source=None if usage.prompt_tokens is None else API,
        context_sha256=line.context_sha256,
    )


FORMAT = GradeFormat("longmemeval-eval", "the official evaluation log; each FILE is a pass", read)
