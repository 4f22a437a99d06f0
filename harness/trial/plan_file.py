"""Reading a plan: a TOML file, checked as a whole, every fault reported by its key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, TypeVar

from harness.datasets.register import Dataset, Register
from harness.datasets.split import Split, read_split
from harness.decode import Format, typed
from harness.decode.tree import toml_tree
from harness.errors import Faults, HarnessError, InputError, UsageError, nearest
from harness.points import Point
from harness.statistics.methods import METHODS, default_method
from harness.storage.hashing import sha256_of_text
from harness.words import counted

from .grades import Grades
from .pins import excluded_ids, one_line, pinned_grades, pinned_split, relative_path
from .plan import (
    Control,
    ControlName,
    DatasetPin,
    ExclusionRule,
    Exclusions,
    Family,
    Plan,
    PlanFile,
    PointTable,
    RegisteredRule,
    RuleRole,
    SplitPin,
    holm_fault,
    planned_rule,
)

Declared = TypeVar("Declared")

EXAMPLE = "docs/registering.md has a whole plan to start from."
PLAN = Format("plan", PlanFile, hint=EXAMPLE)
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
    data = _bytes_of(path)
    faults = Faults(MOST_FAULTS)
    try:
        tree, odd = toml_tree(data)
    except ValueError as error:
        raise InputError(f"{path} {error}", EXAMPLE) from error
    _resolve_intervals(tree)
    written = typed(PLAN, tree, faults, odd=odd)
    checks = _Checks(tree, register, faults)
    checks.run()
    faults.raise_if_any(str(path), EXAMPLE)
    if written is None or checks.split is None:
        raise TypeError("a value of the plan is missing, and no fault was reported")
    values = {entry.name: getattr(written, entry.name) for entry in fields(PlanFile)}
    values |= {
        "split": SplitPin(written.split.file, written.split.part, str(checks.split.sha256)),
        "controls": tuple(
            Control(
                control.spec,
                control.grades,
                None if control.grades is None else checks.grades[control.grades].sha256,
            )
            for control in written.controls
        ),
    }
    sha256 = sha256_of_text(data.decode("utf-8"))
    return CheckedPlan(Plan(**values), sha256, checks.split, checks.test_ids, checks.grades)


def _resolve_intervals(tree: Any) -> None:
    """Write the default method into every rule that names none, as the registration has it."""
    rules = tree.get("rule") if isinstance(tree, dict) else None
    for rule in rules if isinstance(rules, list) else ():
        if isinstance(rule, dict) and "interval" not in rule:
            try:
                rule["interval"] = default_method(planned_rule(str(rule.get("met_when"))))
            except (UsageError, ValueError):  # a fault of its own
                rule["interval"] = next(iter(METHODS))


def _bytes_of(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError as error:
        raise InputError(f"{path} does not exist", EXAMPLE) from error
    except IsADirectoryError as error:
        raise InputError(f"{path} is a folder", "Name the plan's TOML file.") from error


@dataclass
class _Checks:
    """What keys must fulfil together, and the files that they name.

    Every table that is sound by itself is looked at, so that its faults are reported together with
    those of the others. The files that were opened stay for the registration.
    """

    tree: Mapping[str, Any]
    register: Register
    faults: Faults
    split: Split | None = None
    test_ids: tuple[str, ...] = ()
    grades: dict[str, Grades] = field(default_factory=dict)

    def run(self) -> None:
        """Add every fault."""
        point = self._table("point", PointTable)
        self._check_split(self._check_dataset())
        controls = self._tables("control", ControlName)
        self._check_controls(controls, None if point is None else point.spec)
        rules = self._tables("rule", RegisteredRule)
        self._check_rules(
            rules, [None if control is None else control.spec for control in controls]
        )
        self._check_exclusions(self._table("cohort", Exclusions) or Exclusions())

    def _table(self, name: str, kind: type[Declared]) -> Declared | None:
        return typed(Format(name, kind), self.tree.get(name), Faults())

    def _tables(self, name: str, kind: type[Declared]) -> list[Declared | None]:
        entries = self.tree.get(name)
        if not entries:
            if isinstance(entries, list):
                self.faults.add(f"{name} is empty; add one [[{name}]] or more")
            return []
        listed = entries if isinstance(entries, list) else []
        return [typed(Format(name, kind), entry, Faults()) for entry in listed]

    def _check_dataset(self) -> tuple[DatasetPin | None, Dataset | None]:
        named = self.tree.get("dataset")
        name = named.get("name") if isinstance(named, dict) else None
        if not isinstance(name, str) or not name:
            return None, None
        try:
            entry = self.register.find(name)
        except HarnessError as error:
            if not self._split_has_questions():
                self.faults.add(f"dataset.name: {error.message} (harness dataset list)")
                return None, None
            entry = None
        return self._table("dataset", DatasetPin), entry

    def _split_has_questions(self) -> bool:
        """Return whether the split has the list of questions itself, as one of own cases has."""
        table = self.tree.get("split")
        file = table.get("file") if isinstance(table, dict) else None
        try:
            return isinstance(file, str) and read_split(Path(file)).questions is not None
        except (HarnessError, OSError):
            return False  # a fault of the split

    def _check_split(self, dataset: tuple[DatasetPin | None, Dataset | None]) -> None:
        table = self.tree.get("split")
        file = table.get("file") if isinstance(table, dict) else None
        if not isinstance(file, str) or not file:
            return
        try:
            self.split, self.test_ids = pinned_split(Path(relative_path(file)), *dataset)
        except (InputError, ValueError) as error:
            self.faults.add(f"split.file: {one_line(error)}")

    def _check_controls(self, controls: Sequence[ControlName | None], point: Point | None) -> None:
        specs = [None if control is None else control.spec for control in controls]
        for place, control in enumerate(controls):
            if control is None:
                continue
            if control.spec in specs[:place]:
                same = specs.index(control.spec)
                self.faults.add(f"control[{place}].spec: '{control.spec}' is also control[{same}]")
            if control.spec == point:
                self.faults.add(f"control[{place}].spec: '{control.spec}' is the point itself")
            if control.grades is not None:
                self._open_grades(f"control[{place}].grades", control)

    def _open_grades(self, key: str, control: ControlName) -> None:
        folder = str(control.grades)
        split_sha256 = None if self.split is None else self.split.sha256
        try:
            self.grades[folder] = pinned_grades(
                Path(relative_path(folder)), control.spec, split_sha256
            )
        except (InputError, ValueError) as error:
            self.faults.add(f"{key}: {one_line(error)}")

    def _check_rules(
        self, rules: Sequence[RegisteredRule | None], controls: Sequence[Point | None]
    ) -> None:
        known = [str(spec) for spec in controls]
        names: list[str] = []
        for place, rule in enumerate(rules):
            if rule is None:
                continue
            if rule.name in names:
                self.faults.add(
                    f"rule[{place}].name: {rule.name!r} is the name of another rule too"
                )
            names.append(rule.name)
            if None not in controls and rule.against not in controls:
                self.faults.add(
                    f"rule[{place}].against: '{rule.against}' is not a control of the plan"
                    f"{nearest(str(rule.against), known)}; add it under [[control]], or name one "
                    f"of {', '.join(dict.fromkeys(known))}"
                )
            try:
                rule.method.check_ids(self.test_ids)
            except InputError as error:
                self.faults.add(f"rule[{place}].id_order: {one_line(error)}")
        whole = [rule for rule in rules if rule is not None]
        if (
            rules
            and len(whole) == len(rules)
            and all(r.role is not RuleRole.PRIMARY for r in whole)
        ):
            self.faults.add('rule: no rule has role = "primary": nothing decides the question')
        family = self._table("family", Family)
        primary = [rule for rule in whole if rule.role is RuleRole.PRIMARY]
        if family is not None and (fault := holm_fault(family.correction, primary)) is not None:
            self.faults.add(f"family.correction: {fault}")

    def _check_exclusions(self, exclusions: Exclusions) -> None:
        """Refuse grades that leave out questions by a rule that is not in the plan: they cannot be
        judged."""
        for folder, grades in self.grades.items():
            for rule in ExclusionRule:
                left_out = 0 if rule in exclusions.exclude else len(excluded_ids(grades, rule))
                if left_out:
                    self.faults.add(
                        f"cohort.exclude: {folder} leaves out "
                        f"{counted(left_out, 'question')} by the rule "
                        f"{rule.value!r}; add it"
                    )
