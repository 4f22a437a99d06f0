"""Reading a cost clause: `prompt_tokens_api <= 1000`."""

from __future__ import annotations

import re

from harness.errors import nearest

from .plan import COST_MEASURES, CostCap

_CAP = re.compile(r"\s*(?P<measure>[^\s<>=]+)\s*(?P<sign>[<>=]+)\s*(?P<limit>\S+)\s*")
_NUMBER = re.compile(r"\d{1,9}(\.\d{1,6})?")


def parse_cost_cap(text: str) -> CostCap:
    """The cap that `text` spells; raises `ValueError` saying what is wrong."""
    found = _CAP.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is not spelled MEASURE <= TOKENS")
    measure = found["measure"]
    if measure not in COST_MEASURES:
        raise ValueError(f"{text!r}: {measure_fault(measure)}")
    if found["sign"] != "<=":
        raise ValueError(f"{text!r}: a cap is written with <=, not {found['sign']}")
    if not _NUMBER.fullmatch(found["limit"]):
        raise ValueError(f"{text!r}: {found['limit']!r} is not a number of tokens")
    return CostCap(measure, found["limit"])


def measure_fault(measure: object) -> str:
    """What to say of a cost measure that there is not."""
    close = nearest(measure, COST_MEASURES) if isinstance(measure, str) else ""
    return f"{measure!r} is no cost measure with a unit ({', '.join(COST_MEASURES)}){close}"
