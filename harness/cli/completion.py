"""`harness completion`: the script by which a shell completes verbs, options and values."""

from __future__ import annotations

import click

from .options import LazyChoice


@click.command()
@click.argument("shell", type=LazyChoice("harness.cli.completing:SHELLS"))
def completion(shell: str) -> None:
    """Print a script by which SHELL (bash, zsh or fish) completes what is typed after harness.

    Verbs, options, the points of a run, arms, metrics, and the ids of cases are completed.

    \b
    Example, once, for new shells:
      harness completion bash > ~/.local/share/bash-completion/completions/harness
      harness completion zsh > ~/.zfunc/_harness        # a folder of $fpath, before compinit
      harness completion fish > ~/.config/fish/completions/harness.fish
    Or for this shell alone:
      eval "$(harness completion bash)"
    """
    from .completing import script
    from .standard_output import for_programs

    click.echo(script(shell), file=for_programs(), nl=False)
