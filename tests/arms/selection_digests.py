"""A hash of what every arm answers to the cases of a file, and to two lookups.

`python -m tests.arms.selection_digests CASES` is run by interpreters in which the project is not
installed, so arms are read from `pyproject.toml`, and nothing is imported but the arms and what
cases and selections need.
"""

from __future__ import annotations

import hashlib
import json
import sys
import tomllib
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path

from harness.model import Arm, Case, Query, Value, view_of
from harness.recording.case_reader import read_case
from harness.replay.context import render_context
from harness.replay.selection_writer import selection_object
from harness.worlds.assembly import lookup_case

from .lookups.made import document, lookup, rows

CHECKOUT = Path(__file__).resolve().parents[2]


def declared_arms() -> list[Arm]:
    """The arms that this project declares."""
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["project"]
    places = [place.split(":") for place in project["entry-points"]["harness.arms"].values()]
    return [getattr(import_module(module), name) for module, name in places]


def digests(cases: Iterable[Case]) -> dict[str, str]:
    """By arm: the hash of its answers at all default points, for the cases that it runs on."""
    known = [(case, *view_of(case)) for case in cases]
    found = {}
    for arm in declared_arms():
        digest = hashlib.sha256()
        for changed in arm.default_points:
            policy = arm.policy(_settings(arm, changed))
            for case, view, records in known:
                if case.kind in arm.accepts:
                    selection = policy.select(view)
                    context = render_context(selection, records)
                    value = selection_object(case, records, arm.name, selection, context)
                    digest.update(json.dumps(value, sort_keys=True).encode())
        found[arm.name] = digest.hexdigest()
    return found


def made_lookups() -> list[Case]:
    """A table of rows, sections and relations, and an empty one."""
    documents = (
        document("/a.md", "# A\n\nalpha\n\n## Part\n\n部分 " + "text " * 40, 1, rel_about="/b.md"),
        document("/b.md", "# B\n\nbeta", 2, rel_supersedes="/c.md"),
        document("/c.md", "# C\n\n" + "gamma. " * 90),
    )
    table = rows("/a.md#part", "/a.md", "/c.md", "/none.md")
    found = (lookup(table, documents[0], documents[2], documents[1]), lookup(()))
    return [
        lookup_case(f"lookup {number}", None, Query("alpha part?"), one, None)
        for number, one in enumerate(found)
    ]


def _settings(arm: Arm, changed: dict[str, Value]) -> dict[str, Value]:
    defaults = {one.name: one.default for one in arm.parameters if one.default is not None}
    return {**defaults, **changed}


def cases_of(path: Path) -> list[Case]:
    """The cases of a plain file without a header."""
    return [read_case(json.loads(line), str(path)) for line in path.open(encoding="utf-8")]


if __name__ == "__main__":
    print(json.dumps(digests([*cases_of(Path(sys.argv[1])), *made_lookups()])))
