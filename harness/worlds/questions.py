"""What a split of a world's tasks is drawn over: what tasks share, and the hash of the world."""

from __future__ import annotations

from collections.abc import Mapping

from harness.storage.hashing import sha256_of_json

from .model import World


def cited_documents(world: World) -> Mapping[str, frozenset[str]]:
    """Return the documents that a right answer to each task must cite: what tasks may share."""
    return {
        task_id: frozenset(
            passage.path for passages in marking.evidence.values() for passage in passages
        )
        for task_id, marking in world.rubric.items()
    }


def world_sha256(world: World) -> str:
    """Return a hash of every version of every document, and of tasks and rubric, in path order."""
    documents = [
        [
            stored.path,
            stored.current,
            stored.archived,
            [[part.number, dict(part.metadata), part.body] for part in stored.versions],
        ]
        for stored in (world.documents or {}).values()
    ]
    tasks = [[task.task_id, task.category, task.question, task.scope] for task in world.tasks]
    rubric = {
        task_id: {
            "answer": dict(marking.answer),
            "outcome": marking.outcome.value,
            "evidence": {
                name: [[part.path, part.version, part.anchor, part.quote] for part in passages]
                for name, passages in marking.evidence.items()
            },
        }
        for task_id, marking in world.rubric.items()
    }
    return sha256_of_json([documents, tasks, rubric])
