"""The count curve of an imported run, cut from the items of its contexts without a search.

The first k items of a context that shows every item are what the search would have returned for k
items: a longer window only adds items (`origin` says of which contexts that is known). A shorter
quote is another matter: which passages it keeps depends on the ranking of a record's blocks, which
a context does not have.
"""

from __future__ import annotations

from harness.errors import UsageError
from harness.points import Point, cutting_arms, load_arm

_HINT = (
    "From contexts alone only {cuts} can be cut. For other quotes, record the store "
    "with its searches: harness record cpersona STORE.db --searches FILE --out REC; then harness "
    "replay REC --out RUN --point '{point}', and export from that run."
)


def is_cut(point: Point) -> bool:
    """Tell whether `point` shows the first items of every item, and so can be cut from contexts."""
    return bool(load_arm(point.arm).roles.cuts_by)


def items_kept(point: Point) -> int | None:
    """Give how many items of a context `point` keeps, None for all; raises `UsageError` for a point
    that cannot be cut from contexts."""
    if not is_cut(point):
        cuts = " or ".join(f"{arm.name}({arm.roles.cuts_by}=…)" for arm in cutting_arms())
        raise UsageError(
            f"{point} cannot be cut from contexts: they hold quotes, not the ranking that other "
            "quotes would be chosen by",
            _HINT.format(point=point, cuts=cuts or "no point"),
        )
    kept = point.settings[load_arm(point.arm).roles.cuts_by]
    return kept if isinstance(kept, int) else None
