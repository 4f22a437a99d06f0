"""Progress bars: on standard error, and only when that is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")


def progress(
    items: Iterable[Item],
    *,
    total: int | None,
    label: str,
    unit: str,
    quiet: bool = False,
    timed: bool = True,
    said: Callable[[], str] | None = None,
) -> Iterator[Item]:
    """Pass `items` through, with a progress bar unless `quiet` or without a terminal.

    Not `timed`: it shows counts alone. `said` gives what else to show, such as a cost so far.
    """
    from tqdm import tqdm

    hidden = quiet or not sys.stderr.isatty()
    look = None if timed else "{desc}: {n_fmt} of {total_fmt}"
    bar = tqdm(
        items,
        total=total,
        desc=label,
        unit=unit,
        disable=hidden,
        file=sys.stderr,
        bar_format=look,
    )
    for item in bar:
        if said is not None and not hidden:
            bar.set_postfix_str(said(), refresh=False)
        yield item
