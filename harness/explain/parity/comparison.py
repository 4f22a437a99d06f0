"""Comparing two recorded selections field by field: exactly, without tolerance or reordering."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from .fields import COMPARED, SelectionPart
from .recorded import RecordedSelection

FIELDS = tuple(field.name for field in COMPARED)
"""Every field that can be compared, in the order in which differences are listed."""


@dataclass(frozen=True, slots=True)
class SelectionDiff:
    """Which fields both sides say (`compared`), and where they part, in the order of `FIELDS`."""

    compared: tuple[str, ...]
    partings: tuple[SelectionPart, ...]

    @property
    def same(self) -> bool:
        return not self.partings

    @property
    def differing(self) -> tuple[str, ...]:
        """The fields that differ."""
        return tuple(parting.field for parting in self.partings)

    @property
    def first(self) -> SelectionPart | None:
        """The first place where the two sequences part, since what is shown follows from them;
        without one, the first field that differs."""
        in_sequence = [parting for parting in self.partings if parting.in_sequence]
        if in_sequence:
            return min(in_sequence, key=lambda parting: parting.place or 0)
        return self.partings[0] if self.partings else None


def compare(
    left: RecordedSelection, right: RecordedSelection, *, leave_out: Collection[str] = ()
) -> SelectionDiff:
    """Compare every field that both sides say, but for those named in `leave_out`."""
    compared: list[str] = []
    partings: list[SelectionPart] = []
    for field in COMPARED:
        if field.name in leave_out or not (field.said_by(left) and field.said_by(right)):
            continue
        compared.append(field.name)
        parting = field.part(left, right)
        if parting is not None:
            partings.append(parting)
    return SelectionDiff(tuple(compared), tuple(partings))
