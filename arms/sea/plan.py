"""What a query seems to be for, from the words in it."""

from __future__ import annotations

from dataclasses import dataclass

from .vocabulary import TASKS, place_of

_EXACT_TASK = "project_recall"

_GROUPS = (
    ("implementation_design", ("zig", "code", "build.zig", "implement", "design")),
    ("code_repair", ("bug", "patch", "compile", "fix", "error")),
    ("legal_review", ("contract", "legal", "license", "compliance")),
    ("research_synthesis", ("paper", "research", "eval", "study")),
    ("benchmark_review", ("benchmark", "throughput", "latency", "perf")),
    (_EXACT_TASK, ("remember", "prior", "decision", "recall", "earlier")),
)
"""In order of precedence: the last group with a hit wins."""


@dataclass(frozen=True, slots=True)
class QueryTask:
    """The task of a query, and whether the score is blended with a lexical one.

    Scoring and selection read these two and no other field.
    """

    task: str
    exact_recall: bool = False

    @property
    def ordinal(self) -> int:
        """Task's number, which is not its precedence."""
        return place_of(self.task, TASKS, "task")

    @property
    def recency_bias(self) -> float:
        return {_EXACT_TASK: 0.20, "code_repair": 0.60}.get(self.task, 0.40)

    @property
    def risk(self) -> float:
        return 0.50

    @property
    def require_grounding(self) -> bool:
        return True


def plan_for(task: str) -> QueryTask:
    """Return the plan of a task: only project recall blends the score."""
    place_of(task, TASKS, "task")
    return QueryTask(task, exact_recall=task == _EXACT_TASK)


def infer_plan(query: str) -> QueryTask:
    """Return the plan of `query`, whose words are looked for anywhere, without regard to ASCII
    case.

    There are no word boundaries, as in the original: *prefix* is a `fix` and *perfect* a `perf`.
    """
    folded = query.encode("utf-8", "surrogatepass").lower()
    task = "general"
    for group, words in _GROUPS:
        if any(word.encode() in folded for word in words):
            task = group
    return plan_for(task)
