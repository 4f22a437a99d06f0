"""What attempts spent their tokens on: figures counted by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.attempts.comparing.profile import Profile, ToolUse, TurnCost, profiles
from harness.attempts.comparing.report import read_report
from harness.attempts.comparing.spent import read_spent
from harness.attempts.comparing.superseded import supersede
from harness.attempts.scoring import Attempt, Call, Trace, Usage
from harness.errors import InputError
from harness.show.profile_tables import profile_rows, tokens_by_state, tokens_line

from ...make.reports import BEFORE, report, write

LOOKUP = "x_mark_lookup"
FETCH = "x_mark_fetch"


def attempt(
    task: str, turns: int, usage: Usage, *calls: Call, tokens: int | None = 30, category: str = "c"
) -> Attempt:
    trace = Trace(calls=calls, usage=usage, usage_complete=True, turns=turns)
    return Attempt(task, category, 1, trace, tool_result_tokens=tokens)


ATTEMPTS = [
    attempt(
        "a",
        3,
        Usage(input=100, output=10, reasoning=5, cache_read=80, cache_write=5),
        Call(FETCH, {"url": "/a.md"}),
        Call(LOOKUP, {"query": "a", "budget": 1500}),
        Call(FETCH, {"url": "/b.md"}, error="timed out"),
        Call(FETCH, {"url": "/b.md"}),
    ),
    attempt("b", 3, Usage(input=50, output=50), Call(LOOKUP, {"query": "b", "budget": 0})),
    attempt("c", 7, Usage(input=600, output=100), Call(FETCH, {"url": "/c.md"}), category="d"),
]


def test_the_profile_of_all() -> None:
    (found,) = profiles(ATTEMPTS, by_category=False)
    assert found == Profile(
        category=None,
        attempts=3,
        tokens=1000,
        tokens_complete=True,
        replayed_prompt_tokens=835 - 90,
        tool_result_tokens=90,
        output_tokens=165,
        turns=13,
        lookups=2,
        lookups_with_budget=1,
        looked_up=2,
        fetches_after_lookup=2,
        most_fetches_after_lookup=2,
        by_turns=(TurnCost(3, 2, 300), TurnCost(7, 1, 700)),
        by_tool=(ToolUse(FETCH, 4, 1), ToolUse(LOOKUP, 2, 0)),
    )


def test_by_category() -> None:
    found = profiles(ATTEMPTS, by_category=True)
    assert [(each.category, each.attempts, each.tokens) for each in found] == [
        ("c", 2, 300),
        ("d", 1, 700),
    ]
    assert (found[1].looked_up, found[1].fetches_after_lookup, found[1].lookups) == (0, 0, 0)


def test_what_was_not_recorded_is_not_known() -> None:
    silent = attempt("a", 3, Usage(input=10), Call(LOOKUP), tokens=None)
    (found,) = profiles([*ATTEMPTS, silent], by_category=False)
    assert (found.tool_result_tokens, found.replayed_prompt_tokens) == (None, None)
    assert (found.lookups, found.lookups_with_budget) == (3, None)


def test_shares_are_of_all_tokens(tmp_path: Path) -> None:
    (row,) = profile_rows(
        read_spent([write(tmp_path / "r.json", report(BEFORE))]), by_category=False
    )
    # 6 attempts of 780 tokens: 1 output and 1 reasoning each
    assert row["output_share"] == 12 / 780
    assert row["replayed_prompt_share"] is None  # what the tools printed was not counted
    assert row["lookups_with_budget"] is None  # no input was kept


def test_tokens_of_kept_and_superseded_reports(tmp_path: Path) -> None:
    folder = tmp_path / "reports"
    old = write(folder / "before.json", report(BEFORE))
    cheaper = {task: [(n // 2, ok) for n, ok in tries] for task, tries in BEFORE.items()}
    write(folder / "after.json", report(cheaper))
    (folder / "notes.json").write_text('{"a": 1}')
    rescored = {
        "rescored_from_sha256": f"sha256-{read_report(old).sha256}",
        "rescored_at": "2026-01-02",
        "scorer_implementation_sha256": "sha256-" + "1" * 64,
    }
    write(folder / "rescored.json", report(BEFORE, **rescored))
    supersede(old, "the schema changed")
    spent = read_spent([folder, old])
    assert [each.report.path.name for each in spent] == [
        "after.json",
        "before.json",
        "rescored.json",
    ]
    assert [each.superseded for each in spent] == [None] + ["the schema changed"] * 2
    assert spent[2].made_from == old
    assert tokens_by_state(spent) == {"kept": 390, "superseded": 780, "all": 1170}
    assert tokens_line(spent) == (
        "Tokens: 390 in kept reports, 780 in superseded ones, 1,170 altogether."
    )


def test_a_folder_without_reports(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a folder without reports of attempts"):
        read_spent([tmp_path])
