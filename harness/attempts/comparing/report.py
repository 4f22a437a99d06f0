"""Reports of attempts, `demarkus-answer-report-v2`: reading them strictly.

A report that contradicts itself is refused with every fault; a report that is whole but not fit to
be compared, because attempts are missing or a usage is unknown, is read, and says so in `gaps`.

Reports of the older form name no format, may not say how they were scored, and leave latencies out
of their summaries; all else is the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Annotated, Any, Literal

from harness.attempts.scoring.attempts import Attempt
from harness.decode import (
    AsGiven,
    Check,
    FieldError,
    Format,
    Json,
    JsonObject,
    NotNull,
    NullIs,
    PathFault,
    json_tree,
    named,
    read_json_file,
    typed,
)
from harness.errors import Faults, InputError, listed
from harness.storage.hashing import sha256_of_file

from .specification import Hash, WholeSpecification
from .summary import LATENCIES, Summary, by_category, stated_faults, summarised

FORMAT = "demarkus-answer-report-v2"
RESCORED = ("rescored_from_sha256", "rescored_at", "scorer_implementation_sha256")
REPORT_NAME = "report.json"
"""The report in a folder, where a folder is given."""


@dataclass(frozen=True, slots=True)
class Components:
    """The hash of each binary."""

    server: Hash = None
    mcp: Hash = None
    runner: Hash = None
    proxy: Hash = None

    def by_name(self) -> dict[str, str]:
        """Return the hashes that are there."""
        return {name: digest for name, digest in asdict(self).items() if digest}


COMPONENTS = tuple(component.name for component in fields(Components))


def _happened(value: bool) -> str | None:
    said = "is false: the run does not show that it measured what it says"
    return None if value else said


Evidence = Annotated[bool, Check(_happened)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lifecycle:
    """The evidence that the server under test was started, stayed up and was cleaned away."""

    endpoint_free: Evidence
    startup_verified: Evidence
    server_stayed_up: Evidence
    cleanup_verified: Evidence
    attribution: Json = None
    endpoint: Json = None
    tool_profile: Json = None
    tool_names: Annotated[tuple[str, ...], NullIs(tuple)] = ()


def _unscored(attempt: Attempt) -> None:
    if attempt.score is None:
        raise FieldError("score", "is missing")


@dataclass(frozen=True, slots=True, kw_only=True)
class _ReportFile:
    """A report as its file spells it."""

    spec: Annotated[Mapping[str, Any], AsGiven(WholeSpecification)]
    attempts: tuple[Annotated[Attempt, Check(_unscored)], ...]
    summary: JsonObject
    categories: JsonObject
    format: Annotated[Literal["demarkus-answer-report-v2"] | None, NotNull()] = None
    generated: str | None = None
    implementation_hashes: Components = field(default_factory=Components)
    lifecycle: Annotated[Mapping[str, Any] | None, NotNull(), AsGiven(Lifecycle)] = None
    metrics_only: bool = False
    source_report_sha256: Hash = None
    tool_result_tokens: Json = None
    rescored_from_sha256: Hash = None
    rescored_at: str | None = None
    scorer_implementation_sha256: Hash = None

    def __post_init__(self) -> None:
        faults = [*_repeated(self.attempts)]
        if not self.of_older_form and "scoring_version" not in self.spec:
            faults.append((("spec", "scoring_version"), "is missing"))
        if self.metrics_only and not self.source_report_sha256:
            message = "is missing, but metrics_only is true"
            faults.append((("source_report_sha256",), message))
        if self.rescored_from_sha256:
            missing = [key for key in RESCORED if not getattr(self, key)]
            message = "is missing, but rescored_from_sha256 is there"
            faults += [((key,), message) for key in missing]
        if self.rescored_at and not self.rescored_from_sha256:
            faults.append((("rescored_from_sha256",), "is missing, but rescored_at is there"))
        if faults:
            raise FieldError(faults=faults)

    @property
    def of_older_form(self) -> bool:
        return self.format is None


_REPORT = Format("report", _ReportFile, hint="docs/comparing.md describes a report.")


@dataclass(frozen=True, slots=True, eq=False)
class Report:
    """A report that agrees with itself.

    `sha256`: hex, of the file. `components`: the hash of each binary, by name. `scorer`: what
    scored it: the three keys of a rescoring, those that are there. `gaps`: why it cannot be
    compared, if it cannot. `tool_names`: of the tools that the reader was offered.
    """

    path: Path
    sha256: str
    spec: Mapping[str, Any]
    components: Mapping[str, str]
    attempts: tuple[Attempt, ...]
    summary: Summary
    categories: Mapping[str, Summary]
    scorer: Mapping[str, str]
    metrics_only: bool
    source_sha256: str | None
    tool_names: tuple[str, ...]
    lifecycle: Mapping[str, Any] | None
    gaps: tuple[str, ...]

    @property
    def lineage(self) -> tuple[str, ...]:
        """Hex hashes of the file and of the reports that it was made from."""
        made_from = (self.source_sha256, self.scorer.get("rescored_from_sha256"))
        return (self.sha256, *(digest.removeprefix("sha256-") for digest in made_from if digest))


def is_report(value: Any) -> bool:
    """Return whether a JSON value says that it is a report, of this form or the older one; the rest
    of it may be wrong."""
    return isinstance(value, Mapping) and ("format" in value or "attempts" in value)


def read_report(path: Path) -> Report:
    """Read the report in a file, or in the `report.json` of a folder.

    Raises `InputError` naming every fault: unknown keys, values of another type, hashes, an attempt
    that is there twice, a category that changes, a lifecycle without evidence, and a summary or
    category that its attempts do not give.
    """
    file = report_file(path)
    unreadable, faults = Faults(), Faults()
    value = read_json_file(file, unreadable)
    is_another = isinstance(value, Mapping) and not is_report(value)
    if is_another or (value is None and _begins_with_lines(file)):
        raise InputError(
            f"{file} is not a report: it has neither a format nor a list of attempts",
            f"Attempts become a report so: harness score WORLD {file} --out REPORT",
        )
    unreadable.raise_if_any(str(file), "If it was cut short, copy or write it again.")
    if not isinstance(value, Mapping):
        raise InputError(f"{file} is {named(value)}, expected a report, which is one object")
    report = _report(file, typed(_REPORT, value, at=str(file)), faults)
    if len(faults):
        for gap in report.gaps:
            faults.add(gap)
    faults.raise_if_any(str(file), _REPORT.hint)
    return report


def report_file(path: Path) -> Path:
    """Return the file of a report that is given by name or by its folder."""
    if not path.is_dir():
        return path
    if (path / REPORT_NAME).is_file():
        return path / REPORT_NAME
    raise InputError(
        f"{path} is a folder without {REPORT_NAME}: there are no scored attempts in it",
        "A run of lookups holds no reader's answers. Have readers answer, then: harness score "
        "WORLD ATTEMPTS --out REPORT; before that, --preflight WORLD checks what they would be "
        "shown.",
    )


def _begins_with_lines(path: Path) -> bool:
    """Return whether the first line is a JSON object that is not a report: then the file holds
    attempts."""
    try:
        with path.open("rb") as stream:
            value, _ = json_tree(stream.readline())
    except (OSError, ValueError):
        return False
    return isinstance(value, dict) and not is_report(value)


def _report(path: Path, file: _ReportFile, faults: Faults) -> Report:
    summary, categories = summarised(file.attempts), by_category(file.attempts)
    optional = LATENCIES if file.of_older_form else ()
    for message in stated_faults(file.summary, summary, "summary", optional):
        faults.add(message)
    for message in _category_faults(file.categories, categories, optional):
        faults.add(message)
    tokens, computed = file.tool_result_tokens, summary["tool_result_tokens"]
    if tokens is not None and tokens != computed:
        faults.add(f"tool_result_tokens is {tokens!r}, but the attempts give {computed}")
    scorer = {key: getattr(file, key) for key in RESCORED}
    return Report(
        path=path,
        sha256=sha256_of_file(path),
        spec=file.spec,
        components=file.implementation_hashes.by_name(),
        attempts=file.attempts,
        summary=summary,
        categories=categories,
        scorer={key: value for key, value in scorer.items() if value},
        metrics_only=file.metrics_only,
        source_sha256=file.source_report_sha256,
        tool_names=tuple((file.lifecycle or {}).get("tool_names") or ()),
        lifecycle=file.lifecycle,
        gaps=(*_missing(file.spec, file.attempts), *_unknown_usage(file.attempts)),
    )


def _repeated(attempts: Sequence[Attempt]) -> Iterator[PathFault]:
    places: dict[tuple[str, int], int] = {}
    categories: dict[str, str] = {}
    for place, attempt in enumerate(attempts):
        first = places.setdefault(attempt.key, place)
        if first != place:
            yield ("attempts", place), f"is {attempt.name}, as attempts[{first}] is"
        known = categories.setdefault(attempt.task, attempt.category)
        if known != attempt.category:
            yield (
                ("attempts", place, "category"),
                f"is {attempt.category!r}, but that of {attempt.task} was {known!r}",
            )


def _category_faults(
    stated: Mapping[str, Any], computed: Mapping[str, Summary], optional: Sequence[str]
) -> Iterator[str]:
    for name in stated:
        if name not in computed:
            yield f"categories.{name} has no attempt"
    for name, summary in computed.items():
        if name not in stated:
            yield f"categories.{name} is missing"
        else:
            yield from stated_faults(stated[name], summary, f"categories.{name}", optional)


def _missing(spec: Mapping[str, Any], attempts: tuple[Attempt, ...]) -> Iterator[str]:
    repeats, expected = (spec[key] for key in ("repeats", "expected_attempts"))
    if len(attempts) != expected:
        yield (
            f"attempts are {len(attempts)}, but spec.expected_attempts is {expected}: an "
            "incomplete cohort"
        )
    present = {attempt.key for attempt in attempts}
    tasks = {attempt.task for attempt in attempts}
    most = min(repeats, expected)  # a cohort of more is incomplete already
    wanted = {(task, repeat) for task in tasks for repeat in range(1, most + 1)}
    missing = [f"{task} repeat {repeat}" for task, repeat in sorted(wanted - present)]
    if missing:
        yield f"attempts lack {listed(missing)}, but spec.repeats is {repeats}"
    beyond = [f"{task} repeat {repeat}" for task, repeat in sorted(present - wanted)]
    if beyond:
        yield f"attempts have {listed(beyond)}, but spec.repeats is {repeats}"


def _unknown_usage(attempts: tuple[Attempt, ...]) -> Iterator[str]:
    for place, attempt in enumerate(attempts):
        if not attempt.trace.usage_complete:
            yield (
                f"attempts[{place}].trace.usage_complete is false ({attempt.name}): its tokens are "
                "unknown"
            )
