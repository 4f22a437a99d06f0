"""Remembering what was computed of a case for as long as the case is alive.

Policies are pure, so two of them that need the same of a case may share it: the ranked blocks, the
head quotes, the fused order.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar, cast
from weakref import WeakKeyDictionary

from harness.model import CaseView

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


def once_per_case(
    compute: Callable[Concatenate[CaseView, Arguments], Result],
) -> Callable[Concatenate[CaseView, Arguments], Result]:
    """Call `compute`, a pure function of a case and hashable arguments, once per case and
    arguments."""
    known: WeakKeyDictionary[CaseView, dict[object, Result]] = WeakKeyDictionary()

    def remembered(
        case: CaseView, *positional: Arguments.args, **named: Arguments.kwargs
    ) -> Result:
        results = known.setdefault(case, {})
        key = (positional, tuple(named.items()))
        if key not in results:
            results[key] = compute(case, *positional, **named)
        return results[key]

    return cast(Callable[Concatenate[CaseView, Arguments], Result], wraps(compute)(remembered))
