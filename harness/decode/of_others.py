"""Numbers as files of other projects spell them.

pandas writes whole numbers as floats where a column has a gap, 1001.0, and truth values as 1.0 and
0.0. Where nothing is lost, a format that is `of_others` reads them as what they were.
"""

from __future__ import annotations

from typing import Any

_EXACT = 2**53
"""From here on a double no longer tells neighbouring whole numbers apart."""


def whole_number(value: Any) -> Any:
    """Return a float without a fraction as the whole number that it is; all else as it stands."""
    if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT:
        return int(value)
    return value


def truth_value(value: Any) -> Any:
    """Return 1 and 1.0 as true, 0 and 0.0 as false; all else as it stands."""
    return bool(value) if isinstance(value, int | float) and value in (0, 1) else value
