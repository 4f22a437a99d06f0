"""Asking a reader for many prompts: how near to the service's own pace, and in how much memory.

    python benchmarks/answering.py
    python benchmarks/answering.py --memory      # 100,000 answers, some minutes

The server is a process of its own on this machine, which answers after 50 ms. `ideal` is what 32
connections could get from it if nothing else took time: 640 answers per second. `bare loop` is 32
threads with the standard library's client that ask and keep nothing: what the machine allows.
`answers` is all that `harness answer` does: claims, reservations, strict reading, the store. They
take turns, and the best of the rounds is shown.

Memory is the peak of the asking process after a tenth of the answers and after all; the service
answers at once then. Prompts have 4,000 characters.
"""

from __future__ import annotations

import argparse
import asyncio
import http.client
import json
import platform
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tabulate import tabulate

from harness.readers.asking import Asking
from harness.readers.prompts import PromptSpool
from harness.readers.reader import read_reader
from harness.readers.store import AnswerStore

SECONDS = 0.05
CONNECTIONS = 32
CHARACTERS = 4_000
PATH = "/v1/chat/completions"
COMPLETION = {
    "model": "made-up",
    "choices": [{"message": {"content": "It is so."}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 1_000, "completion_tokens": 5},
}
READER = """
kind = "openai"
model = "made-up"
base_url = "http://127.0.0.1:{port}/v1"
key = ""
[parameters]
max_tokens = 20
[limits]
concurrency = {connections}
[price]
input = 1
output = 4
"""


class Service(asyncio.Protocol):
    """Answers every request with the same completion, after `seconds`."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.waiting = b""
        body = json.dumps(COMPLETION).encode()
        self.answer = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.waiting += data
        while (end := self.waiting.find(b"\r\n\r\n")) >= 0:
            length = self.waiting[:end].lower().partition(b"content-length:")[2]
            whole = end + 4 + int(length.split(b"\r\n")[0])
            if len(self.waiting) < whole:
                return
            self.waiting = self.waiting[whole:]
            loop = asyncio.get_running_loop()
            loop.call_later(self.seconds, self.transport.write, self.answer)


async def serve(seconds: float) -> None:
    """Print the port, and answer until the process is ended."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Service(seconds), "127.0.0.1", 0, backlog=256)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


@contextmanager
def service(seconds: float) -> Iterator[int]:
    """The port of a running service."""
    command = [sys.executable, __file__, "--serve", str(seconds)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        try:
            yield int(child.stdout.readline())
        finally:
            child.terminate()


def prompt(number: int) -> str:
    return f"{number:06} ".ljust(CHARACTERS, "x")


def bare_loop(port: int, prompts: int) -> float:
    """Seconds that the standard library's client takes, in as many threads as connections."""

    def ask(numbers: range) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port)
        for number in numbers:
            body = json.dumps({"messages": [{"role": "user", "content": prompt(number)}]})
            connection.request("POST", PATH, body, {"Content-Type": "application/json"})
            connection.getresponse().read()
        connection.close()

    threads = [
        threading.Thread(target=ask, args=(range(first, prompts, CONNECTIONS),))
        for first in range(CONNECTIONS)
    ]
    start = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.perf_counter() - start


@contextmanager
def asking(port: int, prompts: int) -> Iterator[Asking]:
    """All prompts, and a new store."""
    with tempfile.TemporaryDirectory() as made, PromptSpool() as spool:
        reader = Path(made) / "reader.toml"
        reader.write_text(READER.format(port=port, connections=CONNECTIONS))
        for number in range(prompts):
            spool.add(prompt(number))
        with AnswerStore(Path(made) / "answers") as store:
            yield Asking(reader=read_reader(str(reader)), store=store, prompts=spool)


def answers(port: int, prompts: int) -> tuple[float, float]:
    """Seconds on the wall, and of the processor in all threads."""
    with asking(port, prompts) as asked:
        wall, processor = time.perf_counter(), time.process_time()
        answered = sum(entry is not None and entry.error is None for _, entry in asked.run())
        seconds = time.perf_counter() - wall
        if answered != prompts:
            raise SystemExit(f"{answered:,} of {prompts:,} prompts were answered")
        return seconds, time.process_time() - processor


def throughput(prompts: int, rounds: int) -> str:
    """A Markdown table of the ways."""
    bare, asked, processor = float("inf"), float("inf"), float("inf")
    with service(SECONDS) as port:
        for _ in range(rounds):
            bare = min(bare, bare_loop(port, prompts))
            seconds, used = answers(port, prompts)
            asked, processor = min(asked, seconds), min(processor, used)
    ideal = prompts * SECONDS / CONNECTIONS
    rows = [
        [way, f"{prompts / seconds:,.0f}", f"{ideal / seconds:.2f}"]
        for way, seconds in (("ideal", ideal), ("bare loop", bare), ("answers", asked))
    ]
    head = [f"{prompts:,} prompts, {CONNECTIONS} connections", "per second", "of the ideal"]
    table = tabulate(rows, head, tablefmt="github", disable_numparse=True)
    return f"{table}\n\nprocessor per answer: {1000 * processor / prompts:.2f} ms"


def memory(prompts: int) -> str:
    """A Markdown table of the peak after a tenth and after all."""
    peaks = {}
    with service(0.0) as port, asking(port, prompts) as asked:
        for count, _ in enumerate(asked.run(), 1):
            if count in (prompts // 10, prompts):
                peaks[count] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    first = peaks[prompts // 10]
    rows = [[f"{count:,}", f"{peak:.0f}", f"{peak / first:.2f}"] for count, peak in peaks.items()]
    head = ["answers", "peak memory in MiB", "ratio"]
    return tabulate(rows, head, tablefmt="github", disable_numparse=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--prompts", type=int, default=6_400)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--memory", action="store_true", help="measure memory, to 100,000 answers")
    parser.add_argument("--serve", type=float, metavar="SECONDS", help="be the service")
    options = parser.parse_args()
    if options.serve is not None:
        asyncio.run(serve(options.serve))
        return
    print(f"{platform.python_implementation()} {platform.python_version()}, {platform.machine()}\n")
    print(memory(100_000) if options.memory else throughput(options.prompts, options.rounds))


if __name__ == "__main__":
    main()
