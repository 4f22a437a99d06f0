"""Corpus files: packed or not, read with every fault named, written as they were read."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from harness.errors import Faults, InputError
from harness.worlds.corpus import (
    corpus_text,
    read_archived,
    read_document,
    read_lines,
    read_plain,
)
from harness.worlds.model import StoredDocument
from harness.worlds.packing import MAX_UNPACKED_BYTES, pack, unpacked

LINE = (
    '{"path":"/a/観.md","archived":true,"current_version":1,"versions":['
    '{"version":1,"modified":"2026-01-02","metadata":{"title":"T"},"body":"# T\\n"},'
    '{"version":3,"metadata":{},"body":""}]}\n'
)


def read(lines: str) -> tuple[dict[str, StoredDocument], list[str], list[str]]:
    unreadable, faults = Faults(), Faults()
    documents = read_lines(lines.encode("utf-8"), "corpus", read_document, unreadable, faults)
    return documents, list(unreadable), list(faults)


def test_what_is_read_is_written() -> None:
    documents, unreadable, faults = read(LINE)
    assert (unreadable, faults) == ([], [])
    (document,) = documents.values()
    assert (document.path, document.archived, document.current) == ("/a/観.md", True, 1)
    assert [each.number for each in document.versions] == [1, 3]
    assert dict(document.current_version.metadata) == {"title": "T"}
    assert document.current_version.modified == "2026-01-02"
    assert corpus_text([document]) == LINE


def test_the_last_version_is_current_unless_another_is_named() -> None:
    documents, _, _ = read(LINE.replace('"current_version":1,', ""))
    assert documents["/a/観.md"].current == 3
    assert documents["/a/観.md"].document(2) is None


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (("/a/観.md", "a.md"), "corpus line 1.path is 'a.md', expected one like '/folder/name.md'"),
        (
            ("/a/観.md", "/a/../b.md"),
            "corpus line 1.path is '/a/../b.md', expected one like '/folder/name.md'",
        ),
        (
            ('"archived"', '"archive"'),
            "corpus line 1.archive is an unknown key; did you mean 'archived'?",
        ),
        (
            ('"version":3', '"version":1'),
            "corpus line 1 (/a/観.md) has the versions [1, 1], expected them to rise",
        ),
        (
            ('"current_version":1', '"current_version":2'),
            "corpus line 1.current_version is 2, but the versions are [1, 3]",
        ),
        (
            ('"title":"T"', '"title":1'),
            "corpus line 1.versions[0].metadata.title is the number 1, expected a string",
        ),
        (
            ('"title"', '"\\ud800"'),
            "corpus line 1.versions[0].metadata has the key '\\ud800', which holds a lone "
            "surrogate, which is not Unicode text",
        ),
        (
            ('"body":""', '"text":""'),
            "corpus line 1.versions[1].body is missing",
        ),
    ],
)
def test_faults_are_named(change: tuple[str, str], fault: str) -> None:
    _, unreadable, faults = read(LINE.replace(*change))
    assert fault in [*unreadable, *faults]


def test_a_path_twice_and_broken_lines() -> None:
    _, unreadable, faults = read(LINE + LINE + '\n{"path": 1} x\n{"a": 1, "a": 2}\n[NaN]\n')
    assert faults == ["corpus holds '/a/観.md' twice"]
    assert unreadable == [
        "corpus line 4 has more after its JSON value ends (at character 13)",
        "corpus line 5 has the key 'a' twice",
        "corpus line 6[0] is nan, which JSON does not have",
    ]


@pytest.mark.parametrize("suffix", ["", ".gz", ".zst"])
def test_packing(tmp_path: Path, suffix: str) -> None:
    content = LINE.encode("utf-8") * 50
    packed = pack(content, suffix)
    assert pack(content, suffix) == packed
    path = tmp_path / "renamed"
    path.write_bytes(packed)
    assert unpacked(path) == content
    if suffix:
        assert len(packed) < len(content)
        path.write_bytes(packed[:-9])
        with pytest.raises(InputError, match="renamed"):
            unpacked(path)


def test_the_packings_are_the_ones_they_are_named_after() -> None:
    assert gzip.decompress(pack(b"x", ".gz")) == b"x"
    assert pa.CompressedInputStream(pa.BufferReader(pack(b"x", ".zst")), "zstd").read() == b"x"


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_a_small_file_cannot_fill_the_memory(
    tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert MAX_UNPACKED_BYTES == 1 << 30
    monkeypatch.setattr("harness.worlds.packing.MAX_UNPACKED_BYTES", 1000)
    path = tmp_path / "large"
    path.write_bytes(pack(bytes(1001), suffix))
    with pytest.raises(InputError, match="unpacks to more than 1,000 bytes"):
        unpacked(path)


def archived(**version: Any) -> dict[str, Any]:
    return {"Path": "/a.md", "Document": {"Versions": [version], "Archived": False}}


@pytest.mark.parametrize(
    "content",
    [
        "---\ntitle: T\n---\n# A\n",
        "LS0tCnRpdGxlOiBUCi0tLQojIEEK",  # the same bytes in base64
    ],
)
@pytest.mark.parametrize("number", ["Version", "Number"])
def test_a_line_of_an_archive(content: str, number: str) -> None:
    faults = Faults()
    value = archived(**{number: 4}, Content=content, Modified="2026-09-14T10:00:00Z")
    document = read_archived(value, "line 1", faults)
    assert list(faults) == []
    assert document is not None
    version = document.current_version
    assert (document.path, version.number, version.body) == ("/a.md", 4, "# A\n")
    assert dict(version.metadata) == {"title": "T"}


def test_faults_of_an_archive() -> None:
    faults = Faults()
    value = archived(Raw="---\nx\n---\n", Data="", Colour="red")
    read_archived(value | {"More": 1}, "line 1", faults)
    assert sorted(faults) == [
        "line 1.Document.Versions[0].Colour is an unknown key",
        "line 1.Document.Versions[0].Data says the same as Raw; expected one of them",
        "line 1.Document.Versions[0].Raw has front matter whose line 2 is 'x', expected "
        "`key: value`",
        "line 1.Document.Versions[0].Version is missing (so are Number)",
        "line 1.More is an unknown key",
    ]


def test_a_plain_corpus() -> None:
    faults = Faults()
    one = {"path": "/b.md", "metadata": {"importance": "0.5"}, "versions": ["x", "y"]}
    documents = read_plain([one | {"current_version": 1}], "corpus.json", faults)
    assert list(faults) == []
    document = documents["/b.md"]
    assert (document.current, len(document.versions)) == (1, 2)
    assert document.current_version.body == "x"
    read_plain(
        [one, one, {"path": "/c.md", "versions": []}, one | {"versions": []}], "corpus.json", faults
    )
    assert list(faults) == [
        "corpus.json[2].metadata is missing",
        "corpus.json[3] (/b.md) has no version",
        "corpus.json holds '/b.md' twice",
    ]
    read_plain({}, "corpus.json", faults)
    assert list(faults)[-1] == "corpus.json is an object, expected a list of documents"


def test_the_text_of_a_corpus_is_one_line_a_document_by_path() -> None:
    documents, _, _ = read(LINE + LINE.replace("/a/", "/A/"))
    lines = corpus_text(reversed(documents.values())).splitlines()
    assert [json.loads(line)["path"] for line in lines] == ["/A/観.md", "/a/観.md"]
