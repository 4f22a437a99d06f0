"""The calls that one prompt takes: paced, paid for, and made again where that may help."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from harness.errors import (
    HarnessError,
    InputError,
    UsageError,
    exception_line,
    traceback_note,
)

from .budget import CallBudget
from .claims import Claimed, Settlement
from .entry import AnswerEntry
from .pace import Pace
from .reader import Reader, ReaderLimits
from .reply import Prompt, ReaderError, Reply

if TYPE_CHECKING:
    from tenacity import RetryCallState

LONGEST_WAIT = 300.0
"""Seconds that a service may ask to wait; a prompt that it puts off for longer is an error."""

_LONGEST_PAUSE = 30.0


class _NotSent(Exception):  # noqa: N818 (nothing went wrong)
    """A call was not sent: asking is stopped, or a limit is reached."""


@dataclass(slots=True)
class _Question:
    """One claimed prompt while it is asked; `most` is reserved for the call `call`."""

    claimed: Claimed
    prompt: Prompt
    call: int
    most: int
    attempts: int = 0
    latency: float = 0.0
    error: ReaderError | None = None

    def settled(self, cost: int, **came_of_it: Any) -> Settlement:
        """Return the entry, with what the last call cost in the place of its reservation."""
        entry = AnswerEntry(
            **came_of_it,
            latency_seconds=round(self.latency, 6),
            attempts=self.attempts,
            call=self.call,
            time=datetime.now(UTC).isoformat(timespec="milliseconds"),
        )
        return Settlement(self.claimed.key, entry, self.most, cost)


class Caller:
    """Makes the calls that prompts take, for several threads, until `stop` is set."""

    def __init__(
        self,
        reader: Reader,
        limits: ReaderLimits,
        budget: CallBudget,
        stop: threading.Event,
        count: Callable[[str], int],
    ) -> None:
        self._reader = reader
        self._budget = budget
        self._stop = stop
        self._count = count
        self._pace = Pace(limits.requests_per_minute, limits.tokens_per_minute)
        self._again = _retrying(limits, self._pace, stop)

    def settlement(self, claimed: Claimed, prompt: Prompt) -> Settlement:
        """Ask until there is an answer or no try is left; return what is to be stored."""
        question = _Question(claimed, prompt, claimed.call, claimed.most)
        try:
            reply: Reply = self._again(self._call, question)
        except (ReaderError, _NotSent):
            return self._without_answer(question)
        return question.settled(
            self._budget.cost(question.most, reply.usage, may_cost=True),
            answer=reply.text,
            finish_reason=reply.finish_reason,
            model=reply.model,
            usage=reply.usage,
        )

    def _without_answer(self, question: _Question) -> Settlement:
        error = question.error
        if error is None:  # nothing was sent
            return Settlement(question.claimed.key, None, question.most, unsent=1)
        return question.settled(self._budget.cost_of_error(question.most, error), error=str(error))

    def _call(self, question: _Question) -> Reply:
        """Make one call, once its turn has come and it is paid for."""
        tokens = self._count(question.prompt.text) if self._pace.counts_tokens else 0
        turn = self._pace.turn(tokens)
        if self._stop.wait(turn) if turn > 0 else self._stop.is_set():
            raise _NotSent
        if question.error is not None:
            call = self._budget.renew(question.most, question.error)
            if call is None:
                raise _NotSent
            question.call = call
        question.attempts += 1
        start = time.monotonic()
        try:
            reply = self._reader.ask(question.prompt)
            if not reply.text.strip():
                raise ReaderError("gave an empty answer", momentary=True, usage=reply.usage)
        except ReaderError as error:
            question.error = error
            raise
        except HarnessError:
            raise
        except Exception as error:  # a kind of another package may raise anything
            raise InputError(
                f"the reader raised an error of its own ({exception_line(error)})",
                f"{traceback_note(error)} Report it to whoever wrote that kind of reader.",
            ) from error
        finally:
            question.latency = time.monotonic() - start
        return reply


def _retrying(limits: ReaderLimits, pace: Pace, stop: threading.Event) -> Callable[..., Reply]:
    """Return what calls a function again after errors of the moment."""
    try:
        import tenacity
    except ImportError as error:
        raise UsageError(
            f"asking needs a package that is missing ({error})",
            "Install the extra: pip install 'evidence-harness[answer]'",
        ) from error

    longer = tenacity.wait_random_exponential(multiplier=limits.pause_seconds, max=_LONGEST_PAUSE)

    def pause(state: RetryCallState) -> float:
        error = _error_of(state)
        if error is None or error.retry_after is None:
            return longer(state)
        pace.hold(error.retry_after)  # for all threads: they have one limit at the service
        return error.retry_after

    def may_help(state: RetryCallState) -> bool:
        error = _error_of(state)
        return error is not None and error.momentary and (error.retry_after or 0.0) <= LONGEST_WAIT

    return tenacity.Retrying(
        stop=tenacity.stop_any(
            tenacity.stop_after_attempt(limits.attempts), tenacity.stop_when_event_set(stop)
        ),
        wait=pause,
        retry=may_help,
        sleep=tenacity.sleep_using_event(stop),
        reraise=True,
    )


def _error_of(state: RetryCallState) -> ReaderError | None:
    error = None if state.outcome is None else state.outcome.exception()
    return error if isinstance(error, ReaderError) else None
