"""Worlds: a frozen corpus of documents with versions, tasks over it, and their rubric.

The formats of every file are in `docs/worlds.md`.
"""

from .loading import load_world
from .model import CompletionStep, DocumentVersion, Marking, StoredDocument, Task, TaskEnding, World
from .opening import open_world
from .sections import Outline, anchored_section, outline_of

__all__ = [
    "CompletionStep",
    "DocumentVersion",
    "Marking",
    "Outline",
    "StoredDocument",
    "Task",
    "TaskEnding",
    "World",
    "anchored_section",
    "load_world",
    "open_world",
    "outline_of",
]
