"""Which point the contexts of a result folder are of, where the harness wrote the answer inputs.

A cut of the count curve is the point that it is called only where the contexts that it is cut from
show every item. Of contexts that another system gave that is not known; of our own it is.

The count curve of an imported run is cut from the items of its contexts without a search. The first
k items of a context that shows every item are what the search would have returned for k items: a
longer window only adds items. A shorter quote is another matter: which passages it keeps depends on
the ranking of a record's blocks, which a context does not have.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from harness.errors import UsageError
from harness.model import Role
from harness.points import Point, cutting_arms, load_arm, role_points
from harness.points.external import EXTERNAL
from harness.storage.manifest import MANIFEST_NAME, kind_of_folder, read_manifest

from .search_results import SearchResults

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


ANSWER_INPUTS_SCHEMA = "harness.answer-inputs/1"
EXPORTED_POINT = "exported_point"
"""The key under which a run's manifest, in its `work`, says what `exported_point` gave."""


def exported_point(results: SearchResults) -> str | None:
    """Return the spelling of the point whose contexts these are, from the manifest of the export.

    None where it is not known: no export wrote the file, it was changed since, or the contexts came
    from another system, whole or cut to a point that is every item only if they were. Raises
    `InputError` for a manifest of an export that was edited.
    """
    folder = results.path.parent
    kind = ANSWER_INPUTS_SCHEMA.split("/")[0].removeprefix("harness.")
    path = folder / MANIFEST_NAME
    if not path.is_file() or kind_of_folder(path) != kind:
        return None
    manifest = read_manifest(folder, ANSWER_INPUTS_SCHEMA)
    entry = manifest.files.get(results.path.name)
    if entry is None or entry.sha256 != results.sha256:
        return None
    point, cut_from = str(manifest.work["point"]), manifest.work["cut_from"]
    external = point.startswith(f"{EXTERNAL.name}(")
    if external or (cut_from is not None and point in _every_item()):
        return None
    return point


def check_every_item(cut: Iterable[Point], exported: str | None, where: str) -> None:
    """Raise `UsageError` for points to be cut from contexts that are known not to be every item;
    `where` names what has the contexts."""
    points = [str(point) for point in cut]
    every_item = _every_item()
    if not points or exported is None or exported in every_item:
        return
    raise UsageError(
        f"{' and '.join(points)} cannot be cut from the contexts of {where}: they are of "
        f"{exported}, not every item of {next(iter(every_item), 'the window')}",
        "Export it from the run that was replayed: harness export omnimemeval RUN --point "
        f"'{points[0]}' --out DIR",
    )


def check_items_known(cut: Iterable[Point], checks: Mapping[str, int], where: str) -> None:
    """Raise `UsageError` for points to be cut from contexts without dated headers."""
    points = " and ".join(map(str, cut))
    if points and checks.get("contexts_undated"):
        raise UsageError(
            f"{points} cannot be cut from the contexts of {where}: they have no dated headers, so "
            "where an item ends is not known",
            "Leave --point away.",
        )


def _every_item() -> list[str]:
    """Give the spellings of the points that show every item, the preferred one first."""
    return [str(point) for point in role_points(Role.EVERY_ITEM)]
