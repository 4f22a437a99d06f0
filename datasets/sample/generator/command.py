"""Generate, check, and write or compare."""

from __future__ import annotations

import argparse
import json
import lzma
import random
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from .checks import check_pool, check_questions, record_text
from .conversation import write_sessions
from .haystack import Pool, SessionNames, write_questions
from .material import read_material
from .oddities import add_oddities
from .timeline import date_events, plan_sessions

SEED = 20220101
# Haystacks, dates and openings of the questions; the pool of sessions does not depend on it.
QUESTION_SEED = 2
FOLDER = Path(__file__).resolve().parent.parent
DATASET = FOLDER / "sample.json.xz"
QUESTIONS = FOLDER / "questions.jsonl"
# The dictionary spans the whole file (63 MB), so a session that occurs often is stored once.
FILTERS: list[dict[str, int]] = [
    {
        "id": lzma.FILTER_LZMA2,
        "preset": 9 | lzma.PRESET_EXTREME,
        "dict_size": 64 * 1024 * 1024,
    }
]


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="Generate the bundled sample dataset.")
    parser.add_argument("--check", action="store_true", help="compare with the committed files")
    options = parser.parse_args(arguments)
    questions = generate()
    content = json.dumps(questions).encode()
    listing = "".join(_listed(question) + "\n" for question in questions)
    print(f"sha256 {sha256(content).hexdigest()}, {len(content):,} bytes uncompressed")
    if options.check:
        return _compare(content, listing)
    DATASET.write_bytes(lzma.compress(content, format=lzma.FORMAT_XZ, filters=FILTERS))
    QUESTIONS.write_text(listing, encoding="utf-8", newline="\n")
    print(f"wrote {DATASET.name}, {DATASET.stat().st_size:,} bytes, and {QUESTIONS.name}")
    return 0


def generate() -> list[dict[str, Any]]:
    """Every question object, checked."""
    material = read_material()
    plans = plan_sessions(material, random.Random(f"{SEED} timeline"))
    events = date_events(material, plans)
    sessions = add_oddities(write_sessions(material, plans, events, SEED), material, SEED)
    blocks = check_pool(sessions)
    questions = write_questions(Pool(material, sessions, events, SessionNames(SEED), QUESTION_SEED))
    literal = check_questions(questions)
    sizes = sorted(len(record_text(session)) for session in sessions)
    print(
        f"{len(sessions)} sessions of {sizes[0]:,} to {sizes[-1]:,} characters, "
        f"{sum(sizes):,} in all; {blocks:,} distinct blocks; "
        f"{len(questions)} questions, {literal} with a literal answer"
    )
    return questions


def _listed(question: Mapping[str, Any]) -> str:
    listed = {key: question[key] for key in ("question_id", "question_type")}
    text = question["question"].strip().encode("utf-8")
    return json.dumps({**listed, "question_sha256": sha256(text).hexdigest()})


def _compare(content: bytes, listing: str) -> int:
    with lzma.open(DATASET) as file:
        committed = sha256(file.read()).hexdigest()
    if committed != sha256(content).hexdigest():
        print(f"{DATASET.name} differs: it holds {committed}; regenerate it without --check")
        return 1
    if QUESTIONS.read_text(encoding="utf-8") != listing:
        print(f"{QUESTIONS.name} differs; regenerate it without --check")
        return 1
    print("the committed files are the generated ones")
    return 0
