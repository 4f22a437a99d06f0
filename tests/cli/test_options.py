"""Options that take one of several words: the words come from a registry, not from a copy of it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from enum import Enum

import click
import pytest

from harness.cli.main import VERBS, cli
from harness.cli.main import run as call
from harness.cli.options import LazyChoice, ListingCommand

NOT_OF_A_REGISTRY = {
    "--by": "one word of its own: a category is the only thing that tables can be split by",
}
"""Options with words of their own, and why."""


def commands(command: click.Command, path: str) -> Iterator[tuple[str, click.Command]]:
    """Every verb with every verb below it."""
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from commands(inner, f"{path} {name}")
    else:
        yield path, command


ALL = dict(commands(cli, "harness"))
LAZY = [
    (path, option, option.type)
    for path, command in ALL.items()
    for option in command.params
    if isinstance(option.type, LazyChoice)
]


@pytest.mark.parametrize("path", ALL)
def test_choices_come_from_a_registry_or_say_why_not(path: str) -> None:
    for option in ALL[path].params:
        if isinstance(option.type, click.Choice) and not isinstance(option.type, LazyChoice):
            assert option.opts[-1] in NOT_OF_A_REGISTRY, f"{path} {option.opts}"
        if isinstance(option, click.Option) and option.metavar:
            # a list of words in a metavar is a copy of something, too
            assert "|" not in option.metavar or option.metavar.isupper() or "." in option.metavar, (
                f"{path} {option.opts}: {option.metavar}"
            )


def test_every_reason_is_needed() -> None:
    literal = {
        option.opts[-1]
        for command in ALL.values()
        for option in command.params
        if isinstance(option.type, click.Choice) and not isinstance(option.type, LazyChoice)
    }
    assert literal == set(NOT_OF_A_REGISTRY)


@pytest.mark.parametrize(("path", "option", "kind"), LAZY, ids=lambda value: str(value)[:40])
def test_a_registry_exists_and_has_the_default(
    path: str, option: click.Parameter, kind: LazyChoice
) -> None:
    assert len(kind.choices) > 1
    assert not isinstance(option.default, str) or option.default in kind.choices
    shown = click.Context(ALL[path], info_name=path)
    assert "|".join(kind.choices) in ALL[path].get_help(shown).replace("\n", "").replace(" ", "")


def test_what_is_registered_is_accepted_and_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    class Colour(Enum):
        RED = "red"
        BLUE = "blue"

    class Entry:
        about = "as seen by bees"

    def verb(kind: LazyChoice) -> ListingCommand:
        return ListingCommand(
            "verb", params=[click.Option(["--colour"], type=kind)], callback=lambda colour: colour
        )

    module = sys.modules[__name__]
    monkeypatch.setattr(module, "COLOURS", {"ultraviolet": Entry(), "red": object()}, raising=False)
    kind = LazyChoice(f"{__name__}:COLOURS")
    assert verb(kind).main(["--colour", "ultraviolet"], standalone_mode=False) == "ultraviolet"
    with pytest.raises(click.BadParameter, match="'ultraviolet', 'red'"):
        verb(kind).main(["--colour", "blue"], standalone_mode=False)
    assert "ultraviolet  as seen by bees" in verb(kind).get_help(click.Context(verb(kind)))
    monkeypatch.setattr(module, "Colour", Colour, raising=False)
    kind = LazyChoice(f"{__name__}:Colour", also=("none",), checked=False)
    assert kind.choices == ("red", "blue", "none")
    assert verb(kind).main(["--colour", "green"], standalone_mode=False) == "green"


def test_a_registered_grade_format_can_be_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from harness.trial import formats

    added = formats.GradeFormat("of-tests", "what the tests write", formats.FORMATS["jsonl"].read)
    monkeypatch.setattr(formats, "FORMATS", {**formats.FORMATS, "of-tests": added})
    command = ALL["harness grades import"]
    (option,) = (option for option in command.params if option.opts == ["--format"])
    assert isinstance(option.type, LazyChoice)
    monkeypatch.setattr(option, "type", LazyChoice(option.type.registry))
    assert call(["grades", "import", "--help"]) == 0
    assert "of-tests          what the tests write" in capsys.readouterr().out
    parsed = command.make_context(
        "import",
        [__file__, "--format", "of-tests", "--point", "items", "--split", __file__, "--out", "x"],
    )
    assert parsed.params["file_format"] == "of-tests"


def test_the_list_of_verbs_loads_no_registry() -> None:
    registries = sorted({kind.registry.partition(":")[0] for _, _, kind in LAZY})
    script = (
        "import sys; from harness.cli.main import run; run(['--help']); "
        f"sys.exit(bool(set({registries}) & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", script], stdout=subprocess.DEVNULL).returncode == 0
    assert VERBS
