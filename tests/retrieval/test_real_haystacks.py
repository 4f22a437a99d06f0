"""The recall `bm25` on real haystacks, against the library used plainly."""

from __future__ import annotations

import gzip
import json
from itertools import islice
from pathlib import Path

import bm25s
import pytest

from harness.model import divide
from harness.retrieval import RecordTexts, load_recall

pytestmark = pytest.mark.shared


def record_of(session: list[dict[str, str]]) -> RecordTexts:
    text = "\n\n".join(f"{turn['role']}: {turn['content'].strip()}" for turn in session)
    return RecordTexts(text, tuple(text[start:end] for start, end, _ in divide(text)))


def test_windows_are_those_of_the_plain_library(shared: Path) -> None:
    path = shared / "data" / "longmemeval" / "longmemeval_s_subset35.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in islice(lines, 2):
            question = json.loads(line)
            records = [record_of(session) for session in question["haystack_sessions"]]
            texts = [record.text for record in records]
            index = bm25s.BM25(k1=1.5, b=0.75, method="lucene")
            index.index(
                bm25s.tokenize(texts, stopwords="en", show_progress=False), show_progress=False
            )
            expected, scores = index.retrieve(
                bm25s.tokenize(question["question"], stopwords="en", show_progress=False),
                k=10,
                show_progress=False,
                backend_selection="numpy",
            )
            found = load_recall("bm25").window(
                question["question"], records, items=10, reserved=2, vectors=None
            )
            assert [place.position for place in found[:10]] == expected[0].tolist()
            assert [place.score for place in found[:10]] == scores[0].tolist()
            assert len({place.position for place in found}) == 12
