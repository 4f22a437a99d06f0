"""Fixtures that all tests share."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from .make.once import changed_files, remove_all

# Started in the background, a shell hands down that Ctrl-C is ignored; tests send it on purpose.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Machines are shared: how long an example takes says nothing of the code.
settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")

CHECKOUT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def checkout() -> Path:
    """The root of the checkout."""
    return CHECKOUT


@pytest.fixture(scope="session")
def shared() -> Path:
    """The reference data beside the checkout; tests that ask for it skip where it is missing."""
    folder = CHECKOUT.parent / "shared"
    if not (folder / "data").is_dir():
        pytest.skip(f"the reference data is not beside the checkout ({folder.name}/data)")
    return folder


@pytest.fixture(scope="session", autouse=True)
def shared_folders_stay_as_they_are() -> Iterator[None]:
    """What tests share is as it was made when the last one ends; a test that changes files takes a
    copy (`tests.make.once.copied`)."""
    yield
    changed = changed_files()
    remove_all()
    assert changed == []
