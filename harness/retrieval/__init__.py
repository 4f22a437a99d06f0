"""Retrieval: recalls, which choose a case's window, and embedders, whose vectors are cached.

Both are plug-ins, found by entry point (`harness.recalls`, `harness.embedders`).
"""

from .cache import VectorCache, default_cache_path
from .embedder import Embedder, embedder_names, load_embedder, quantise
from .recall import Place, Recall, RecordTexts, UserTurnVectors, load_recall, recall_names
from .source import Embedded, VectorSource

__all__ = [
    "Embedded",
    "Embedder",
    "Place",
    "Recall",
    "RecordTexts",
    "UserTurnVectors",
    "VectorCache",
    "VectorSource",
    "default_cache_path",
    "embedder_names",
    "load_embedder",
    "load_recall",
    "quantise",
    "recall_names",
]
