"""The arm `quote-curve`: every item with shorter quotes."""

from __future__ import annotations

from harness.model import Arm, Parameter, Roles, Settings

from .allocation.by_item import ItemsPolicy
from .quoting.budget import FULL_QUOTES, LARGEST_BUDGET
from .quoting.ranking import BLOCK_SIGNALS

_POINTS = ((320, 160), (500, 250), (800, 400))


def _policy(settings: Settings) -> ItemsPolicy:
    return ItemsPolicy(head=int(settings["head"]), tail=int(settings["tail"]))


def _length(name: str, meaning: str) -> Parameter:
    return Parameter(
        name=name, meaning=meaning, minimum=1, maximum=LARGEST_BUDGET, unit="characters"
    )


ARM = Arm(
    name="quote-curve",
    summary="every item of `items` with shorter head quotes",
    explanation=f"""\
`items` with head quotes of at most `head` characters for the first {FULL_QUOTES} items and `tail`
after. Its budget is the default of `items` computed with these caps, at least 4,000 characters.
`head=800, tail=400` equals `items`.""",
    source="the published quote curve (every item at shorter quotes)",
    policy=_policy,
    parameters=(
        _length("head", f"longest head quote of the first {FULL_QUOTES} items"),
        _length("tail", "longest head quote of the items after them"),
    ),
    default_points=tuple({"head": head, "tail": tail} for head, tail in _POINTS),
    place=30,
    reads=BLOCK_SIGNALS,
    roles=Roles(curve=True),
)
