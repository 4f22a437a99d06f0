"""Names: one public class name means one thing, and names that are strings can be imported."""

from __future__ import annotations

import ast
import importlib
import tomllib
from collections import defaultdict
from importlib.metadata import entry_points
from pathlib import Path

import click
import pytest

from harness.cli.main import VERBS

CHECKOUT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["project"]
GROUPS = {"console_scripts": PROJECT["scripts"], **PROJECT["entry-points"]}
ENTRIES = [(group, name, place) for group, names in GROUPS.items() for name, place in names.items()]


@pytest.mark.parametrize(("group", "name", "place"), ENTRIES)
def test_every_entry_point_can_be_imported(group: str, name: str, place: str) -> None:
    module, attribute = place.split(":")
    assert getattr(importlib.import_module(module), attribute) is not None
    # and it is what is installed: an editable install keeps the names of the day it was made
    (installed,) = entry_points(group=group, name=name)
    assert installed.value == place


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_can_be_imported(verb: str) -> None:
    module, attribute, help_line = VERBS[verb]
    command = getattr(importlib.import_module(module), attribute)
    assert isinstance(command, click.Command)
    assert help_line.endswith(".")


def test_a_public_class_name_means_one_thing() -> None:
    """Of all classes of `harness` and `arms`, nested ones too; private names are their module's."""
    places = defaultdict(list)
    for package in ("harness", "arms"):
        for path in sorted((CHECKOUT / package).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    places[node.name].append(f"{path.relative_to(CHECKOUT)}:{node.lineno}")
    assert {name: found for name, found in places.items() if len(found) > 1} == {}
