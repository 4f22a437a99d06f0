"""Progress bars: on standard error, and only when that is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")


def progress(
    items: Iterable[Item], *, total: int | None, label: str, unit: str, quiet: bool = False
) -> Iterator[Item]:
    """Pass `items` through, with a progress bar unless `quiet` or without a terminal."""
    from tqdm import tqdm

    hidden = quiet or not sys.stderr.isatty()
    yield from tqdm(items, total=total, desc=label, unit=unit, disable=hidden, file=sys.stderr)
