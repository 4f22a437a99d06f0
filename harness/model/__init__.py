"""The case model: what a case is, what a policy may see of it, and what a policy gives back.

An arm imports from here and from nowhere else in the harness.
"""

from .anchors import find_section, slug
from .arm import (
    VECTORS,
    AdmittingPolicy,
    Arm,
    Ordering,
    Parts,
    Policy,
    Role,
    Roles,
    SequencePolicy,
    Signal,
)
from .blocks import MAX_BLOCK_CHARACTERS, Span, divide
from .case import (
    KINDS,
    LOOKUP,
    MEMORY,
    BlockSet,
    Case,
    EvidenceSpan,
    Gold,
    Item,
    Query,
    RecallPlace,
    Record,
)
from .json_value import Json
from .lookup import Document, Expansion, FetchError, Lookup, LookupRow, PrintedBlock, Section
from .lookup_labels import LookupGold, RequiredPassage
from .parameter import Parameter, ParameterError, Settings, Value, spell
from .relations import RELATION_PREFIX, Relation, relations_of, same_authority
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
from .trace import CandidateTrace
from .view import CaseView, ItemView, Positions, RecordView, case_id_of, view_of
from .white_space import SPACES, WHITE_SPACE, trimmed

__all__ = [
    "EMPTY_SEQUENCE",
    "KINDS",
    "LOOKUP",
    "MAX_BLOCK_CHARACTERS",
    "MEMORY",
    "NO_RANK",
    "PASSAGE_SEPARATOR",
    "RELATION_PREFIX",
    "SPACES",
    "VECTORS",
    "WHITE_SPACE",
    "AdmittingPolicy",
    "Arm",
    "BlockSet",
    "CandidateTrace",
    "Case",
    "CaseView",
    "Document",
    "EvidenceSpan",
    "Expansion",
    "FetchError",
    "Gold",
    "Item",
    "ItemQuote",
    "ItemView",
    "Json",
    "Lookup",
    "LookupGold",
    "LookupRow",
    "Omitted",
    "Ordering",
    "Parameter",
    "ParameterError",
    "Parts",
    "Passage",
    "PassageSequence",
    "Policy",
    "Positions",
    "PrintedBlock",
    "Query",
    "Quote",
    "Range",
    "Ranks",
    "RecallPlace",
    "Record",
    "RecordView",
    "Relation",
    "RequiredPassage",
    "Role",
    "Roles",
    "Section",
    "Selection",
    "SequencePolicy",
    "Settings",
    "Signal",
    "Span",
    "Value",
    "case_id_of",
    "divide",
    "find_section",
    "relations_of",
    "same_authority",
    "slug",
    "spell",
    "trimmed",
    "view_of",
]
