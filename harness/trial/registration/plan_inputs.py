"""Reading the tables of a plan that name data: the dataset, the split, the controls' grades."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

from harness.datasets.register import Dataset, Register
from harness.datasets.split import Part, Split
from harness.errors import HarnessError, InputError
from harness.trial.grades import Grades

from .pins import excluded_ids, pinned_grades, pinned_split, relative_path
from .plan import Control, DatasetPin, ExclusionRule, SplitPin
from .plan_rules import spelled_point
from .plan_table import PlanTable, one_line


@dataclass(slots=True)
class PlanFiles:
    """The files that the plan names, opened."""

    split: Split | None = None
    test_ids: tuple[str, ...] = ()
    grades: dict[str, Grades] = field(default_factory=dict)


def read_dataset(root: PlanTable, register: Register) -> tuple[DatasetPin | None, Dataset | None]:
    """The dataset, and its entry in the register."""
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


def read_split_pin(
    root: PlanTable, dataset: DatasetPin | None, entry: Dataset | None, files: PlanFiles
) -> SplitPin | None:
    """The split, which is opened into `files`."""
    table = root.table("split", ("file", "part"), required=True)
    if table is None:
        return None
    part = table.text("part", example='"test"')
    if part is not None and part != Part.TEST.value:
        table.fault("part", f'{part!r} cannot be registered; a registration seals part = "test"')
    file = table.parsed("file", relative_path, example='"datasets/splits/longmemeval-s.json"')
    if file is None:
        return None
    try:
        files.split, files.test_ids = pinned_split(Path(file), dataset, entry)
    except InputError as error:
        table.fault("file", one_line(error))
        return None
    return SplitPin(file, Part.TEST.value, str(files.split.sha256))


def read_controls(
    root: PlanTable, point: str | None, files: PlanFiles
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
        grades, sha256 = _grades(table, spec, files)
        if spec is not None:
            controls.append(Control(spec, grades, sha256))
    known = [spec for spec in specs if spec is not None]
    return tuple(controls), (known if len(known) == len(specs) else None)


def _grades(table: PlanTable, spec: str | None, files: PlanFiles) -> tuple[str | None, str | None]:
    """The folder of a control's grades and its content hash."""
    folder = table.parsed("grades", relative_path, example='"grades/four-items"', required=False)
    if folder is None:
        return None, None
    try:
        found = pinned_grades(
            Path(folder), spec, None if files.split is None else files.split.sha256
        )
    except InputError as error:
        table.fault("grades", one_line(error))
        return None, None
    files.grades[folder] = found
    return folder, found.sha256


def check_exclusions(root: PlanTable, exclude: Collection[ExclusionRule], files: PlanFiles) -> None:
    """Grades that leave out questions by a rule that the plan does not have cannot be judged."""
    for folder, grades in files.grades.items():
        for rule in ExclusionRule:
            left_out = 0 if rule in exclude else len(excluded_ids(grades, rule))
            if left_out:
                root.fault(
                    "cohort.exclude",
                    f"{folder} leaves out {left_out} questions by the rule {rule.value!r}; add it",
                )
