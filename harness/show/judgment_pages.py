"""Pages of a registration and of its verdict."""

from __future__ import annotations

from pathlib import Path

from harness.decode import read_json_file
from harness.errors import Faults, InputError
from harness.trial.registration import Registration
from harness.trial.verdict import SCHEMA as VERDICT_SCHEMA
from harness.trial.verdict import read_verdict

from .registration_page import registration_page
from .verdict_page import verdict_page


def judgment_pages(registration: Path | None, verdict: Path | None) -> dict[str, str]:
    """Return `registration.md` and `verdict.md`, for the files that are named.

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
                "Name the registration that was judged.",
            )
        pages["verdict.md"] = verdict_page(reached)
    return pages


def page_of_file(path: Path) -> str:
    """Return the page of a registration or of a verdict, as the file's schema says."""
    faults = Faults()
    value = read_json_file(path, faults)
    schema = value.get("schema") if isinstance(value, dict) else None
    if not isinstance(schema, str):
        faults.add("it has no schema")
        reason = "; ".join(faults)
        raise InputError(
            f"{path} is neither a registration nor a verdict ({reason})",
            "Name a run's folder, or the JSON file of a registration or a verdict.",
        )
    if schema == VERDICT_SCHEMA:
        return verdict_page(read_verdict(path))
    return registration_page(Registration.read(path))
