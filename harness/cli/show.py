"""`harness show`: what a recording holds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from harness.show.printing import OutputFormat
from harness.show.table import Column, Table
from harness.words import Kind, counted

from .options import PATH, table_options
from .output import chosen_format, print_table, shown_or

if TYPE_CHECKING:
    from harness.model import Case, Record
    from harness.recording.recording import Recording

_TEXT_SHOWN = 300


@click.command()
@click.argument("recording", type=PATH)
@click.option("--verify", is_flag=True, help="Print the hash of every file, and read every case.")
@click.option("--cases", is_flag=True, help="List the cases: id, type and question.")
@click.option("--case", "case_id", metavar="ID", help="Print one case in readable form.")
@table_options
def show(
    recording: Path,
    verify: bool,
    cases: bool,
    case_id: str | None,
    as_json: bool,
    as_csv: bool,
) -> None:
    """Print what a recording holds: counts, hashes, versions, recall and embedder.

    Opening a recording re-hashes its files; a changed file is an error. With --case, print one
    case: its window, or for a recorded first lookup the printed table, the documents that can be
    fetched, and the passages that an answer must cite.

    \b
    Example:
      harness show datasets/sample/recording
      harness show datasets/sample/recording --cases
      harness show datasets/sample/recording --case 8d8f9974
      harness show build/lookups --case TASK_ID
    """
    from harness.recording.recording import Recording

    form = chosen_format(as_json, as_csv)
    if sum((verify, cases, case_id is not None)) > 1:
        raise click.UsageError("--verify, --cases and --case exclude each other; give one of them.")
    opened = Recording.open(recording)
    if cases:
        _show_cases(opened, form)
    elif case_id is not None:
        _show_case(opened, case_id, form)
    elif verify:
        _show_verified(opened, form)
    else:
        rows = [{"property": name, "value": value} for name, value in _properties(opened)]
        print_table(
            Table((Column("property", "property"), Column("value", "value", cell=_spelled)), rows),
            form,
        )


def _spelled(row: dict[str, Any]) -> str | None:
    """Return a property as it is, whatever its kind: also a truth value as CSV has it."""
    return None if row["value"] is None else str(row["value"])


def _properties(recording: Recording) -> list[tuple[str, Any]]:
    from dataclasses import asdict

    from harness.model import LOOKUP
    from harness.recording.labels import label_counts

    manifest = recording.manifest
    content = manifest.content
    properties: list[tuple[str, Any]] = [
        ("schema", manifest.schema),
        ("content_sha256", manifest.content_sha256),
        ("kind", recording.kind),
    ]
    counts = content["counts"]
    if recording.kind == LOOKUP:
        properties += [("lookups", counts["cases"]), ("documents", counts["records"])]
        properties += _flat("asked", manifest.work.get("asked"))
    properties += list(counts.items())
    properties += list(asdict(label_counts(recording)).items())
    properties.append(("dimension", content["dimension"]))
    for name in ("dataset", "recall", "embedder"):
        properties += _flat(name, content.get(name))
    properties += _flat("code", dict(manifest.code))
    properties += _flat("environment", dict(manifest.environment))
    properties += [(f"sha256 {name}", entry.sha256) for name, entry in manifest.files.items()]
    return properties


def _flat(name: str, value: Any) -> list[tuple[str, Any]]:
    if isinstance(value, dict):
        return [pair for key in value for pair in _flat(f"{name}.{key}", value[key])]
    return [(name, value)]


def _show_cases(recording: Recording, form: OutputFormat) -> None:
    keys = {"case_id": "case_id", "category": "category", "question": "text", "items": "items"}
    rows = [
        {key: row[column] for key, column in keys.items()}
        for _, row in recording.queries(range(len(recording.case_ids)))
    ]
    columns = (
        Column("case_id", "case"),
        Column("category", "type"),
        Column("items", "items", Kind.COUNT, optional=True),
        Column("question", "question"),
    )
    print_table(Table(columns, rows), form)


def _show_verified(recording: Recording, form: OutputFormat) -> None:
    cases = sum(1 for _ in recording.cases())
    rows = [
        {"file": name, "bytes": entry.bytes, "sha256": entry.sha256, "state": "as recorded"}
        for name, entry in recording.manifest.files.items()
    ]
    columns = (
        Column("file", "file"),
        Column("bytes", "bytes", Kind.COUNT),
        Column("sha256", "sha256"),
        Column("state", "state"),
    )
    print_table(Table(columns, rows), form)
    if form is OutputFormat.TEXT:
        click.echo(f"{counted(cases, 'case')} read")


def _show_case(recording: Recording, case_id: str, form: OutputFormat) -> None:
    import json

    if form is OutputFormat.CSV:
        raise click.UsageError("a case has no CSV form; give --json, or neither.")
    case = next(recording.cases([recording.number_of(case_id)]))
    if form is OutputFormat.JSON:
        click.echo(json.dumps(_object_of(case), ensure_ascii=False, indent=1))
    else:
        click.echo("\n".join(_lines_of(case)))


def _object_of(case: Case) -> dict[str, Any]:
    """Return the case as it is exchanged."""
    from harness.recording.case_writer import case_object
    from harness.recording.lookup_writer import lookup_object

    return case_object(case) if case.lookup is None else lookup_object(case, case.lookup)


def _lines_of(case: Case) -> list[str]:
    if case.lookup is None:
        return _case_lines(case)
    from .show_lookup import lookup_lines

    return lookup_lines(case, case.lookup)


def _case_lines(case: Case) -> list[str]:
    gold = case.gold
    lines = [
        f"case      {case.case_id}  ({shown_or(case.category, 'no category')})",
        f"question  {case.query.text}",
        f"date      {shown_or(case.query.date, '–')}",
    ]
    if gold is not None:
        abstention = "  (abstention)" if gold.abstention else ""
        answer = "–" if gold.answer is None else gold.answer
        lines += [f"answer    {answer}{abstention}"]
        lines += [f"sessions  {', '.join(gold.sessions) or '–'}"]
        lines += [
            f"evidence  {span.record_id} [{span.start}:{span.end}] {span.role}"
            for span in gold.evidence
        ]
    by_id = {record.record_id: record for record in case.records}
    for place, item in enumerate(case.items, start=1):
        recall = "" if item.recall is None else f"  score {item.recall.score:.6g}"
        reserved = "  reserved" if item.reserved else ""
        lines += ["", f"{place:>3}. {_record_line(by_id[item.head])}{recall}{reserved}"]
        lines += [f"     {line}" for line in _excerpt(by_id[item.head].text)]
        lines += [f"     claim {_record_line(by_id[claim])}" for claim in item.claims]
    return lines


def _record_line(record: Record) -> str:
    count = None if record.blocks is None else len(record.blocks)
    blocks = "no block set" if count is None else counted(count, "block")
    session = f"  session {record.session_id}" if record.session_id else ""
    time = shown_or(record.timestamp, "undated")
    return (
        f"{record.record_id}  {time}{session}  {counted(len(record.text), 'character')}, {blocks}"
    )


def _excerpt(text: str) -> list[str]:
    shown = text[:_TEXT_SHOWN] + ("…" if len(text) > _TEXT_SHOWN else "")
    return shown.splitlines()
