"""`external(name=…)`: a point like any other, but for being computed."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.cli.main import run
from harness.errors import UsageError
from harness.model import CaseView, Query
from harness.points import arm_names, default_points, load_arm, parse_point, parse_points


def test_it_is_spelled_compared_and_stored_like_any_point() -> None:
    point = parse_point(" external ( name = rag_con.v1 ) ")
    assert str(point) == "external(name=rag_con.v1)"
    assert point == parse_point(str(point))
    assert (point.arm, dict(point.settings)) == ("external", {"name": "rag_con.v1"})


def test_it_is_no_arm_to_choose_from() -> None:
    assert "external" not in arm_names()
    assert "external" not in {point.arm for point in default_points()}
    assert load_arm("external").summary.startswith("recorded answers")


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("external", "external needs name: a word"),
        ("external(nmae=x)", "Did you mean 'external(name=x)'?"),
        ("externl(name=x)", "Did you mean 'external(name=x)'?"),
        ("external(name=a b)", "is not spelled name=value"),
    ],
)
def test_what_is_misspelled_is_mended(typed: str, message: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_point(typed)
    assert message in str(refused.value)


def test_it_is_not_computed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UsageError) as refused:
        parse_points(["items", "external(name=a)", "external(name=b)"])
    assert "point 'external(name=a)'" in refused.value.message
    assert "point 'external(name=b)'" in refused.value.message
    with pytest.raises(UsageError, match="selects nothing"):
        parse_point("external(name=a)").policy.select(CaseView(Query("q"), (), ()))
    out = tmp_path / "run"
    assert run(["replay", str(tmp_path), "--out", str(out), "--point", "external(name=a)"]) == 2
    assert "harness grades import" in capsys.readouterr().err
    assert not out.exists()
