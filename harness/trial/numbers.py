"""How a verdict's numbers look to people: differences in points, with a sign."""

from __future__ import annotations

MINUS = "−"
MISSING = "–"


def points_text(fraction: float | None) -> str:
    """Return `+2.75` for the fraction 0.0275: hundredths, two decimals; zero has no sign."""
    if fraction is None:
        return MISSING
    text = f"{100 * fraction:+.2f}"
    return text[1:] if float(text) == 0 else text.replace("-", MINUS)


def percent_text(fraction: float | None) -> str:
    """Return `77.00` for the fraction 0.77."""
    return MISSING if fraction is None else f"{100 * fraction:.2f}"


def interval_text(lower: float | None, upper: float | None) -> str:
    """Compute `(+0.75, +7.25)`, in points."""
    if lower is None or upper is None:
        return MISSING
    return f"({points_text(lower)}, {points_text(upper)})"


def p_text(p: float | None) -> str:
    """Return `0.0214`; below one in ten thousand `< 0.0001`."""
    if p is None:
        return MISSING
    return "< 0.0001" if p < 0.0001 else f"{p:.4f}"


def tokens_text(tokens: float | None) -> str:
    """Return `1,531.4`."""
    return MISSING if tokens is None else f"{tokens:,.1f}"
