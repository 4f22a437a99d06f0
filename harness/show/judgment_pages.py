"""Pages of a registration and of its verdict."""

from __future__ import annotations

import json
from pathlib import Path

from harness.errors import InputError
from harness.trial.registration import Registration
from harness.trial.verdict import SCHEMA as VERDICT_SCHEMA
from harness.trial.verdict import read_verdict

from .registration_page import registration_page
from .verdict_page import verdict_page


def judgment_pages(registration: Path | None, verdict: Path | None) -> dict[str, str]:
    """`registration.md` and `verdict.md`, for the files that are given.

    Raises `InputError` for a verdict of another registration.
    """
    if registration is None:
        return {}
    registered = Registration.read(registration)
    pages = {"registration.md": registration_page(registered)}
    if verdict is not None:
        reached = read_verdict(verdict)
        if reached.registration_sha256 != registered.sha256:
            raise InputError(
                f"{verdict} is the verdict of another registration "
                f"({reached.registration_sha256}) than {registration} ({registered.sha256})",
                "Give the registration that was judged.",
            )
        pages["verdict.md"] = verdict_page(reached)
    return pages


def page_of_file(path: Path) -> str:
    """The page of a registration or of a verdict, told apart by the file's schema."""
    try:
        schema = json.loads(path.read_text(encoding="utf-8"))["schema"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"{path} is neither a registration nor a verdict ({error!r})",
            "Give a run's folder, or the JSON file of a registration or a verdict.",
        ) from error
    if schema == VERDICT_SCHEMA:
        return verdict_page(read_verdict(path))
    return registration_page(Registration.read(path))
