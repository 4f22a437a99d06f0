"""The words in which OmniMemEval's files say how a step went.

Source: the bookkeeping of its LongMemEval pipeline, in our own words. A record without a status is
of a step that succeeded. A failed step is `failed`, or `skipped` where the pipeline was told to go
on without it; it has an `error`, an object or a text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Status = Literal["success", "success_empty", "failed", "skipped"]
SUCCESS, SUCCESS_EMPTY, FAILED, SKIPPED = get_args(Status)


@dataclass(frozen=True, slots=True)
class StepError:
    """What went wrong in a step, and when."""

    stage: str | None = None
    type: str | None = None
    message: str | None = None
    timestamp: str | None = None


ErrorMarker = str | StepError


def failure(status: str | None, error: object) -> str | None:
    """Say in a few words why a record is one of a step that failed; None where it succeeded.

    An empty `error` says nothing.
    """
    if status in (FAILED, SKIPPED):
        return f"status {status}"
    return "error" if error not in (None, "", {}, StepError()) else None
