"""Made-up questions in LongMemEval-S's format, an embedder for them, and recordings of them."""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from harness.cli.main import run

Object = dict[str, Any]
DIMENSION = 16
_VOCABULARY = (
    "kettle shed rain Lyon tram harbour piano violin lesson garden tomato seed pot bicycle wheel "
    "brake budget invoice rent library novel chapter marathon shoe blister cat vet vaccine bread "
    "flour oven recipe hotel booking flight delay museum ticket doctor appointment password laptop "
    "screen battery camera lens portrait wedding cousin birthday cake candle river bridge hike "
    "mountain snow jacket glove coffee bean grinder window curtain paint brush ladder roof"
)
WORDS = _VOCABULARY.split()
TYPES = ("multi-session", "temporal-reasoning", "knowledge-update", "single-session-user")


def vector_of(text: str) -> list[float]:
    """The sum of a vector for each word, so that texts with common words are near each other."""
    total = np.zeros(DIMENSION)
    for word in re.findall(r"\w+", text.lower()) or [text]:
        total += _vector_of_word(word)
    values: list[float] = total.tolist()
    return values


@cache
def _vector_of_word(word: str) -> NDArray[np.float64]:
    digest = hashlib.sha256(word.encode()).digest()[:DIMENSION]
    vector: NDArray[np.float64] = np.frombuffer(digest, dtype=np.uint8) / 128.0 - 1.0
    return vector


@dataclass
class WordEmbedder:
    """Gives `vector_of`, and remembers what it was asked."""

    name: str = "words"
    dimension: int = DIMENSION
    licence: str = "CC0-1.0"
    fingerprint: str = "f" * 64
    asked: list[str] = field(default_factory=list)

    def embed(self, text: str) -> NDArray[np.float32]:
        self.asked.append(text)
        return np.array(vector_of(text), dtype=np.float32)


@contextmanager
def word_embedder() -> Iterator[WordEmbedder]:
    """The embedder of every recording that is made meanwhile, whatever its name."""
    embedder = WordEmbedder()
    with pytest.MonkeyPatch.context() as patch:
        for module in (
            "harness.retrieval.source",
            "harness.recording.sources.dataset",
        ):
            patch.setattr(f"{module}.load_embedder", lambda name, options: embedder)
        yield embedder


def turn(role: str, content: str, **labels: bool) -> Object:
    return {"role": role, "content": content, **labels}


def question(question_id: str, sessions: Sequence[Sequence[Object]], **changes: Any) -> Object:
    """A question with these sessions, dated day by day; those with an evidence turn are its answer
    sessions. `changes` replace fields."""
    labelled = [any(one.get("has_answer") for one in session) for session in sessions]
    ids = [f"{'answer_' if label else ''}s{place}" for place, label in enumerate(labelled)]
    made: Object = {
        "question_id": question_id,
        "question_type": "multi-session",
        "question": "Where did the kettle go?",
        "answer": "to the shed",
        "question_date": "2023/05/30 (Tue) 23:40",
        "haystack_dates": [f"2023/05/{place % 28 + 1:02d} 10:00" for place in range(len(ids))],
        "haystack_session_ids": ids,
        "haystack_sessions": [list(session) for session in sessions],
        "answer_session_ids": [session_id for session_id in ids if session_id.startswith("answer")],
    }
    return made | changes


SESSIONS = (
    (turn("user", "Rain in Lyon again."),),
    (turn("user", "The kettle went to the shed.", has_answer=True), turn("assistant", "Noted.")),
    (turn("user", "A cat sat."), turn("assistant", "The kettle is loud.")),
)
"""Three short sessions; the second holds the evidence of `question`."""


def made_questions(count: int, seed: int = 1) -> list[Object]:
    """Questions over a shared pool of sessions, with the irregularities of the published data:
    integer answers, abstention, an empty turn, `<|endoftext|>`, haystacks out of order, a session
    twice, one without text, long turns, Japanese, and blocks of white space alone."""
    draw = random.Random(seed)
    pool = [_session(draw) for _ in range(40)]
    pool[3].append(turn("assistant", ""))
    pool[4].append(turn("user", "<|endoftext|>bye. <|endoftext|> "))
    pool[5].append(turn("user", "瓶はどこですか？ただし、雨の日です。猫は魚が好きです！"))
    pool[6].append(turn("assistant", "begin." + "\n" + " " * 1600 + "\nend."))
    pool[7] = [turn("user", "  "), turn("assistant", "")]
    pool[8] = [turn("user", "ok")]
    dates = [f"2023/{place % 12 + 1:02d}/{place % 27 + 1:02d} (Mon) 08:15" for place in range(40)]
    return [_question(draw, number, pool, dates) for number in range(count)]


def _question(
    draw: random.Random, number: int, pool: list[list[Object]], dates: list[str]
) -> Object:
    abstains = number % 11 == 10
    asked = draw.sample(WORDS, 4)
    evidence = [_evidence(draw, asked) for _ in range(draw.randint(1, 3))]
    shown = draw.sample(range(len(pool)), 13)
    if number % 7 == 0:
        shown.append(shown[0])
    sessions = [(f"pool_{place}", dates[place], pool[place]) for place in shown]
    for place, session in enumerate([] if abstains else evidence):
        sessions.append((f"answer_{number}_{place}", dates[draw.randrange(40)], session))
    draw.shuffle(sessions)
    return {
        "question_id": f"q{number}{'_abs' if abstains else ''}",
        "question_type": TYPES[number % len(TYPES)],
        "question": f"How did the {asked[0]} and the {asked[1]} {asked[2]} {asked[3]}?",
        "answer": number if number % 5 == 0 else f"by the {asked[0]}",
        "question_date": "2023/12/30 (Sat) 23:40",
        "haystack_dates": [date for _, date, _ in sessions],
        "haystack_session_ids": [session_id for session_id, _, _ in sessions],
        "haystack_sessions": [session for _, _, session in sessions],
        "answer_session_ids": [name for name, _, _ in sessions if name.startswith("answer")],
    }


def _session(draw: random.Random) -> list[Object]:
    turns = []
    for place in range(draw.randint(3, 6)):
        role = ("user", "assistant")[place % 2]
        turns.append(turn(role, _prose(draw, draw.randint(1, 3) if role == "user" else 12)))
    return turns


def _evidence(draw: random.Random, asked: Sequence[str]) -> list[Object]:
    said = f"My {asked[0]} was with the {asked[1]} at the {draw.choice(asked)}."
    return [
        turn("user", f"{_prose(draw, 1)} {said}", has_answer=True),
        turn("assistant", _prose(draw, 8), has_answer=False),
        turn("user", _prose(draw, 2)),
    ]


def _prose(draw: random.Random, sentences: int) -> str:
    made = []
    for _ in range(sentences):
        words = draw.choices(WORDS, k=draw.randint(5, 14))
        opening = draw.choice(["The", "However, the", "My", "1. A", "In fact, one"])
        made.append(f"{opening} {' '.join(words)}{draw.choice('.?!')}")
    return draw.choice([" ", "\n", "\n\n"]).join(made)


def write_questions(path: Path, questions: Sequence[Object]) -> Path:
    path.write_text(json.dumps(list(questions), ensure_ascii=False), encoding="utf-8")
    return path


def record(data: Path, out: Path, *more: str) -> int:
    """Run `harness record`, with a cache beside `out`."""
    cache = out.with_name(f"{out.name}.sqlite")
    given = ["record", "longmemeval", str(data), "--out", str(out), "--cache", str(cache), "-q"]
    return run([*given, *more])


def contents_of(folder: Path) -> dict[str, bytes]:
    """Every file below the folder, by its relative path; manifests without the version of the code,
    which changes when somebody works on it while tests run."""
    return {
        path.relative_to(folder).as_posix(): _without_code(path)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def _without_code(path: Path) -> bytes:
    data = path.read_bytes()
    if path.name != "manifest.json":
        return data
    # the manifest's hash of itself is of the code too
    return re.sub(rb'"code": \{[^{}]*\}|"manifest_sha256": "\w*"', b"", data)
