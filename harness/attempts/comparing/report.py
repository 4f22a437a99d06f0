"""Reports of attempts, `demarkus-answer-report-v2`: reading them strictly.

A report that contradicts itself, or does not say what its run was, is refused with every fault; a
report that is whole but not fit to be compared, because attempts are missing or a usage is unknown,
is read, and says so in `gaps`.

Reports of the older form name no format, have no lifecycle, may not say how they were scored, and
leave latencies out of their summaries; all else is the same. Attempts that were scored here may say
neither when nor with what they were made.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
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
    PathFault,
    Text,
    json_tree,
    matching,
    named,
    quoted,
    read_json_file,
    typed,
)
from harness.errors import Faults, InputError, listed
from harness.storage.hashing import sha256_of_file

from .specification import (
    INDEPENDENT_SUITE,
    SCORED_HERE,
    SCORING_VERSIONS,
    Hash,
    WholeSpecification,
)
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


Commit = Annotated[str, matching(r"[0-9a-f]{7,64}", "a commit of 7 to 64 hexadecimal digits")]


@dataclass(frozen=True, slots=True)
class Commits:
    """The commit that each binary was built from."""

    server: Commit | None = None
    mcp: Commit | None = None
    runner: Commit | None = None
    proxy: Commit | None = None

    def by_name(self) -> dict[str, str]:
        """Return the commits that are there."""
        return {name: commit for name, commit in asdict(self).items() if commit}


COMPONENTS = tuple(component.name for component in fields(Components))


def _happened(value: bool) -> str | None:
    said = "is false: the run does not show that it measured what it says"
    return None if value else said


def _no_tools(names: tuple[str, ...]) -> str | None:
    return None if names else "is empty: a reader was offered some tool"


Evidence = Annotated[bool, Check(_happened)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lifecycle:
    """The evidence that the server under test was started, stayed up and was cleaned away."""

    endpoint_free: Evidence
    startup_verified: Evidence
    server_stayed_up: Evidence
    cleanup_verified: Evidence
    attribution: Literal["run-read-capability-v1"]
    tool_names: Annotated[tuple[Text, ...], Check(_no_tools)]
    endpoint: Json = None
    tool_profile: Json = None


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
    implementation_commits: Commits = field(default_factory=Commits)
    lifecycle: Annotated[Mapping[str, Any] | None, NotNull(), AsGiven(Lifecycle)] = None
    metrics_only: bool = False
    source_report_sha256: Hash = None
    tool_result_tokens: Json = None
    tool_schemas_sha256: Hash = None
    rescored_from_sha256: Hash = None
    rescored_at: str | None = None
    scorer_implementation_sha256: Hash = None

    def __post_init__(self) -> None:
        faults = [*_repeated(self.attempts), *_scoring_faults(self)]
        if not self.was_scored_here:
            faults += [
                (path, f"is {what}")
                for path, what in _not_recorded(self)
                if not (self.of_older_form and path == _LIFECYCLE)
            ]
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

    @property
    def was_scored_here(self) -> bool:
        return self.spec.get("scoring_version") in SCORED_HERE


_LIFECYCLE = ("lifecycle",)


def _not_recorded(file: _ReportFile) -> Iterator[PathFault]:
    """Yield what a report does not say of its run: whether it is missing, or empty."""
    values: dict[tuple[str, ...], Any] = {
        ("generated",): file.generated,
        ("implementation_hashes", "mcp"): file.implementation_hashes.mcp,
        ("spec", "reader_prompt_hash"): file.spec.get("reader_prompt_hash"),
        _LIFECYCLE: file.lifecycle,
    }
    if (file.spec["suite"] or "").startswith(INDEPENDENT_SUITE):
        values["spec", "dataset"] = file.spec.get("dataset")
    for path, value in values.items():
        if not value:
            yield path, "missing" if value is None else "empty"


def _scoring_faults(file: _ReportFile) -> Iterator[PathFault]:
    path = ("spec", "scoring_version")
    named = file.spec.get(path[-1])
    if named is None and not file.of_older_form:
        yield path, "is missing"
    elif named is not None and named not in SCORING_VERSIONS:
        known = ", ".join(SCORING_VERSIONS)
        yield path, f"is {quoted(named)}, which is not known; known are {known}"


_REPORT = Format("report", _ReportFile, hint="docs/comparing.md describes a report.")


@dataclass(frozen=True, slots=True, eq=False)
class Report:
    """A report that agrees with itself.

    `sha256`: hex, of the file. `components`: the hash of each binary, by name, `commits` the commit
    that it was built from, where that is named. `scorer`: what
    scored it: the three keys of a rescoring, those that are there. `gaps`: why it cannot be
    compared, if it cannot. `not_recorded`: what it does not say of its run, where it may leave that
    out. `tool_names`: of the tools that the reader was offered, `tool_schemas` the hash of what it
    was told of them.
    """

    path: Path
    sha256: str
    spec: Mapping[str, Any]
    components: Mapping[str, str]
    commits: Mapping[str, str]
    attempts: tuple[Attempt, ...]
    summary: Summary
    categories: Mapping[str, Summary]
    scorer: Mapping[str, str]
    metrics_only: bool
    source_sha256: str | None
    tool_names: tuple[str, ...]
    tool_schemas: str | None
    lifecycle: Mapping[str, Any] | None
    generated: str | None
    not_recorded: tuple[str, ...]
    gaps: tuple[str, ...]

    @property
    def name(self) -> str:
        """How the ledger names the arm: the file's name, and its folder's where that is
        `report.json`."""
        folder = self.path.resolve().parent.name
        return folder if self.path.name == REPORT_NAME else self.path.stem

    def of_tasks(self, tasks: Collection[str]) -> Report:
        """Return the report of the attempts at these tasks alone; every one is expected."""
        attempts = tuple(attempt for attempt in self.attempts if attempt.task in tasks)
        spec = {**self.spec, "expected_attempts": len(tasks) * self.spec["repeats"]}
        return replace(
            self,
            spec=spec,
            attempts=attempts,
            summary=summarised(attempts),
            categories=by_category(attempts),
            gaps=(*_missing(spec, attempts), *_unknown_usage(attempts)),
        )

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
    that is there twice, a category that changes, a lifecycle without evidence, what it does not say
    of its run, and a summary or category that its attempts do not give.
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


def check_report(value: Mapping[str, Any], where: str, hint: str) -> None:
    """Refuse a report that is about to be written and that could not be read again."""
    typed(replace(_REPORT, hint=hint), value, at=where)


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
    unchecked = ("failures",) if file.was_scored_here else ()  # 0.1.0 counted attempts there
    for message in stated_faults(file.summary, summary, "summary", optional, unchecked):
        faults.add(message)
    for message in _category_faults(file.categories, categories, optional, unchecked):
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
        commits=file.implementation_commits.by_name(),
        attempts=file.attempts,
        summary=summary,
        categories=categories,
        scorer={key: value for key, value in scorer.items() if value},
        metrics_only=file.metrics_only,
        source_sha256=file.source_report_sha256,
        tool_names=tuple((file.lifecycle or {}).get("tool_names") or ()),
        tool_schemas=file.tool_schemas_sha256 or None,
        lifecycle=file.lifecycle,
        generated=file.generated,
        not_recorded=tuple(".".join(map(str, path)) for path, _ in _not_recorded(file)),
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
    stated: Mapping[str, Any], computed: Mapping[str, Summary], *unneeded: Sequence[str]
) -> Iterator[str]:
    for name in stated:
        if name not in computed:
            yield f"categories.{name} has no attempt"
    for name, summary in computed.items():
        if name not in stated:
            yield f"categories.{name} is missing"
        else:
            yield from stated_faults(stated[name], summary, f"categories.{name}", *unneeded)


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
        elif attempt.error:
            yield (
                f"attempts[{place}].error is {quoted(attempt.error)} ({attempt.name}): the attempt "
                "broke off, so its tokens are incomplete"
            )
