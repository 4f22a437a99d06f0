"""The router of the original's learning loop: three weights that follow what users ask for.

It chooses a profile, not evidence. Retrieval weights are never learnt, and nothing here measures
answers: that the router's weights move is not evidence that retrieval improves.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np

from .single import Floats
from .vocabulary import PROFILES

PRIOR: Floats = np.array([0.40, 0.30, 0.30], np.float32)
PRIOR.setflags(write=False)
DEFAULT_ALPHA = np.float32(0.30)
AFFINITY_FACTOR = np.float32(0.1)

_LARGEST_COUNT = 2**32 - 1
_FIELDS = 5
_TRAILING = ".,!?:;\"'"
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_COUNT = re.compile(r"0*[0-9]{1,10}")
"""No longer than any number that is kept, but for zeros in front."""
_NAME = re.compile(rf"\s*@?({'|'.join(PROFILES)})(?:[\s,:]|$)", re.IGNORECASE | re.ASCII)

AFFINITIES = {
    "structure": (0.9, 0.6, 0.2),
    "analyze": (0.9, 0.5, 0.2),
    "build": (0.5, 0.9, 0.2),
    "explain": (0.95, 0.4, 0.2),
    "help": (0.95, 0.4, 0.2),
    "risk": (0.8, 0.6, 0.6),
    "safe": (0.8, 0.5, 0.5),
    "pattern": (0.85, 0.5, 0.3),
    "policy": (0.3, 0.4, 0.9),
    "quickly": (0.3, 0.95, 0.1),
    "profile": (0.3, 0.3, 0.9),
    "orchestrate": (0.2, 0.2, 0.95),
    "design": (0.9, 0.5, 0.3),
    "run": (0.3, 0.95, 0.2),
    "deploy": (0.3, 0.95, 0.2),
    "fix": (0.5, 0.95, 0.2),
}
"""What a word says for abbey, aviva and abi. The original has 13 more words, whose values are not
known: they are left out."""


@dataclass(frozen=True, slots=True, eq=False)
class RouterState:
    """The weights of abbey, aviva and abi, float32 (3,), how often they were updated, and `alpha`,
    the weight of the newest observation."""

    weights: Floats = field(default_factory=PRIOR.copy)
    count: int = 0
    alpha: np.float32 = DEFAULT_ALPHA

    @classmethod
    def from_csv(cls, text: str | None) -> RouterState:
        """Return the stored state, its weights renormalised; the defaults for anything
        malformed."""
        fields = (text or "").split(",")
        numbers = [_number(field) for field in (*fields[:3], *fields[4:])]
        if len(fields) != _FIELDS or not _COUNT.fullmatch(fields[3]):
            return cls()
        weights, alpha = np.array(numbers[:3], np.float32), numbers[3]
        count = int(fields[3].lstrip("0") or "0")
        total = _sum(weights)
        sound = np.isfinite(weights).all() and (weights >= 0).all() and np.isfinite(total)
        if not sound or not total > 0 or not 0 <= alpha <= 1 or count > _LARGEST_COUNT:
            return cls()
        return cls(weights / total, count, alpha)

    def to_csv(self) -> str:
        """Return the three weights, the count and alpha; floats with six decimals."""
        weights = ",".join(f"{float(weight):.6f}" for weight in self.weights)
        return f"{weights},{self.count},{float(self.alpha):.6f}"

    def observe(self, text: str) -> Floats:
        """Return what `text` asks for; float32 (3,), of sum 1.

        A profile named at its start (`@abi, …`) alone; else the fixed prior, never the state's own
        weights, with a tenth of the affinities of every known word that begins a token.
        """
        named = _NAME.match(text)
        if named:
            return np.array([name == named[1].lower() for name in PROFILES], np.float32)
        observed = PRIOR.copy()
        for token in text.split():
            bare = token.rstrip(_TRAILING).lower()
            for word, affinity in AFFINITIES.items():
                if bare.startswith(word):
                    observed += AFFINITY_FACTOR * np.array(affinity, np.float32)
        normalised: Floats = observed / _sum(observed)
        return normalised


def update_router(state: RouterState, observed: Floats) -> RouterState:
    """Return the state after one observation: an exponential moving average, renormalised.

    Between turns the original keeps the state as CSV, with six decimals: an update of a state that
    was not stored and loaded again gives other bits.
    """
    newest, former = np.asarray(observed, np.float32), np.asarray(state.weights, np.float32)
    alpha = np.float32(state.alpha)
    weights = alpha * newest + (np.float32(1) - alpha) * former
    total = _sum(weights)
    if total > 0:
        weights = weights / total
    return RouterState(weights, min(state.count + 1, _LARGEST_COUNT), state.alpha)


def _sum(weights: Floats) -> np.float32:
    """Add left to right."""
    with np.errstate(over="ignore"):
        # three float32 additions: numpy's own sum may round otherwise
        return np.float32(weights[0] + weights[1] + weights[2])


def _number(field: str) -> np.float32:
    """Read a number: NaN for what is not one, infinite beyond float32."""
    if not _NUMBER.fullmatch(field):
        return np.float32("nan")
    with np.errstate(over="ignore"):
        return np.float32(float(field))
