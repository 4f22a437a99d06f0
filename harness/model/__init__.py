"""The case model: what a case is, what a policy may see of it, and what a policy gives back.

An arm imports from here and from nowhere else in the harness.
"""

from .arm import Arm, Ordering, Policy, SequencePolicy
from .blocks import MAX_BLOCK_CHARACTERS, Span, divide
from .case import (
    BlockSet,
    Case,
    EvidenceSpan,
    Gold,
    Item,
    Json,
    Query,
    RecallPlace,
    Record,
)
from .parameter import Parameter, ParameterError, Settings, Value, spell
from .selection import (
    EMPTY_SEQUENCE,
    NO_RANK,
    PASSAGE_SEPARATOR,
    ItemQuote,
    Omitted,
    Passage,
    PassageSequence,
    Quote,
    Range,
    Ranks,
    Selection,
)
from .view import CaseView, ItemView, Positions, RecordView, view_of

__all__ = [
    "EMPTY_SEQUENCE",
    "MAX_BLOCK_CHARACTERS",
    "NO_RANK",
    "PASSAGE_SEPARATOR",
    "Arm",
    "BlockSet",
    "Case",
    "CaseView",
    "EvidenceSpan",
    "Gold",
    "Item",
    "ItemQuote",
    "ItemView",
    "Json",
    "Omitted",
    "Ordering",
    "Parameter",
    "ParameterError",
    "Passage",
    "PassageSequence",
    "Policy",
    "Positions",
    "Query",
    "Quote",
    "Range",
    "Ranks",
    "RecallPlace",
    "Record",
    "RecordView",
    "Selection",
    "SequencePolicy",
    "Settings",
    "Span",
    "Value",
    "divide",
    "spell",
    "view_of",
]
