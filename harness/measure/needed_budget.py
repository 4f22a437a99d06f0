"""The budget needed: at which budget the passages that an answer must cite first become citable.

What is printed is not monotone in the budget, so this is the smallest whole number of budget tokens
at which every passage of a field is citable; at a larger one it may not be. The search is exact:
each expansion says by how many bytes its budget was short of printing anything else, and no budget
below that is tried.
"""

from __future__ import annotations

from dataclasses import dataclass

from harness.model import Case, CaseView, PrintedBlock, view_of
from harness.points import Point, arms_with_parts, load_arm, make_point
from harness.recording.recording import Recording
from harness.replay.lookup_rows import BYTES_PER_TOKEN, expansion_of
from harness.worlds.citable import citable_fields, fields_with_evidence

from .lookup_rows import BUDGET, require_budget, require_lookups, with_settings

LARGEST_BUDGET = 16_000


@dataclass(frozen=True, slots=True)
class NeededBudget:
    """One field of a task: the smallest budget in tokens, or None up to `LARGEST_BUDGET`."""

    case_id: str
    category: str | None
    field: str
    budget_tokens: int | None


def default_points() -> list[Point]:
    """Return the arms with parts at their defaults, each after the arm that it is without any
    part."""
    names = [
        name
        for arm in arms_with_parts()
        if arm.roles.parts is not None
        for name in (arm.roles.parts.without, arm.name)
    ]
    return [make_point(load_arm(name), {}) for name in names if name]


def needed_budgets(
    recording: Recording, point: Point, *, stubs: bool = False, largest: int = LARGEST_BUDGET
) -> list[NeededBudget]:
    """Return the budget needed by each field of each case at `point`, its own budget aside."""
    require_lookups(recording)
    require_budget(point)
    return [
        NeededBudget(case.case_id, case.category, name, budget)
        for case in recording.cases()
        for name, budget in _of_case(case, point, stubs, largest).items()
    ]


def _of_case(case: Case, point: Point, stubs: bool, largest: int) -> dict[str, int | None]:
    gold, lookup = case.lookup_gold, case.lookup
    if gold is None or lookup is None:
        return {}
    view, _ = view_of(case)
    needed: dict[str, int | None] = dict.fromkeys(fields_with_evidence(gold))
    budget: int | None = 1
    while budget is not None and budget <= largest and None in needed.values():
        blocks, following = _printed(view, point, budget)
        for name in citable_fields(gold, blocks, lookup.documents, stubs=stubs):
            if needed[name] is None:
                needed[name] = budget
        budget = following
    return needed


def _printed(
    view: CaseView, point: Point, budget: int
) -> tuple[tuple[PrintedBlock, ...], int | None]:
    """Return the blocks at a budget, and the next budget at which they may change."""
    policy = with_settings(point, **{BUDGET: budget}).policy
    expansion = expansion_of(policy.select(view))
    short = expansion.short_by
    return expansion.blocks, None if short is None else budget + -(-short // BYTES_PER_TOKEN)
