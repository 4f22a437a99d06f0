"""The arm `items`: today's sequence, the control of both curves."""

from __future__ import annotations

from dataclasses import replace

from harness.model import Arm, Role, Roles, Settings

from .allocation.by_item import ItemsPolicy
from .quoting.budget import BUDGET
from .quoting.ranking import BLOCK_SIGNALS

WINDOW_BUDGET = "window"


def _policy(settings: Settings) -> ItemsPolicy:
    budget = settings["budget"]
    return ItemsPolicy(budget=budget if isinstance(budget, int) else None)


ARM = Arm(
    name="items",
    summary="every item's head in recall order, then excerpts, until the budget is full",
    explanation="""\
Each item's head record is quoted up to 800 characters for the first five items and 400 after: a
short text whole, a longer one as the governing ranges of its best blocks. After every head come
excerpts of the items' other records, in rounds. The longest prefix that fits is shown; the first
head always is.

`budget=window`, the default, is the sum of the head caps over the first max(10, items that are not
reserved) places plus the reserved places, at least 4,000 characters: 6,000 for ten items, 6,800
with two reserved, whether or not so many items are there.""",
    source="cpersona 2.6.4 to 2.6.5, reconstruct sequence `items`",
    policy=_policy,
    parameters=(replace(BUDGET, default=WINDOW_BUDGET, words=(WINDOW_BUDGET,)),),
    place=10,
    reads=BLOCK_SIGNALS,
    roles=Roles(points={Role.EVERY_ITEM: {}}),
)
