"""The OpenAI chat protocol: the body of a request, and a strict reading of a response."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from harness.decode import KEEP, Count, Format, decode
from harness.errors import Faults
from harness.words import counted

from .reader import ReaderParameters
from .reply import NOT_REPORTED, Prompt, ReaderError, Reply, ReportedUsage

OURS = frozenset(
    {"model", "messages", "temperature", "top_p", "seed", "stream", "n"}
    | {"max_tokens", "max_completion_tokens"}
)
"""Keys of a request that `more` may not set."""

_DATED = re.compile(r"-\d{4}(-\d{2}-\d{2}|\d{4})?")
_MOST_QUOTED = 200


@dataclass(frozen=True, slots=True)
class _Message:
    content: str | None = None
    refusal: str | None = None


@dataclass(frozen=True, slots=True)
class _Choice:
    message: _Message
    finish_reason: str | None = None


@dataclass(frozen=True, slots=True)
class _Details:
    cached_tokens: Count | None = None


@dataclass(frozen=True, slots=True)
class _Usage:
    prompt_tokens: Count | None = None
    completion_tokens: Count | None = None
    prompt_tokens_details: _Details | None = None


@dataclass(frozen=True, slots=True)
class _Completion:
    choices: tuple[_Choice, ...]
    model: str | None = None
    usage: _Usage | None = None


_COMPLETION = Format("a chat completion", _Completion, unknown=KEEP)


def request_body(
    model: str, parameters: ReaderParameters, prompt: Prompt, *, limit_key: str
) -> bytes:
    """Return the request's JSON; `limit_key` is what the service calls the most output tokens.

    Each repeat of a prompt has a seed of its own, counted up from the reader's.
    """
    set_ones = parameters.as_json()
    system = set_ones.pop("system", None)
    messages = [] if system is None else [{"role": "system", "content": system}]
    body: dict[str, Any] = {
        "model": model,
        "messages": [*messages, {"role": "user", "content": prompt.text}],
        **set_ones.pop("more", {}),
    }
    if "max_tokens" in set_ones:
        body[limit_key] = set_ones.pop("max_tokens")
    if "seed" in set_ones:
        set_ones["seed"] += prompt.repeat - 1
    return json.dumps({**body, **set_ones}, ensure_ascii=False).encode("utf-8")


def reply_of(body: bytes, model: str, answers_as: str | None) -> Reply:
    """Return the answer that a response of status 200 holds.

    Raises `ReaderError` for what is not a completion, has no answer in its only choice, or is of
    another model than `model`, a dated version of it or `answers_as`. No message quotes an answer,
    which may be sealed.
    """
    faults = Faults(limit=3)
    completion = decode(_COMPLETION, body, faults=faults)
    if completion is None:
        raise ReaderError(
            f"gave no chat completion: {'; '.join(list(faults)[:3])}{unless_json(body)}",
            momentary=True,
        )
    usage = _usage(completion.usage)
    if len(completion.choices) != 1:
        raise ReaderError(
            f"gave {counted(len(completion.choices), 'choice')}, expected 1",
            momentary=True,
            usage=usage,
        )
    (choice,) = completion.choices
    if completion.model is not None and not _is_model(completion.model, model, answers_as):
        raise ReaderError(
            f"answered as model {completion.model!r}, asked for {model!r}",
            f"If that is the right one, say answers_as = {json.dumps(completion.model)} in the "
            "reader's file.",
            usage=usage,
        )
    text = choice.message.content
    if text is None or not text.strip():
        what = "an empty answer" if choice.message.refusal is None else "a refusal"
        raise ReaderError(
            f"gave {what}, finish reason {choice.finish_reason}",
            momentary=True,
            usage=usage,
        )
    return Reply(text, choice.finish_reason, completion.model, usage)


def said(body: bytes) -> str:
    """Return what the body of a failure says: the message of its `error`, or its beginning."""
    try:
        tree = json.loads(body)
    except (ValueError, RecursionError):
        return excerpt(body)
    error = tree.get("error", tree) if isinstance(tree, Mapping) else None
    message = error.get("message") if isinstance(error, Mapping) else error
    return excerpt(message.encode("utf-8", "replace") if isinstance(message, str) else body)


def excerpt(body: bytes) -> str:
    """Return `: ` and the beginning of a text, as one line; nothing for an empty one."""
    text = " ".join(body[: 8 * _MOST_QUOTED].decode("utf-8", "replace").split())
    return f": {text if len(text) <= _MOST_QUOTED else text[:_MOST_QUOTED] + '…'}" if text else ""


def unless_json(body: bytes) -> str:
    """Return the excerpt of what is not JSON, such as a page of a proxy; nothing for what may hold
    an answer."""
    return "" if body.lstrip()[:1] in (b"{", b"[", b'"') else excerpt(body)


def _is_model(returned: str, model: str, answers_as: str | None) -> bool:
    if returned in (model, answers_as):
        return True
    return returned.startswith(model) and _DATED.fullmatch(returned[len(model) :]) is not None


def _usage(usage: _Usage | None) -> ReportedUsage:
    if usage is None:
        return NOT_REPORTED
    details = usage.prompt_tokens_details
    cached = None if details is None else details.cached_tokens
    return ReportedUsage(usage.prompt_tokens, cached, usage.completion_tokens)
