"""Bounded selection by eight signals (sparse evidence attention), and the arm `sea`.

All arithmetic is float32, summed left to right, and arrays of eight are in the order of `SIGNALS`.
"""

from .admission import admitting_scores
from .arm import ARM
from .embedder import embed
from .metadata import Metadata, parse_metadata
from .plan import QueryTask, infer_plan
from .prompt import PromptItem, render_prompt
from .recall import EvidenceItem, RecalledRecords, limits, recall
from .router import RouterState, update_router
from .selection import Candidate, SeaSelection, select
from .signals import (
    graph_signal,
    keyword_signal,
    metadata_signal,
    recency_signal,
    semantic_signal,
    task_fit,
)
from .snippet import estimate_tokens, snippet
from .vocabulary import KINDS, SIGNALS, TASKS
from .weights import DEFAULT_WEIGHTS, adjust_weights, score, score_for_plan

__all__ = [
    "ARM",
    "DEFAULT_WEIGHTS",
    "KINDS",
    "SIGNALS",
    "TASKS",
    "Candidate",
    "EvidenceItem",
    "Metadata",
    "PromptItem",
    "QueryTask",
    "RecalledRecords",
    "RouterState",
    "SeaSelection",
    "adjust_weights",
    "admitting_scores",
    "embed",
    "estimate_tokens",
    "graph_signal",
    "infer_plan",
    "keyword_signal",
    "limits",
    "metadata_signal",
    "parse_metadata",
    "recall",
    "recency_signal",
    "render_prompt",
    "score",
    "score_for_plan",
    "select",
    "semantic_signal",
    "snippet",
    "task_fit",
    "update_router",
]
