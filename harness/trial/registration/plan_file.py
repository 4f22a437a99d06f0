"""Reading a plan: a TOML file, checked as a whole, every fault reported by its key."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeVar

from harness.datasets.register import Register
from harness.datasets.split import Split
from harness.errors import Faults, InputError
from harness.storage.hashing import sha256_of_text
from harness.trial.grades import Grades

from .plan import Plan
from .plan_inputs import PlanFiles, check_exclusions, read_controls, read_dataset, read_split_pin
from .plan_options import (
    read_correction,
    read_discordance,
    read_exclude,
    read_one,
    read_recording,
    read_same_cost,
)
from .plan_rules import read_rules, spelled_point
from .plan_table import PlanTable

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
    """A plan without a fault: its values, the hash of its file, its split, the ids of the test part
    in the order of the dataset's list, and the controls' grades, by folder as the plan names it."""

    plan: Plan
    sha256: str
    split: Split
    test_ids: tuple[str, ...]
    grades: Mapping[str, Grades]


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
    files = PlanFiles()
    plan = _read(value, register, files, faults)
    faults.raise_if_any(str(path), EXAMPLE)
    return CheckedPlan(
        _there(plan), sha256_of_text(text), _there(files.split), files.test_ids, files.grades
    )


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
    value: dict[str, Any], register: Register, files: PlanFiles, faults: Faults
) -> Plan | None:
    root = PlanTable(value, "", KEYS, faults)
    question = root.text("question", example='"At no more than …, does … answer better than …?"')
    dataset, entry = read_dataset(root, register)
    split = read_split_pin(root, dataset, entry, files)
    point = read_one(root, "point", "spec", required=True, parse=spelled_point)
    controls, specs = read_controls(root, point, files)
    exclude = read_exclude(root)
    check_exclusions(root, exclude, files)
    recording = read_recording(root)
    reader = read_one(root, "reader", "model")
    judge = read_one(root, "judge", "model")
    same_cost = read_same_cost(root)
    rules = read_rules(root, specs, files.test_ids)
    correction = read_correction(root)
    discordance = read_discordance(root)
    stop = read_one(root, "stop", "text", required=True)
    if len(faults):
        return None
    return Plan(
        question=_there(question),
        dataset=_there(dataset),
        split=_there(split),
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


def _there(value: Value | None) -> Value:
    if value is None:
        raise TypeError("a value of the plan is missing, and no fault was reported")
    return value
