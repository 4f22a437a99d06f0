"""Reading a plan: a TOML file, checked as a whole, every fault reported by its key."""

from __future__ import annotations

import tomllib
from collections.abc import Collection
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeVar

from harness.datasets.register import Dataset, Register
from harness.datasets.split import Part, Split
from harness.errors import Faults, HarnessError, InputError
from harness.storage.hashing import sha256_of_text

from . import plan_rules
from .cost_cap import measure_fault
from .pins import pinned_grades, pinned_split, relative_path
from .plan import (
    COST_MEASURES,
    Control,
    Correction,
    DatasetPin,
    ExclusionRule,
    Plan,
    RegisteredRule,
    Role,
    SameCost,
    SplitPin,
)
from .plan_rules import spelled_point
from .plan_table import PlanTable, shown

Value = TypeVar("Value")

KEYS = (
    "question",
    "dataset",
    "split",
    "cohort",
    "recording",
    "point",
    "control",
    "reader",
    "judge",
    "same_cost",
    "rule",
    "family",
    "power",
    "stop",
)
MOST_FAULTS = 200


@dataclass(frozen=True, slots=True)
class CheckedPlan:
    """A plan without a fault: its values, the hash of its file, its split, and the ids of the test
    part in the order of the dataset's list."""

    plan: Plan
    sha256: str
    split: Split
    test_ids: tuple[str, ...]


def read_plan(path: Path, register: Register) -> CheckedPlan:
    """Read and check a plan; the files that it names are hashed.

    Raises `InputError` naming every fault by its key.
    """
    text = _text(path)
    try:
        # a decimal is meant exactly, never as the nearest float
        value = tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path} is not TOML: {error}", EXAMPLE) from error
    faults = Faults(MOST_FAULTS)
    plan, split, test_ids = _read(value, register, faults)
    faults.raise_if_any(str(path), EXAMPLE)
    return CheckedPlan(_there(plan), sha256_of_text(text), _there(split), test_ids)


EXAMPLE = "docs/registering.md has a whole plan to start from."


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError as error:
        raise InputError(f"{path} does not exist", EXAMPLE) from error
    except IsADirectoryError as error:
        raise InputError(f"{path} is a folder", "Give the plan's TOML file.") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 at its byte {error.start:,}") from error


def _read(
    value: dict[str, Any], register: Register, faults: Faults
) -> tuple[Plan | None, Split | None, tuple[str, ...]]:
    root = PlanTable(value, "", KEYS, faults)
    question = root.text("question", example='"At no more than …, does … answer better than …?"')
    dataset, entry = _dataset(root, register)
    split_pin, split, test_ids = _split(root, dataset, entry)
    point = _one(root, "point", "spec", required=True, parse=spelled_point)
    controls, specs = _controls(root, point)
    exclude = _exclude(root)
    recording = _recording(root)
    reader = _one(root, "reader", "model")
    judge = _one(root, "judge", "model")
    same_cost = _same_cost(root)
    rules = _rules(root, specs)
    correction = _correction(root)
    discordance = _discordance(root)
    stop = _one(root, "stop", "text", required=True)
    if len(faults):
        return None, None, ()
    plan = Plan(
        question=_there(question),
        dataset=_there(dataset),
        split=_there(split_pin),
        point=_there(point),
        controls=controls,
        rules=rules,
        stop=_there(stop),
        exclude=exclude,
        recording_sha256=recording,
        reader=reader,
        judge=judge,
        same_cost=same_cost,
        correction=correction,
        discordance=discordance,
    )
    return plan, split, test_ids


def _dataset(root: PlanTable, register: Register) -> tuple[DatasetPin | None, Dataset | None]:
    table = root.table("dataset", ("name", "sha256"), required=True)
    if table is None:
        return None, None
    name = table.text("name", example='"longmemeval-s"')
    sha256 = table.sha256("sha256")
    entry = None
    if name is not None:
        try:
            entry = register.find(name)
        except HarnessError as error:
            table.fault("name", f"{error.message} (harness dataset list)")
    return (DatasetPin(name, sha256) if name and sha256 else None), entry


def _split(
    root: PlanTable, dataset: DatasetPin | None, entry: Dataset | None
) -> tuple[SplitPin | None, Split | None, tuple[str, ...]]:
    nothing: tuple[None, None, tuple[str, ...]] = (None, None, ())
    table = root.table("split", ("file", "part"), required=True)
    if table is None:
        return nothing
    part = table.text("part", example='"test"')
    if part is not None and part != Part.TEST.value:
        table.fault("part", f'{part!r} cannot be registered; a registration seals part = "test"')
    file = table.parsed("file", relative_path, example='"datasets/splits/longmemeval-s.json"')
    if file is None:
        return nothing
    try:
        split, test_ids = pinned_split(Path(file), dataset, entry)
    except InputError as error:
        table.fault("file", _one_line(error))
        return nothing
    return SplitPin(file, Part.TEST.value, str(split.sha256)), split, test_ids


def _controls(
    root: PlanTable, point: str | None
) -> tuple[tuple[Control, ...], Collection[str] | None]:
    """The controls, and their spellings where every one is known."""
    controls: list[Control] = []
    specs: list[str | None] = []
    for table in root.tables("control", ("spec", "grades")):
        spec = table.parsed("spec", spelled_point, example='"count-curve(k=4)"')
        if spec is not None and spec in specs:
            table.fault("spec", f"{spec!r} is also control[{specs.index(spec)}]")
        if spec is not None and spec == point:
            table.fault("spec", f"{spec!r} is the point itself")
        specs.append(spec)
        grades = table.parsed(
            "grades", relative_path, example='"grades/four-items"', required=False
        )
        sha256 = None
        if grades is not None:
            try:
                sha256 = pinned_grades(Path(grades), spec)
            except InputError as error:
                table.fault("grades", _one_line(error))
        if spec is not None:
            controls.append(Control(spec, grades, sha256))
    known = [spec for spec in specs if spec is not None]
    return tuple(controls), (known if len(known) == len(specs) else None)


def _rules(root: PlanTable, controls: Collection[str] | None) -> tuple[RegisteredRule, ...]:
    tables = root.tables("rule", plan_rules.KEYS)
    read = [plan_rules.read_rule(table, controls) for table in tables]
    names: list[str] = []
    for table, rule in zip(tables, read, strict=True):
        if rule is None:
            continue
        if rule.name in names:
            table.fault("name", f"{rule.name!r} is the name of another rule too")
        names.append(rule.name)
    rules = tuple(rule for rule in read if rule is not None)
    if (
        tables
        and len(rules) == len(tables)
        and all(rule.role is not Role.PRIMARY for rule in rules)
    ):
        root.fault("rule", 'no rule has role = "primary": nothing decides the question')
    return rules


def _exclude(root: PlanTable) -> tuple[ExclusionRule, ...]:
    table = root.table("cohort", ("exclude",), required=False)
    if table is None:
        return ()
    names = [rule.value for rule in ExclusionRule]
    found = []
    for entry in table.entries("exclude"):
        if entry not in names:
            table.fault("exclude", f"{shown(entry)} is no rule; the rules are {', '.join(names)}")
        elif (rule := ExclusionRule(entry)) in found:
            table.fault("exclude", f"{rule.value!r} is there twice")
        else:
            found.append(rule)
    return tuple(found)


def _recording(root: PlanTable) -> str | None:
    table = root.table("recording", ("sha256",), required=False)
    return None if table is None else table.sha256("sha256")


def _same_cost(root: PlanTable) -> SameCost | None:
    table = root.table("same_cost", ("measure", "within"), required=False)
    if table is None:
        return None
    measure = table.parsed("measure", _measure, example='"context_tokens"')
    within = table.fraction("within", example="0.05")
    return SameCost(measure, within) if measure and within else None


def _measure(text: str) -> str:
    if text not in COST_MEASURES:
        raise ValueError(measure_fault(text))
    return text


def _correction(root: PlanTable) -> Correction:
    table = root.table("family", ("correction",), required=False)
    found = None if table is None else table.choice("correction", Correction)
    return found or Correction.NONE


def _discordance(root: PlanTable) -> str | None:
    table = root.table("power", ("discordance",), required=False)
    return None if table is None else table.fraction("discordance", example="0.12")


def _one(
    root: PlanTable, name: str, key: str, *, required: bool = False, parse: Any = str
) -> str | None:
    """The only key of the table `name`."""
    table = root.table(name, (key,), required=required)
    if table is None:
        return None
    example = {"spec": '"2.6.5a1(budget=2800)"', "model": '"gpt-4.1-mini-2025-04-14"'}
    found = table.parsed(key, parse, example=example.get(key, '"One run. …"'))
    return None if found is None else str(found)


def _one_line(error: InputError) -> str:
    return " ".join(f"{error.message} {error.hint}".split())


def _there(value: Value | None) -> Value:
    if value is None:
        raise TypeError("a value of the plan is missing, and no fault was reported")
    return value
