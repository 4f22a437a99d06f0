"""Joining two streams of selections that may stand in different orders.

Where both are in the same order nothing is kept. What one side has met and the other not yet waits
in a temporary file, in memory up to `IN_MEMORY` bytes.
"""

from __future__ import annotations

import io
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest

import msgspec

from .recorded import RecordedSelection
from .run_selections import SelectionLine

IN_MEMORY = 64 * 2**20
_Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Pair:
    """The selections of both sides for a case; None on the side that has none.

    `point`: the point, or what two points that are compared with one another are called.
    """

    case_id: str
    point: str
    left: RecordedSelection | None
    right: RecordedSelection | None


def paired(left: Iterator[SelectionLine], right: Iterator[SelectionLine]) -> Iterator[Pair]:
    """Yield every selection with the other side's for the same case and point, as soon as both were
    met; at the end those that only one side has. A side has a case at a point at most once."""
    with _Waiting() as on_left, _Waiting() as on_right:
        for one, other in zip_longest(left, right):
            if one is not None and other is not None and _key(one) == _key(other):
                yield Pair(*_key(one), one.selection, other.selection)
                continue
            if one is not None:
                match = on_right.take(_key(one))
                if match is None:
                    on_left.put(one)
                else:
                    yield Pair(*_key(one), one.selection, match)
            if other is not None:
                match = on_left.take(_key(other))
                if match is None:
                    on_right.put(other)
                else:
                    yield Pair(*_key(other), match, other.selection)
        yield from (Pair(*key, selection, None) for key, selection in on_left.rest())
        yield from (Pair(*key, None, selection) for key, selection in on_right.rest())


def _key(line: SelectionLine) -> _Key:
    return line.case_id, line.point


class _Waiting:
    """Selections of one side that wait for the other's."""

    def __init__(self) -> None:
        self._places: dict[_Key, tuple[int, int]] = {}
        self._live = 0
        self._file = _temporary()
        self._encode = msgspec.msgpack.Encoder().encode
        self._decode = msgspec.msgpack.Decoder(RecordedSelection).decode

    def __enter__(self) -> _Waiting:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def put(self, line: SelectionLine) -> None:
        packed = self._encode(line.selection)
        start = self._file.seek(0, io.SEEK_END)
        if start > IN_MEMORY and start > 2 * self._live:
            start = self._compact()
        self._file.write(packed)
        self._places[_key(line)] = (start, len(packed))
        self._live += len(packed)

    def take(self, key: _Key) -> RecordedSelection | None:
        """Return the selection of that key, which no longer waits; None if none does."""
        place = self._places.pop(key, None)
        if place is None:
            return None
        self._live -= place[1]
        return self._decode(self._bytes(place))

    def rest(self) -> Iterator[tuple[_Key, RecordedSelection]]:
        """Yield all that still wait, in order of arrival."""
        for key, place in self._places.items():
            yield key, self._decode(self._bytes(place))

    def _bytes(self, place: tuple[int, int]) -> bytes:
        start, length = place
        self._file.seek(start)
        return self._file.read(length)

    def _compact(self) -> int:
        """Forget what no longer waits, which is more than half of the file; return its new end."""
        kept = _temporary()
        for key, place in self._places.items():
            self._places[key] = (kept.tell(), place[1])
            kept.write(self._bytes(place))
        self._file.close()
        self._file = kept
        return kept.tell()


def _temporary() -> tempfile.SpooledTemporaryFile[bytes]:
    return tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)
