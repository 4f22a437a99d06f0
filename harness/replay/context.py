"""The text that a reader model is given.

As the reference renders it: `Conversation memories:`, a blank line, then one block an item, joined
by a line break. A block is `[<time>]` on its own line, then the head's quote and the excerpts,
joined by a line with `…` alone, and a final line break. An empty selection is an empty context.
"""

from __future__ import annotations

from harness.model import ItemQuote, Positions, Quote, Selection

PREAMBLE = "Conversation memories:\n\n"
PART_SEPARATOR = "\n…\n"
UNDATED = "undated"


def render_context(selection: Selection, records: Positions) -> str:
    """Render the context of a selection; a policy that renders its own text has the last word."""
    if selection.context is not None:
        return selection.context
    if not selection.items:
        return ""
    return PREAMBLE + "\n".join(_block(item, records) for item in selection.items)


def _block(item: ItemQuote, records: Positions) -> str:
    """Return an item's block. An item whose head is not quoted shows its excerpts alone; its time
    is the head's, else its first dated excerpt's."""
    quotes = [quote for quote in (item.head, *item.excerpts) if quote.ranges]
    parts = [quote.text(records[quote.record].text) for quote in quotes]
    return f"[{_time(item, records)}]\n{PART_SEPARATOR.join(parts)}\n"


def _time(item: ItemQuote, records: Positions) -> str:
    quotes: tuple[Quote, ...] = (item.head, *item.excerpts)
    times = (records[quote.record].timestamp for quote in quotes)
    return next((time for time in times if time is not None), UNDATED)
