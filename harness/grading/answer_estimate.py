"""What asking for answers takes, before it is done, and what it has come to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from harness.readers.entry import AnswerKey
from harness.readers.pricing import TRILLION
from harness.readers.prompts import PromptSpool
from harness.readers.reader import ReaderDefinition
from harness.readers.store import AnswerStore

from .answering import AnswerPlan


@dataclass(frozen=True, slots=True)
class AnswerEstimate:
    """What asking takes: `wanted` answers of the distinct `prompts`, of which `in_store` are there.

    `prompt_tokens` are counted in the reader's encoding, `output_tokens` at most. `cost` needs a
    price and a longest answer, `seconds` a limit of rate or answers in the store to go by; they are
    None without. `cost_so_far` is what the reader was charged in the store.
    """

    points: int
    questions: int
    prompts: int
    repeats: int
    wanted: int
    in_store: int
    calls: int
    prompt_tokens: int
    encoding: str
    output_tokens: int | None
    cost: float | None
    currency: str | None
    cost_so_far: float | None
    calls_so_far: int
    seconds: float | None


def estimate(plan: AnswerPlan, store: AnswerStore | None) -> AnswerEstimate:
    """Say what asking for the plan's answers takes; nothing is asked."""
    return asking_estimate(
        plan.reader,
        plan.prompts,
        plan.request.repeats,
        store,
        plan.tokens,
        points=len(plan.sets),
        questions=len(plan.sets[0].questions),
    )


def asking_estimate(
    reader: ReaderDefinition,
    prompts: PromptSpool,
    repeats: int,
    store: AnswerStore | None,
    tokens_of: Callable[[str], int],
    *,
    points: int,
    questions: int,
) -> AnswerEstimate:
    """Say what asking a reader for the prompts takes; `tokens_of` counts those of one."""
    file = reader.file
    calls = tokens = 0
    for prompt in prompts:
        keys = [AnswerKey(reader.identity, prompt, repeat + 1) for repeat in range(repeats)]
        lacking = sum(store is None or not store.has(key) for key in keys)
        calls += lacking
        tokens += lacking and lacking * tokens_of(prompts.text(prompt))
    longest, price = file.parameters.max_tokens, file.price
    output = None if longest is None else calls * longest
    cost = None
    if price is not None and output is not None:
        cost = float(price.input * tokens + price.output * output) / 1e6
    spent = None if store is None else store.charged(reader.identity)
    so_far = 0.0 if spent is None else spent.cost / TRILLION
    wanted = len(prompts) * repeats
    return AnswerEstimate(
        points=points,
        questions=questions,
        prompts=len(prompts),
        repeats=repeats,
        wanted=wanted,
        in_store=wanted - calls,
        calls=calls,
        prompt_tokens=tokens,
        encoding=file.encoding,
        output_tokens=output,
        cost=cost,
        currency=None if price is None else price.currency,
        cost_so_far=None if price is None else so_far,
        calls_so_far=0 if spent is None else spent.calls,
        seconds=_seconds(reader, store, calls, tokens),
    )


def _seconds(
    reader: ReaderDefinition, store: AnswerStore | None, calls: int, tokens: int
) -> float | None:
    """Return how long it takes by the limits of the rate, and by how long answers took so far."""
    limits = reader.file.limits
    known = []
    if limits.requests_per_minute is not None:
        known.append(calls * 60 / limits.requests_per_minute)
    if limits.tokens_per_minute is not None:
        known.append(tokens * 60 / limits.tokens_per_minute)
    latency = None if store is None else store.mean_latency(reader.identity)
    if latency is not None:
        known.append(calls * latency / limits.concurrency)
    return max(known) if known else None
