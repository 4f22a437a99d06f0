"""Embedders: vectors of texts, each computed once and kept in a cache.

An embedder is a plug-in, found through the entry-point group `harness.embedders`. It is given one
text at a time, since the bytes of a vector may depend on what else is in a batch.
"""

from .cache import VectorCache
from .cache_file import default_cache_path
from .protocol import Embedder
from .quantise import quantise
from .registry import embedder_names, load_embedder
from .source import Embedded, VectorSource

__all__ = [
    "Embedded",
    "Embedder",
    "VectorCache",
    "VectorSource",
    "default_cache_path",
    "embedder_names",
    "load_embedder",
    "quantise",
]
