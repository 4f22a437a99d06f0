"""Every pattern of the code, how it is used, and texts that would make it slow.

A pattern that tries the same characters in several ways takes a time that grows with the square of
a text, or worse. Such a text is a beginning that fits, a piece many times, and an end that does not
fit; beginnings and pieces are taken from the pattern itself.
"""

from __future__ import annotations

import ast
import importlib
import itertools
import pkgutil
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from re import _constants as kinds  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from types import ModuleType
from typing import Any

import arms
import harness

ANYWHERE = ("search", "sub", "subn", "split", "findall", "finditer")
METHODS = ("match", "fullmatch", *ANYWHERE)
SIZES = (*range(8, 32, 2), 60, 250, 1000, 6000)
"""Characters of the texts that are tried, one after the other until one is slow: the first are for
a time that doubles with every character."""
SLOW_SECONDS = 0.002
PIECES = 8
ENDS = ("\x00", "\n", " \x00")
_REPRESENTATIVES = {
    kinds.CATEGORY_DIGIT: "1",
    kinds.CATEGORY_SPACE: " ",
    kinds.CATEGORY_WORD: "a",
    kinds.CATEGORY_NOT_DIGIT: "a",
    kinds.CATEGORY_NOT_SPACE: "a",
    kinds.CATEGORY_NOT_WORD: "!",
}


@dataclass(frozen=True)
class Used:
    """A pattern, and by which methods the code uses it."""

    name: str
    pattern: re.Pattern[Any]
    methods: tuple[str, ...]


def used_patterns() -> list[Used]:
    """Every pattern at the top of a module, in a list of it, or given to a function of `re` or to
    `matching`."""
    trees = {module: ast.parse(Path(str(module.__file__)).read_text()) for module in _modules()}
    found = []
    for module, tree in trees.items():
        for name, value in vars(module).items():
            patterns = list(_patterns(value))
            if not patterns or not _is_assigned(tree, name):
                continue
            users = [tree] if name.startswith("_") else list(trees.values())
            methods = {method for user in users for method in _called(user, name)}
            for number, pattern in enumerate(patterns):
                title = f"{module.__name__}.{name}{f'[{number}]' if number else ''}"
                found.append(Used(title, pattern, tuple(sorted(methods)) or METHODS))
        found += list(_inline(module.__name__, tree))
    return found


def _patterns(value: Any) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, list | tuple):
        for entry in value:
            yield from _patterns(entry)
    elif isinstance(value, dict):
        yield from _patterns(list(value.values()))


def _modules() -> Iterator[ModuleType]:
    for package in (harness, arms):
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            yield importlib.import_module(found.name)


def _is_assigned(tree: ast.Module, name: str) -> bool:
    return any(
        isinstance(target, ast.Name) and target.id == name
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
    )


def _called(tree: ast.Module, name: str) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in METHODS:
            owner = node.value
            if name in (getattr(owner, "id", None), getattr(owner, "attr", None)):
                yield node.attr


def _inline(module: str, tree: ast.Module) -> Iterator[Used]:
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and node.args):
            continue
        given, method = node.args[0], getattr(node.func, "attr", "")
        if not isinstance(given, ast.Constant) or not isinstance(given.value, str | bytes):
            continue
        if getattr(node.func, "id", None) == "matching":
            method = "fullmatch"
        elif method not in METHODS or ast.unparse(node.func) != f"re.{method}":
            continue
        yield Used(f"{module}:{node.lineno}", re.compile(given.value), (method,))


def slow_texts(used: Used) -> list[str]:
    """Describe the texts for which the time of a method grows faster than they do."""
    return [
        f"{used.name}.{method}: {prefix!a} + {pump!a} * n + {end!a}"
        for method in used.methods
        for prefix, pump, end in _attacks(used.pattern)
        if _is_slow(used.pattern, method, prefix, pump, end)
    ]


def _is_slow(pattern: re.Pattern[Any], method: str, prefix: str, pump: str, end: str) -> bool:
    """Whether a text is slow, and half of it takes much less than half the time."""

    def seconds(size: int) -> float:
        text: Any = prefix + pump * (size // len(pump)) + end
        if isinstance(pattern.pattern, bytes):
            text = text.encode()
        return _seconds(pattern, method, text)

    for size in SIZES:
        if seconds(size) > SLOW_SECONDS:
            one, two = (min(seconds(part) for _ in range(3)) for part in (size // 2, size))
            return two > max(3 * one, SLOW_SECONDS)
    return False


def _seconds(pattern: re.Pattern[Any], method: str, text: Any) -> float:
    arguments = (text[:0], text) if method in ("sub", "subn") else (text,)
    began = time.thread_time()
    outcome = getattr(pattern, method)(*arguments)
    if method == "finditer":
        for _ in outcome:
            pass
    return time.thread_time() - began


def _attacks(pattern: re.Pattern[Any]) -> Iterator[tuple[str, str, str]]:
    text: Any = pattern.pattern
    if isinstance(text, bytes):
        text = text.decode("latin-1")
    tree = _parser.parse(text, pattern.flags & ~re.UNICODE & ~re.ASCII)
    pieces = list(dict.fromkeys(piece for piece in _pieces(tree) if piece))[:PIECES]
    pumps = dict.fromkeys([*pieces, *map("".join, itertools.permutations(pieces, 2))])
    yield from itertools.product(dict.fromkeys(_prefixes(tree)), pumps, ENDS)


def _prefixes(tree: Any) -> Iterator[str]:
    """What fits the pattern up to each of its repetitions."""
    yield ""
    text = ""
    for kind, value in tree:
        if kind is not kinds.LITERAL:
            yield text
        text += _example([(kind, value)])
        if kind is not kinds.LITERAL:
            yield text


def _pieces(tree: Any) -> Iterator[str]:
    """Words of literal characters, and a character of each set."""
    word = ""
    for kind, value in tree:
        if kind is kinds.LITERAL:
            word += chr(value)
            continue
        yield word
        word = ""
        for below in _below(kind, value):
            yield from _pieces(below)
        if kind in (kinds.IN, kinds.ANY, kinds.NOT_LITERAL):
            yield _example([(kind, value)])
    yield word


def _below(kind: Any, value: Any) -> Sequence[Any]:
    if kind in (kinds.MAX_REPEAT, kinds.MIN_REPEAT, kinds.POSSESSIVE_REPEAT):
        return [value[2]]
    if kind is kinds.SUBPATTERN:
        return [value[-1]]
    if kind is kinds.ATOMIC_GROUP:
        return [value]
    if kind is kinds.BRANCH:
        return list(value[1])
    if kind in (kinds.ASSERT, kinds.ASSERT_NOT):
        return [value[1]]
    return []


def _example(tree: Any) -> str:
    """A text that fits, if no assertion is in the way."""
    text = ""
    for kind, value in tree:
        if kind is kinds.LITERAL:
            text += chr(value)
        elif kind in (kinds.ANY, kinds.NOT_LITERAL):
            text += "a"
        elif kind is kinds.IN:
            text += _member(value)
        elif kind in (kinds.ASSERT, kinds.ASSERT_NOT, kinds.AT):
            continue
        elif kind is kinds.BRANCH:
            text += _example(value[1][0])
        elif kind in (kinds.MAX_REPEAT, kinds.MIN_REPEAT, kinds.POSSESSIVE_REPEAT):
            text += _example(value[2]) * max(1, value[0])
        else:
            text += "".join(_example(below) for below in _below(kind, value))
    return text


def _member(members: Sequence[Any]) -> str:
    if members[0][0] is kinds.NEGATE:
        excluded = re.compile(f"[{''.join(_spelled(member) for member in members[1:])}]")
        return next(letter for letter in "a 1-!.Z\u3042" if not excluded.match(letter))
    kind, value = members[0]
    if kind is kinds.CATEGORY:
        return _REPRESENTATIVES[value]
    return chr(value[0] if kind is kinds.RANGE else value)


def _spelled(member: Any) -> str:
    kind, value = member
    if kind is kinds.CATEGORY:
        letter = {"DIGIT": "d", "SPACE": "s", "WORD": "w"}[str(value).rpartition("_")[2]]
        return f"\\{letter.upper() if '_NOT_' in str(value) else letter}"
    if kind is kinds.RANGE:
        return f"{re.escape(chr(value[0]))}-{re.escape(chr(value[1]))}"
    return re.escape(chr(value))
