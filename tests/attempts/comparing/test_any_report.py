"""Whatever stands in a report: it is read or refused, never a crash."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.attempts.comparing.comparison import Ask, compare
from harness.attempts.comparing.report import Report, read_report
from harness.errors import InputError

from ...make.reports import BEFORE, HASH, report, write

WHOLE = report(
    BEFORE,
    rescored_from_sha256=HASH,
    rescored_at="2026-01-01",
    scorer_implementation_sha256=HASH,
    metrics_only=True,
    source_report_sha256=HASH,
    tool_result_tokens=0,
)
ODD = [None, [], {}, "", "x", -1, 0, 3, 2**40, 1e300, True, False, [None], {"a": 1}]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    if isinstance(value, dict):
        for key, entry in value.items():
            yield from places(entry, (*path, key))
    elif isinstance(value, list):
        for index, entry in enumerate(value[:2]):
            yield from places(entry, (*path, index))


PLACES = list(places(WHOLE))


@settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.sampled_from(PLACES), st.sampled_from(ODD), st.booleans())
def test_any_value_anywhere(tmp_path: Path, path: tuple[Any, ...], odd: Any, removed: bool) -> None:
    value = copy.deepcopy(WHOLE)
    place = value
    for key in path[:-1]:
        place = place[key]
    if removed:
        del place[path[-1]]
    else:
        place[path[-1]] = odd
    file = tmp_path / "r.json"
    file.write_text(json.dumps(value), "utf-8")
    before = read_report(write(tmp_path / "before.json", WHOLE))
    after = read_or_refused(file)
    if isinstance(after, InputError):
        assert str(file) in after.message
    else:
        found = compare(before, after, Ask())
        assert bool(found.reasons) is (found.measures == ())


def read_or_refused(file: Path) -> Report | InputError:
    try:
        return read_report(file)
    except InputError as error:
        return error
