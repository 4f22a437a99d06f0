"""The documentation's plan is one that registers, and its tables name every key."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.datasets.register import REGISTER, read_register
from harness.errors import InputError
from harness.trial.json_text import json_value
from harness.trial.plan_file import read_plan
from harness.trial.registering import prepare_registration
from harness.trial.registration import SCHEMA, Registration


def documented_plan(checkout: Path) -> str:
    text = (checkout / "docs" / "registering.md").read_text(encoding="utf-8")
    found = re.search(r"```toml\n(.*?)```", text, re.DOTALL)
    assert found is not None
    return found[1]


@pytest.fixture
def registration(checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Registration:
    (tmp_path / "plan.toml").write_text(
        re.sub(r"grades = .*\n", "", documented_plan(checkout)), encoding="utf-8"
    )
    (tmp_path / "datasets").symlink_to(checkout / "datasets")
    monkeypatch.chdir(tmp_path)
    return prepare_registration(Path("plan.toml"), read_register(REGISTER))


def test_the_documented_plan_registers(registration: Registration) -> None:
    assert str(registration.plan.point.spec) == "2.6.5a1(budget=2800)"
    assert len(registration.cohort.cohort.ids) == 400
    assert registration.power[0].source == "assumed"


def test_it_lacks_nothing_but_the_grades(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text(documented_plan(checkout), encoding="utf-8")
    monkeypatch.chdir(checkout)
    with pytest.raises(InputError) as caught:
        read_plan(plan, read_register(REGISTER))
    keys = [line.split(":")[0].strip() for line in caught.value.message.splitlines()[1:]]
    assert keys == ["control[0].grades", "control[1].grades"]


def keys_of(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, part in value.items():
            yield key
            yield from keys_of(part)
    elif isinstance(value, list):
        for part in value:
            yield from keys_of(part)


def test_every_key_of_the_file_is_documented(checkout: Path, registration: Registration) -> None:
    page = (checkout / "docs" / "formats" / "registration.md").read_text(encoding="utf-8")
    named = set(re.findall(r"[a-z_0-9]+", " ".join(re.findall(r"`[^`]+`", page))))
    assert set(keys_of({"schema": SCHEMA, **json_value(registration)})) <= named
