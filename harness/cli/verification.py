"""How the result of `harness dataset verify` is printed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from harness.datasets.verify import Contents, IdCheck, Identity
from harness.show.printing import OutputFormat
from harness.show.table import Column, Table
from harness.words import Kind, counted

from .output import print_table

_SHOWN_IDS = 10


def _count(value: int) -> str:
    return f"{value:,}"


VERIFY_COLUMNS = (
    Column("question_type", "question type"),
    Column("questions", "questions", Kind.COUNT),
    Column("abstention", "of them abstention", Kind.COUNT),
    Column("sessions", "sessions", Kind.COUNT),
    Column("turns", "turns", Kind.COUNT),
)


def print_verification(
    file: Path,
    identity: Identity,
    contents: Contents,
    comparison: IdCheck | None,
    form: OutputFormat,
) -> None:
    """Print everything as one JSON object, the counts by type as CSV, or both for people."""
    rows = [asdict(count) for count in contents.counts]
    if form is OutputFormat.JSON:
        compared = asdict(comparison) if comparison else None
        value = {"file": str(file), **asdict(identity), "comparison": compared, "types": rows}
        click.echo(json.dumps(value, indent=1, ensure_ascii=False))
        return
    if form is OutputFormat.TEXT:
        click.echo("\n".join(_summary(file, identity, comparison)) + "\n")
        rows.append(_total(rows))
    print_table(Table(VERIFY_COLUMNS, rows), form)


def identity_text(identity: Identity) -> str:
    """Say `is the registered NAME`, or that the file is not registered."""
    if identity.registered:
        return f"is the registered {identity.registered}"
    return "is not a registered file"


def _summary(file: Path, identity: Identity, comparison: IdCheck | None) -> Iterator[str]:
    yield f"{file} {identity_text(identity)}"
    yield f"  bytes    {identity.bytes:,}"
    yield f"  sha256   {identity.sha256}"
    if identity.content_sha256 != identity.sha256:
        yield (
            f"  unpacked {counted(identity.content_bytes, 'byte')}, sha256 "
            f"{identity.content_sha256}"
        )
    if comparison is None:
        yield "  its questions are not those of a registered dataset"
        return
    present = comparison.listed - len(comparison.missing)
    yield f"  {present} of the {counted(comparison.listed, 'question')} of {comparison.dataset}"
    if comparison.missing:
        yield f"  missing  {len(comparison.missing)}: {first_ids(comparison.missing)}"
    if comparison.unknown:
        yield f"  unknown  {len(comparison.unknown)}: {first_ids(comparison.unknown)}"


def first_ids(ids: tuple[str, ...]) -> str:
    """Return the first ids, and how many more there are."""
    more = len(ids) - _SHOWN_IDS
    return ", ".join(ids[:_SHOWN_IDS]) + (f" and {more} more" if more > 0 else "")


def _total(rows: list[dict[str, Any]]) -> dict[str, Any]:
    sums = {column.key: sum(row[column.key] for row in rows) for column in VERIFY_COLUMNS[1:]}
    return {"question_type": "all", **sums}
