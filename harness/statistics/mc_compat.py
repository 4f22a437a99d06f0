"""The seeded bootstrap of the published studies, bit for bit.

Convention `monte-carlo-reference/1`, level 0.95:

1. The cases are sorted by id: `text` by code point, so that "10" comes before "9", or `integer`.
2. `random.Random(seed)`, CPython's Mersenne Twister, new for every comparison.
3. In each of B resamples, `randrange(n)` is called n times and the differences drawn are added up.
4. The sums are sorted. The interval is from element int(0.025 B) to int(0.975 B) - 1, counted from
   0: 250 and 9,749 of 10,000.

The upper element is one below the usual quantile index, so it can be one lattice step under the
exact upper end. Use it to reproduce a published interval; for a new one, the exact interval is its
limit and needs no seed.

`randrange(n)` takes the top bits of the generator's 32-bit outputs, as many as n has, and draws
again while the value is n or more. Here that is done for many outputs at once.

Source: the analysis of the published cpersona studies; Matsumoto and Nishimura (1998), Mersenne
Twister, ACM Transactions on Modeling and Computer Simulation 8, 3-30.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from harness.errors import InputError

from .counts import Interval

IdOrder = Literal["text", "integer"]

_OUTPUTS_AT_ONCE = 1_000_000


def mc_compat_interval(
    outcomes: Mapping[str, int], *, seed: int, id_order: IdOrder, resamples: int = 10_000
) -> Interval:
    """Compute the interval of the mean difference, in fractions (the studies print 100 times it).

    `outcomes` gives each case's difference, 1, 0 or -1, by id. Raises, in the order `integer`,
    `InputError` for an id that is not a whole number or equals another as a number; `ValueError`
    for no case, another difference, or fewer than 2 resamples.
    """
    differences = [outcomes[case_id] for case_id in ordered_ids(outcomes, id_order)]
    sums = np.sort(resampled_sums(differences, seed=seed, resamples=resamples))
    # the studies' own indexes, kept although the upper one is one below the usual
    lower, upper = sums[int(0.025 * resamples)], sums[int(0.975 * resamples) - 1]
    return Interval.of_lattice(int(lower), int(upper), len(differences))


def ordered_ids(ids: Mapping[str, int], id_order: IdOrder) -> list[str]:
    """Return the ids as the resampling sees them."""
    if id_order == "text":
        return sorted(ids)
    if id_order != "integer":
        raise ValueError(f"ids are ordered as text or integer, not {id_order!r}")
    numbers: dict[int, str] = {}
    for case_id in ids:
        if not case_id.isascii() or not case_id.removeprefix("-").isdigit():
            raise InputError(
                f"case id {case_id!r} is not a whole number", 'Use id_order = "text" for such ids.'
            )
        other = numbers.setdefault(int(case_id), case_id)
        if other != case_id:
            raise InputError(
                f"case ids {other!r} and {case_id!r} are the same number",
                'Take id_order = "text" for such ids.',
            )
    return [numbers[number] for number in sorted(numbers)]


def resampled_sums(differences: Sequence[int], *, seed: int, resamples: int) -> NDArray[np.int64]:
    """Compute the sum of each resample, in the order drawn: shape (resamples,)."""
    drawn_from = np.asarray(differences, dtype=np.int64)
    n = len(drawn_from)
    if not n:
        raise ValueError("no case to resample")
    if not np.isin(drawn_from, (-1, 0, 1)).all():
        raise ValueError("a paired difference is 1, 0 or -1")
    if resamples < 2:
        raise ValueError(f"at least 2 resamples are needed, not {resamples}")
    generator = _same_generator(seed)
    unused_bits = np.uint64(32 - n.bit_length())
    sums = np.empty(resamples, dtype=np.int64)
    done, left_over = 0, np.empty(0, dtype=np.int64)
    while done < resamples:
        # at least half of the outputs are below n, since they have just as many bits as n
        expected = 2 * n * (resamples - done)
        outputs = generator.random_raw(min(_OUTPUTS_AT_ONCE, expected)) >> unused_bits
        places = np.concatenate([left_over, outputs[outputs < n].astype(np.int64)])
        whole = min(len(places) // n, resamples - done)
        sums[done : done + whole] = drawn_from[places[: whole * n].reshape(whole, n)].sum(axis=1)
        done, left_over = done + whole, places[whole * n :]
    return sums


def _same_generator(seed: int) -> np.random.MT19937:
    """Return a generator whose 32-bit outputs are those of `random.Random(seed)`."""
    *key, position = random.Random(seed).getstate()[1]  # noqa: S311 - the studies' own generator
    generator = np.random.MT19937()
    generator.state = {
        "bit_generator": "MT19937",
        "state": {"key": np.array(key, dtype=np.uint32), "pos": position},
    }
    return generator
