"""Progress bars: on standard error, and only when that is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
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
) -> Iterator[Item]:
    """Pass `items` through, with a progress bar unless `quiet` or without a terminal.

    Not `timed`: it shows counts alone.
    """
    from tqdm import tqdm

    hidden = quiet or not sys.stderr.isatty()
    look = None if timed else "{desc}: {n_fmt} of {total_fmt}"
    yield from tqdm(
        items,
        total=total,
        desc=label,
        unit=unit,
        disable=hidden,
        file=sys.stderr,
        bar_format=look,
    )
