"""What was replayed, by name and hash, and the commands that do it again.

No commit, version, interpreter, time or path of a machine: a path is shown as it was given if it is
relative, else by its last component.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from harness.replay import schema
from harness.replay.run import Run
from harness.replay.sources.omnimemeval.checks import imported_of, what_is_lost
from harness.storage.hashing import sha256_of_json
from harness.words import Code, Text, count

from .table import Column, Table

_TABLES = schema.ENTRIES
_NAME_KEYS = ("recall", "embedder", "name")


@dataclass(frozen=True, slots=True)
class Component:
    """A recall or an embedder: its name, None if not recorded, and its settings as recorded."""

    name: str | None
    settings: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ReplayCommand:
    """Points that one command replayed."""

    command: str
    points: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a run comes from.

    `tables` gives one hash a table: of the names and hashes of its files. `tokens` has the rows of
    what tokens were counted with, and is empty where they were not. A name or hash that the
    recording does not have is None. `lost`: what an import could not trace, a sentence each.
    """

    dataset: str | None
    dataset_sha256: str | None
    recording: str
    recording_sha256: str
    recording_counts: tuple[tuple[str, int], ...]
    recall: Component
    embedder: Component
    part: str
    split_sha256: str | None
    cases: int
    tokens: tuple[tuple[str, str], ...]
    tables: tuple[tuple[str, str], ...]
    run_sha256: str
    batches: tuple[ReplayCommand, ...]
    lost: tuple[str, ...] = ()

    def batches_of(self, points: Iterable[str]) -> tuple[ReplayCommand, ...]:
        """Return the commands that replayed any of the points."""
        wanted = set(points)
        return tuple(batch for batch in self.batches if wanted & set(batch.points))


def provenance_of(run: Run) -> Provenance:
    """Return what the manifest of `run` says of its inputs."""
    work, content = run.manifest.work, run.manifest.content
    dataset = content.get("dataset") or {}
    recording = content["recording"]
    return Provenance(
        dataset=dataset.get("name"),
        dataset_sha256=dataset.get("sha256"),
        recording=shown_path(recording["folder"]),
        recording_sha256=work["recording"],
        recording_counts=tuple(recording["counts"].items()),
        recall=_component(content.get("recall")),
        embedder=_component(content.get("embedder")),
        part=work["part"],
        split_sha256=work["split_sha256"],
        cases=work["cases"],
        tokens=_tokens(work["tokens"]),
        tables=_tables(run),
        run_sha256=run.manifest.content_sha256,
        batches=tuple(_batch(batch, recording["folder"]) for batch in content["batches"]),
        lost=what_is_lost(imported_of(run).checks),
    )


def provenance_table(provenance: Provenance, *, title: str = "", everything: bool = False) -> Table:
    """Return what was replayed, under `title`; `everything`: with what the recording holds and how
    its recall and embedder were set."""
    rows: list[tuple[str, Text]] = [
        ("dataset", recorded(provenance.dataset)),
        ("dataset sha256", recorded(provenance.dataset_sha256)),
        ("recording", Code(provenance.recording)),
        ("recording sha256", Code(provenance.recording_sha256)),
    ]
    if everything:
        holds = [f"{count(n)} {name.replace('_', ' ')}" for name, n in provenance.recording_counts]
        rows.append(("recording holds", ", ".join(holds)))
    for kind, component in (("recall", provenance.recall), ("embedder", provenance.embedder)):
        rows.append((kind, recorded(component.name)))
        if everything:
            rows += [
                (f"{kind}, {name.replace('_', ' ')}", value) for name, value in component.settings
            ]
    split = provenance.split_sha256
    rows += [
        ("part", provenance.part),
        ("split sha256", "no split" if split is None else Code(split)),
        ("questions", count(provenance.cases)),
        *(provenance.tokens or (("tokens", "off"),)),
        ("run sha256", Code(provenance.run_sha256)),
    ]
    columns = (Column("name", title), Column("value", ""))
    return Table(columns, [{"name": name, "value": value} for name, value in rows])


def recorded(text: str | None) -> Text:
    """Return a code span, or the words for what a recording does not say."""
    return "not recorded" if text is None else Code(text)


def shown_path(path: str) -> str:
    """Return `path` if it is relative, else its last component."""
    pure = PurePath(path)
    return pure.name if pure.is_absolute() else pure.as_posix()


def _component(value: Any) -> Component:
    if isinstance(value, Mapping):
        named = next((key for key in _NAME_KEYS if isinstance(value.get(key), str)), None)
        name = None if named is None else str(value[named])
        rest = [(key, setting) for key, setting in value.items() if key != named]
        return Component(name, tuple((key, _setting(setting)) for key, setting in rest))
    return Component(None if value is None else str(value), ())


def _setting(value: Any) -> str:
    return "none" if value is None else str(value)


def _tokens(work: Mapping[str, Any] | None) -> tuple[tuple[str, str], ...]:
    if work is None:
        return ()
    rows = []
    for column, key in (("context_tokens", "context"), ("prompt_tokens_estimated", "prompt")):
        tokenizer = work[key]
        rows.append((f"{column}: tokenizer", f"{tokenizer['encoding']} ({tokenizer['library']})"))
        rows.append((f"{column}: vocabulary sha256", tokenizer["vocabulary_sha256"]))
    return (*rows, ("answer prompt template sha256", work["template_sha256"]))


def _tables(run: Run) -> tuple[tuple[str, str], ...]:
    files = run.manifest.files
    hashes = []
    for table in _TABLES:
        parts = {name: entry.sha256 for name, entry in files.items() if _is_of(table, name)}
        if not parts:
            continue
        single = parts.get(table)
        hashes.append((table, single if single is not None else sha256_of_json(parts)))
    return tuple(hashes)


def _is_of(table: str, file_name: str) -> bool:
    return file_name == table or file_name.startswith(f"{table}/")


def _batch(batch: Mapping[str, Any], folder: str) -> ReplayCommand:
    verb = batch.get("verb", "replay")
    source = "recording" if verb == "replay" else "folder"
    given = {source: folder, **batch["given"]}
    return ReplayCommand(_command(verb, source, given), tuple(batch["points"]))


def _command(verb: str, source: str, given: Mapping[str, Any]) -> str:
    """Return the command line that was given, with the output folder called RUN."""
    words = ["harness", *verb.split(), shown_path(given[source]), "--out", "RUN"]
    for name, value in given.items():
        if name != source:
            words += _option(name, value)
    return " ".join(shlex.quote(word) for word in words)


def _option(name: str, value: Any) -> list[str]:
    if name == "points":
        return _repeated("--point", value)
    option = f"--{name.replace('_', '-')}"
    if isinstance(value, bool):
        return [option] if value else []
    return [option, shown_path(value) if isinstance(value, str) else str(value)]


def _repeated(option: str, values: Sequence[Any]) -> list[str]:
    return [word for value in values for word in (option, str(value))]
