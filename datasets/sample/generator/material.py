"""The authored material: topics and phrases (text files), threads of facts and questions (TOML)."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MATERIAL = Path(__file__).resolve().parent.parent / "material"


@dataclass(frozen=True)
class Tip:
    """A piece of advice: its title and the templates of its sentences."""

    title: str
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class Topic:
    """What a session is about."""

    name: str
    language: str
    lexicon: Mapping[str, tuple[str, ...]]
    asks: tuple[str, ...]
    tips: tuple[Tip, ...]
    notes: tuple[str, ...]
    steps: tuple[str, ...]
    table: tuple[str, ...]
    code: tuple[str, ...]


@dataclass(frozen=True)
class Fact:
    """Something told in one session; `ago` days lie between the event and the telling.

    `about` is the thing as both sides call it later in the session; it never holds the answer of a
    question that has one literal answer.
    """

    thread: str
    key: str
    topic: str
    month: str
    user: str
    also: str | None = None
    assistant: str | None = None
    about: str | None = None
    label: str | None = None
    value: int | None = None
    ago: int = 0
    align: str | None = None
    marked: bool = True
    decoy: bool = False

    @property
    def name(self) -> str:
        return f"{self.thread}/{self.key}"


@dataclass(frozen=True)
class Question:
    """A question about the facts `uses` of a thread; `answer` may hold slots to compute."""

    thread: str
    number: int
    type: str
    ask: str
    answer: str
    uses: tuple[str, ...]
    integer: bool = False
    abstention: bool = False
    weeks_after: str | None = None


@dataclass(frozen=True)
class Thread:
    """Facts that belong together, near misses that share their words, and questions."""

    name: str
    facts: tuple[Fact, ...]
    questions: tuple[Question, ...]
    conflicts: tuple[str, ...]


@dataclass(frozen=True)
class Material:
    """Everything authored. `phrases` is by language, then by section."""

    topics: Mapping[str, Topic]
    phrases: Mapping[str, Mapping[str, tuple[str, ...]]]
    threads: tuple[Thread, ...]


def read_material() -> Material:
    """Read every file of the material folder, in a fixed order."""
    topics = {path.stem: _topic(path) for path in sorted((MATERIAL / "topics").glob("*.txt"))}
    phrases = {
        "en": {name: _lines(body) for name, body in _sections(MATERIAL / "english.txt").items()},
        "ja": {name: _lines(body) for name, body in _sections(MATERIAL / "japanese.txt").items()},
    }
    threads: list[Thread] = []
    for path in sorted((MATERIAL / "threads").glob("*.toml")):
        document = tomllib.loads(path.read_text(encoding="utf-8"))
        threads.extend(_thread(table) for table in document["thread"])
    return Material(topics, phrases, tuple(threads))


def _sections(path: Path) -> dict[str, str]:
    """The text under each `## name` line; what stands before the first is section ''."""
    sections: dict[str, list[str]] = {"": []}
    name = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            name = line[3:].strip()
            sections[name] = []
        else:
            sections[name].append(line)
    return {name: "\n".join(lines).strip("\n") for name, lines in sections.items()}


def _lines(body: str) -> tuple[str, ...]:
    return tuple(line for line in body.splitlines() if line.strip())


def _topic(path: Path) -> Topic:
    sections = _sections(path)
    heads = dict(line.split(": ", 1) for line in _lines(sections[""]))
    language = heads.pop("language", "en")
    lexicon = {name: tuple(values.split(" | ")) for name, values in heads.items()}
    tips = []
    for paragraph in sections["tips"].split("\n\n"):
        title, *sentences = _lines(paragraph)
        tips.append(Tip(title, tuple(sentences)))
    code = tuple(part.strip() for part in sections.get("code", "").split("\n\n```") if part.strip())
    return Topic(
        name=path.stem,
        language=language,
        lexicon=lexicon,
        asks=_lines(sections["asks"]),
        tips=tuple(tips),
        notes=_lines(sections["notes"]),
        steps=_lines(sections["steps"]),
        table=_lines(sections["table"]),
        code=tuple(part if part.startswith("```") else "```" + part for part in code),
    )


def _thread(table: Mapping[str, Any]) -> Thread:
    name, topic = table["id"], table["topic"]
    about = {"about": table["about"]} if "about" in table else {}
    facts = [_fact(name, topic, {**about, **entry}) for entry in table["facts"]]
    decoys = [
        _fact(name, topic, {"key": f"decoy{number}", "decoy": True, **entry})
        for number, entry in enumerate(table.get("decoys", []))
    ]
    keys = tuple(fact.key for fact in facts)
    questions = tuple(
        Question(
            thread=name,
            number=number,
            uses=tuple(entry.get("uses", keys)),
            **{key: value for key, value in entry.items() if key != "uses"},
        )
        for number, entry in enumerate(table["questions"])
    )
    return Thread(name, tuple(facts + decoys), questions, tuple(table.get("conflicts", [])))


def _fact(thread: str, topic: str, entry: Mapping[str, Any]) -> Fact:
    values = dict(entry)
    month = values.pop("at")
    marked = not values.pop("unmarked", False)
    values.setdefault("about", values.get("label"))
    return Fact(thread=thread, topic=topic, month=month, marked=marked, **values)
