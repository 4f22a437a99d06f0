"""The options that say how tokens are counted, shared by the verbs that make runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from .output import Command

if TYPE_CHECKING:
    from harness.replay.shard import TokenCounting

ENCODING = click.Choice(["cl100k_base", "o200k_base"])


def counting_options(command: Command) -> Command:
    """`--prompt-template` and `--reader-encoding`; see `token_counting`."""
    command = click.option(
        "--reader-encoding",
        type=ENCODING,
        default="o200k_base",
        show_default=True,
        help="Encoding of the reader, for prompt_tokens_estimated.",
    )(command)
    return click.option(
        "--prompt-template",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        help="Answer prompt with {context}, {date} and {question}; default: the bundled one.",
    )(command)


def token_counting(prompt_template: Path | None, reader_encoding: str) -> TokenCounting:
    """How tokens are counted for these options."""
    from harness.evidence.prompt import DEFAULT_TEMPLATE, PromptTemplate
    from harness.evidence.tokens import CONTEXT_ENCODING
    from harness.replay.shard import TokenCounting

    template = PromptTemplate.read(prompt_template) if prompt_template else DEFAULT_TEMPLATE
    return TokenCounting(CONTEXT_ENCODING, reader_encoding, template)
