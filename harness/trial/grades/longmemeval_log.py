"""The log of LongMemEval's official evaluation: JSON Lines, one answered question a line.

The verdict is `autoeval_label`, `{model, label}`. The reader's tokens are those that its API
reported: `usage.prompt_tokens`, else `tokens.prompt_tokens`; `eval_…` are the judge's. The log does
not name the reader. Every file is one pass, in the order given.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from harness.datasets.question_list import ListedQuestion
from harness.decode.fields import ObjectReader, count_or_none, kind_of, lenient, text_or_none
from harness.decode.json_lines import JsonLines
from harness.errors import Faults, InputError

from .grade import API
from .rows import NO_VERDICT, GradeFile, GradeRow, ReadGrades

NAME = "longmemeval-eval"


def read(
    files: Sequence[GradeFile], listed: Sequence[ListedQuestion], faults: Faults
) -> ReadGrades:
    """The rows of all files; what is wrong with them is added to `faults`."""
    read_grades = ReadGrades()
    for number, file in enumerate(files, 1):
        rows = 0
        try:
            for line in JsonLines(str(file.path)):
                rows += 1
                found = Faults()
                if line.fault is not None:
                    found.add(line.fault)
                row = None if line.fault else _row(line.value, line.number, file, number, found)
                for message in found:
                    faults.add(f"{file.place(line.number)}: {message}")
                if row is not None and not found:
                    read_grades.rows.append(row)
        except InputError as error:
            faults.add(error.message)
        read_grades.add_source(file, rows, [number])
    return read_grades


def _row(value: Any, line: int, file: GradeFile, pass_number: int, faults: Faults) -> GradeRow:
    fields = lenient(value, "", faults, ("question_id", "autoeval_label"))
    correct, judge = _label(fields, faults)
    prompt, completion = _tokens(fields, faults)
    return GradeRow(
        question_id=fields.text("question_id", empty=False),
        pass_number=pass_number,
        correct=correct,
        problem=NO_VERDICT if correct is None else None,
        source_sha256=file.sha256,
        row=line,
        judge=judge,
        prompt_tokens=prompt,
        completion_tokens=completion,
        tokens_source=None if prompt is None else API,
    )


def _label(fields: ObjectReader, faults: Faults) -> tuple[bool | None, str | None]:
    """Verdict and judge; a null label is no verdict."""
    value = fields.raw("autoeval_label")
    if value is None:
        return None, None
    label = lenient(value, "autoeval_label", faults, ("label",))
    correct = label.raw("label")
    if correct is not None and not isinstance(correct, bool):
        label.fault("label", f"is {kind_of(correct)}, expected true or false")
    return correct, text_or_none(label, "model")


def _tokens(fields: ObjectReader, faults: Faults) -> tuple[int | None, int | None]:
    """Prompt and completion tokens, both from the first of the two places that has a prompt's."""
    found: list[tuple[int | None, int | None]] = []
    for key in ("usage", "tokens"):
        if fields.raw(key) is not None:
            counts = lenient(fields.raw(key), key, faults)
            prompt = count_or_none(counts, "prompt_tokens", least=1)
            found.append((prompt, count_or_none(counts, "completion_tokens")))
    return next((pair for pair in found if pair[0] is not None), (None, None))
