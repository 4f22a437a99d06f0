"""Which point the contexts of a result folder are of, where the harness wrote the answer inputs.

A cut of the count curve is the point that it is called only where the contexts that it is cut from
show every item. Of contexts that another system gave that is not known; of our own it is.
"""

from __future__ import annotations

from collections.abc import Iterable

from harness.errors import UsageError
from harness.model import Role
from harness.points import Point, role_points
from harness.points.external import EXTERNAL
from harness.storage.manifest import MANIFEST_NAME, kind_of_folder, read_manifest

from .search_results import SearchResults

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


def _every_item() -> list[str]:
    """Give the spellings of the points that show every item, the preferred one first."""
    return [str(point) for point in role_points(Role.EVERY_ITEM)]
