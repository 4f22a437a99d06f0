"""Readers' files for tests, and what a server was asked."""

from __future__ import annotations

from pathlib import Path

READER = """
kind = "openai"
model = "{model}"
base_url = "{url}"
key = ""
{more}
[parameters]
max_tokens = 50
[limits]
concurrency = 4
deadline_seconds = 20
pause_seconds = 0.01
[price]
input = 2
output = 8
"""


def write_reader(path: Path, url: str, *, model: str = "made-up-1", more: str = "") -> Path:
    """A reader's file for a server."""
    path.write_text(READER.format(model=model, url=url, more=more), encoding="utf-8")
    return path
