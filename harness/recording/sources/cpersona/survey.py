"""What state a store is in: which embedder its blocks are of, and whether they are up to date."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from harness.errors import InputError, UsageError, listed, nearest
from harness.progress import progress
from harness.words import counted

from .block_sets import NOT_CURRENT, BlockState, boundary_state
from .store import Store

MOST_LABELS = 2
"""A server reports at most so many embedder labels as its own."""
STALE_RANKING = (
    "records without a current block set are divided at replay and ranked by shared words only"
)
_REFS_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Survey:
    """`records`: of the agents asked. `pending`: tasks not done, by kind. `not_current`: refs of
    the agents' records without a current block set, by what is wrong."""

    records: int
    pending: Mapping[str, int]
    not_current: Mapping[BlockState, tuple[str, ...]]

    @property
    def stale(self) -> bool:
        """Whether the server may answer otherwise once it has done its work."""
        return bool(self.pending or self.not_current)

    @property
    def stale_refs(self) -> frozenset[str]:
        """All refs of `not_current`."""
        return frozenset(ref for refs in self.not_current.values() for ref in refs)


def chosen_labels(store: Store, given: Sequence[str]) -> tuple[str, ...]:
    """Return the embedder labels that count as the server's: those given, else the only one there
    is.

    Raises `UsageError` when the store has several and none is given, for more than two, and for one
    that no block has.
    """
    stored = store.labels()
    if not given:
        if len(stored) > 1:
            raise UsageError(
                f"{store.path} has blocks of several embedders: {_shown(stored)}",
                "Name the label that the server reports with --embedding-model LABEL.",
            )
        return tuple(stored)
    if len(set(given)) > MOST_LABELS:
        raise UsageError(
            f"--embedding-model is given {counted(len(set(given)), 'label')}; "
            f"a server reports at most "
            f"{MOST_LABELS}"
        )
    for label in given:
        if stored and label not in stored:
            raise UsageError(
                f"no block of {store.path} has the embedder label {label!r}"
                f"{nearest(label, stored)}",
                f"The store has {_shown(stored)}.",
            )
    return tuple(dict.fromkeys(given))


def _shown(labels: Mapping[str, int]) -> str:
    named = [
        f"{label!r}{'' if label else ' (not declared)'} on {counted(count, 'block')}"
        for label, count in labels.items()
    ]
    return listed(named) or "no blocks"


def survey(
    store: Store, agents: Iterable[str], labels: Collection[str], *, quiet: bool = False
) -> Survey:
    """Look at every record of the agents, offsets and labels only."""
    agents = list(dict.fromkeys(agents))
    states: dict[BlockState, list[str]] = {}
    count = 0
    for agent in progress(agents, total=len(agents), label="blocks", unit="agent", quiet=quiet):
        for record in store.records_of(agent):
            count += 1
            rows = store.blocks(record.ref, vectors=False)
            state = boundary_state(record.text, rows, store.node_ends(record.ref), labels)
            states.setdefault(state, []).append(record.ref)
    not_current = {state: tuple(states[state]) for state in NOT_CURRENT if state in states}
    return Survey(count, store.pending_tasks(), not_current)


def refuse_stale(store: Store, surveyed: Survey, in_windows: Collection[str]) -> None:
    """Raise `InputError` if the store is stale, naming all that is."""
    if not surveyed.stale:
        return
    lines = [f"{store.path} is stale: a search may go otherwise once the server is done"]
    lines += [f"  {line}" for line in stale_lines(surveyed, in_windows)]
    hint = (
        "Let the server finish (its tool get_queue_status tells), search again, and record that. "
        f"Or give --allow-stale: {STALE_RANKING}, without cosines, and the recording says so."
    )
    if BlockState.OTHER_LABEL in surveyed.not_current:
        hint += f" Labels: {_shown(store.labels())}; choose with --embedding-model."
    raise InputError("\n".join(lines), hint)


def stale_lines(surveyed: Survey, in_windows: Collection[str]) -> list[str]:
    """Return what is stale, one line per thing."""
    lines = []
    if surveyed.pending:
        total = sum(surveyed.pending.values())
        kinds = listed([f"{kind} {count:,}" for kind, count in surveyed.pending.items()])
        lines.append(f"pending_memory_tasks holds {counted(total, 'task')} not done: {kinds}")
    for state, refs in surveyed.not_current.items():
        named = ", ".join(refs[:_REFS_SHOWN]) + (", …" if len(refs) > _REFS_SHOWN else "")
        inside = sum(ref in in_windows for ref in refs)
        lines.append(
            f"{counted(len(refs), 'record')} {state.meaning}: {named}; {inside:,} in windows"
        )
    return lines
