"""A registration as JSON and back; the plan has the keys of the TOML."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from harness.errors import InputError
from harness.storage.manifest import check_schema
from harness.trial.choosing.choice import Choice

from .cohort import Excluded, RegisteredCohort, ids_sha256
from .cost_cap import parse_cost_cap
from .plan import (
    Control,
    Correction,
    DatasetPin,
    ExclusionRule,
    IdOrder,
    MethodName,
    Plan,
    RegisteredRule,
    RuleRole,
    SameCost,
    SplitPin,
)
from .registration import (
    RESTORE,
    SCHEMA,
    Development,
    DevGrades,
    DevPairs,
    PinnedFile,
    Registration,
    RulePower,
)

Json = dict[str, Any]


def to_json(registration: Registration) -> Json:
    """The value of the file, keys in the order in which they are written."""
    return {
        "schema": SCHEMA,
        "plan_file": asdict(registration.plan_file),
        "plan": plan_to_json(registration.plan),
        "pinned": [asdict(pinned) for pinned in registration.pinned],
        "cohort": _cohort_to_json(registration.cohort),
        "development": _development_to_json(registration.development),
        "power": [asdict(power) for power in registration.power],
    }


def from_json(value: Any, path: Path) -> Registration:
    """The registration that `value` is; raises `InputError` naming `path` for any other value."""
    try:
        check_schema(str(value["schema"]), SCHEMA, path)
        return Registration(
            plan=plan_from_json(value["plan"]),
            plan_file=PinnedFile(**value["plan_file"]),
            pinned=tuple(PinnedFile(**pinned) for pinned in value["pinned"]),
            cohort=_cohort_from_json(value["cohort"]),
            development=_development_from_json(value["development"]),
            power=tuple(_power_from_json(power) for power in value["power"]),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(f"{path} is not a registration ({error!r})", RESTORE) from error


def plan_to_json(plan: Plan) -> Json:
    """The plan with the keys of the TOML; what it does not have is null."""
    return {
        "question": plan.question,
        "dataset": asdict(plan.dataset),
        "split": asdict(plan.split),
        "cohort": {"exclude": [rule.value for rule in plan.exclude]},
        "recording": {"sha256": plan.recording_sha256},
        "point": {"spec": plan.point},
        "control": [asdict(control) for control in plan.controls],
        "reader": {"model": plan.reader},
        "judge": {"model": plan.judge},
        "same_cost": None if plan.same_cost is None else asdict(plan.same_cost),
        "rule": [_rule_to_json(rule) for rule in plan.rules],
        "family": {"correction": plan.correction.value},
        "power": {"discordance": plan.discordance},
        "stop": {"text": plan.stop},
    }


def plan_from_json(value: Mapping[str, Any]) -> Plan:
    """The plan of a registration's file; raises `KeyError`, `TypeError` or `ValueError`."""
    same_cost = value["same_cost"]
    return Plan(
        question=value["question"],
        dataset=DatasetPin(**value["dataset"]),
        split=SplitPin(**value["split"]),
        point=value["point"]["spec"],
        controls=tuple(Control(**control) for control in value["control"]),
        rules=tuple(_rule_from_json(rule) for rule in value["rule"]),
        stop=value["stop"]["text"],
        exclude=tuple(ExclusionRule(rule) for rule in value["cohort"]["exclude"]),
        recording_sha256=value["recording"]["sha256"],
        reader=value["reader"]["model"],
        judge=value["judge"]["model"],
        same_cost=None if same_cost is None else SameCost(**same_cost),
        correction=Correction(value["family"]["correction"]),
        discordance=value["power"]["discordance"],
    )


def _rule_to_json(rule: RegisteredRule) -> Json:
    return asdict(rule) | {
        "role": rule.role.value,
        "interval": rule.interval.value,
        "cost": None if rule.cost is None else str(rule.cost),
        "id_order": None if rule.id_order is None else rule.id_order.value,
    }


def _rule_from_json(value: Mapping[str, Any]) -> RegisteredRule:
    cost, id_order = value["cost"], value["id_order"]
    return RegisteredRule(
        **{
            **value,
            "role": RuleRole(value["role"]),
            "interval": MethodName(value["interval"]),
            "cost": None if cost is None else parse_cost_cap(cost),
            "id_order": None if id_order is None else IdOrder(id_order),
        }
    )


def _cohort_to_json(cohort: RegisteredCohort) -> Json:
    return {
        "test_questions": len(cohort.test_ids),
        "judged_questions": len(cohort.ids) if cohort.is_exact else None,
        "sha256": cohort.sha256,
        "excluded": [
            {
                "rule": excluded.rule.value,
                "count": excluded.count,
                "question_ids": excluded.question_ids,
            }
            for excluded in cohort.excluded
        ],
        "test_ids": cohort.test_ids,
    }


def _cohort_from_json(value: Mapping[str, Any]) -> RegisteredCohort:
    ids = tuple(value["test_ids"])
    if value["sha256"] != ids_sha256(ids):
        raise ValueError("cohort: sha256 is not of test_ids")
    excluded = []
    for entry in value["excluded"]:
        found = entry["question_ids"]
        rule = ExclusionRule(entry["rule"])
        excluded.append(Excluded(rule, None if found is None else tuple(found)))
    return RegisteredCohort(ids, value["sha256"], tuple(excluded))


def _development_to_json(development: Development) -> Json:
    choice = development.choice
    return {
        "questions": development.questions,
        "grades": [asdict(grades) for grades in development.grades],
        "choice": None if choice is None else choice.to_json(),
    }


def _development_from_json(value: Mapping[str, Any]) -> Development:
    choice = value["choice"]
    return Development(
        questions=value["questions"],
        grades=tuple(DevGrades(**grades) for grades in value["grades"]),
        choice=None if choice is None else Choice.from_json(choice),
    )


def _power_from_json(value: Mapping[str, Any]) -> RulePower:
    dev = value["dev"]
    return RulePower(**{**value, "dev": None if dev is None else DevPairs(**dev)})
