"""The arm `sea`: bounded selection by eight signals."""

from __future__ import annotations

from harness.model import VECTORS, Arm, CaseInput, Parameter, Settings, Signal

from .policy import SeaPolicy
from .prompt import LARGEST_PREAMBLE
from .recall import DEFAULT_LIMIT, LARGEST_LIMIT, PER_CLUSTER_LIMIT
from .vocabulary import INFERRED, RECENCY, SEMANTIC, SIGNALS, TASKS
from .window import INFER, OF_METADATA, TRUSTED

_NEEDS = {
    SEMANTIC: VECTORS,
    RECENCY: (CaseInput.TIMES,),
    **dict.fromkeys(OF_METADATA, (CaseInput.METADATA,)),
}
"""By place in `SIGNALS`; the keyword signal needs nothing that a case may lack."""


def _policy(settings: Settings) -> SeaPolicy:
    return SeaPolicy(
        limit=int(settings["limit"]),
        max_bytes=int(settings["max_bytes"]),
        per_cluster_limit=int(settings["per_cluster_limit"]),
        task=str(settings["task"]),
        authority=str(settings["authority"]),
    )


ARM = Arm(
    name="sea",
    summary="the best records by a sum of eight signals, within caps of records, kinds and bytes",
    explanation="""\
Every item of the window is a candidate: its head record, as the JSON of its metadata with its text
as `text`, or the string `metadata.raw` verbatim. Claims are not looked at. The score is the sum of
eight signals, each with a weight: semantic 0.30 (the best block's cosine), keyword 0.15 (the
question's words in the record), metadata 0.15, recency 0.10 (relative to the latest candidate),
authority 0.10, graph 0.10, contradiction 0.05 and task fit 0.05. The question's words suggest a
task, which shifts the weights and fits some kinds better than others; for project recall the score
is averaged with a lexical one.

From the best score down, a record is taken if fewer than `limit` are taken, if fewer than
`per_cluster_limit` of its kind are (from a score of 0.92 on, the kind does not matter), and if its
snippet, at most 512 bytes, fits what is left of 1,024 estimated tokens. A record that is refused
does not end the walk. Each taken record is a line of the context, in the order of the walk, until
one does not fit `max_bytes`; one that is not printed is in the trace and not among the items. The
choice is greedy and no prefix of anything, so this arm does not promise growth, and the harness
counts what it breaks. The kind of a record without metadata is `note`: a window of such records
shows `per_cluster_limit` of them at most, whatever the limit.

A signal that no candidate of a case can supply is absent: semantic without vectors, recency without
times, and with empty metadata everywhere metadata, authority, graph, contradiction and task fit. It
is left out of the sum, and of the lexical one, and the weights are not scaled up for it, so such
scores compare only among themselves. Scores are heuristic and not calibrated; a score of 1 is a sum
that was cut off.

Where the source is silent: the window takes the place of the store's search, so every item is a
candidate, however small the limit. The id that breaks ties and is printed is the item's place, from
1; a record that is in the window twice is one candidate, at its first place. A record without a
vector, where others have one, has the semantic signal 0; one without a time the recency 0. A time
without zone is UTC. With `authority=trusted` what a record says of its own authority is believed,
unknown words as `inferred`; the original never believes it.

The original also keeps a router, three weights that follow what users ask for. It chooses a persona
and not evidence, and no weight of a signal is ever learnt: it is not evidence that retrieval
weights improve, and the harness has no verb for it. Of its 29 words the 13 whose values are unknown
are left out.""",
    source="the sparse evidence attention (SEA) of the abi project, Apache-2.0",
    policy=_policy,
    parameters=(
        Parameter(
            name="limit",
            meaning="how many records may be taken",
            default=DEFAULT_LIMIT,
            minimum=0,
            maximum=LARGEST_LIMIT,
            unit="records",
            grows=True,
        ),
        Parameter(
            name="max_bytes",
            meaning="the longest context",
            default=LARGEST_PREAMBLE,
            minimum=0,
            maximum=LARGEST_PREAMBLE,
            unit="bytes",
            grows=True,
        ),
        Parameter(
            name="per_cluster_limit",
            meaning="how many records of one kind may be taken",
            default=PER_CLUSTER_LIMIT,
            minimum=0,
            maximum=LARGEST_LIMIT,
            unit="records",
            grows=True,
        ),
        Parameter(
            name="task",
            meaning="what the question is for; infer: what its words say",
            kind=str,
            default=INFER,
            choices=(INFER, *TASKS),
        ),
        Parameter(
            name="authority",
            meaning="whether to believe what a record says of its own authority",
            kind=str,
            default=INFERRED,
            choices=(INFERRED, TRUSTED),
        ),
    ),
    default_points=(
        {"limit": 3},
        {},
        {"limit": 8},
        {"limit": 5, "per_cluster_limit": 5},
        {"limit": 6, "per_cluster_limit": 6},
        {"limit": 8, "per_cluster_limit": 8},
    ),
    promises_growth=False,
    place=80,
    reads=tuple(Signal(name, _NEEDS.get(place, ())) for place, name in enumerate(SIGNALS)),
    scores_candidates=True,
)
