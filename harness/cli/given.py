"""The arguments of a verb as they were given, for manifests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

_NOT_THE_WORK = ("out", "jobs", "force", "quiet", "cache", "as_json", "as_csv", "dry_run")


def given_arguments() -> dict[str, Any]:
    """Return the arguments as given that decide the result, for the manifest."""
    context = click.get_current_context()
    return {
        name: value.as_posix() if isinstance(value, Path) else value
        for name, value in context.params.items()
        if name not in _NOT_THE_WORK
        and context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
    }
