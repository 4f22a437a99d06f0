"""The assistant's answers and the user's requests, put together from a topic and phrases."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence

from .material import Tip, Topic
from .wording import say

_DAYS = {
    "en": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    "ja": ("月曜日", "火曜日", "水曜日", "木曜日", "金曜日", "土曜日", "日曜日"),
}


SHARE_WITH_LONG_LIST = 0.2
SHARE_OF_MENTIONS = 0.55
SHARE_OF_FIRST = 0.6


class Deck:
    """Deals templates evenly: none returns before all of its kind have been dealt."""

    def __init__(self, generator: random.Random) -> None:
        self._generator = generator
        self._piles: dict[str, list[int]] = {}

    def deal(self, kind: str, size: int, avoid: set[int]) -> int:
        """The next index below `size` of a kind that is not in `avoid`, if any is left."""
        pile = self._piles.setdefault(kind, [])
        if not any(index not in avoid for index in pile):
            fresh = [index for index in range(size) if index not in pile]
            self._generator.shuffle(fresh)
            pile.extend(fresh)
        for place, index in enumerate(pile):
            if index not in avoid:
                return pile.pop(place)
        return pile.pop(0)


class Speaker:
    """Writes the turns of one session. Templates are not repeated within it while others last."""

    def __init__(
        self,
        topic: Topic,
        phrases: Mapping[str, tuple[str, ...]],
        deck: Deck,
        generator: random.Random,
    ) -> None:
        self.topic = topic
        self._phrases = phrases
        self._deck = deck
        self._generator = generator
        self._dealt: dict[str, set[int]] = {}
        self._once: list[str] = []
        self._abouts: list[str] = []
        self._has_long_list = generator.random() < SHARE_WITH_LONG_LIST
        self.title = topic.tips[0].title
        self.glue = "" if topic.language == "ja" else " "

    def phrase(self, section: str) -> str:
        """A sentence of the language's common phrases, about this topic."""
        return self._say(self._deal(section, self._phrases[section]))

    def ask(self) -> str:
        """A request of the user about the topic."""
        return self._say(self._deal("asks", self.topic.asks))

    def remember(self, about: str | None) -> None:
        """Something the user has told: later turns come back to it by this name."""
        if about is not None:
            self._abouts.append(about)

    @property
    def remembers(self) -> bool:
        return bool(self._abouts)

    def recall(self) -> str:
        """A request of the user that comes back to something told."""
        return self._of_something_told("recalls")

    def memory(self, about: str | None) -> str:
        """The user comes back to something told in an earlier session."""
        return self._say(self._deal("memories", self._phrases["memories"]), {"about": about or ""})

    def echo(self, about: str) -> str:
        """The assistant takes up what it was just told."""
        return self._say(self._deal("echoes", self._phrases["echoes"]), {"about": about})

    def farewell(self) -> str:
        return self._of_something_told("partings")

    def frame(self) -> str:
        """A sentence around a tip; some come back to something told."""
        if self._abouts and self._generator.random() < SHARE_OF_MENTIONS:
            return self._of_something_told("mentions")
        return self.phrase("frames")

    def _something_told(self) -> str:
        """Mostly what was told first: a session has one main thing."""
        if self._generator.random() < SHARE_OF_FIRST:
            return self._abouts[0]
        return self._generator.choice(self._abouts)

    def _of_something_told(self, section: str) -> str:
        about = self._something_told()
        return self._say(self._deal(section, self._phrases[section]), {"about": about})

    def tip(self) -> tuple[str, str]:
        """Title and text of a piece of advice."""
        tip = self._deal_tip()
        self.title = tip.title
        first, *others = tip.sentences
        kept = [first, *(other for other in others if self._generator.random() < 0.85)]
        return tip.title, self.glue.join(self._say(sentence) for sentence in kept)

    def answer(self, size: int) -> str:
        """A whole assistant turn of roughly `size` sentences."""
        parts = [self.phrase("intros")]
        parts += self._shape()(size)
        if self._generator.random() < 0.5:
            parts.append(self.phrase("caveats"))
        if self._generator.random() < 0.7:
            parts.append(self.phrase("closers"))
        return "\n\n".join(parts)

    def _shape(self) -> Callable[[int], list[str]]:
        """One of the forms of an answer; a table or a procedure comes once a session."""
        often = [self.numbered, self.bullets, self.paragraphs, self.paragraphs]
        once = [self.plan, self.procedure, self.table]
        if self._has_long_list:
            once += [self.checklist, self.timetable]
        if self.topic.code:
            once += [self.code, self.code]
        shape = self._generator.choice(often + [s for s in once if s.__name__ not in self._once])
        if shape in once:
            self._once.append(shape.__name__)
        return shape

    def numbered(self, size: int) -> list[str]:
        lines = []
        for number in range(1, max(3, size // 4) + 1):
            title, text = self.tip()
            lines.append(f"{number}. **{title}**: {text}")
        return ["\n".join(lines)]

    def bullets(self, size: int) -> list[str]:
        lines = []
        for _ in range(max(2, size // 4)):
            title, text = self.tip()
            lines.append(f"- **{title}**")
            lines.append(f"  - {text}")
            lines.append(f"  - {self.frame()}")
        return ["\n".join(lines)]

    def paragraphs(self, size: int) -> list[str]:
        parts: list[str] = []
        for _ in range(max(2, size // 5)):
            title, text = self.tip()
            sentences = [self._headed(title, text), self.frame()]
            if self._generator.random() < 0.5:
                sentences.append(self.phrase("caveats"))
            if parts and self._generator.random() < 0.5:
                sentences.insert(0, self.phrase("bridges"))
            parts.append(self.glue.join(sentences))
            if self._generator.random() < 0.4:
                parts.append(self._say(self._deal("notes", self.topic.notes)))
        return parts

    def _headed(self, title: str, text: str) -> str:
        if self.topic.language == "ja":
            return f"「{title}」という考え方もあります。{text}"
        return f"**{title}.** {text}"

    def plan(self, size: int) -> list[str]:
        days = list(_DAYS[self.topic.language])
        chosen = sorted(self._generator.sample(range(7), min(6, max(3, size // 2))))
        lines = []
        for index in chosen:
            template = self._deal("planlines", self._phrases["planlines"])
            lines.append("- " + self._say(template, {"dayname": days[index]}))
        return ["\n".join(lines), *self.paragraphs(size // 2)]

    def procedure(self, size: int) -> list[str]:
        count = min(len(self.topic.steps), max(4, size // 2))
        chosen = sorted(self._generator.sample(range(len(self.topic.steps)), count))
        steps = [self._say(self.topic.steps[index]) for index in chosen]
        lines = [f"{number}. {step}" for number, step in enumerate(steps, 1)]
        return ["\n".join(lines), *self.paragraphs(size // 2)]

    def table(self, size: int) -> list[str]:
        head, *rows = self.topic.table
        count = min(len(rows), max(3, size // 3))
        chosen = sorted(self._generator.sample(range(len(rows)), count))
        lines = [f"| {head} |", "| " + " | ".join("---" for _ in head.split("|")) + " |"]
        lines += [f"| {self._say(rows[index])} |" for index in chosen]
        return ["\n".join(lines), *self.paragraphs(size // 2)]

    def checklist(self, size: int) -> list[str]:
        """A long list whose lines have no full stop, as chat answers write it."""
        mark = self._generator.choice(("- ", "- [ ] ", "* ", "• "))
        lines = []
        for week in range(1, self._generator.randint(5, 7)):
            lines.append(f"**{self._week(week)}**")
            lines += [mark + self._item() for _ in range(self._generator.randint(5, 7))]
        return ["\n".join(lines), *self.paragraphs(size // 4)]

    def _item(self) -> str:
        if self._abouts and self._generator.random() < SHARE_OF_MENTIONS:
            return self._of_something_told("checkmentions")
        return self.phrase("checkitems")

    def timetable(self, size: int) -> list[str]:
        """A long table, one run of text without a sentence end."""
        head = self.phrase("tableheads")
        lines = [f"| {head} |", "| " + " | ".join("---" for _ in head.split("|")) + " |"]
        for week in range(1, self._generator.randint(18, 24)):
            last = "{measure}"
            if self._abouts and self._generator.random() < SHARE_OF_MENTIONS:
                last = self._something_told()
            row = self._say("{action} | {doing} | {10-50} | " + last)
            lines.append(f"| {self._week(week)} | {row} |")
        return ["\n".join(lines), *self.paragraphs(size // 4)]

    def _week(self, number: int) -> str:
        return f"{number}週目" if self.topic.language == "ja" else f"Week {number}"

    def code(self, size: int) -> list[str]:
        snippet = self._deal("code", self.topic.code)
        return [self.phrase("frames"), snippet, *self.paragraphs(size - 5)]

    def _deal(self, kind: str, templates: Sequence[str]) -> str:
        return templates[self._index(kind, len(templates))]

    def _deal_tip(self) -> Tip:
        return self.topic.tips[self._index("tips", len(self.topic.tips))]

    def _index(self, kind: str, size: int) -> int:
        avoid = self._dealt.setdefault(kind, set())
        if len(avoid) == size:
            avoid.clear()
        index = self._deck.deal(kind, size, avoid)
        avoid.add(index)
        return index

    def _say(self, template: str, given: Mapping[str, str] | None = None) -> str:
        values = {"title": self.title, **(given or {})}
        return say(template, self._generator, self.topic.lexicon, values)
