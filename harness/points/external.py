"""The points that no arm of ours produced: recorded answers of another system.

`external(name=rag_con)` names them. It is spelled, compared and stored like any other point, and
has grades; it selects nothing, so it is neither listed among the arms nor replayed.
"""

from __future__ import annotations

from dataclasses import dataclass

from harness.errors import UsageError
from harness.model import Arm, CaseView, Parameter, Policy, Selection, Settings

GRADES_ONLY = "it names recorded answers and selects nothing"
HOW_TO_GRADE = "Import its answers with: harness grades import"


@dataclass(frozen=True, slots=True)
class _NoPolicy:
    """Compared by the name, so that two points of one name are the same."""

    name: str

    def select(self, case: CaseView) -> Selection:
        raise UsageError(f"external(name={self.name}): {GRADES_ONLY}", HOW_TO_GRADE)


def _no_policy(settings: Settings) -> Policy:
    return _NoPolicy(str(settings["name"]))


EXTERNAL = Arm(
    name="external",
    summary="recorded answers of another system; it selects nothing",
    explanation=(
        "A name for answers that no arm produced, such as a published log, so that their\n"
        "grades can be imported, registered and judged together with those of our points.\n"
        "It cannot be replayed."
    ),
    source="the grades that are imported under its name",
    policy=_no_policy,
    parameters=(Parameter("name", "what these answers are called", kind=str),),
    default_points=(),
)
"""Not installed by an entry point: every harness knows it, and no package may take its name."""
