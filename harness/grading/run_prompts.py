"""The prompts of a run: each question's whole prompt at a point, by the run's own template."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from harness.errors import UsageError
from harness.evidence.prompt import PromptTemplate
from harness.model import Query
from harness.points import Point
from harness.replay import schema
from harness.replay.run import Run


@dataclass(frozen=True, slots=True)
class RunPrompt:
    """A question's prompt at a point, the hash of the context in it, and the run's token counts,
    None where it has none."""

    question_id: str
    question_type: str | None
    text: str
    context_sha256: str
    context_tokens: int | None
    prompt_tokens_estimated: int | None


def check_template(run: Run, template: PromptTemplate, *, named: str, option: str) -> None:
    """Refuse a template if the run's tokens were counted with another.

    `named` is what messages call it, `option` how another one is given. Raises `UsageError`.
    """
    tokens = run.manifest.work.get("tokens")
    counted_with = None if tokens is None else tokens["template_sha256"]
    if counted_with not in (None, template.sha256):
        raise UsageError(
            f"{named} has sha256 {template.sha256}, but the prompts of {run.folder} were counted "
            f"with the template of sha256 {counted_with}",
            f"Give that one with {option}, or replay with this one into another run.",
        )


def run_prompts(run: Run, point: Point, template: PromptTemplate) -> Iterator[RunPrompt]:
    """Yield the prompt of every question at a point, in the order of the run."""
    cases = {case["case_id"]: case for case in run.cases().to_pylist()}
    names = ["case_id", "point", "context_tokens", "prompt_tokens_estimated"]
    table = run.table(schema.SELECTIONS, names)
    spelled = table["point"].cast(pa.string())
    rows = table.filter(pc.equal(spelled, run.computed_as[str(point)])).to_pylist()
    costs = {row["case_id"]: row for row in rows}
    for case_id, context_sha256, context in run.contexts(point):
        case = cases[case_id]
        yield RunPrompt(
            case_id,
            case["category"],
            template.fill(context, Query(case["question"], case["date"])),
            context_sha256,
            costs[case_id]["context_tokens"],
            costs[case_id]["prompt_tokens_estimated"],
        )
