"""The objects of a file, whatever its layout, against `json.loads` of the whole."""

from __future__ import annotations

import gzip
import json
import lzma
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.datasets.stream import Decoded, Refused, json_objects
from harness.errors import InputError

TRAPS = ['{"id"', '{"id": 1}, {"id"', "}, {", '"', "\\", '\\"', "]", "[", "\n", "{", "}", "é😀"]
TEXTS = st.sampled_from(TRAPS) | st.text('a"\\{}[],: \n\x7fé😀', max_size=8)
SCALARS = TEXTS | st.none() | st.booleans() | st.integers() | st.floats(-9, 9)
LISTS = st.lists(SCALARS, max_size=2)
NESTED = st.lists(LISTS | st.dictionaries(st.sampled_from(["id", "b"]), SCALARS), max_size=2)
OBJECTS = st.lists(
    st.dictionaries(st.sampled_from(["id", "b", "{"]), SCALARS | NESTED, max_size=3), max_size=6
)


def read(path: Path) -> list[Any]:
    return [item.value if isinstance(item, Decoded) else item for item in json_objects(path, dict)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("stream")


@given(
    objects=OBJECTS,
    indent=st.sampled_from([None, 0, 2, "\t"]),
    separators=st.sampled_from([(",", ":"), (", ", ": "), (" ,\n", " :")]),
    ascii_only=st.booleans(),
    around=st.sampled_from(["", "\n", " \r\n\t"]),
    chunk=st.integers(1, 200),
)
def test_a_list_of_any_layout_gives_its_objects(
    folder: Path,
    objects: list[Any],
    indent: int | str | None,
    separators: tuple[str, str],
    ascii_only: bool,
    around: str,
    chunk: int,
) -> None:
    text = json.dumps(objects, indent=indent, separators=separators, ensure_ascii=ascii_only)
    path = folder / "list.json"
    path.write_text(around + text + around, encoding="utf-8", newline="")
    with patch("harness.datasets.stream.CHUNK_BYTES", chunk):
        items = list(json_objects(path, dict))
    assert [item.value for item in items if isinstance(item, Decoded)] == objects
    assert [item.place for item in items] == [f"object {n + 1}" for n in range(len(objects))]


@given(objects=OBJECTS.filter(bool), chunk=st.integers(1, 200), last=st.sampled_from(["", "\n\n"]))
def test_json_lines_give_their_objects(
    folder: Path, objects: list[Any], chunk: int, last: str
) -> None:
    path = folder / "lines.jsonl"
    text = "\r\n".join(json.dumps(value, ensure_ascii=False) for value in objects) + last
    path.write_text(text, encoding="utf-8", newline="")
    with patch("harness.datasets.stream.CHUNK_BYTES", chunk):
        assert read(path) == objects


@pytest.mark.parametrize("pack", [bytes, gzip.compress, lzma.compress])
@pytest.mark.parametrize("name", ["d.json", "d.json.gz", "d.json.xz", "d.jsonl", "DATA"])
def test_packing_and_layout_are_told_by_content(
    tmp_path: Path, pack: Callable[[bytes], bytes], name: str
) -> None:
    path = tmp_path / name
    path.write_bytes(pack(b'\xef\xbb\xbf[{"a": 1}, {"a": 2}]\n'))
    assert read(path) == [{"a": 1}, {"a": 2}]
    path.write_bytes(pack(b'{"a": 1}\n{"a": 2}\n'))
    assert read(path) == [{"a": 1}, {"a": 2}]


def test_objects_with_other_first_keys_and_sizes_than_a_chunk(tmp_path: Path) -> None:
    objects = [{"a": "x" * 700}, {"b": '{"a": ' * 90}, {}, {"a": {"a": [{"a": 1}]}}] * 5
    path = tmp_path / "d.json"
    path.write_text(json.dumps(objects))
    with patch("harness.datasets.stream.CHUNK_BYTES", 128):
        assert read(path) == objects


def test_every_cut_of_a_list_is_refused(tmp_path: Path) -> None:
    text = json.dumps([{"a": "}, {", "b": [{"a": 1}]}, {"a": 2}], indent=1).encode()
    path = tmp_path / "d.json"
    for length in range(len(text)):
        path.write_bytes(text[:length])
        wanted = "is empty" if length == 0 else f"ends at byte {length} inside the list"
        with pytest.raises(InputError, match=wanted):
            read(path)


@pytest.mark.parametrize(("pack", "packing"), [(gzip.compress, "gzip"), (lzma.compress, "xz")])
def test_every_cut_of_a_packed_file_is_refused(
    tmp_path: Path, pack: Callable[[bytes], bytes], packing: str
) -> None:
    packed = pack(json.dumps([{"a": 1}] * 50).encode())
    path = tmp_path / "d.json"
    for length in range(6, len(packed)):
        path.write_bytes(packed[:length])
        with pytest.raises(InputError, match=f"d.json: the {packing} stream ends early") as caught:
            read(path)
        assert "fetch it again" in caught.value.hint


def test_a_damaged_packed_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "d.json.gz"
    packed = bytearray(gzip.compress(json.dumps([{"a": 1}] * 50).encode()))
    packed[-5] ^= 1  # in the checksum
    path.write_bytes(packed)
    with pytest.raises(InputError, match="the gzip stream is damaged after byte"):
        read(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"<!DOCTYPE html>\n", r"byte 0 \(line 1\): not JSON, it begins '<!DOCTYPE html>'"),
        (b"\n\n  nothing", r"byte 4 \(line 3\): not JSON, it begins 'nothing'"),
        (b'{"data": [{"a": 1}]}', "the top level is one object, not a list"),
        (b'{\n "data": []\n}\n', "the top level is one object, not a list"),
        (b"[1, 2]", "byte 1: expected an object after 0 objects of the list, found '1, 2]'"),
        (b'[{"a": 1}, 2]', "byte 11: expected an object after 1 objects"),
        (b'[{"a": 1},]', "byte 10: expected an object after 1 objects"),
        (b'[{"a": 1} {"a": 2}]', "byte 10: expected ',' or ']' after 1 objects"),
        (b'[{"a": 1}] extra', "byte 11: 'extra' follows the end of the list"),
        (b"[] []", r"byte 3: '\[\]' follows the end of the list"),
        (b"\xff\xfe[\x00]\x00", "the text is UTF-16"),
        (b"PK\x03\x04rest", "is a zip archive"),
        (b" \n ", "is empty"),
    ],
)
def test_what_is_no_list_of_objects_is_refused(tmp_path: Path, text: bytes, message: str) -> None:
    path = tmp_path / "d.json"
    path.write_bytes(text)
    with pytest.raises(InputError, match=message):
        read(path)


def test_missing_files_and_folders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        read(tmp_path / "none.json")
    with pytest.raises(InputError, match="is a folder"):
        read(tmp_path)


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_large_file_is_not_held(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    text = json.dumps([{"id": index, "text": "word " * 40_000} for index in range(200)]).encode()
    path = tmp_path / "d.json"
    path.write_bytes(pack(text))
    tracemalloc.start()
    try:
        assert sum(1 for _ in json_objects(path, dict)) == 200
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < len(text) / 2


def test_an_object_of_another_kind_is_given_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "d.json"
    path.write_bytes(b'[{"a": 1}, {"a": NaN}, {"a": "}"}, {"a": "\xff"}, {"a": 2}]')
    first, second, third, fourth, fifth = json_objects(path, dict)
    assert (first, third, fifth) == (
        Decoded("object 1", {"a": 1}),
        Decoded("object 3", {"a": "}"}),
        Decoded("object 5", {"a": 2}),
    )
    assert isinstance(second, Refused)
    assert (second.place, second.data) == ("object 2", b'{"a": NaN}')
    assert isinstance(fourth, Refused)
    assert (fourth.place, fourth.data) == ("object 4", b'{"a": "\xff"}')
