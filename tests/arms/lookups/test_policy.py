"""The three arms on a case, and what holds on every lookup."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arms.lookups.before import ARM as BEFORE
from arms.lookups.budgeted import ARM as BUDGETED
from arms.lookups.policy import ExpansionPolicy
from harness.model import (
    CaseView,
    Document,
    Expansion,
    ItemView,
    Lookup,
    OutsideScopeError,
    Query,
    RecordView,
    Selection,
    same_authority,
)
from harness.points import parse_point, parse_points

from .made import Fetcher, document, expanded, lookup, rows

A = document("/a.md", "# A\n\nalpha\n\n## Part\n\npart text", 1, rel_about="/b.md")
B = document("/b.md", "# B\n\nbeta", 2)
OFF = "whole_result=no, coalesce=no, pin=no, hop=none, omissions=no"


def view(made: Lookup, query: str = "q") -> CaseView:
    paths = dict.fromkeys(row.path for row in made.rows)
    window = [each for each in made.documents if each.path in paths]
    records = tuple(RecordView(each.body, None, each.metadata, None) for each in window)
    items = tuple(ItemView(place, (), False) for place in range(len(window)))
    return CaseView(Query(query), records, items, made)


def selected(point: str, made: Lookup) -> Selection:
    return parse_point(point).policy.select(view(made))


def test_the_table_alone() -> None:
    made = lookup(rows("/a.md"), A, B)
    found = selected("lookup-table()", made)
    assert (found.context, found.items, found.used) == (made.table, (), made.spent_bytes // 4)


def test_what_a_selection_quotes_and_costs() -> None:
    made = lookup(rows("/a.md#part"), A, B)
    found = selected("lookup-budgeted(budget_tokens=200)", made)
    start = A.body.index("## Part")
    assert [(item.item, item.head.record, item.head.ranges) for item in found.items] == [
        (0, 0, ((start, len(A.body)),)),
        (1, 1, ((0, len(B.body)),)),
    ]
    assert found.expansion is not None
    assert found.context == made.table + found.expansion.text
    assert (found.budget, found.budget_unit) == (200, "estimated_tokens")
    assert found.used == len(found.context) // 4


def test_before_neither_the_table_nor_notes_are_charged() -> None:
    one = document("/1.md", "# 1\n\none")  # 8 + 5 + 8 = 21 bytes
    fetch = Fetcher(one)
    table = rows("/none.md", "/1.md")
    free = expanded(table, fetch, spent=9999, tokens=6, whole_result=False, pin=False)
    assert free.rows_expanded == 1
    charged = expanded(table, fetch, spent=0, tokens=6)
    assert charged.rows_expanded == 0


def test_bytes_over_the_budget_are_counted() -> None:
    one = document("/1.md", "# 1\n\none", 1)  # 8 + 10 + 8 = 26 of the 28 bytes that are left
    found = expanded(rows("/1.md"), Fetcher(one), spent=100, tokens=32)
    closing = ">>> note: expanded 1 of 1 rows within the budget\n"
    assert found.text == f"\n>>> /1.md/v1#1\n\n# 1\n\none\n\n{closing}"
    assert found.note_bytes == 1 + len(closing)
    assert found.over_budget_bytes == 1 + 26 + len(closing) - 28


def test_the_older_arm_names_nothing_that_did_not_fit() -> None:
    big = document("/2.md", "# 2\n\n" + "x" * 400)
    made = lookup(rows("/2.md", "/b.md"), big, B)
    found = selected("lookup-before(budget_tokens=60)", made).expansion
    assert found is not None
    assert found.text == (
        "\n>>> /b.md/v2\n\n# B\n\nbeta\n\n>>> note: expanded 1 of 2 rows within the budget\n"
    )


WORDS = st.text("ab>#|\\ \nÄ日\x1c\x85", max_size=40)
TITLES = st.sampled_from(["One", "Two", "Three", "Four"])
PATHS = st.sampled_from(["/a.md", "/b.md", "/s/c.md", "/s/d.md", "mark://x/e.md", "f.md", "/no.md"])
REFERENCES = st.tuples(PATHS, st.sampled_from(["", "#one", "#none"])).map("".join)
METADATA = st.dictionaries(
    st.sampled_from(["rel-a", "rel-supersedes", "rel-", "tags"]),
    st.lists(REFERENCES, max_size=4).map(",".join),
    max_size=3,
)


@st.composite
def documents(draw: st.DrawFn) -> Document:
    titles = draw(st.lists(TITLES, unique=True, max_size=4))
    parts = [draw(WORDS).replace("#", "")]
    for title in titles:
        level = draw(st.integers(1, 3))
        text = draw(WORDS).replace("#", "") * draw(st.sampled_from([1, 1, 20]))
        parts.append(f"\n{'#' * level} {title}\n\n{text}\n")
    made = document(draw(PATHS), "".join(parts), draw(st.none() | st.integers(1, 3)))
    return replace(made, metadata=draw(METADATA))


@st.composite
def lookups(draw: st.DrawFn) -> Lookup:
    found = draw(st.lists(documents(), max_size=5, unique_by=lambda each: each.path))
    anchors = st.sampled_from(["", "", "#one", "#TWO", "#nowhere"])
    table = rows(*draw(st.lists(st.tuples(PATHS, anchors).map("".join), max_size=6)))
    named = [row.path for row in table]
    found.sort(key=lambda each: named.index(each.path) if each.path in named else len(named))
    return lookup(table, *found, scope=draw(st.sampled_from(["/", "/s", "/nothing"])))


POINTS = st.builds(
    "lookup-budgeted(budget_tokens={}, whole_result={}, coalesce={}, pin={}, hop={}, "
    "omissions={}, max_fetches={}, outline_threshold={}, charge_first_break={})".format,
    st.integers(0, 400),
    *[st.sampled_from(["yes", "no"])] * 3,
    st.sampled_from(["none", "strongest", "every-row"]),
    st.sampled_from(["yes", "no"]),
    st.integers(0, 4),
    st.integers(0, 100),
    st.sampled_from(["yes", "no"]),
)


@settings(max_examples=300, deadline=None)
@given(lookups(), POINTS, st.sampled_from(["", "a b", "ab. bb", "日"]))
def test_what_holds_on_every_lookup(made: Lookup, spelling: str, query: str) -> None:
    policy = parse_point(spelling).policy
    assert isinstance(policy, ExpansionPolicy)
    found = policy.select(view(made, query))
    expansion = found.expansion
    assert expansion is not None
    # bytes by part are all bytes
    parts = (expansion.block_bytes, expansion.stub_bytes, expansion.relation_bytes)
    assert sum(parts) + expansion.note_bytes == len(expansion.text.encode())
    # blocks and relation lines stay within the budget; the first line break may exceed it
    budget = policy.settings.budget_bytes
    spent = made.spent_bytes if policy.settings.whole_result else 0
    assert sum(parts) + (policy.settings.charge_first_break and any(parts)) <= max(
        0, budget - spent
    )
    # bytes beyond the budget are counted
    over = max(0, len(expansion.text.encode()) - max(0, budget - spent))
    assert budget < spent or expansion.over_budget_bytes == over
    # row blocks keep table order, and come first
    related = [block.related for block in expansion.blocks]
    assert related == sorted(related)
    order = [row.path for row in made.rows]
    places = [made.documents[block.record].path for block in expansion.blocks if not block.related]
    remaining = iter(order)
    assert all(any(path == each for each in remaining) for path, _ in _runs(places))
    # fetches and hops are bounded, within the scope and of the same authority
    outside = expansion.text.count(": outside the scope ")
    assert expansion.fetches <= policy.settings.max_fetches + outside
    assert expansion.related_documents <= policy.settings.max_related
    for block in expansion.blocks:
        path = made.documents[block.record].path
        assert made.within_scope(path)
        if block.related:
            assert any(same_authority(path, each) for each in order)
    # a block is citable, or its header says that it is not
    for block in expansion.blocks:
        assert ("#" in block.location) == (block.anchor is not None)
        assert f">>> {block.location}\n\n" in expansion.text
    headers = re.findall(r"^>>> (?!note: |related: )", expansion.text, re.MULTILINE)
    assert len(headers) == len(expansion.blocks)


def _runs(paths: list[str]) -> list[tuple[str, int]]:
    """Each run of equal neighbours once: one row may print several sections."""
    found: list[tuple[str, int]] = []
    for place, path in enumerate(paths):
        if not found or found[-1][0] != path:
            found.append((path, place))
    return found


@settings(deadline=None)
@given(lookups(), st.integers(0, 300), st.sampled_from(["", "a b"]))
def test_the_older_arm_is_the_newer_with_its_parts_off(
    made: Lookup, budget: int, query: str
) -> None:
    older = parse_point(f"lookup-before(budget_tokens={budget})").policy
    newer = parse_point(f"lookup-budgeted(budget_tokens={budget}, {OFF})").policy
    case = view(made, query)
    assert older.select(case).expansion == newer.select(case).expansion


@given(lookups())
def test_a_fetch_stays_in_its_scope(made: Lookup) -> None:
    for each in made.documents:
        inside = made.scope == "/" or each.path.startswith(f"{made.scope}/")
        if inside and each.path.startswith("/"):
            assert made.fetch(each.path)[1].path == each.path
        else:
            with pytest.raises(OutsideScopeError, match=f"^outside the scope {made.scope}$"):
                made.fetch(each.path)


def test_a_target_outside_the_scope_uses_no_fetch() -> None:
    away = [document(f"/away/{n}.md", f"# {n}") for n in range(3)]
    near = document("/in/near.md", "# Near\n\nn")
    targets = ", ".join(each.path for each in (*away, near))
    seed = document("/in/a.md", "# A\n\na", rel_about=targets)
    made = lookup(rows("/in/a.md"), seed, near, *away, scope="/in")
    found = selected("lookup-budgeted(max_fetches=2)", made).expansion
    assert found is not None
    assert [block.location for block in found.blocks] == ["/in/a.md#a", "/in/near.md#near"]
    assert found.fetches == 5  # three of them outside
    assert ">>> note: could not fetch /away/0.md: outside the scope /in\n\n" in found.text


def test_the_arms_declare_what_they_are() -> None:
    for arm in (BEFORE, BUDGETED):
        assert arm.accepts == ("lookup",)
        assert not arm.promises_growth
        points = [str(point) for point in parse_points([arm.name])]
        assert points == [
            arm.name if budget == 1500 else f"{arm.name}(budget_tokens={budget})"
            for budget in (500, 1000, 1500, 2000, 3000, 4000)
        ]


@settings(max_examples=60, deadline=None)
@given(lookups(), POINTS, st.sampled_from(["", "a b"]))
def test_nothing_changes_before_the_budget_that_is_missing(
    made: Lookup, spelling: str, query: str
) -> None:
    """`short_by` lets budgets be passed over: in between the same blocks are printed."""
    policy = parse_point(spelling).policy
    assert isinstance(policy, ExpansionPolicy)

    def printed(budget: int) -> Expansion:
        larger = replace(policy.settings, budget_tokens=budget)
        found = ExpansionPolicy(larger).select(view(made, query)).expansion
        assert found is not None
        return found

    start = max(1, policy.settings.budget_tokens)
    first = printed(start)
    steps = 60 if first.short_by is None else (first.short_by - 1) // 4
    for budget in range(start + 1, start + 1 + min(steps, 60)):
        later = printed(budget)
        assert later.blocks == first.blocks
        assert later.omitted == first.omitted
