"""Whether two reports can be compared at all; every reason why not."""

from __future__ import annotations

from collections.abc import Iterator

from harness.errors import UsageError, listed, nearest

from .report import COMPONENTS, RESCORED, Report
from .specification import OF_A_POLICY, differences, policy_of

_ALWAYS_OWN = ("rescored_from_sha256", "rescored_at")
"""What two rescored reports need not share: each names its own source and time."""


def check_component(name: str) -> None:
    """Refuse a name that is not a component of a report."""
    if name not in COMPONENTS:
        raise UsageError(
            f"--only {name}: no such component{nearest(name, COMPONENTS)}",
            f"Components: {', '.join(COMPONENTS)}.",
        )


def incomparable(
    before: Report, after: Report, *, only: str | None, policies: bool
) -> Iterator[str]:
    """Yield every reason why the two cannot be compared; none where they can.

    The run specification is equal, but for what follows from the reader's policy where `policies`
    are compared; both were scored by the same scorer; both cohorts are whole and the same; every
    usage is known. `only` names the one component whose hash changed. Policies are compared on
    identical binaries.
    """
    yield from _specification(before, after, policies)
    yield from _scorer(before, after)
    for side, report in (("before", before), ("after", after)):
        for gap in report.gaps:
            yield f"{side}: {gap}"
    yield from _cohorts(before, after)
    if policies:
        yield from _identical(before, after)
    elif only is not None:
        yield from _only(before, after, only)


def changed_components(before: Report, after: Report) -> list[str]:
    """Return the binaries whose hashes differ, those that one side alone records among them."""
    old, new = before.components, after.components
    return [name for name in COMPONENTS if old.get(name) != new.get(name)]


def _specification(before: Report, after: Report, policies: bool) -> Iterator[str]:
    allowed = OF_A_POLICY if policies else ()
    for key, difference in differences(before.spec, after.spec):
        if key not in allowed:
            yield f"spec.{key} differs: {difference}"
    if not policies:
        return
    old, new = policy_of(before.spec), policy_of(after.spec)
    prompts = [report.spec.get("reader_prompt_hash") for report in (before, after)]
    if old == new:
        yield f"spec.reader_policy is {old!r} in both: there are no two policies to compare"
    elif prompts[0] == prompts[1]:
        yield (
            f"spec.reader_prompt_hash is the same for {old!r} and {new!r}: a policy is its prompt"
        )


def _scorer(before: Report, after: Report) -> Iterator[str]:
    for key in RESCORED:
        old, new = before.scorer.get(key), after.scorer.get(key)
        if key in _ALWAYS_OWN:
            if (old is None) != (new is None):
                side = "before" if new is None else "after"
                yield f"{key}: {side} alone was rescored"
        elif old != new:
            yield f"{key} differs: {old or 'none'} → {new or 'none'}"


def _cohorts(before: Report, after: Report) -> Iterator[str]:
    left = {attempt.key: attempt for attempt in before.attempts}
    right = {attempt.key: attempt for attempt in after.attempts}
    for side, one, other in (("before", left, right), ("after", right, left)):
        alone = [one[key].name for key in one if key not in other]
        if alone:
            yield f"attempts: {listed(alone)} only in {side}"
    categories = {attempt.task: attempt.category for attempt in after.attempts}
    for task, category in {attempt.task: attempt.category for attempt in before.attempts}.items():
        if categories.get(task, category) != category:
            yield f"category of {task} differs: {category} → {categories[task]}"


def _identical(before: Report, after: Report) -> Iterator[str]:
    changed = changed_components(before, after)
    if changed:
        hashes = listed([f"implementation_hashes.{name}" for name in changed])
        yield f"policies are compared on identical binaries, but {hashes} differ"
    if not before.components:
        yield "policies are compared on identical binaries, but implementation_hashes has none"


def _only(before: Report, after: Report, only: str) -> Iterator[str]:
    if only not in before.components or only not in after.components:
        yield f"only {only} should have changed, but implementation_hashes.{only} is not recorded"
        return
    changed = changed_components(before, after)
    unexpected = sorted(name for name in changed if name != only)
    if only not in changed:
        yield f"only {only} should have changed, but implementation_hashes.{only} is the same"
    if unexpected:
        yield (
            f"only {only} should have changed, but {listed(unexpected)} changed too "
            "(implementation_hashes)"
        )
