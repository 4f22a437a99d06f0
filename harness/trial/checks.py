"""All that must hold before a split is opened, checked without reading an outcome.

`CHECKS` is the whole list, in order. Each adds what does not hold to the faults, which are reported
together, and what it found out to what is judged.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from harness.datasets.cohort import Cohort
from harness.datasets.question_list import read_question_list
from harness.datasets.register import find_register, read_register
from harness.datasets.split import Split, read_split
from harness.errors import Faults, HarnessError, InputError
from harness.points import Point
from harness.replay import schema
from harness.replay.run import Run
from harness.storage.hashing import sha256_of_file
from harness.words import counted

from .by_type import types_of
from .clusters import Clusters, read_clusters
from .costs import (
    Costs,
    RunRow,
    RunRows,
    check_costs,
    claims_that_differ,
    costs_of,
)
from .entrants import DEV, Entrant, gather_entrants
from .exposure import bundled_datasets
from .grade import STAND_IN, Grade, Status
from .grades import Grades
from .history import growth_problem, uncommitted_problem
from .order import UNKNOWN_ORDER, Order, order_of
from .pins import excluded_ids
from .plan import EXTERNAL_CONTEXTS, Plan
from .registration import Registration

QuestionTypes = Mapping[str, str | None]

NOT_SAID = "not said"
CONTEXTS_EXTERNAL = "which contexts were answered: the plan declares them external"
_MOST_NAMED = 10


@dataclass(frozen=True, slots=True)
class JudgmentInputs:
    """What a judgment is made of: paths, as given or by default."""

    registration: Path
    grades: tuple[Path, ...]
    ledger: Path
    run: Path | None = None
    register: Path | None = None
    data: Path | None = None
    demonstration: bool = False
    quiet: bool = True


@dataclass
class Preparation:
    """What is judged, and nothing of any outcome; filled by the checks.

    `entrants`: the point, then the controls. `costs` and `rows` (what the run has) are by point.
    `types` are by question; they and `clusters` are None if not known. `judged` are the questions
    in code point order, with the rule by which each other one of the test part was left out.
    `not_checked` lists what would have to be checked for a confirmatory verdict, and was not.
    """

    inputs: JudgmentInputs
    registration: Registration
    run: Run | None
    faults: Faults = field(default_factory=Faults)
    not_checked: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    departures: list[str] = field(default_factory=list)
    split: Split | None = None
    entrants: tuple[Entrant, ...] = ()
    order: Order = UNKNOWN_ORDER
    judged: Cohort = field(default_factory=lambda: Cohort(()))
    rows: dict[Point, RunRows | None] = field(default_factory=dict)
    costs: dict[Point, Costs] = field(default_factory=dict)
    types: QuestionTypes | None = None
    clusters: Clusters | None = None

    @property
    def plan(self) -> Plan:
        return self.registration.plan


def prepare(inputs: JudgmentInputs) -> Preparation:
    """Check everything; raises `InputError` with every problem together."""
    preparation = Preparation(
        inputs,
        Registration.read(inputs.registration),
        None if inputs.run is None else Run.open(inputs.run),
    )
    for _, check in CHECKS:
        check(preparation)
    preparation.faults.raise_if_any(
        f"{inputs.registration} cannot be judged",
        "The split was not opened, and no outcome was read.",
    )
    return preparation


def _check_split(prepared: Preparation) -> None:
    """Check that the split is the registered one; one that is missing or another is a fault."""
    pin = prepared.plan.split
    try:
        split = read_split(Path(pin.file))
    except InputError as error:
        prepared.faults.add(
            f"the registered split: {error.message}; paths are relative to the directory "
            "in which the plan was registered, so run judge there"
        )
        return
    if split.sha256 != pin.sha256:
        prepared.faults.add(_differs(pin.file, str(split.sha256), pin.sha256))
        return
    prepared.split = split


def _check_pinned(prepared: Preparation) -> None:
    """Check every other pinned file and folder that is here. One that is not is noted: dev grades
    need not be kept, and a control's grades may be given from elsewhere, by the same hash."""
    controls = {control.grades for control in prepared.plan.controls}
    for pinned in prepared.registration.pinned:
        path = Path(pinned.path)
        if pinned.path == prepared.plan.split.file or pinned.path in controls:
            continue
        if not path.exists():
            prepared.notes.append(
                f"{pinned.path}, which the registration pins, is not here to be checked."
            )
            continue
        sha256 = Grades.open(path).sha256 if path.is_dir() else sha256_of_file(path)
        if sha256 != pinned.sha256:
            prepared.faults.add(_differs(pinned.path, sha256, pinned.sha256))


def _differs(path: str, sha256: str, pinned: str) -> str:
    return f"{path}: sha256 is {sha256}, the registration pins {pinned}"


def _check_ledger(prepared: Preparation) -> None:
    """Check that the ledger begins with its last commit's lines, and that it has only grown."""
    if prepared.inputs.demonstration:
        return
    if (problem := uncommitted_problem(prepared.inputs.ledger)) is not None:
        prepared.faults.add(problem)
    if (problem := growth_problem(prepared.inputs.ledger)) is not None:
        prepared.not_checked.append(problem)


def _check_demonstration(prepared: Preparation) -> None:
    """Check that a demonstration is one: the bundled sample, graded without a reader."""
    if not prepared.inputs.demonstration:
        return
    if prepared.plan.dataset.sha256 not in bundled_datasets():
        prepared.faults.add(
            f"--demonstration is for the bundled sample, and the plan is of "
            f"{prepared.plan.dataset.name}, sha256 {prepared.plan.dataset.sha256}"
        )
    for entrant in prepared.entrants:
        formats = {grades.content.format for grades in entrant.folders}
        if formats != {STAND_IN}:
            prepared.faults.add(
                f"{entrant.where}: --demonstration is for grades of harness grades {STAND_IN}, "
                "and these were imported"
            )


def _check_entrants(prepared: Preparation) -> None:
    prepared.entrants = gather_entrants(prepared.plan, prepared.inputs.grades, prepared.faults)


def _check_order(prepared: Preparation) -> None:
    prepared.order = order_of(
        prepared.inputs.registration, prepared.registration, prepared.entrants, prepared.faults
    )
    prepared.not_checked.extend(prepared.order.not_shown)


def _check_questions(prepared: Preparation) -> None:
    """Check that there are questions, and that their ids can be ordered as a rule asks."""
    prepared.judged = _judged_questions(prepared)
    if not prepared.judged.ids:
        prepared.faults.add("no question is left to judge: the plan excludes every test question")
    for rule in prepared.plan.rules:
        try:
            rule.method.check_ids(prepared.judged.ids)
        except InputError as error:
            prepared.faults.add(f"rule {rule.name!r}: {error.message}")


def _judged_questions(prepared: Preparation) -> Cohort:
    """Return the test questions less what the plan excludes by rule.

    What the registration could not know (`no-answer-in-evidence` without pinned grades) is excluded
    where the grades of any entrant say so: a question's labels do not depend on the point.
    """
    registered = prepared.registration.cohort
    cohort = Cohort.of_registration(sorted(registered.test_ids), ())
    for excluded in registered.excluded:
        names: set[str] = set(excluded.question_ids or ())
        if excluded.question_ids is None:
            for entrant in prepared.entrants:
                names |= excluded_ids(entrant.grades, excluded.rule)
        cohort = cohort.without(names, excluded.rule.value)
    return cohort


def _check_grading(prepared: Preparation) -> None:
    """Check that every judged question is graded exactly once in the judged pass, and no question
    from elsewhere; each that is not is named."""
    if prepared.split is None:
        return
    for entrant in prepared.entrants:
        if entrant.grades.split_sha256 != prepared.split.sha256:
            prepared.faults.add(
                f"{entrant.where}: its grades are of the split with sha256 "
                f"{entrant.grades.split_sha256}, the registration's has {prepared.split.sha256}"
            )
        if entrant.grades.part == DEV:
            prepared.faults.add(
                f"{entrant.where}: its grades are of the dev part; the test part is judged"
            )
            continue
        known = set(prepared.registration.cohort.test_ids) | set(prepared.split.dev_ids)
        for problem, ids in _problems(entrant.judged.rows(), prepared.judged, known):
            if ids:
                count = counted(len(ids), "question")
                prepared.faults.add(f"{entrant.where}: {count} {problem}: {_named(ids)}")


def _problems(
    rows: Sequence[Grade], judged: Cohort, known: set[str]
) -> Iterator[tuple[str, list[str]]]:
    """Yield the ids that have each problem, in code point order."""
    wanted = set(judged.ids)
    counted = Counter(row.question_id for row in rows)
    of_status: dict[Status, set[str]] = {status: set() for status in Status}
    for row in rows:
        if row.question_id in wanted:
            of_status[row.status].add(row.question_id)
    repeated = {name for name in counted if counted[name] > 1}
    yield "missing", sorted((wanted - counted.keys()) | of_status[Status.MISSING])
    yield "graded more than once", sorted(repeated | of_status[Status.DUPLICATE])
    yield "without a usable grade (error)", sorted(of_status[Status.ERROR])
    yield (
        "excluded by a rule that the registration does not have",
        sorted(of_status[Status.EXCLUDED]),
    )
    yield "that the registration's test part does not have", sorted(counted.keys() - known)


def _check_clusters(prepared: Preparation) -> None:
    """Check that the data that was given is the registered dataset, and take the clusters of it."""
    data = prepared.inputs.data
    if data is not None:
        prepared.clusters = read_clusters(
            data,
            prepared.plan.dataset.sha256,
            prepared.judged.ids,
            prepared.faults,
            quiet=prepared.inputs.quiet,
        )


def _named(ids: Sequence[str]) -> str:
    """Return the first ids, and how many more there are."""
    more = len(ids) - _MOST_NAMED
    return ", ".join(ids[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _check_run(prepared: Preparation) -> None:
    """Check that the run has every judged question, is of the recording that the plan names, and
    that its contexts are the ones that were answered, where the grades know them."""
    run, recording = prepared.run, prepared.plan.recording.sha256
    prepared.rows = dict.fromkeys((entrant.point for entrant in prepared.entrants), None)
    external = prepared.plan.contexts == EXTERNAL_CONTEXTS
    if external:
        prepared.not_checked.append(CONTEXTS_EXTERNAL)
    if run is None:
        if not external:
            prepared.not_checked.append(
                "which contexts were answered: no run was given to compare them with"
            )
        if recording is not None:
            prepared.not_checked.append("the registered recording: no run was given to compare")
        return
    lacking = sorted(set(prepared.judged.ids) - set(run.cohort.ids))
    if lacking:
        prepared.faults.add(
            f"{run.folder} lacks {counted(len(lacking), 'judged question')}: {_named(lacking)}"
        )
    sha256 = run.manifest.content["recording"]["sha256"]
    if recording is not None and sha256 != recording:
        prepared.faults.add(
            f"{run.folder} is of the recording with sha256 {sha256}, the registration names "
            f"{recording}"
        )
    for entrant in prepared.entrants:
        rows = prepared.rows[entrant.point] = run_rows(run, entrant.point)
        if rows is None:
            if not external:
                prepared.not_checked.append(
                    f"which contexts the answers of the {entrant} are of: the run does not have it"
                )
        else:
            _check_contexts(prepared, entrant, rows)


def run_rows(run: Run, point: Point) -> RunRows | None:
    """Read the run's contexts and costs at a point by question; None for a point that the run does
    not have."""
    computed_as = run.computed_as.get(str(point))
    if computed_as is None:
        return None
    names = list(RunRow.__dataclass_fields__)
    table = run.table(schema.SELECTIONS, ["case_id", "point", *names])
    rows = table.filter(pc.equal(table["point"].cast(pa.string()), computed_as))
    ids = rows["case_id"].cast(pa.string()).to_pylist()
    values = rows.select(names).to_pylist()
    return {case_id: RunRow(**value) for case_id, value in zip(ids, values, strict=True)}


def _check_contexts(prepared: Preparation, entrant: Entrant, rows: RunRows) -> None:
    wanted = set(prepared.judged.ids)
    answered = {
        row.question_id: row.context_sha256
        for row in entrant.judged.rows()
        if row.question_id in wanted and row.context_sha256 is not None
    }
    differing = sorted(
        name
        for name, digest in answered.items()
        if name in rows and rows[name].context_sha256 != digest
    )
    if differing:
        prepared.faults.add(
            f"{entrant.where}: {len(differing)} answered contexts are not those of the run: "
            f"{_named(differing)}"
        )
    unknown = len(wanted) - len(answered)
    if unknown and prepared.plan.contexts != EXTERNAL_CONTEXTS:
        prepared.not_checked.append(
            f"which contexts the answers of the {entrant} are of: the grades do not say it for "
            f"{unknown} of {counted(len(wanted), 'question')}"
        )
    judged = [row for row in entrant.judged.rows() if row.question_id in wanted]
    for measure, names in claims_that_differ(judged, rows).items():
        prepared.faults.add(
            f"{entrant.where}: the grades claim other {measure} than the run counts for "
            f"{counted(len(names), 'question')}: {_named(names)}"
        )


def _check_costs(prepared: Preparation) -> None:
    """Check that the point has what the rules' cost clauses need, counted and not claimed."""
    measures = set(prepared.plan.cost_measures)
    if prepared.plan.same_cost is not None:
        measures.add(prepared.plan.same_cost.measure)
    for entrant in prepared.entrants:
        rows = prepared.rows[entrant.point]
        prepared.costs[entrant.point] = costs_of(entrant, prepared.judged, rows)
        if entrant.control is None:
            costs = prepared.costs[entrant.point]
            check_costs(prepared.plan, entrant, costs, prepared.run is not None, prepared.faults)
        prepared.not_checked.extend(
            f"{measure} of the {entrant}: the grades claim it, and no run counts it"
            for measure in sorted(measures)
            if prepared.costs[entrant.point][measure].claimed
        )


def _note_departures(prepared: Preparation) -> None:
    """Note that the plan's file was edited since, or that readers and judges are not the registered
    ones, or not the same for all: said in the verdict, and no fault."""
    pinned = prepared.registration.plan_file
    path = Path(pinned.path)
    if path.is_file() and sha256_of_file(path) != pinned.sha256:
        prepared.departures.append(
            f"The plan {pinned.path} was edited after it was registered. The registration was "
            "judged as it stands."
        )
    models = {
        "reader": {entry.point: entry.grades.reader or NOT_SAID for entry in prepared.entrants},
        "judge": {
            entry.point: ", ".join(entry.grades.judges) or NOT_SAID for entry in prepared.entrants
        },
    }
    registered = {"reader": prepared.plan.reader.model, "judge": prepared.plan.judge.model}
    for entrant in prepared.entrants:
        for kind, model in registered.items():
            named = models[kind][entrant.point]
            if model is not None and named != model:
                prepared.departures.append(
                    f"The registered {kind} is {model}; the grades of the {entrant} have: {named}."
                )
    for kind, by_point in models.items():
        if len(set(by_point.values()) - {NOT_SAID}) > 1:
            listing = "; ".join(f"{point}: {model}" for point, model in by_point.items())
            prepared.departures.append(f"Not all were graded by the same {kind}: {listing}.")


def _note_types(prepared: Preparation) -> None:
    """Note the type of every judged question, from the dataset's list, else from the run, else as
    the grades have them."""
    types: dict[str, str | None] = {}
    try:
        register = read_register(find_register(prepared.inputs.register))
        listed = read_question_list(register.find(prepared.plan.dataset.name).questions)
        types = {question.question_id: question.question_type for question in listed}
    except HarnessError:
        if prepared.run is not None:
            cases = prepared.run.cases().select(["case_id", "category"]).to_pylist()
            types = {case["case_id"]: case["category"] for case in cases}
    if not all(name in types for name in prepared.judged.ids):
        for entrant in prepared.entrants:
            types |= types_of(entrant.grades) or {}
    if all(name in types for name in prepared.judged.ids):
        prepared.types = {name: types[name] for name in prepared.judged.ids}
        return
    prepared.notes.append(
        "The types of the questions are not known here, so there is no table by type."
    )


CHECKS: tuple[tuple[str, Callable[[Preparation], None]], ...] = (
    ("the registered split is here", _check_split),
    ("pinned files are what they were", _check_pinned),
    ("the ledger has only grown", _check_ledger),
    ("the point and each control have grades", _check_entrants),
    ("a demonstration is one", _check_demonstration),
    ("the registration came first", _check_order),
    ("there are questions to judge", _check_questions),
    ("every judged question is graded once", _check_grading),
    ("the dataset says which questions belong together", _check_clusters),
    ("the run is the one that was answered", _check_run),
    ("the costs that rules name are known", _check_costs),
    ("departures from the plan", _note_departures),
    ("types of the questions", _note_types),
)
