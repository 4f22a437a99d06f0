"""Making a report of scored attempts, which `compare` reads.

What attempts do not say of themselves, such as the reader's model and the binaries, comes from a
head: a JSON file with some keys of a report. The
rest of the specification is that of the world. A report that is rescored is its own head.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import harness.attempts.scoring
from harness.attempts.scoring.attempts import Attempt, Score, Trace
from harness.attempts.scoring.scoring import scoring_version
from harness.decode import AsGiven, Format, JsonObject, read_json_file, typed
from harness.errors import Faults, InputError, listed
from harness.evidence.tokens import READER_ENCODING, Tokenizer
from harness.storage.hashing import sha256_of_file, sha256_of_json
from harness.storage.manifest import MANIFEST_NAME
from harness.worlds.opening import DATASET_NAME, OpenedWorld

from .preflight import read_tools, schema_hash
from .report import FORMAT, Commits, Components, Report, check_report
from .specification import Hash, Specification
from .summary import by_category, summarised, usage_object

SUITE = "harness-attempts-v1"


@dataclass(frozen=True, slots=True)
class Head:
    """What of a report its attempts do not say."""

    spec: Mapping[str, Any] = field(default_factory=dict)
    components: Mapping[str, str] = field(default_factory=dict)
    commits: Mapping[str, str] = field(default_factory=dict)
    lifecycle: Mapping[str, Any] | None = None
    generated: str | None = None
    tool_schemas: str | None = None
    rescored_from: str | None = None


@dataclass(frozen=True, slots=True)
class _HeadFile:
    spec: Annotated[Mapping[str, Any], AsGiven(Specification)]
    implementation_hashes: Components = field(default_factory=Components)
    implementation_commits: Commits = field(default_factory=Commits)
    lifecycle: JsonObject | None = None
    generated: str | None = None
    tool_schemas_sha256: Hash = None


_HEAD_KEYS = (
    "spec",
    "implementation_hashes",
    "implementation_commits",
    "lifecycle",
    "generated",
    "tool_schemas_sha256",
)
_HEAD = Format("head", _HeadFile, hint=f"It is {{{', '.join(_HEAD_KEYS)}}} of a report.")


def read_head(path: Path) -> Head:
    """Return the head in a JSON file; other keys of a report are skipped.

    Raises `InputError` naming every fault.
    """
    unreadable = Faults()
    value = read_json_file(path, unreadable)
    unreadable.raise_if_any(str(path))
    if isinstance(value, dict):
        value = {key: value[key] for key in _HEAD_KEYS if key in value}
    file = typed(_HEAD, value, at=str(path))
    return Head(
        file.spec,
        file.implementation_hashes.by_name(),
        file.implementation_commits.by_name(),
        file.lifecycle,
        file.generated,
        file.tool_schemas_sha256 or None,
    )


def told(head: Head, schemas: Path) -> Head:
    """Return the head with the hash of the tools that readers were offered.

    Raises `InputError` where the head's lifecycle names other tools, or another hash.
    """
    tools = read_tools(schemas)
    named = (head.lifecycle or {}).get("tool_names")
    faults = Faults()
    if isinstance(named, list) and {*map(str, named)} != {*tools}:
        faults.add(f"has the tools {listed(sorted(tools))}, but lifecycle.tool_names are {named}")
    digest = schema_hash(tools)
    if head.tool_schemas not in (None, digest):
        faults.add(f"has the hash {digest}, but tool_schemas_sha256 is {head.tool_schemas}")
    faults.raise_if_any(str(schemas), "Give the list that the readers of this run were offered.")
    return replace(head, tool_schemas=digest)


def head_of(report: Report) -> Head:
    """Return the head of a report that is rescored."""
    return Head(
        report.spec,
        report.components,
        report.commits,
        report.lifecycle,
        report.generated,
        report.tool_schemas,
        f"sha256-{report.sha256}",
    )


def grading_corrections(head: Head, opened: OpenedWorld) -> list[str]:
    """Return what of the rubric the head's world and this one do not share.

    Raises `InputError` where the corpus or the tasks differ: then it is another world.
    """
    named = head.spec.get("fixture_hashes") or {}
    found = _fixtures(opened)
    faults = Faults()
    for key in ("corpus", "tasks"):
        if named.get(key) and named[key] != found[key]:
            faults.add(
                f"spec.fixture_hashes.{key} is {named[key]}, but the world's is {found[key]}"
            )
    faults.raise_if_any("the attempts were made in another world", "Score them in their own.")
    if named.get("rubric") and named["rubric"] != found["rubric"]:
        return [f"rubric {named['rubric']} → {found['rubric']}"]
    return []


def report_text(
    attempts: Sequence[Attempt],
    head: Head,
    opened: OpenedWorld,
    *,
    stubs: bool,
    tasks: int | None = None,
) -> str:
    """Return the report of scored attempts, as JSON; the same attempts give the same text, but for
    the time of a rescoring. `tasks`: how many of the world's were attempted, where that is a part
    of them.

    Raises `InputError` for a head that makes a report which could not be read again.
    """
    value: dict[str, Any] = {
        "format": FORMAT,
        "spec": _specification(attempts, head, opened, stubs, tasks),
        "implementation_hashes": dict(head.components),
        "attempts": [_attempt(attempt) for attempt in attempts],
        "summary": summarised(attempts),
        "categories": by_category(attempts),
        "scorer_implementation_sha256": scorer_hash(),
    }
    if head.commits:
        value["implementation_commits"] = dict(head.commits)
    if head.lifecycle is not None:
        value["lifecycle"] = dict(head.lifecycle)
    if head.generated is not None:
        value["generated"] = head.generated
    if head.tool_schemas is not None:
        value["tool_schemas_sha256"] = head.tool_schemas
    if head.rescored_from is not None:
        value["rescored_from_sha256"] = head.rescored_from
        value["rescored_at"] = datetime.now(UTC).isoformat(timespec="seconds")
    check_report(value, "the report of these attempts", "Correct it in --spec FILE.")
    return json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def scorer_hash() -> str:
    """Compute the hash of the code that scores: of the names and hashes of its files."""
    folder = Path(harness.attempts.scoring.__file__).parent
    files = {path.name: sha256_of_file(path) for path in sorted(folder.glob("*.py"))}
    return f"sha256-{sha256_of_json(files)}"


def result_tokens(trace: Trace) -> int:
    """Return `o200k_base` tokens of what the calls showed."""
    tokenizer = Tokenizer(READER_ENCODING)
    return sum(tokenizer.count(call.result) for call in trace.calls)


def _specification(
    attempts: Sequence[Attempt],
    head: Head,
    opened: OpenedWorld,
    stubs: bool,
    tasks: int | None,
) -> dict[str, Any]:
    world, corpus = opened.world, opened.corpus
    repeats = head.spec.get("repeats") or max(attempt.repeat for attempt in attempts)
    fixtures = _fixtures(opened)
    spec = {
        "suite": SUITE,
        "expected_attempts": len(world.tasks) * repeats,
        **head.spec,
        "repeats": repeats,
        "fixture_hashes": fixtures,
        "origin": world.source or "",
        "documents": len(corpus.documents or {}),
        "versions": corpus.versions,
        "scoring_version": scoring_version(stubs=stubs),
        "dataset": world.world_id,
    }
    if tasks is not None:
        spec["expected_attempts"] = tasks * repeats
    if "dataset" in fixtures:
        spec["dataset_hash"] = fixtures["dataset"]
    else:
        spec.pop("dataset_hash", None)
    return spec


def _fixtures(opened: OpenedWorld) -> dict[str, str]:
    """Return the hashes of a world. A folder of Markdown has a corpus as it would be frozen."""
    found = {
        "corpus": opened.corpus.sha256,
        "tasks": opened.tasks_sha256,
        "rubric": opened.rubric_sha256,
    }
    missing = [name for name, digest in found.items() if digest is None]
    if missing:
        raise InputError(
            f"{opened.world.folder} has no {missing[0]}", "Attempts are scored in a whole world."
        )
    folder = opened.world.folder
    if opened.dataset is not None:
        found["dataset"] = sha256_of_file(folder / DATASET_NAME)
        found["archive_manifest"] = sha256_of_file(folder / MANIFEST_NAME)
    return {name: f"sha256-{digest}" for name, digest in found.items()}


def _attempt(attempt: Attempt) -> dict[str, Any]:
    trace = attempt.trace
    value: dict[str, Any] = {
        "task": attempt.task,
        "category": attempt.category,
        "repeat": attempt.repeat,
        "latency_phase": attempt.latency_phase,
        "elapsed_ms": attempt.elapsed_ms,
        "protocol_requests": attempt.protocol_requests,
        "tool_result_tokens": attempt.tool_result_tokens,
        "trace": {
            "session": trace.session,
            "usage": usage_object(trace.usage),
            "usage_complete": trace.usage_complete,
            "turns": trace.turns,
            "calls": [
                {"name": call.name, "input": dict(call.input), "output": call.output}
                | ({"error": call.error} if call.error else {})
                for call in trace.calls
            ],
            "final": trace.final,
            **({} if trace.errors is None else {"errors": trace.errors}),
        },
        "score": _score(attempt.score or Score(correct=False, dimensions_recorded=True)),
    }
    if attempt.error:
        value["error"] = attempt.error
    return {key: entry for key, entry in value.items() if entry is not None}


def _score(score: Score) -> dict[str, Any]:
    return {
        "correct": score.correct,
        "dimensions_recorded": score.dimensions_recorded,
        "answer_correct": score.answer_correct,
        "evidence_sufficient": score.evidence_sufficient,
        "citations_valid": score.citations_valid,
        "scope_complete": score.scope_complete,
        "contradictions_observed": score.contradictions_observed,
        "reasons": list(score.reasons),
    }
