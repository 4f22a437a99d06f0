"""Comparing two reports: figures, what was lost, and one state.

It begins with every reason why two reports cannot be compared at all.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum

from harness.attempts.scoring.attempts import Attempt
from harness.errors import UsageError, listed, nearest

from .clients import ClientRule, MeasuredClients
from .features import Exercised, exercised
from .measures import TOKENS_PER_CORRECT, Compared, Resampling, compared
from .report import COMPONENTS, RESCORED, Report
from .specification import OF_A_POLICY, differences, policy_of
from .summary import correct_of

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
    are compared; readers were told the same of the same tools, as far as that is known; both were
    scored by the same scorer; both cohorts are whole and the same; every usage is known. `only`
    names the one component whose hash changed. Policies are compared on identical binaries.
    """
    yield from _specification(before, after, policies)
    yield from _tools(before, after)
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


def _tools(before: Report, after: Report) -> Iterator[str]:
    """A tool and its description are a part of what a reader is told."""
    old, new = ({*report.tool_names} for report in (before, after))
    if old and new and old != new:
        sides = (("before", old - new), ("after", new - old))
        alone = [f"{listed(sorted(names))} only in {side}" for side, names in sides if names]
        yield f"lifecycle.tool_names differ: {'; '.join(alone)}"
    if before.tool_schemas and after.tool_schemas and before.tool_schemas != after.tool_schemas:
        yield f"tool_schemas_sha256 differs: {before.tool_schemas} → {after.tool_schemas}"


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


class ComparisonState(Enum):
    """What the comparison says: the first of these that holds."""

    INCOMPARABLE = "incomparable"
    REGRESSED = "regressed"
    NOT_EXERCISED = "inconclusive (feature not exercised)"
    UNCHANGED = "unchanged"
    IMPROVED = "improved"
    INCONCLUSIVE = "inconclusive (interval)"


@dataclass(frozen=True, slots=True)
class Ask:
    """What to compare by. `only`: the one component that should have changed. `feature`: one that
    must have been at work. `policies`: readers' policies on identical binaries. `clients`: how old
    the measured client may be."""

    only: str | None = None
    feature: str | None = None
    policies: bool = False
    clients: ClientRule | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """A task or a category: correct repeats and tokens in both arms, and how many attempts each."""

    name: str
    attempts: int
    correct_before: int
    correct_after: int
    tokens_before: int
    tokens_after: int

    @property
    def regressed(self) -> bool:
        return self.correct_after < self.correct_before


@dataclass(frozen=True, slots=True)
class ReportComparison:
    """`reasons` say why the two are incomparable; then there are no figures.

    `change`: of the tokens per correct answer, as a fraction of BEFORE's.
    """

    before: Report
    after: Report
    ask: Ask
    state: ComparisonState
    reasons: tuple[str, ...] = ()
    measures: tuple[Compared, ...] = ()
    resampling: Resampling | None = None
    tasks: tuple[Group, ...] = ()
    categories: tuple[Group, ...] = ()
    changed: tuple[str, ...] = ()
    exercised: Exercised | None = None
    clients: MeasuredClients | None = None

    @property
    def schemas_known(self) -> bool:
        """Whether both sides say what their readers were told of the tools."""
        return bool(self.before.tool_schemas and self.after.tool_schemas)

    @property
    def tokens_per_correct(self) -> Compared:
        return next(measure for measure in self.measures if measure.measure == TOKENS_PER_CORRECT)

    @property
    def change(self) -> float | None:
        tokens = self.tokens_per_correct
        if not tokens.before or tokens.after is None:
            return None
        return tokens.after / tokens.before - 1


def compare(before: Report, after: Report, ask: Ask) -> ReportComparison:
    """Compare two reports.

    Raises `UsageError` for a feature that does not exist, and where there is no repository to look
    clients up in.
    """
    at_work = None if ask.feature is None else exercised(ask.feature, after)
    clients = None if ask.clients is None else ask.clients.measured(before, after)
    reasons = (
        *incomparable(before, after, only=ask.only, policies=ask.policies),
        *(() if ask.clients is None or clients is None else ask.clients.refusals(clients)),
    )
    if reasons:
        state = ComparisonState.INCOMPARABLE
        return ReportComparison(before, after, ask, state, reasons, clients=clients)
    measures, resampling = compared(before.attempts, after.attempts)
    tasks = _groups(before, after, lambda attempt: attempt.task)
    categories = _groups(before, after, lambda attempt: attempt.category)
    tokens = next(measure for measure in measures if measure.measure == TOKENS_PER_CORRECT)
    return ReportComparison(
        before,
        after,
        ask,
        _state(before, after, tokens, (*tasks, *categories), at_work),
        measures=measures,
        resampling=resampling,
        tasks=tasks,
        categories=categories,
        changed=tuple(changed_components(before, after)),
        exercised=at_work,
        clients=clients,
    )


def _state(
    before: Report,
    after: Report,
    tokens: Compared,
    groups: Iterable[Group],
    at_work: Exercised | None,
) -> ComparisonState:
    lower, upper = tokens.lower, tokens.upper
    correct = [report.summary["correct"] for report in (before, after)]
    totals = [report.summary["known_total_tokens"] for report in (before, after)]
    if any(group.regressed for group in groups) or (lower is not None and lower > 0):
        return ComparisonState.REGRESSED
    if at_work is not None and not at_work.attempts:
        return ComparisonState.NOT_EXERCISED
    if totals[0] == totals[1] and correct[0] == correct[1]:
        return ComparisonState.UNCHANGED
    if upper is not None and upper < 0 and correct[1] >= correct[0]:
        return ComparisonState.IMPROVED
    return ComparisonState.INCONCLUSIVE


def _groups(before: Report, after: Report, key: Callable[[Attempt], str]) -> tuple[Group, ...]:
    """Return correct attempts and tokens by task or category, sorted by name."""
    sides = [_by(report.attempts, key) for report in (before, after)]
    return tuple(
        Group(
            name,
            len(sides[0][name]),
            *(sum(map(correct_of, side[name])) for side in sides),
            *(sum(attempt.trace.usage.total for attempt in side[name]) for side in sides),
        )
        for name in sorted(sides[0])
    )


def _by(attempts: Iterable[Attempt], key: Callable[[Attempt], str]) -> dict[str, list[Attempt]]:
    groups: dict[str, list[Attempt]] = defaultdict(list)
    for attempt in attempts:
        groups[key(attempt)].append(attempt)
    return groups
