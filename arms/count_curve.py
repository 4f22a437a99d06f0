"""The arm `count-curve`: the first k items of today's sequence."""

from __future__ import annotations

from harness.model import Arm, Parameter, Role, Roles, Settings

from .allocation.by_item import ItemsPolicy
from .quoting.ranking import BLOCK_SIGNALS

EVERY_ITEM = "full"


def _policy(settings: Settings) -> ItemsPolicy:
    k = settings["k"]
    return ItemsPolicy(keep=k if isinstance(k, int) else None)


ARM = Arm(
    name="count-curve",
    summary="the first k items of `items`, quotes unchanged",
    explanation="""\
What `items` shows at its default budget, cut after the first k items; their excerpts stay. A case
with fewer items keeps all. `k=full` is every item, and equals `items`.""",
    source="the published count curve (fewer items at full quotes)",
    policy=_policy,
    parameters=(
        Parameter(
            name="k",
            meaning="how many items are shown",
            minimum=1,
            maximum=1000,
            words=(EVERY_ITEM,),
            unit="items",
            grows=True,
        ),
    ),
    default_points=tuple({"k": k} for k in (1, 2, 3, 4, 5, 6, 8, 10, EVERY_ITEM)),
    place=20,
    reads=BLOCK_SIGNALS,
    roles=Roles(
        points={Role.EVERY_ITEM: {"k": EVERY_ITEM}, Role.BASELINE: {"k": 4}},
        curve=True,
        cuts_by="k",
    ),
)
