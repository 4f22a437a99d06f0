"""All that must hold before a split is opened, checked without reading an outcome."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.datasets.question_list import read_question_list
from harness.datasets.register import find_register, read_register
from harness.errors import Faults, HarnessError, InputError
from harness.replay.run import Run
from harness.statistics.mc_compat import ordered_ids
from harness.trial.registration import Plan, Registration

from .cohort_check import Judged, check_cohort, judged_questions
from .context_check import RunRows, check_contexts, check_run, run_rows
from .costs import Costs, check_costs, costs_of
from .departures import model_departures
from .entrants import POINT, Entrant, gather_entrants
from .ledger_history import committed_problem
from .order import Order, order_of
from .pinned_check import check_pinned, plan_departure, registered_split

QuestionTypes = Mapping[str, str | None]


@dataclass(frozen=True, slots=True)
class JudgmentInputs:
    """What a judgment is made of: paths, as given or by default."""

    registration: Path
    grades: tuple[Path, ...]
    ledger: Path
    run: Path | None = None
    register: Path | None = None


@dataclass(frozen=True, slots=True)
class Prepared:
    """What was checked, and nothing of any outcome. `entrants`: the point, then the controls;
    `costs` and `rows` (what the run has) are by point; `types` by question, None if not known."""

    inputs: JudgmentInputs
    registration: Registration
    order: Order
    entrants: tuple[Entrant, ...]
    judged: Judged
    costs: Mapping[str, Costs]
    run: Run | None
    rows: Mapping[str, RunRows | None]
    types: QuestionTypes | None
    departures: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def point(self) -> Entrant:
        return self.entrants[0]

    @property
    def controls(self) -> tuple[Entrant, ...]:
        return self.entrants[1:]


def prepare(inputs: JudgmentInputs) -> Prepared:
    """Check everything; raises `InputError` with every problem together."""
    registration = Registration.read(inputs.registration)
    run = None if inputs.run is None else Run.open(inputs.run)
    plan = registration.plan
    faults, notes = Faults(), list[str]()
    split = registered_split(plan, faults)
    check_pinned(registration, faults, notes)
    if (problem := committed_problem(inputs.ledger)) is not None:
        faults.add(problem)
    entrants = gather_entrants(plan, inputs.grades, faults)
    order = order_of(inputs.registration, registration, entrants, faults)
    judged = judged_questions(registration.cohort, entrants)
    _check_questions(plan, judged, faults)
    if split is not None:
        for entrant in entrants:
            check_cohort(entrant, judged, registration.cohort, split, faults)
    rows = _run_rows(run, plan, entrants, judged, faults, notes)
    costs = {entrant.spec: costs_of(entrant, judged, rows[entrant.spec]) for entrant in entrants}
    for entrant in entrants:
        if entrant.role == POINT:
            check_costs(plan, entrant, costs[entrant.spec], run is not None, faults)
    faults.raise_if_any(
        f"{inputs.registration} cannot be judged",
        "The split was not opened, and no outcome was read.",
    )
    edited = plan_departure(registration)
    departures = ([] if edited is None else [edited]) + model_departures(plan, entrants)
    return Prepared(
        inputs=inputs,
        registration=registration,
        order=order,
        entrants=entrants,
        judged=judged,
        costs=costs,
        run=run,
        rows=rows,
        types=_question_types(inputs, plan, run, judged, notes),
        departures=tuple(departures),
        notes=tuple(notes),
    )


def _check_questions(plan: Plan, judged: Judged, faults: Faults) -> None:
    """There are questions, and their ids can be ordered as a rule asks."""
    if not judged.ids:
        faults.add("no question is left to judge: the plan excludes every test question")
    for rule in plan.rules:
        if rule.id_order is not None:
            try:
                ordered_ids(dict.fromkeys(judged.ids, 0), rule.id_order.value)
            except InputError as error:
                faults.add(f"rule {rule.name!r}: {error.message}")


def _run_rows(
    run: Run | None,
    plan: Plan,
    entrants: Sequence[Entrant],
    judged: Judged,
    faults: Faults,
    notes: list[str],
) -> dict[str, RunRows | None]:
    if run is None:
        if plan.recording_sha256 is not None:
            notes.append(
                "No run was given, so the registered recording and the answered contexts were "
                "not compared."
            )
        return dict.fromkeys((entrant.spec for entrant in entrants), None)
    check_run(run, plan, judged, faults)
    found: dict[str, RunRows | None] = {}
    for entrant in entrants:
        rows = run_rows(run, entrant.spec)
        found[entrant.spec] = rows
        if rows is None:
            notes.append(f"The run does not have the {entrant}.")
        else:
            check_contexts(entrant, judged, rows, faults, notes)
    return found


def _question_types(
    inputs: JudgmentInputs, plan: Plan, run: Run | None, judged: Judged, notes: list[str]
) -> QuestionTypes | None:
    """The type of every judged question, from the dataset's list, else from the run."""
    types: dict[str, str | None] = {}
    try:
        register = read_register(find_register(inputs.register))
        listed = read_question_list(register.find(plan.dataset.name).questions)
        types = {question.question_id: question.question_type for question in listed}
    except HarnessError:
        if run is not None:
            cases = run.cases().select(["case_id", "category"]).to_pylist()
            types = {case["case_id"]: case["category"] for case in cases}
    if all(name in types for name in judged.ids):
        return {name: types[name] for name in judged.ids}
    notes.append("The types of the questions are not known here, so there is no table by type.")
    return None
