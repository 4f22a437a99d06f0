"""Points by the roles that their arms declare."""

from __future__ import annotations

from dataclasses import replace

import pytest

from harness.model import Arm, Parts, Role, Roles
from harness.points import (
    arms_with_parts,
    curve_arms,
    cutting_arms,
    load_arm,
    load_arms,
    make_point,
    parse_point,
    point_with,
    role_points,
)
from harness.points.arms import ARMS

from ..make.offers import offer


def spelled(role: Role) -> list[str]:
    return [str(point) for point in role_points(role)]


def test_the_roles_of_the_installed_arms() -> None:
    """What reports of earlier versions compare with."""
    assert spelled(Role.EVERY_ITEM) == ["items", "count-curve(k=full)"]
    assert spelled(Role.BASELINE) == ["count-curve(k=4)"]
    assert spelled(Role.REFERENCE) == ["2.6.5a1(budget=2800)"]
    assert spelled(Role.RANKING) == ["evidence(budget=2800)"]
    assert curve_arms() == ("count-curve", "quote-curve")
    assert [arm.name for arm in cutting_arms()] == ["count-curve"]
    assert [arm.name for arm in arms_with_parts()] == ["lookup-budgeted"]


def test_the_point_of_the_lowest_place_has_the_role_and_none_is_an_answer() -> None:
    items, full, four = map(parse_point, ("items", "count-curve(k=full)", "count-curve(k=4)"))
    assert point_with(Role.EVERY_ITEM, [four, full, items]) == items
    assert point_with(Role.EVERY_ITEM, [four, full]) == full
    assert point_with(Role.EVERY_ITEM, [four]) is None
    assert point_with(Role.EVERY_ITEM, [parse_point("items(budget=900)")]) is None


def test_an_arm_of_another_package_takes_a_role(monkeypatch: pytest.MonkeyPatch) -> None:
    first = replace(
        load_arm("items"),
        name="first",
        place=1,
        roles=Roles(points={Role.EVERY_ITEM: {"budget": 9000}}, curve=True),
    )
    offer(monkeypatch, ARMS, first=first)
    assert spelled(Role.EVERY_ITEM)[0] == "first(budget=9000)"
    assert curve_arms()[0] == "first"


def parts_of(arm: Arm) -> Parts:
    assert arm.roles.parts is not None
    return arm.roles.parts


@pytest.mark.parametrize("arm", load_arms(), ids=lambda arm: arm.name)
def test_what_an_arm_declares_exists(arm: Arm) -> None:
    """The settings are admitted, a part has a default that is not off, and names are installed."""
    parameters = {parameter.name: parameter for parameter in arm.parameters}
    for settings in arm.roles.points.values():
        assert make_point(arm, settings).arm == arm.name
    if arm.roles.cuts_by:
        assert parameters[arm.roles.cuts_by].kind is int
    if arm.roles.parts is not None:
        for name, off in parts_of(arm).off.items():
            assert parameters[name].check(off) == off
            assert parameters[name].default not in (None, off)
        assert parts_of(arm).without in ARMS
