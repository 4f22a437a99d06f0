"""The effect of each part of a lookup arm, replayed on the same recorded lookups.

An arm declares its parts (`harness.model.Parts`).
Each part is switched off alone at the full point, and on alone where all are off. A part is
exercised by a lookup when the printed text changes with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from harness.errors import UsageError
from harness.model import Value
from harness.points import Point, arms_with_parts, load_arm, make_point
from harness.recording.recording import Recording
from harness.statistics.difference import PairedDifference

from .lookup_rows import Row, measured, paired, require_budget, total, with_settings


@dataclass(frozen=True, slots=True)
class AblationRow:
    """One point of the table, and how it differs from the one that it varies.

    `part`: the part that is switched; None for the two points that are varied. `lookups` of them in
    which the text changes are `exercised`. `tokens` is the mean difference of estimated result
    tokens per lookup, `citable` that of the share of fields.
    """

    point: Point
    part: str | None
    base: Point | None
    lookups: int
    exercised: int | None
    result_tokens_estimated: int
    result_tokens: int | None
    over_budget_bytes: int
    fields: int
    fields_citable: int
    tokens: PairedDifference | None
    citable: PairedDifference | None

    @property
    def varies_full(self) -> bool:
        """Whether what is varied, or this point itself, has its parts on."""
        varied = self.point if self.base is None else self.base
        return all(varied.settings[part] != off for part, off in _parts_off(varied).items())


def default_point() -> Point:
    """Return the point of the first arm with parts, at its defaults.

    Raises `UsageError` where no such arm is installed.
    """
    for arm in arms_with_parts():
        return make_point(arm, {})
    raise UsageError("no installed arm has parts to switch", "Name a point with --point.")


def ablate(
    recording: Recording, point: Point, *, counted: bool = True, stubs: bool = False
) -> list[AblationRow]:
    """Return the full point, without each part, all parts off, and with each part alone.

    `stubs`: whether a stub counts as the text that it names.
    """
    require_budget(point)
    parts_off = _parts_off(point)
    if not parts_off:
        known = ", ".join(arm.name for arm in arms_with_parts())
        raise UsageError(
            f"{point.arm} has no part to switch", f"Arms with parts: {known or 'none installed'}."
        )
    settings = dict(point.settings)
    on = {
        part: _on(point, part) if settings[part] == off else settings[part]
        for part, off in parts_off.items()
    }
    full, none = with_settings(point, **on), with_settings(point, **parts_off)
    without = {part: with_settings(full, **{part: off}) for part, off in parts_off.items()}
    alone = {part: with_settings(none, **{part: on[part]}) for part in parts_off}
    plan: list[tuple[Point, str | None, Point | None]] = [(full, None, None)]
    plan += [(without[part], part, full) for part in parts_off]
    plan += [(none, None, None)]
    plan += [(alone[part], part, none) for part in parts_off]
    rows: dict[str, list[Row]] = {}
    for row in measured(recording, [point for point, _, _ in plan], counted=counted):
        rows.setdefault(row["point"], []).append(row)
    key = "fields_citable_with_stubs" if stubs else "fields_citable"
    return [_row(point, part, base, rows, key) for point, part, base in plan]


def _parts_off(point: Point) -> Mapping[str, Value]:
    """Return what switches each part off; empty for an arm without parts."""
    parts = load_arm(point.arm).roles.parts
    return {} if parts is None else parts.off


def _on(point: Point, part: str) -> Value:
    """Return the arm's own value of a part that the point has switched off."""
    parameters = {parameter.name: parameter for parameter in load_arm(point.arm).parameters}
    default = parameters[part].default
    if default is None or default == _parts_off(point)[part]:
        raise UsageError(f"{point.arm} does not say how {part} is switched on")
    return default


def _row(
    point: Point, part: str | None, base: Point | None, rows: dict[str, list[Row]], key: str
) -> AblationRow:
    own = rows[str(point)]
    other = None if base is None else rows[str(base)]
    exercised = None
    if other is not None:
        pairs = zip(own, other, strict=True)
        exercised = sum(on["text"] != another["text"] for on, another in pairs)
    fields = total(own, "fields") or 0
    return AblationRow(
        point=point,
        part=part,
        base=base,
        lookups=len(own),
        exercised=exercised,
        result_tokens_estimated=total(own, "result_tokens_estimated") or 0,
        result_tokens=total(own, "result_tokens"),
        over_budget_bytes=total(own, "over_budget_bytes") or 0,
        fields=fields,
        fields_citable=total(own, key) or 0,
        tokens=None if other is None else paired(own, other, "result_tokens_estimated"),
        citable=None if other is None or not fields else paired(own, other, key, "fields"),
    )
