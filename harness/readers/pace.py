"""How fast calls are sent: spaced evenly, so that no minute has more than it may."""

from __future__ import annotations

import threading
import time


class Pace:
    """Lets several threads send calls, with so many requests and tokens per minute at most."""

    def __init__(self, requests_per_minute: int | None, tokens_per_minute: int | None) -> None:
        self._per_request = 0.0 if requests_per_minute is None else 60 / requests_per_minute
        self._per_token = 0.0 if tokens_per_minute is None else 60 / tokens_per_minute
        self._lock = threading.Lock()
        self._next = time.monotonic()

    @property
    def counts_tokens(self) -> bool:
        return self._per_token > 0

    def turn(self, tokens: int) -> float:
        """Take the next turn, for a call of so many tokens; return the seconds until it comes."""
        with self._lock:
            now = time.monotonic()
            start = max(now, self._next)
            self._next = start + max(self._per_request, tokens * self._per_token)
        return start - now

    def hold(self, seconds: float) -> None:
        """Let no turn come for so long: the service asked for it."""
        with self._lock:
            self._next = max(self._next, time.monotonic() + seconds)
