"""What an expansion prints, piece by piece, and what of the budget is left."""

from __future__ import annotations

from dataclasses import dataclass, field

from harness.model import Document, Expansion, PrintedBlock

from .documents import Piece, location
from .settings import ExpansionSettings
from .wording import framed, note, size, tokens

_LISTED_OMISSIONS = 3


@dataclass(slots=True)
class Printer:
    """The text so far. `remaining` is what of the budget is left, in bytes."""

    settings: ExpansionSettings
    remaining: int
    blocks: list[PrintedBlock] = field(default_factory=list)
    omitted: list[tuple[str, int]] = field(default_factory=list)
    coalesced: int = 0
    short_by: int | None = None
    _parts: list[str] = field(default_factory=lambda: ["\n"])
    _first_location: dict[str, str] = field(default_factory=dict)
    _bytes: dict[str, int] = field(
        default_factory=lambda: {"block": 0, "stub": 0, "relation": 0, "note": 1}
    )

    def note(self, text: str) -> None:
        """Print a note, which is never refused; charge it if the budget covers the whole result."""
        self._note(note(text))

    def closing_note(self, text: str) -> None:
        """Print the last note, which ends with one line break."""
        self._note(note(text)[:-1])

    def _note(self, printed: str) -> None:
        self._print("note", printed)
        if self.settings.whole_result:
            self.remaining -= size(printed)

    def relation_line(self, line: str) -> bool:
        """Print a relation line if it fits; return whether it did."""
        if not self._fits(size(line)):
            return False
        self._print("relation", line)
        self.remaining -= size(line)
        return True

    def piece(self, record: int, document: Document, piece: Piece, *, related: bool) -> bool:
        """Print a piece unless it is already printed or too big; return whether it was printed."""
        where = location(document, piece.anchor)
        # before the budget is asked: a piece that is printed already is a note even if it would not
        # fit
        if not piece.text or (self.settings.coalesce and self._stands(record, piece, where)):
            return False
        same_as = self._first_location.get(piece.text) if self.settings.coalesce else None
        text = piece.text if same_as is None else f"same text as {same_as}"
        printed = framed(where, text)
        cost = size(printed)
        if not self._fits(cost):
            self.omitted.append((where, tokens(size(text))))
            return False
        self._print("block" if same_as is None else "stub", printed)
        self.remaining -= cost
        self._first_location.setdefault(piece.text, where)
        self.blocks.append(
            PrintedBlock(
                record=record,
                location=where,
                related=related,
                form=piece.form if same_as is None else "stub",
                start=piece.start,
                end=piece.end,
                anchor=piece.anchor,
                size=cost,
                same_as=same_as,
            )
        )
        return True

    def is_spent(self) -> bool:
        """Return whether nothing is left of the budget."""
        return not self._fits(1)

    def _fits(self, cost: int) -> bool:
        """Return whether `cost` bytes are left; what is missing is remembered where they are
        not."""
        missing = cost - self.remaining
        if missing > 0:
            self.short_by = missing if self.short_by is None else min(self.short_by, missing)
        return missing <= 0

    def _stands(self, record: int, piece: Piece, where: str) -> bool:
        """Return whether a printed range of the document overlaps the piece; a note then says
        which."""
        for block in self.blocks:
            if block.record == record and piece.start < block.end and block.start < piece.end:
                inside = block.start <= piece.start and piece.end <= block.end
                relation = "is within {} above" if inside else "encloses {} above; skipped"
                self.note(f"{where} {relation.format(block.location)}")
                self.coalesced += 1
                return True
        return False

    def omission_note(self) -> None:
        """Name the first blocks that were refused for their size, and count the others."""
        if not self.omitted or not self.settings.omissions:
            return
        named = [f"{where} (~{count} tokens)" for where, count in self.omitted[:_LISTED_OMISSIONS]]
        more = len(self.omitted) - len(named)
        self.note("did not fit: " + ", ".join(named + ([f"+{more} more"] if more else [])))

    def result(self, *, covered: int, **counts: int) -> Expansion:
        """Return the expansion; `covered` bytes of the budget remain for its whole text."""
        text = "".join(self._parts)
        return Expansion(
            text=text,
            blocks=tuple(self.blocks),
            block_bytes=self._bytes["block"],
            stub_bytes=self._bytes["stub"],
            relation_bytes=self._bytes["relation"],
            note_bytes=self._bytes["note"],
            omitted=tuple(self.omitted),
            coalesced=self.coalesced,
            over_budget_bytes=max(0, size(text) - covered),
            short_by=self.short_by,
            **counts,
        )

    def _print(self, part: str, text: str) -> None:
        self._parts.append(text)
        self._bytes[part] += size(text)
