"""What installed packages offer by entry point."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from types import ModuleType

import pytest

from harness import registry
from harness.errors import PlugInWarning, UsageError
from harness.registry import Registry


@dataclass(frozen=True)
class Tool:
    name: str


def tools(patch: pytest.MonkeyPatch, *offers: tuple[str, str]) -> Registry[Tool]:
    """A registry of tools, with these entry points: name and `module:object`."""
    points = [EntryPoint(name, value, "tools") for name, value in offers]
    patch.setattr(registry, "entry_points", lambda group: points if group == "tools" else [])
    return Registry(
        "tools",
        lambda loaded: "" if isinstance(loaded, Tool) else f"is {type(loaded).__name__}",
        "tool",
        wanted="a Tool",
        reserved={"own": Tool("own")},
    )


@pytest.fixture
def shed(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("shed")
    vars(module).update(SAW=Tool("saw"), AXE=Tool("axe"), NAIL=3)
    monkeypatch.setitem(sys.modules, "shed", module)


@pytest.mark.usefixtures("shed")
def test_an_entry_is_loaded_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    found = tools(monkeypatch, ("saw", "shed:SAW"), ("axe", "shed:AXE"))
    assert found.names() == ["axe", "saw"]
    assert found.load("saw") == Tool("saw")
    assert "saw" in found
    assert "own" not in found.names()
    assert found.load("own") == Tool("own")


def test_listing_names_imports_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    found = tools(monkeypatch, ("saw", "no_such_module:SAW"))
    assert found.names() == ["saw"]
    assert "saw" in found


@pytest.mark.usefixtures("shed")
@pytest.mark.parametrize(
    ("offers", "name", "message"),
    [
        ([("saw", "shed:SAW")], "swa", "no tool 'swa'; did you mean 'saw'?"),
        ([("saw", "shed:SAW"), ("saw", "barn:SAW")], "saw", "shed:SAW and barn:SAW"),
        ([("saw", "shed:AXE")], "saw", "shed:AXE is named 'axe', but its entry point says 'saw'"),
        ([("saw", "shed:NAIL")], "saw", "the tool 'saw' of shed:NAIL is int"),
        ([("saw", "no_such_module:SAW")], "saw", "cannot be imported from no_such_module:SAW"),
        ([("saw", "shed:HOE")], "saw", "cannot be imported from shed:HOE"),
    ],
)
def test_what_cannot_be_used_is_refused_by_name(
    offers: list[tuple[str, str]], name: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = tools(monkeypatch, *offers)
    with pytest.raises(UsageError) as raised:
        found.load(name)
    assert message in raised.value.message
    assert raised.value.hint


@pytest.mark.usefixtures("shed")
def test_what_clashes_is_left_out_with_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    found = tools(
        monkeypatch,
        *(("axe", "shed:AXE"), ("own", "shed:SAW"), ("saw", "shed:SAW"), ("saw", "barn:SAW")),
    )
    with pytest.warns(PlugInWarning) as warned:
        assert found.names() == ["axe"]
    messages = [str(warning.message) for warning in warned]
    assert "'own' of shed:SAW has a name that the harness keeps for itself" in messages[0]
    assert "several packages offer the tool 'saw': shed:SAW and barn:SAW" in messages[1]
    assert found.load("own") == Tool("own")


@pytest.mark.usefixtures("shed")
def test_what_cannot_be_loaded_is_left_out_with_one_warning(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    exits = ModuleType("exits")
    exits.__getattr__ = lambda name: sys.exit(3)  # type: ignore[method-assign]
    monkeypatch.setitem(sys.modules, "exits", exits)
    found = tools(monkeypatch, ("axe", "shed:AXE"), ("nail", "shed:NAIL"), ("out", "exits:SAW"))
    with pytest.warns(PlugInWarning) as warned:
        loaded = [*found.load_usable(found.names()), *found.load_usable(found.names())]
    assert loaded == [Tool("axe"), Tool("axe")]
    assert ["'nail'" in str(warned[0].message), "'out'" in str(warned[1].message)] == [True, True]
    assert len(warned) == 2


@pytest.mark.usefixtures("shed")
def test_one_entry_point_listed_twice_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    found = tools(monkeypatch, ("saw", "shed:SAW"), ("saw", "shed:SAW"))
    assert found.names() == ["saw"]


@pytest.mark.usefixtures("shed")
def test_what_was_installed_since_is_seen_after_forgetting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = tools(monkeypatch, ("saw", "shed:SAW"))
    assert found.names() == ["saw"]
    points = [EntryPoint("axe", "shed:AXE", "tools")]
    monkeypatch.setattr(registry, "entry_points", lambda group: points)
    assert found.names() == ["saw"]
    found.forget()
    assert found.names() == ["axe"]
