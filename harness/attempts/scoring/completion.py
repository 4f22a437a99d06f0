"""Whether a reader made the calls that it must have made before it may say that there is nothing.

Every step of the rubric needs a call of its own: steps and calls are matched as a bipartite graph,
so that one call that fits two steps does not count for both.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from harness.worlds import CompletionStep

from .attempts import Call
from .citations import NearMiss, Reason
from .observation import envelope_and_body


@dataclass(frozen=True, slots=True)
class Completion:
    """`matched`: for each step the call that stands for it, or None."""

    steps: tuple[CompletionStep, ...]
    calls: tuple[Call, ...]
    matched: tuple[Call | None, ...]

    @property
    def is_complete(self) -> bool:
        """Whether every step has its call; also where the rubric lists none."""
        return None not in self.matched

    @property
    def shows_failure(self) -> bool:
        """Whether a matched call failed or was partial; any call where no step is listed."""
        return any(_failed(call) for call in (self.matched or self.calls) if call is not None)

    @property
    def near_misses(self) -> Iterator[NearMiss]:
        """For each step without a call, the differences of the call that comes closest."""
        for step, call in zip(self.steps, self.matched, strict=True):
            of_tool = [call for call in self.calls if call.is_of(step.tool)]
            if call is None and of_tool:
                differences = min((list(_differences(step, call)) for call in of_tool), key=len)
                detail = "; ".join(differences) or "the only call that fits stands for another step"
                yield NearMiss(step.step, Reason.CALL, step.tool, detail)


def completion_of(steps: Sequence[CompletionStep], calls: Sequence[Call]) -> Completion:
    """Match steps to distinct calls, as many as can be."""
    return Completion(tuple(steps), tuple(calls), tuple(_matched(steps, calls)))


def _matched(steps: Sequence[CompletionStep], calls: Sequence[Call]) -> Iterator[Call | None]:
    if not steps or not calls:
        yield from (None for _ in steps)
        return
    import numpy as np
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    fits = np.array([[not any(_differences(step, call)) for call in calls] for step in steps])
    for column in maximum_bipartite_matching(csr_array(fits), perm_type="column"):
        yield None if column < 0 else calls[int(column)]


def _differences(step: CompletionStep, call: Call) -> Iterator[str]:
    """Yield what keeps a call from standing for a step."""
    envelope, _ = envelope_and_body(call.output)
    of_call = {
        "tool": step.tool if call.is_of(step.tool) else call.name,
        "url": call.given("url"),
        "query": call.given("query"),
        "match": call.given("match") or envelope.get("match", ""),
        "status": envelope.get("status", ""),
    }
    wanted = {"tool": step.tool, "url": step.url, "query": step.query, "match": step.match}
    if step.status:
        wanted["status"] = step.status
    if not step.match:  # the rubric asks nothing of it
        del wanted["match"]
    if step.matches is not None:
        wanted["matches"], of_call["matches"] = str(step.matches), envelope.get("matches", "")
    if step.complete is not None:
        wanted["complete"] = str(step.complete).lower()
        of_call["complete"] = envelope.get("complete", "").lower()
    for key, value in wanted.items():
        if of_call[key] != value:
            yield f"{key} is {of_call[key]!r}, expected {value!r}"
    yield from _failure_differences(step, call)


def _failure_differences(step: CompletionStep, call: Call) -> Iterator[str]:
    """Yield `failure` of a step: whether the call must have failed, or a text that its failure
    shows."""
    wanted = step.failure
    if isinstance(wanted, bool):
        if wanted != _failed(call):
            yield f"the call {'did not fail' if wanted else 'failed'}"
    elif isinstance(wanted, str) and not (_failed(call) and wanted in call.result):
        yield f"the call does not fail with {wanted!r}"


def _failed(call: Call) -> bool:
    """Return whether a call visibly failed or gave only a part."""
    envelope, _ = envelope_and_body(call.output)
    return bool(
        call.error
        or envelope.get("status", "ok") != "ok"
        or envelope.get("partial") == "true"
        or envelope.get("complete") == "false"
    )
