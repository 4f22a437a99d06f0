"""The bundled worlds hold what they promise, and give every part of an expansion work to do."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arms.lookups import ExpansionSettings, expand
from harness.model import Document, Expansion, LookupGold, relations_of, same_authority
from harness.recording.sources.first_lookups import (
    FirstLookup,
    asked_of_file,
    asked_of_tasks,
    look_up,
)
from harness.worlds import TaskEnding, World, load_world
from harness.worlds.citable import citable_fields, fields_with_evidence
from harness.worlds.freezing import freeze

WORLDS = Path(__file__).parents[2] / "datasets" / "worlds"
NAMES = ("museum", "observatory")
CATEGORIES = {
    "absent-answer",
    "dependency",
    "direct-fact",
    "historical-revision",
    "influence",
    "lineage",
    "supersession",
    "two-source-procedure",
}
MORE_CATEGORIES = {"museum": {"japanese"}, "observatory": set[str]()}
NEVER_WRITTEN = {"museum": {"/wares/eyeless-animals.md"}, "observatory": {"/software/listing.md"}}
LARGE = ExpansionSettings().outline_threshold
FROZEN_BYTES = 400_000
JAPANESE = re.compile(r"[぀-ヿ一-鿿]")


@pytest.fixture(scope="module", params=NAMES)
def world(request: pytest.FixtureRequest) -> World:
    return load_world(WORLDS / request.param)


def current(world: World) -> list[Document]:
    found = [stored.document() for stored in (world.documents or {}).values()]
    return [document for document in found if document is not None]


def gold_of(world: World, lookup: FirstLookup) -> LookupGold:
    return world.rubric[lookup.task_id].gold


def by_questions(world: World) -> list[FirstLookup]:
    return [look_up(world, asked) for asked in asked_of_tasks(world, "catalog")]


def by_queries(world: World) -> list[FirstLookup]:
    source = str(world.folder / "queries.jsonl")
    return [look_up(world, asked) for asked in asked_of_file(world, source, "catalog")]


def expanded(first: FirstLookup, **settings: Any) -> Expansion:
    made = first.lookup
    chosen = ExpansionSettings(**settings)
    return expand(made.rows, first.query, made.spent_bytes, made.fetch, chosen)


def citable(world: World, lookups: list[FirstLookup], **settings: Any) -> int:
    return sum(
        len(
            citable_fields(
                gold_of(world, each), expanded(each, **settings).blocks, each.lookup.documents
            )
        )
        for each in lookups
    )


def section_texts(document: Document) -> list[str]:
    return [document.body[section.start : section.end].strip() for section in document.sections]


def test_size_and_balance(world: World) -> None:
    assert len(world.documents or {}) >= 40
    counts = Counter(task.category for task in world.tasks)
    assert set(counts) == CATEGORIES | MORE_CATEGORIES[world.world_id]
    assert min(counts.values()) >= 2
    assert len(world.tasks) >= 16
    golds = [marking.gold for marking in world.rubric.values()]
    assert sum(len(fields_with_evidence(gold)) for gold in golds) >= 16
    assert all(task.scope for task in world.tasks)


def test_the_figures_of_the_readme(world: World) -> None:
    stored = list((world.documents or {}).values())
    figures = {
        "documents (versions)": f"{len(stored)} ({sum(len(each.versions) for each in stored)})",
        "tasks": len(world.tasks),
        "answer fields with evidence": sum(
            len(fields_with_evidence(marking.gold)) for marking in world.rubric.values()
        ),
        "documents above 8,192 bytes": sum(
            len(document.body.encode()) > LARGE for document in current(world)
        ),
    }
    readme = (WORLDS / "README.md").read_text(encoding="utf-8")
    lines = [line.strip("| ").split(" | ") for line in readme.split("\n") if line.startswith("|")]
    header = next(cells for cells in lines if set(cells) == {f"`{name}`" for name in NAMES})
    column = header.index(f"`{world.world_id}`") + 1
    for name, figure in figures.items():
        assert [cells[column] for cells in lines if cells[0] == name] == [str(figure)], name


def test_quotes_stand_in_the_files_as_they_are(world: World) -> None:
    rubric = json.loads((world.folder / "rubric.json").read_text(encoding="utf-8"))
    passages = list(_passages(rubric))
    for passage in passages:
        name = passage["path"].removeprefix("/").removesuffix(".md")
        older = world.folder / "documents" / f"{name}.v{passage['version']}.md"
        newest = world.folder / "documents" / f"{name}.md"
        text = (older if older.exists() else newest).read_text(encoding="utf-8")
        assert passage["quote"] in text, passage
    assert len(passages) >= 40


def _passages(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict) and "quote" in value:
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _passages(each)


def test_older_versions_are_asked_for(world: World) -> None:
    required = [
        passage
        for marking in world.rubric.values()
        for passages in marking.evidence.values()
        for passage in passages
    ]
    newest = {path: stored.current for path, stored in (world.documents or {}).items()}
    assert sum(passage.version < newest[passage.path] for passage in required) >= 2
    assert max(newest.values()) == 3


def test_questions_name_no_file_and_no_task(world: World) -> None:
    for task in world.tasks:
        assert not re.search(r"[/#_]|\.md|mark:", task.question), task.task_id
        answer = world.rubric[task.task_id].answer
        given = [value for value in answer.values() if isinstance(value, str)]
        assert not [value for value in given if value.lower() in task.question.lower()]


def test_absent_answers_are_absent(world: World) -> None:
    absent = [task for task in world.tasks if task.category == "absent-answer"]
    for task in absent:
        marking = world.rubric[task.task_id]
        assert marking.outcome is TaskEnding.NOT_FOUND
        (step,) = marking.completion
        assert (step.url, step.matches, step.complete) == (task.scope, 0, True)
        inside = [each for each in current(world) if each.path.startswith(task.folder)]
        assert inside
        assert not [each.path for each in inside if step.query in each.body.lower()]


def test_sizes_of_documents(world: World) -> None:
    sizes = sorted((len(document.body.encode()) for document in current(world)), reverse=True)
    assert sizes[0] > 10_000
    assert sizes[1] > LARGE
    assert sum(size < 1_500 for size in sizes) > len(sizes) / 2


def test_shapes_of_documents(world: World) -> None:
    documents = current(world)
    with_sections = [document for document in documents if document.sections]
    preambles = [d for d in with_sections if d.body[: d.sections[0].start].strip()]
    assert len(preambles) >= 3
    second = [d for d in with_sections if [s.level for s in d.sections].count(1) > 1]
    assert len(second) >= 2
    assert [d for d in with_sections if re.search(r"^(=+|-+)$", d.body, re.MULTILINE)]
    assert [d for d in with_sections if re.search(r"^#+$", d.body, re.MULTILINE)]
    assert [d for d in documents if re.search(r"^(> )?#.*(not a heading|lid|wall)", d.body, re.M)]
    assert [s for d in with_sections for s in d.sections if JAPANESE.search(s.anchor)]
    assert [s for d in with_sections for s in d.sections if s.anchor.endswith("-1")]


def test_text_that_stands_twice(world: World) -> None:
    documents = current(world)
    bodies = Counter(document.body.strip() for document in documents)
    assert [body for body, count in bodies.items() if count == 2]
    across: Counter[str] = Counter()
    within_one = 0
    for document in documents:
        if bodies[document.body.strip()] == 1:
            texts = Counter(section_texts(document))
            within_one += sum(count == 2 for count in texts.values())
            across.update(set(texts))
    assert within_one >= 1
    assert [text for text, count in across.items() if count == 2]


def test_relations_lead_somewhere_or_are_known_to_be_lost(world: World) -> None:
    found = [(d.path, relation) for d in current(world) for relation in relations_of(d)]
    local = [(path, each) for path, each in found if same_authority(path, each.target)]
    lost = {each.target for _, each in local if each.target not in (world.documents or {})}
    assert lost == NEVER_WRITTEN[world.world_id]
    for _, each in local:
        target = world.document(each.target)
        if each.fragment is not None and target is not None:
            assert each.fragment in {section.anchor for section in target.sections}, each
    predicates = {each.predicate for _, each in found}
    assert predicates >= {"depends-on", "derived-from", "influenced-by", "see-also"}
    assert predicates >= {"supersedes", "superseded-by"}
    foreign = [each for path, each in found if not same_authority(path, each.target)]
    assert len(foreign) >= 2
    texts = [
        value
        for document in current(world)
        for key, value in document.metadata.items()
        if key.startswith("rel-") and isinstance(value, str)
    ]
    assert [text for text in texts if text.startswith("../")]
    assert [text for text in texts if re.match(r"[a-z-]+\.md", text)]


def test_superseded_and_superseding_name_each_other(world: World) -> None:
    links = {
        (document.path, relation.predicate, relation.target)
        for document in current(world)
        for relation in relations_of(document)
    }
    supersedes = {(old, new) for new, predicate, old in links if predicate == "supersedes"}
    superseded = {(old, new) for old, predicate, new in links if predicate == "superseded-by"}
    assert len(supersedes) >= 3
    assert supersedes <= superseded


def test_passages_that_only_a_relation_reaches(world: World) -> None:
    hidden = 0
    for first in by_questions(world):
        rows = {row.path for row in first.lookup.rows}
        reached = {document.path for document in first.lookup.documents} - rows
        for passages in gold_of(world, first).evidence.values():
            hidden += any(passage.path in reached for passage in passages)
    assert hidden >= 6


def test_passages_in_late_sections_of_large_documents(world: World) -> None:
    late = 0
    for marking in world.rubric.values():
        for passages in marking.evidence.values():
            for passage in passages:
                document = world.document(passage.path, passage.version)
                assert document is not None
                place = document.body.index(passage.quote)
                large = len(document.body.encode()) >= LARGE
                late += large and place > len(document.body) / 2
    assert late >= 3


def test_every_part_of_an_expansion_has_work(world: World) -> None:
    queries = by_queries(world)
    made = [expanded(each, budget_tokens=1_000) for each in queries]
    assert sum(each.related_documents > 0 for each in made) >= 5
    assert sum(each.coalesced > 0 for each in made) >= 2
    assert sum(each.stub_bytes > 0 for each in made) >= 2
    assert sum(bool(each.omitted) for each in made) >= 2
    all_parts = citable(world, queries)
    assert all_parts > citable(world, queries, hop="none") + 5
    assert all_parts > citable(world, queries, pin=False) + 5


def test_a_greater_budget_makes_more_citable(world: World) -> None:
    questions = by_questions(world)
    counts = [citable(world, questions, budget_tokens=budget) for budget in (300, 1_000, 4_000)]
    assert counts == sorted(set(counts))
    assert any(form == "outline" for each in questions for form in forms(expanded(each)))


def forms(expansion: Expansion) -> list[str]:
    return [block.form for block in expansion.blocks]


def test_each_task_has_one_query(world: World) -> None:
    queries = by_queries(world)
    assert [each.task_id for each in queries] == [task.task_id for task in world.tasks]
    assert {each.lookup.scope for each in queries} == {task.folder for task in world.tasks}
    assert all(world.task(each.case_id) for each in queries)


def test_frozen_it_is_small(world: World, tmp_path: Path) -> None:
    out = tmp_path / "world"
    freeze(world.folder, out)
    frozen = load_world(out)
    assert sum(path.stat().st_size for path in out.iterdir()) < FROZEN_BYTES
    assert frozen.tasks == world.tasks
    assert {each.path: each.body for each in current(frozen)} == {
        each.path: each.body for each in current(world)
    }


def test_questions_in_japanese_find_their_documents() -> None:
    world = load_world(WORLDS / "museum")
    for lookups in (by_questions(world), by_queries(world)):
        for first in (each for each in lookups if each.category == "japanese"):
            rows = {row.path for row in first.lookup.rows}
            wanted = {
                passage.path
                for passages in gold_of(world, first).evidence.values()
                for passage in passages
            }
            reached = {document.path for document in first.lookup.documents}
            assert bool(rows) is bool(wanted), first.case_id
            assert wanted <= reached, first.case_id


def test_an_archived_document_is_named_but_not_found() -> None:
    world = load_world(WORLDS / "observatory")
    archived = {path for path, stored in (world.documents or {}).items() if stored.archived}
    assert archived == {"/site/canteen.md"}
    targets = {each.target for document in current(world) for each in relations_of(document)}
    assert archived <= targets
    shown = {document.path for each in by_questions(world) for document in each.lookup.documents}
    assert "/site/building.md" in shown
    assert not archived & shown
