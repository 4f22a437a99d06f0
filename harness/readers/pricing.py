"""What calls cost, in trillionths of the price's currency, so that sums are exact.

A price per million tokens has at most six decimals, so that a token costs a whole number of
trillionths.
"""

from __future__ import annotations

from decimal import Decimal

from .reader import Price, ReaderParameters
from .reply import Prompt, ReportedUsage

TRILLION = 10**12
_MILLION = 10**6
_FRAME = 100
"""Tokens that a chat template adds to the texts of a call, at most."""


def cost_of(price: Price, usage: ReportedUsage) -> int | None:
    """Return what a call cost; None where the service did not report its tokens."""
    if usage.input is None or usage.output is None:
        return None
    cached = min(usage.cached or 0, usage.input)
    per_cached = price.input if price.cached is None else price.cached
    return (
        (usage.input - cached) * _per_token(price.input)
        + cached * _per_token(per_cached)
        + usage.output * _per_token(price.output)
    )


def most_cost(price: Price, parameters: ReaderParameters, prompt: Prompt) -> int:
    """Return the most that a call can cost: a byte of its texts is a token at most.

    The output counts with the parameters' `max_tokens`; without them it has no bound, and counts as
    nothing.
    """
    texts = prompt.text + (parameters.system or "")
    tokens = len(texts.encode("utf-8")) + _FRAME
    most_per_input = max(price.input, price.cached or Decimal(0))
    output = (parameters.max_tokens or 0) * _per_token(price.output)
    return tokens * _per_token(most_per_input) + output


def in_trillionths(amount: Decimal) -> int:
    """Return an amount of the currency in trillionths, rounded down."""
    return int(amount * TRILLION)


def amount_text(trillionths: int, currency: str) -> str:
    """Spell a cost, such as `0.0123 USD`; four decimals, rounded up."""
    ten_thousandths = -(-trillionths // 10**8)
    return f"{ten_thousandths // 10**4:,}.{ten_thousandths % 10**4:04} {currency}"


def _per_token(price: Decimal) -> int:
    return int(price * _MILLION)
