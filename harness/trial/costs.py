"""What the judged questions cost at a point, by measure, without reading an outcome.

A mean is over all judged questions or is not given. `prompt_tokens_api` is what the reader's API
reported of each question; where a format has sums alone, the sum over as many reported calls as
there are judged questions. Estimated tokens are never taken for reported ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from harness.datasets.cohort import Cohort
from harness.errors import Faults
from harness.points.external import EXTERNAL

from .entrants import Entrant
from .grade import Grade
from .plan import API_MEASURE, COST_MEASURES, Plan, RegisteredRule, SameCost
from .verdict import Cost, SameCostCheck

_ANSWERING = "ANSWER"
"""The module of a token-usage file that answers questions."""

CONTEXT_MEASURE = "context_tokens"
COUNTED_MEASURES = tuple(measure for measure in COST_MEASURES if measure != API_MEASURE)
"""Measures that are the run's counts, never a claim of the grades."""


@dataclass(frozen=True, slots=True)
class RunRow:
    """What a run has of one question at one point; tokens are None where they were not counted."""

    context_sha256: str
    context_tokens: int | None
    prompt_tokens_estimated: int | None


RunRows = Mapping[str, RunRow]


@dataclass(frozen=True, slots=True)
class MeanCost:
    """`mean` in tokens per question, exact; None unless each of `questions` has the measure.

    `reported` questions have it. `estimated`, for the API measure, have an estimate in its place.
    `claimed`: the grades say so, and no run counted it.
    """

    measure: str
    mean: Fraction | None
    questions: int
    reported: int
    estimated: int = 0
    claimed: bool = False

    @property
    def problem(self) -> str:
        """Why there is no mean; empty where there is one."""
        if self.mean is not None:
            return ""
        if self.measure == API_MEASURE:
            estimated = f" (those of {self.estimated} are estimated)" if self.estimated else ""
            return (
                f"the API reported prompt tokens of {self.reported} questions{estimated}, and "
                f"{self.questions} are judged"
            )
        return f"{self.measure} is known of {self.reported} of {self.questions} questions"

    @property
    def value(self) -> float | None:
        return None if self.mean is None else float(self.mean)


Costs = Mapping[str, MeanCost]
"""By measure."""


def costs_of(entrant: Entrant, judged: Cohort, run: RunRows | None) -> Costs:
    """Take every measure of the entrant's judged pass: what the API reported from the grades, what
    is counted from the run; only where no run has the point is the word of the grades taken."""
    wanted = set(judged.ids)
    rows = {row.question_id: row for row in entrant.judged.rows() if row.question_id in wanted}
    costs = {measure: _mean_cost(measure, rows, judged.ids, run) for measure in COST_MEASURES}
    if costs[API_MEASURE].reported == 0:
        costs[API_MEASURE] = _from_totals(entrant, len(judged.ids)) or costs[API_MEASURE]
    return costs


def _mean_cost(
    measure: str, rows: Mapping[str, Grade], ids: Sequence[str], run: RunRows | None
) -> MeanCost:
    source: Mapping[str, Grade | RunRow] = rows
    if run is not None and measure != API_MEASURE:
        source = run
    values: list[int | None] = [getattr(source.get(name), measure, None) for name in ids]
    known = [value for value in values if value is not None]
    estimated = 0
    if measure == API_MEASURE:
        estimated = sum(row.prompt_tokens_estimated is not None for row in rows.values())
    mean = Fraction(sum(known), len(ids)) if ids and len(known) == len(ids) else None
    claimed = measure != API_MEASURE and source is rows and mean is not None
    return MeanCost(measure, mean, len(ids), len(known), estimated, claimed)


def _from_totals(entrant: Entrant, questions: int) -> MeanCost | None:
    """Take the cost from token-usage files, which have only sums: one file, of exactly the judged
    questions."""
    totals = [entry for entry in entrant.grades.token_totals if entry.module.upper() == _ANSWERING]
    if len(totals) != 1 or len(entrant.grades.passes) != 1:
        return None
    reported = totals[0].usage_reported_call_count
    tokens, estimated = totals[0].prompt_tokens, totals[0].estimated_prompt_call_count or 0
    if reported is None or tokens is None:
        return None
    # a call counts as reported even where the tokens were estimated
    whole = reported == questions and not estimated
    mean = Fraction(tokens, questions) if whole else None
    return MeanCost(API_MEASURE, mean, questions, reported - estimated, estimated)


def claims_that_differ(rows: Sequence[Grade], run: RunRows) -> dict[str, list[str]]:
    """Return, by measure, the questions of which the grades claim another count than the run
    has."""
    differing: dict[str, list[str]] = {}
    for measure in COUNTED_MEASURES:
        for row in rows:
            claim: int | None = getattr(row, measure)
            counted: int | None = getattr(run.get(row.question_id), measure, None)
            if claim is not None and counted is not None and claim != counted:
                differing.setdefault(measure, []).append(row.question_id)
    return differing


def check_costs(plan: Plan, point: Entrant, costs: Costs, run_given: bool, faults: Faults) -> None:
    """Check that what the rules' cost clauses need is there: API reports of every judged question,
    and a run for context tokens. Estimates in place of reports are not a fault: such a rule cannot
    say."""
    api, context = costs[API_MEASURE], costs[CONTEXT_MEASURE]
    estimated = api.estimated > 0 and api.reported + api.estimated == api.questions
    if API_MEASURE in plan.cost_measures and api.mean is None and not estimated:
        faults.add(f"{point.where}: {api.problem}, and a rule names {API_MEASURE}")
    selects = point.point.arm != EXTERNAL.name
    if CONTEXT_MEASURE in plan.cost_measures and context.mean is None and selects and not run_given:
        faults.add(
            f"{point.where}: a rule names {CONTEXT_MEASURE}, which these grades do not have: give "
            "--run"
        )


def cost_of_rule(rule: RegisteredRule, point: Costs) -> Cost | None:
    """Apply the rule's cost clause; None where it has none."""
    cap = rule.cost
    if cap is None:
        return None
    cost = point[cap.measure]
    held = None if cost.mean is None else cost.mean <= cap.limit
    if held is None:
        reason = cost.problem
    else:
        sign = "is within" if held else "is above"
        reason = f"{cap.measure} {float(cost.mean or 0):,.10g} {sign} the cap of {cap.at_most}"
    return Cost(cap.measure, cap.at_most, cost.value, cost.questions, cost.reported, held, reason)


def same_cost_check(
    registered: SameCost | None, point: Costs, control: Costs
) -> SameCostCheck | None:
    """Check whether the point costs what the control costs; None where the plan does not ask."""
    if registered is None:
        return None
    measure, within = registered.measure, registered.within
    ours, theirs = point[measure], control[measure]
    ratio = ours.mean / theirs.mean if ours.mean is not None and theirs.mean else None
    if ratio is None:
        problem = ours.problem or theirs.problem or "the control costs nothing"
        return SameCostCheck(measure, within, ours.value, theirs.value, None, None, problem)
    held = abs(ratio - 1) <= registered.tolerance
    reason = (
        f"{measure} is {float(ratio):.3f} of the control's, "
        f"{'within' if held else 'not within'} {within} of it"
    )
    return SameCostCheck(measure, within, ours.value, theirs.value, float(ratio), held, reason)
