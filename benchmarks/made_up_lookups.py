"""Making a recording of made-up lookups, for the benchmark `lookups.py`.

    python benchmarks/made_up_lookups.py DIR

Documents are Markdown of made-up words from a fixed seed: some 4,000 bytes each, one in twenty
above the size from which an outline is printed, one in eight with the same closing section, most
with relations. A table has ten rows, drawn from all documents; a third of them name a section. Each
lookup has one required passage, in a document of its table.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from pathlib import Path

from harness.model import Case, LookupGold, Query, Record, RequiredPassage
from harness.recording.sources.first_lookups import lookup_of_table
from harness.recording.writer import RecordingWriter
from harness.worlds import StoredDocument, World
from harness.worlds.assembly import lookup_case, record_id_of, record_of
from harness.worlds.model import DocumentVersion, Form
from harness.worlds.table import TableRow, render_result

SEED = 20261003
ROWS = 10
QUOTED_CHARACTERS = 60
LARGE_EVERY, NOTICE_EVERY, FOLDERS = 20, 8, 40
PREDICATES = ("rel-depends-on", "rel-superseded-by", "rel-see-also")


def make_recording(folder: Path, documents: int, lookups: int) -> None:
    """Record `lookups` lookups over at least `ROWS` documents; the same numbers, the same bytes."""
    chance = random.Random(SEED)
    world = made_up_world(documents, chance)
    stored = list((world.documents or {}).values())
    current = [document for each in stored if (document := each.document()) is not None]
    records = {record_id_of(each.path, each.version): record_of(each) for each in current}
    work = {"dataset": {"name": "made-up", "sha256": None}, "recall": None}
    with RecordingWriter(folder, verb="benchmark", quiet=True) as recording:
        for number in range(lookups):
            recording.add(
                made_up_lookup(number, world, chance.sample(stored, ROWS), chance, records)
            )
        recording.describe(work, **work, embedder=None)


def made_up_lookup(
    number: int,
    world: World,
    found: Sequence[StoredDocument],
    chance: random.Random,
    records: dict[str, Record],
) -> Case:
    """A lookup of two words of its first document, whose required passage is in one of them."""
    query = " ".join(chance.sample(found[0].current_version.body.split(), 2))
    lookup = lookup_of_table(world, "/", printed_table(query, found, chance))
    cited = found[number % ROWS]
    version = cited.current_version
    section = chance.choice(version.outline.sections)
    paragraph = version.body[section.start : section.end].split("\n\n")[1]
    quote = paragraph[:QUOTED_CHARACTERS]
    passage = RequiredPassage(cited.path, version.number, section.anchor, quote)
    gold = LookupGold({"value": quote}, "answered", {"value": (passage,)})
    return lookup_case(f"lookup-{number:05d}", "made-up", Query(query), lookup, gold, records)


def made_up_world(documents: int, chance: random.Random) -> World:
    """A world of so many documents, without tasks."""
    letters = "abcdefghiklmnoprstuvwz"
    words = ["".join(chance.choices(letters, k=chance.randint(3, 9))) for _ in range(4000)]
    paths = [f"/area-{number % FOLDERS:02d}/page-{number:05d}.md" for number in range(documents)]
    notice = f"## Notice\n\n{_paragraph(words, chance)}\n"

    def made_up(number: int) -> StoredDocument:
        body = _body(words, chance, 24 if number % LARGE_EVERY == 0 else chance.randint(3, 7))
        if number % NOTICE_EVERY == 0:
            body += f"\n{notice}"
        metadata = {
            "title": " ".join(chance.sample(words, 3)),
            "tags": ",".join(chance.sample(words, 2)),
            "importance": f"{chance.random():.2f}",
        }
        for predicate in PREDICATES[: chance.randint(0, len(PREDICATES))]:
            metadata[predicate] = ", ".join(chance.sample(paths, chance.randint(1, 2)))
        version = chance.randint(1, 5)
        only = DocumentVersion(version, body, metadata)
        return StoredDocument(paths[number], (only,), version)

    stored = {path: made_up(number) for number, path in enumerate(paths)}
    return World(Path("made-up"), Form.PLAIN, "made-up", None, stored, (), {})


def _body(words: Sequence[str], chance: random.Random, sections: int) -> str:
    parts = [f"# {' '.join(chance.sample(words, 3))}", _paragraph(words, chance)]
    for _ in range(sections):
        level = chance.choice(("##", "##", "###"))
        parts += [f"{level} {' '.join(chance.sample(words, 2))}", _paragraph(words, chance)]
    return "\n\n".join(parts) + "\n"


def _paragraph(words: Sequence[str], chance: random.Random) -> str:
    return " ".join(chance.choices(words, k=chance.randint(40, 110))) + "."


def printed_table(query: str, found: Sequence[StoredDocument], chance: random.Random) -> str:
    """A table of the documents; a third of the rows name a section."""
    rows = []
    for stored in found:
        version = stored.current_version
        section = chance.choice(version.outline.sections) if chance.random() < 1 / 3 else None
        metadata = version.metadata
        rows.append(
            TableRow(
                path=stored.path,
                importance=float(metadata["importance"]),
                title=metadata["title"],
                tags=tuple(metadata["tags"].split(",")),
                anchor=None if section is None else section.anchor,
            )
        )
    envelope = (("status", "ok"), ("matches", str(len(rows))), ("match", "catalog"))
    return render_result(envelope, query, "/", rows, snippets=False)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, metavar="DIR")
    parser.add_argument("--documents", type=int, default=2_000, help="default: 2000")
    parser.add_argument("--lookups", type=int, default=10_000, help="default: 10000")
    given = parser.parse_args()
    if given.documents < ROWS or given.lookups < 1:
        parser.error(f"--documents takes at least {ROWS}, --lookups at least 1")
    make_recording(given.folder, given.documents, given.lookups)


if __name__ == "__main__":
    main()
