"""The harness finds arms by what they declare: no code of it spells one."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from harness.cli.main import run as call
from harness.model import Roles
from harness.points import arm_names, load_arm
from harness.points.arms import ARMS

from .make.offers import offer
from .make.recordings import small_recording

TEXTS = {"help", "example", "short_help", "epilog"}
"""Arguments that are texts for people: they may use an arm as an example."""

OTHER_MEANINGS = {
    "items": "a key of files: the places of a window",
    "evidence": "a key of files, a verb, and a table: what is labelled",
    "whole": "an opposite of 'in part'",
}
"""Names of arms that are words of the harness as well. Only a comparison with a point, or with the
name of its arm, would be meant as the arm."""


def literals(tree: ast.AST) -> Iterator[ast.Constant]:
    """String literals that are no documentation and no text for people."""
    documentation = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    texts = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.keyword) and node.arg in TEXTS
        for inner in ast.walk(node.value)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr):
            documentation.add(id(node.value))
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in documentation | texts
        ):
            yield node


def spells_an_arm(text: str) -> bool:
    """Whether a literal is an arm's name or a point, rather than a sentence that mentions one."""
    names = "|".join(map(re.escape, sorted(arm_names(), key=len, reverse=True)))
    if re.fullmatch(rf"({names})\s*\(.*\)?", text):
        return True
    return text in arm_names() and text not in OTHER_MEANINGS


def compares_with_an_arm(tree: ast.AST) -> Iterator[ast.Compare]:
    """Comparisons such as `point.arm == "items"` and `str(point) == "items"`."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Compare):
            continue
        sides = [node.left, *node.comparators]
        named = any(
            isinstance(inner, ast.Constant) and inner.value in OTHER_MEANINGS
            for side in sides
            for inner in ast.walk(side)
        )
        of_a_point = any(re.search(r"point|\barm\b", ast.unparse(side)) for side in sides)
        if named and of_a_point:
            yield node


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("x = 'count-curve(k=4)'", True),
        ("x = ('lookup-before', 1)", True),
        ("x = f'2.6.5a1({y})'", True),
        ("'''count-curve'''\nx = 1", False),
        ("option(help='Such as count-curve(k=4).')", False),
        ("x = 'Give a point such as count-curve(k=4).'", False),
        ("x = row['items']", False),
        ("x = point.arm == 'items'", True),
        ("x = [p for p in points if str(p) == 'whole']", False),
        ("x = [point for point in points if str(point) == 'whole']", True),
    ],
)
def test_what_counts_as_spelling_an_arm(code: str, found: bool) -> None:
    tree = ast.parse(code)
    spelled = any(spells_an_arm(str(node.value)) for node in literals(tree))
    assert (spelled or any(compares_with_an_arm(tree))) is found


def test_no_code_of_the_harness_spells_an_arm(checkout: Path) -> None:
    found = []
    for path in sorted((checkout / "harness").rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        found += [
            f"{path.relative_to(checkout)}:{node.lineno}: {node.value!r}"
            for node in literals(tree)
            if spells_an_arm(str(node.value))
        ]
        found += [
            f"{path.relative_to(checkout)}:{node.lineno}: {ast.unparse(node)}"
            for node in compares_with_an_arm(tree)
        ]
    assert found == []


@pytest.fixture
def plain_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A run at one arm that has no role, as most arms of other packages."""
    plain = replace(load_arm("items"), name="plain", roles=Roles())
    offer(monkeypatch, ARMS, plain=plain)
    folder = tmp_path / "run"
    points = ("--point", "plain(budget=900)", "--point", "plain")
    assert call(["replay", str(small_recording()), "--out", str(folder), *points]) == 0
    return folder


@pytest.mark.parametrize(
    "command",
    [
        "report RUN --out OUT",
        "evidence RUN --against plain",
        "instrument evidence RUN",
        "instrument loss RUN",
        "instrument rank RUN",
    ],
)
def test_an_arm_without_roles_runs_everywhere(plain_run: Path, command: str) -> None:
    out = str(plain_run.parent / "out")
    words = [{"RUN": str(plain_run), "OUT": out}.get(word, word) for word in command.split()]
    assert call(words) == 0


def test_curves_need_points_with_roles_and_say_which(
    plain_run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(["instrument", "curves", str(plain_run), "--curve", "plain"]) == 2
    assert "has no point of every item (items or count-curve(k=full))" in capsys.readouterr().err
    named = ["--curve", "plain", "--full", "plain"]
    assert call(["instrument", "curves", str(plain_run), *named]) == 0
