"""Where the grades depart from what was registered."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from harness.trial.registration import Plan

from .entrants import Entrant

NOT_SAID = "not said"


def model_departures(plan: Plan, entrants: Sequence[Entrant]) -> list[str]:
    """Readers and judges that are not the registered ones, or not the same for all."""
    found = list(_from_plan(plan, entrants))
    for kind, named in (("reader", _readers(entrants)), ("judge", _judges(entrants))):
        if len(set(named.values()) - {NOT_SAID}) > 1:
            listing = "; ".join(f"{spec}: {model}" for spec, model in named.items())
            found.append(f"Not all were graded by the same {kind}: {listing}.")
    return found


def _from_plan(plan: Plan, entrants: Sequence[Entrant]) -> Iterator[str]:
    readers, judges = _readers(entrants), _judges(entrants)
    for entrant in entrants:
        for kind, wanted, named in (
            ("reader", plan.reader, readers[entrant.spec]),
            ("judge", plan.judge, judges[entrant.spec]),
        ):
            if wanted is not None and named != wanted:
                yield (
                    f"The registered {kind} is {wanted}; the grades of the {entrant} have: {named}."
                )


def _readers(entrants: Sequence[Entrant]) -> dict[str, str]:
    return {entrant.spec: entrant.grades.reader or NOT_SAID for entrant in entrants}


def _judges(entrants: Sequence[Entrant]) -> dict[str, str]:
    return {entrant.spec: ", ".join(entrant.grades.judges) or NOT_SAID for entrant in entrants}
