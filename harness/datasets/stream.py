"""The JSON objects of a file, one after the other, without holding the file.

A file is one JSON list of objects, or JSON Lines (one object per line); either may be packed (see
`harness.storage.content`).

How a list is cut. Where the first key of the first object comes again after `{`, an object probably
starts. The buffer is cut before the last such place, closed with `]` and decoded: if that is a
whole JSON list, the cut is exact, because a parser at the cut is in the same state for any
continuation. Else (an object is not as expected, or the guess was wrong) the objects are delimited
by counting braces outside strings and decoded one by one, which is slower and needs no luck.
Neither way depends on key order, layout or what the strings hold.

How a key that is there twice is found. The typed decoder keeps the last value without a word. But
it takes every key that is declared, so an object with more keys in its text than in its value has
one twice, or one that is not declared. The text's keys are counted by their `":`; where the counts
differ, the text is read once more, slowly, which tells for certain.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import GenericAlias
from typing import Generic, NamedTuple, TypeVar, cast

import msgspec

from harness.decode import repeats_a_key
from harness.errors import InputError
from harness.storage.content import CHUNK_BYTES, ByteSource, open_content

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_SPACE = re.compile(rb"[ \t\r\n]*")
_FIRST_KEY = re.compile(rb'\{[ \t\r\n]*"(?:[^"\\]|\\.)*"', re.DOTALL)
# A brace, or a string; group 1 is empty when the string does not end within the buffer.
_BRACE_OR_STRING = re.compile(rb'[{}]|"[^"\\]*(?:\\.[^"\\]*)*("?)', re.DOTALL)
_OPEN, _QUOTE = b'{"'
_LIST_OPEN, _LIST_CLOSE, _COMMA = b"[],"
_FETCH_AGAIN = "The file is cut off or damaged: fetch it again, or copy it again from its source."
_LAYOUT = "Expected a JSON list of objects, or JSON Lines with one object per line (.jsonl)."

# The end of a key; or the start of a string that begins with a colon, which only costs time.
_KEY_END = re.compile(rb'"[ \t\r\n]*:')
_QUOTE_IN_STRING = re.compile(rb'\\"[ \t\r\n]*:')
_SEVERAL_ESCAPES = re.compile(rb'\\\\"[ \t\r\n]*:')  # which of them is the quote's?

_ANY = msgspec.json.Decoder(msgspec.Raw)

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Decoded(Generic[Value]):
    """A top-level object. `place` says where it stands in the unpacked file."""

    place: str
    value: Value


@dataclass(frozen=True, slots=True)
class Refused:
    """A top-level object, or a line, that is not of the kind asked for: its raw bytes, and why."""

    place: str
    data: bytes
    error: Exception


def json_objects(
    path: Path, kind: type[Value], keys_of: Callable[[Value], int] | None = None
) -> Iterator[Decoded[Value] | Refused]:
    """Yield the top-level objects of the file, in order, each decoded as `kind`.

    `kind` is a type that JSON objects are decoded to, such as a `msgspec.Struct` or `dict`.
    `keys_of`: how many keys the text of a value has at least; without it, every text is read a
    second time for keys that are there twice, which are refused. Holds some MiB, or a few times
    the largest object if that is more. Raises `InputError` with the position for a file that is
    empty, not JSON, cut off, or not a list of objects.
    """
    with open_content(path) as content:
        head = _head(path, content)
        if head.data[0] == _LIST_OPEN:
            yield from _ListReader(path, content, head, kind, keys_of).objects()
        elif head.data[0] == _OPEN and _is_lines(path, head.data):
            decoder = msgspec.json.Decoder(kind)
            for number, line in _lines(content, head):
                yield _decoded(decoder, f"line {number}", line, keys_of)
        else:
            raise _no_list(path, head)


class _Head(NamedTuple):
    """The start of the content from its first byte that means something, and that byte's place."""

    data: bytes
    offset: int
    line: int


class _Cut(NamedTuple, Generic[Value]):
    """Objects at the front of a buffer, the length they take, and whether the list ends there."""

    objects: list[Decoded[Value] | Refused]
    length: int
    closed: bool


def _head(path: Path, content: ByteSource) -> _Head:
    offset, line = 0, 1
    while data := content.read(CHUNK_BYTES):
        skip = len(_BYTE_ORDER_MARK) if offset == 0 and data.startswith(_BYTE_ORDER_MARK) else 0
        start = _skip_space(data, skip)
        line += data.count(b"\n", 0, start)
        if start < len(data):
            return _Head(data[start:], offset + start, line)
        offset += len(data)
    raise InputError(f"{path} is empty", _FETCH_AGAIN)


def _no_list(path: Path, head: _Head) -> InputError:
    shown = head.data[:40].decode("utf-8", "replace").splitlines()[0]
    where = f"{path}, byte {head.offset:,} (line {head.line})"
    if head.data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return InputError(f"{where}: the text is UTF-16", "Save it as UTF-8.")
    if head.data[0] == _OPEN:
        return InputError(f"{where}: the top level is one object, not a list", _LAYOUT)
    return InputError(f"{where}: not JSON, it begins {shown!r}", _LAYOUT)


def _is_lines(path: Path, head: bytes) -> bool:
    """Return whether content that starts with `{` is JSON Lines: by its name, else by its first
    line."""
    layouts = [suffix for suffix in path.suffixes if suffix not in (".gz", ".xz")]
    layout = layouts[-1].lower() if layouts else ""
    if layout in (".jsonl", ".ndjson"):
        return True
    first, _, rest = head.partition(b"\n")
    return _is_json(first) and (layout != ".json" or bool(rest.strip()))


def _is_json(data: bytes) -> bool:
    try:
        _ANY.decode(data)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True


def _decoded(
    decoder: msgspec.json.Decoder[Value],
    place: str,
    data: bytes,
    keys_of: Callable[[Value], int] | None,
) -> Decoded[Value] | Refused:
    try:
        value = decoder.decode(data)
    except (msgspec.DecodeError, RecursionError) as error:
        return Refused(place, data, error)
    if _has_a_key_twice(data, [value], keys_of):
        return Refused(place, data, ValueError("a key is there twice"))
    return Decoded(place, value)


def _has_a_key_twice(
    text: bytes, values: Sequence[Value], keys_of: Callable[[Value], int] | None
) -> bool:
    if keys_of is not None:
        said = len(_KEY_END.findall(text)) - len(_QUOTE_IN_STRING.findall(text))
        if said == sum(map(keys_of, values)) and not _SEVERAL_ESCAPES.search(text):
            return False
    return repeats_a_key(text)


def _lines(content: ByteSource, head: _Head) -> Iterator[tuple[int, bytes]]:
    """Yield the number and bytes of each line that is not blank."""
    number, chunk, rest = head.line - 1, head.data, b""
    while chunk:
        *complete, rest = (rest + chunk).split(b"\n")
        for number, line in enumerate(complete, number + 1):  # noqa: B020 (the count goes on)
            if stripped := line.strip():
                yield number, stripped
        # A line longer than a chunk is read in growing steps, so that it is not copied often.
        chunk = content.read(max(CHUNK_BYTES, len(rest)))
    if stripped := rest.strip():
        yield number + 1, stripped


class _ListReader(Generic[Value]):
    """Cuts a JSON list into its objects.

    The buffer always starts at a separator of the list: its `[`, or the `,` before an object.
    """

    def __init__(
        self,
        path: Path,
        content: ByteSource,
        head: _Head,
        kind: type[Value],
        keys_of: Callable[[Value], int] | None,
    ) -> None:
        self._keys_of = keys_of
        self._path = path
        self._content = content
        self._buffer = bytearray(head.data)
        self._offset = head.offset
        self._count = 0
        self._one = msgspec.json.Decoder(kind)
        list_of_kind = cast(type[list[Value]], GenericAlias(list, (kind,)))
        self._several = msgspec.json.Decoder(list_of_kind)
        first = _FIRST_KEY.match(head.data, _skip_space(head.data, 1))
        self._marker = first.group() if first else None

    def objects(self) -> Iterator[Decoded[Value] | Refused]:
        at_end = False
        while True:
            cut = self._guessed_cut(at_end) or self._exact_cut()
            yield from cut.objects
            self._count += len(cut.objects)
            del self._buffer[: cut.length]
            self._offset += cut.length
            if cut.closed:
                self._check_nothing_follows()
                return
            if at_end:
                raise self._cut_off()
            # An object longer than a chunk is read in growing steps, so that it is scanned rarely.
            wanted = CHUNK_BYTES if cut.objects else max(CHUNK_BYTES, len(self._buffer))
            more = self._content.read(wanted)
            at_end = not more
            self._buffer += more

    def _guessed_cut(self, at_end: bool) -> _Cut[Value] | None:
        """Return the cut before the last marker, or at the end of the file; None where it must not
        be cut."""
        if at_end:
            length = _end_without_space(self._buffer)
            end = length - 1
            if end < 1 or self._buffer[end] != _LIST_CLOSE:
                return None
        else:
            start = self._buffer.rfind(self._marker) if self._marker else -1
            end = length = self._buffer.rfind(b",", 0, start) if start > 0 else -1
            if end < 1 or _skip_space(self._buffer, end + 1) != start:
                return None
        with memoryview(self._buffer) as view:
            text = b"".join((b"[", view[1:end], b"]"))
        try:
            values = self._several.decode(text)
        except (msgspec.DecodeError, RecursionError):
            return None
        if not values or _has_a_key_twice(text, values, self._keys_of):
            return None
        objects = [Decoded(self._place(index), value) for index, value in enumerate(values)]
        return _Cut([*objects], length, at_end)

    def _exact_cut(self) -> _Cut[Value]:
        """Return every object that ends, with its separator, within the buffer, by counting
        braces."""
        buffer, separator = self._buffer, 0
        objects: list[Decoded[Value] | Refused] = []
        while True:
            start = _skip_space(buffer, separator + 1)
            if start == len(buffer):
                return _Cut(objects, separator, False)
            if buffer[start] == _LIST_CLOSE and buffer[separator] == _LIST_OPEN:
                return _Cut(objects, start + 1, True)
            if buffer[start] != _OPEN:
                raise self._unexpected(start, len(objects), "an object")
            end = _object_end(buffer, start)
            following = _skip_space(buffer, end) if end else len(buffer)
            if following == len(buffer):
                return _Cut(objects, separator, False)
            if buffer[following] not in (_COMMA, _LIST_CLOSE):
                raise self._unexpected(following, len(objects) + 1, "',' or ']'")
            place = self._place(len(objects))
            objects.append(_decoded(self._one, place, bytes(buffer[start:end]), self._keys_of))
            if buffer[following] == _LIST_CLOSE:
                return _Cut(objects, following + 1, True)
            separator = following

    def _place(self, objects_before: int) -> str:
        return f"object {self._count + objects_before + 1}"

    def _unexpected(self, position: int, objects_before: int, wanted: str) -> InputError:
        excerpt = self._buffer[position : position + 20].decode("utf-8", "replace")
        return InputError(
            f"{self._path}, byte {self._offset + position:,}: expected {wanted} after "
            f"{self._count + objects_before:,} objects of the list, found {excerpt!r}",
            _LAYOUT,
        )

    def _check_nothing_follows(self) -> None:
        while True:
            start = _skip_space(self._buffer, 0)
            if start < len(self._buffer):
                excerpt = self._buffer[start : start + 20].decode("utf-8", "replace")
                raise InputError(
                    f"{self._path}, byte {self._offset + start:,}: {excerpt!r} follows the end of "
                    "the list",
                    "Remove what follows the closing ']', or fetch the file again.",
                )
            self._offset += len(self._buffer)
            self._buffer = bytearray(self._content.read(CHUNK_BYTES))
            if not self._buffer:
                return

    def _cut_off(self) -> InputError:
        return InputError(
            f"{self._path} ends at byte {self._offset + len(self._buffer):,} inside the list, "
            f"after {self._count:,} whole objects",
            _FETCH_AGAIN,
        )


def _skip_space(data: bytes | bytearray, position: int) -> int:
    """Return the first position from `position` on that is not JSON white space."""
    match = _SPACE.match(data, position)
    return match.end() if match else position


def _end_without_space(data: bytearray) -> int:
    end = len(data)
    while end and data[end - 1 : end].isspace():
        end -= 1
    return end


def _object_end(buffer: bytearray, start: int) -> int | None:
    """Return the position after the `}` that closes the object at `start`, or None if it is not
    there."""
    depth = 0
    for match in _BRACE_OR_STRING.finditer(buffer, start):
        byte = buffer[match.start()]
        if byte == _QUOTE:
            if not match.group(1):
                return None
        elif byte == _OPEN:
            depth += 1
        else:
            depth -= 1
            if depth == 0:
                return match.end()
    return None
