"""Numbers that are meant exactly, as fractions.

Decimal text is what it says: `"0.95"` is 19/20. A float is the decimal that its shortest spelling
says, so 0.95 is 19/20 as well, and not the double next to it.
"""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction

from harness.decode import quoted

Exact = Fraction | Decimal | str | int | float

MOST_DECIMALS = 30

_DECIMAL = re.compile(r"[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]{1,2})?")
_LONGEST = 60


def exact_number(value: Exact) -> Fraction:
    """Return `value` as a fraction.

    Raises `ValueError`, whose message names the value, for text that is not a decimal number of at
    most 30 decimals, and for NaN and infinities.
    """
    if isinstance(value, (Fraction, int)):
        return Fraction(value)
    text = str(value).strip()
    if not _DECIMAL.fullmatch(text) or len(text) > _LONGEST:
        raise ValueError(f"{quoted(text)} is not a decimal number such as 0.95")
    exact = Decimal(text)
    exponent = exact.as_tuple().exponent
    if isinstance(exponent, int) and -exponent > MOST_DECIMALS:
        raise ValueError(f"{quoted(text)} has more than {MOST_DECIMALS} decimals")
    return Fraction(exact)
