"""What a grader is: how an answer is found right or wrong, declared once with its settings.

A grader sees an `Answered`: the question, the gold answer and the response. It has no point, arm or
case id, and the context only where the grader says that it reads one, so none can tell which side
of a comparison it grades. A grader with its settings has one spelling, `token-f1(threshold=0.5)`,
and one identity that has the version too, `token-f1/1(threshold=0.5)`, which grades name as judge.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.errors import UsageError, nearest
from harness.model import Parameter, ParameterError, Settings, Value, spell
from harness.registry import Registry


@dataclass(frozen=True, slots=True)
class Answered:
    """A question and how it was answered.

    `question_type` and `date` are None where the dataset does not say. `gold` is what a right
    answer says; of an `abstention` question, why it cannot be answered. `context` is None for every
    grader that does not read it.
    """

    question: str
    gold: str
    response: str
    question_type: str | None = None
    date: str | None = None
    abstention: bool = False
    context: str | None = None


@dataclass(frozen=True, slots=True)
class Grader:
    """A rule that finds an answer right or wrong.

    `version` rises with every change that can change an outcome. `right` is a pure function.
    Questions that cannot be answered are excluded by rule unless the grader `grades_abstention`.
    """

    name: str
    version: int
    about: str
    right: Callable[[Answered, Settings], bool]
    settings: tuple[Parameter, ...] = ()
    grades_abstention: bool = False
    reads_context: bool = False


@dataclass(frozen=True, slots=True)
class AskingGrader:
    """A grader that asks a reader: `prompt` is what it is asked, `verdict` how the reply is read;
    None where the reply is neither yes nor no.

    The prompt is made with `templates()`, or with those that `read_templates` reads from a file;
    their `sha256` says which.
    """

    name: str
    version: int
    about: str
    prompt: Callable[[Answered, Any], str]
    verdict: Callable[[str], bool | None]
    templates: Callable[[], Any]
    read_templates: Callable[[Path], Any]
    settings: tuple[Parameter, ...] = ()
    grades_abstention: bool = True
    reads_context: bool = False


AnyGrader = Grader | AskingGrader


def _fault(loaded: object) -> str:
    if not isinstance(loaded, Grader | AskingGrader):
        return f"is {type(loaded).__name__}, not a grader"
    if not isinstance(loaded.version, int) or not isinstance(loaded.about, str):
        return "has a version that is not a whole number, or a line of help that is not a text"
    if not all(isinstance(setting, Parameter) for setting in loaded.settings):
        return "has settings that are not all a harness.model.Parameter"
    if isinstance(loaded, AskingGrader) and loaded.reads_context:
        return "asks a reader and reads the context, which a judge may not see"
    if any(setting.default is None for setting in loaded.settings):
        return "has a setting without a default"
    return ""


GRADERS: Registry[AnyGrader] = Registry(
    "harness.graders",
    _fault,
    "grader",
    wanted="a harness.grading.graders.Grader or AskingGrader",
)


@dataclass(frozen=True)
class ChosenGrader:
    """A grader with every setting."""

    grader: AnyGrader
    values: Settings

    def __str__(self) -> str:
        return self.grader.name + self._inside

    @property
    def identity(self) -> str:
        """Name, version and settings: equal ones find the same answers right."""
        return f"{self.grader.name}/{self.grader.version}{self._inside}"

    @property
    def _inside(self) -> str:
        inside = ", ".join(f"{name}={spell(value)}" for name, value in self.values.items())
        return f"({inside})" if inside else ""


_SPELLING = re.compile(r"\s*(?P<name>[^\s()]+)\s*(?:\((?P<settings>[^()]*)\)\s*)?")
_SETTING = re.compile(r"\s*(?P<name>[^\s=]+)\s*=\s*(?P<value>[^\s=]+)\s*")


def parse_grader(text: str) -> ChosenGrader:
    """Parse `contains` or `token-f1(threshold=0.6)`; raises `UsageError` naming every fault."""
    match = _SPELLING.fullmatch(text)
    if match is None:
        raise UsageError(
            f"grader {text!r} is not spelled NAME or NAME(SETTING=VALUE)",
            "For example token-f1(threshold=0.6).",
        )
    grader = GRADERS.load(match["name"])
    inside = match["settings"] or ""
    faults: list[str] = []
    values: dict[str, Value] = {}
    by_name = {setting.name: setting for setting in grader.settings}
    for piece in inside.split(",") if inside.strip() else ():
        named = _SETTING.fullmatch(piece)
        if named is None:
            faults.append(f"{piece.strip()!r} is not spelled NAME=VALUE")
        elif named["name"] not in by_name:
            known = ", ".join(by_name) or "none"
            close = nearest(named["name"], by_name)
            faults.append(f"there is no setting {named['name']!r} (it has {known}){close}")
        elif named["name"] in values:
            faults.append(f"{named['name']} is set twice")
        else:
            try:
                values[named["name"]] = by_name[named["name"]].parse(named["value"])
            except ParameterError as error:
                faults.append(str(error))
    if faults:
        raise UsageError(
            f"grader {text!r}: {'; '.join(faults)}", "harness grade --help lists them."
        )
    return ChosenGrader(
        grader,
        {
            name: values[name] if name in values else _default(setting)
            for name, setting in by_name.items()
        },
    )


def _default(setting: Parameter) -> Value:
    if setting.default is None:
        raise UsageError(f"{setting.name} has no default", "Set it.")
    return setting.default


class _ByName(Mapping[str, AnyGrader]):
    """The installed graders by name, loaded when they are looked at."""

    def __getitem__(self, name: str) -> AnyGrader:
        return GRADERS.load(name)

    def __iter__(self) -> Iterator[str]:
        return iter(GRADERS.names())

    def __len__(self) -> int:
        return len(GRADERS.names())


GRADERS_BY_NAME: Mapping[str, AnyGrader] = _ByName()
