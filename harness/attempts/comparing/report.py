"""Reports of attempts, `demarkus-answer-report-v2`: reading them strictly.

A report that contradicts itself is refused with every fault; a report that is whole but not fit to
be compared, because attempts are missing or a usage is unknown, is read, and says so in `gaps`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.attempts.scoring.attempts import Attempt
from harness.attempts.scoring.reading import read_attempt
from harness.decode.fields import ObjectReader, kind_of
from harness.decode.strict_json import decode, read_json
from harness.errors import Faults, InputError, listed
from harness.storage.hashing import sha256_of_file

from .specification import check_hash, check_specification
from .summary import Summary, by_category, stated_faults, summarised

FORMAT = "demarkus-answer-report-v2"
COMPONENTS = ("server", "mcp", "runner", "proxy")
RESCORED = ("rescored_from_sha256", "rescored_at", "scorer_implementation_sha256")
REPORT_NAME = "report.json"
"""The report in a folder, where a folder is given."""

_REQUIRED = ("format", "spec", "attempts", "summary", "categories")
_OPTIONAL = (
    "generated",
    "implementation_hashes",
    "lifecycle",
    "metrics_only",
    "source_report_sha256",
    "tool_result_tokens",
    *RESCORED,
)
_EVIDENCE = ("endpoint_free", "startup_verified", "server_stayed_up", "cleanup_verified")
_LIFECYCLE = ("attribution", "endpoint", "tool_profile", "tool_names")


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
        """The hex hashes of the file and of the reports that it was made from."""
        made_from = (self.source_sha256, self.scorer.get("rescored_from_sha256"))
        return (self.sha256, *(each.removeprefix("sha256-") for each in made_from if each))


def read_report(path: Path) -> Report:
    """The report in a file, or in the `report.json` of a folder.

    Raises `InputError` naming every fault: unknown keys, values of another type, hashes, an attempt
    that is there twice, a category that changes, a lifecycle without evidence, and a summary or
    category that its attempts do not give.
    """
    file = report_file(path)
    unreadable, faults = Faults(), Faults()
    value = read_json(file, unreadable)
    unformatted = isinstance(value, Mapping) and "format" not in value
    if unformatted or (value is None and _begins_with_lines(file)):
        raise InputError(
            f"{file} is no report: it has no format",
            f"Attempts become a report so: harness score WORLD {file} --out REPORT",
        )
    unreadable.raise_if_any(str(file), "If it was cut short, copy or write it again.")
    if not isinstance(value, Mapping):
        raise InputError(f"{file} is {kind_of(value)}, expected a report, which is one object")
    report = _report(file, value, faults)
    if len(faults):
        for gap in report.gaps:
            faults.add(gap)
    faults.raise_if_any(str(file), "docs/comparing.md describes a report.")
    return report


def report_file(path: Path) -> Path:
    """The file of a report that is given by name or by its folder."""
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
    """Whether the first line is a JSON object that is no report: then the file holds attempts."""
    try:
        with path.open("rb") as stream:
            value = decode(stream.readline().decode("utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(value, dict) and "format" not in value


def _report(path: Path, value: Mapping[str, Any], faults: Faults) -> Report:
    fields = ObjectReader(value, "", faults, _REQUIRED, _OPTIONAL)
    if fields.text("format") != FORMAT:
        fields.fault("format", f"is {fields.raw('format')!r}, expected {FORMAT!r}")
    fields.text_or_null("generated")
    spec = check_specification(fields.raw("spec"), "spec", faults)
    attempts = _attempts(fields, faults)
    summary, categories = summarised(attempts), by_category(attempts)
    for message in stated_faults(fields.raw("summary"), summary, "summary"):
        faults.add(message)
    for message in _category_faults(fields.raw("categories"), categories):
        faults.add(message)
    metrics_only = _metrics(fields, summary)
    return Report(
        path=path,
        sha256=sha256_of_file(path),
        spec=spec,
        components=read_components(fields, faults),
        attempts=attempts,
        summary=summary,
        categories=categories,
        scorer=_scorer(fields),
        metrics_only=metrics_only,
        source_sha256=fields.text_or_null("source_report_sha256"),
        tool_names=_tool_names(fields, faults),
        lifecycle=fields.raw("lifecycle"),
        gaps=(*_missing(spec, attempts), *_unknown_usage(attempts)),
    )


def _attempts(fields: ObjectReader, faults: Faults) -> tuple[Attempt, ...]:
    read = [
        read_attempt(entry, place, faults, scored=True) for place, entry in fields.items("attempts")
    ]
    seen: dict[tuple[str, int], int] = {}
    categories: dict[str, str] = {}
    for place, attempt in enumerate(read):
        first = seen.setdefault(attempt.key, place)
        if first != place:
            faults.add(f"attempts[{place}] is {attempt.name}, as attempts[{first}] is")
        known = categories.setdefault(attempt.task, attempt.category)
        if known != attempt.category:
            faults.add(
                f"attempts[{place}].category is {attempt.category!r}, but that of {attempt.task} "
                f"was {known!r}"
            )
    return tuple(read)


def _category_faults(stated: Any, computed: Mapping[str, Summary]) -> Iterator[str]:
    if not isinstance(stated, Mapping):
        yield "categories is no object"
        return
    for name in stated:
        if name not in computed:
            yield f"categories.{name} has no attempt"
    for name, summary in computed.items():
        if name not in stated:
            yield f"categories.{name} is missing"
        else:
            yield from stated_faults(stated[name], summary, f"categories.{name}")


def _metrics(fields: ObjectReader, summary: Summary) -> bool:
    """Whether the report keeps no outputs; it must then name the report that does."""
    metrics_only = fields.boolean("metrics_only")
    check_hash(fields, "source_report_sha256")
    if metrics_only and not fields.raw("source_report_sha256"):
        fields.fault("source_report_sha256", "is missing, but metrics_only is true")
    stated = fields.raw("tool_result_tokens")
    if stated is not None and stated != summary["tool_result_tokens"]:
        given = summary["tool_result_tokens"]
        fields.fault("tool_result_tokens", f"is {stated!r}, but the attempts give {given}")
    return metrics_only


def read_components(fields: ObjectReader, faults: Faults) -> dict[str, str]:
    """The hash of each binary under `implementation_hashes`, by name."""
    if not fields.has("implementation_hashes"):
        return {}
    where = fields.where("implementation_hashes")
    hashes = ObjectReader(fields.raw("implementation_hashes"), where, faults, (), COMPONENTS)
    for name in COMPONENTS:
        check_hash(hashes, name)
    return {name: hashes.text(name) for name in COMPONENTS if hashes.raw(name)}


def _scorer(fields: ObjectReader) -> dict[str, str]:
    for key in ("rescored_from_sha256", "scorer_implementation_sha256"):
        check_hash(fields, key)
    found = {key: fields.text(key) for key in RESCORED if fields.raw(key)}
    rescored = "rescored_from_sha256" in found
    for key in RESCORED:
        if rescored and key not in found:
            fields.fault(key, "is missing, but rescored_from_sha256 is there")
    if "rescored_at" in found and not rescored:
        fields.fault("rescored_from_sha256", "is missing, but rescored_at is there")
    return found


def _tool_names(fields: ObjectReader, faults: Faults) -> tuple[str, ...]:
    """The tools of the lifecycle, which is the evidence that the server under test was started,
    stayed up and was cleaned away."""
    if not fields.has("lifecycle"):
        return ()
    where = fields.where("lifecycle")
    lifecycle = ObjectReader(fields.raw("lifecycle"), where, faults, _EVIDENCE, _LIFECYCLE)
    for key in _EVIDENCE:
        if lifecycle.has(key) and not lifecycle.boolean(key):
            lifecycle.fault(key, "is false: the run does not show that it measured what it says")
    return lifecycle.texts("tool_names") if lifecycle.raw("tool_names") is not None else ()


def _missing(spec: Mapping[str, Any], attempts: tuple[Attempt, ...]) -> Iterator[str]:
    repeats, expected = (_number(spec.get(key)) for key in ("repeats", "expected_attempts"))
    if len(attempts) != expected:
        yield (
            f"attempts are {len(attempts)}, but spec.expected_attempts is {expected}: an "
            "incomplete cohort"
        )
    there = {each.key for each in attempts}
    tasks = {each.task for each in attempts}
    most = min(repeats, expected)  # a cohort of more is incomplete already
    wanted = {(task, repeat) for task in tasks for repeat in range(1, most + 1)}
    missing = [f"{task} repeat {repeat}" for task, repeat in sorted(wanted - there)]
    if missing:
        yield f"attempts lack {listed(missing)}, but spec.repeats is {repeats}"
    beyond = [f"{task} repeat {repeat}" for task, repeat in sorted(there - wanted)]
    if beyond:
        yield f"attempts have {listed(beyond)}, but spec.repeats is {repeats}"


def _number(value: Any) -> int:
    return value if isinstance(value, int) else 0


def _unknown_usage(attempts: tuple[Attempt, ...]) -> Iterator[str]:
    for place, attempt in enumerate(attempts):
        if not attempt.trace.usage_complete:
            yield (
                f"attempts[{place}].trace.usage_complete is false ({attempt.name}): its tokens are "
                "unknown"
            )
