"""`harness power`: what a rule can be expected to decide, before any answer is graded."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any

import click

from harness.decode import Check, Example, FieldError, Via, named
from harness.show.printing import OutputFormat
from harness.show.table import Column, Table
from harness.words import Kind

from .options import quiet_option, table_options
from .output import format_for_reader, note, print_table
from .statistics_lines import (
    DEFAULT,
    ConfidenceLevel,
    Fields,
    RequestForm,
    Share,
    check_convention,
    exact_decimal,
    print_answers,
    request_of_options,
    requests_of_lines,
    whole_number,
    wrong,
)

if TYPE_CHECKING:
    from harness.statistics.counts import Level
    from harness.statistics.rules import Rule

MOST_PAIRS = 100_000
GRID_STEP = Fraction(1, 1000)


@click.command()
@click.option("-n", "--n", type=int, help="Pairs that the test will have.")
@click.option("--p-win", metavar="P", help="True probability of a win.")
@click.option("--p-loss", metavar="Q", help="True probability of a loss.")
@click.option(
    "--discordance",
    metavar="D",
    help="Instead of P and Q: their sum, the share of pairs that differ.",
)
@click.option("--difference", metavar="d", help="With D: the true difference P - Q.")
@click.option("--rule", metavar="RULE", help="When the claim is made, as in a plan.")
@click.option(
    "--level", metavar="DECIMAL", help="Confidence level, meant exactly.  [default: 0.95]"
)
@click.option(
    "--target",
    metavar="POWER",
    help="Power at which a difference counts as detectable.  [default: 0.8]",
)
@click.option(
    "--from",
    "source",
    metavar="FILE",
    help="Answer each line of this file of JSON Lines, or of standard input (-).",
)
@table_options
@quiet_option
def power(
    n: int | None,
    p_win: str | None,
    p_loss: str | None,
    discordance: str | None,
    difference: str | None,
    rule: str | None,
    level: str | None,
    target: str | None,
    source: str | None,
    as_json: bool,
    as_csv: bool,
    quiet: bool,
) -> None:
    """Print the power of a rule, or the smallest difference that it detects.

    With the true effect (--p-win and --p-loss, or --discordance and --difference), power is the
    probability that the rule holds for the exact interval of n pairs. Without it (--discordance
    alone), mde is the smallest true difference, in steps of 0.001, at which that probability
    reaches the target; null if none does. Both are summed over all outcomes, not simulated.

    A rule compares an end of the interval with a margin in points (hundredths): lower > 0,
    lower >= -2.0 points, upper < 0. Probabilities and differences are fractions.

    With --from, each line is an object with the keys of the options (p_win, p_loss; target may be
    target_power); its rule may also be lower >= -margin, with margin as a fraction. Options supply
    keys that a line lacks. Prints one JSON object per input line, in order. Definitions and
    sources: docs/statistics.md.

    Prints a table on a terminal, and one line of JSON into a pipe, as with --json.

    \b
    Examples:
      harness power --n 400 --p-win 0.06 --p-loss 0.03 --rule 'lower > 0'
      harness power --n 400 --discordance 0.12 --rule 'lower > 0 points' --target 0.9
      harness power --n 400 --discordance 0.1 --difference 0 --rule 'lower >= -2.0 points' --json
    """
    form = format_for_reader(as_json, as_csv)
    options: dict[str, Any] = {"n": n, "rule": rule, "level": level, "target": target}
    options |= {"p_win": p_win, "p_loss": p_loss}
    options |= {"discordance": discordance, "difference": difference}
    if source is not None:
        requests = requests_of_lines(_FORM, source, options)
        print_answers((request.answer() for _, request in requests), form)
        return
    request = request_of_options(_FORM, options)
    answer = request.answer()
    if form is not OutputFormat.TEXT:
        print_answers([answer], form)
        return
    print_table(Table(_columns(request), [request.inputs() | answer]), form)
    if answer.get("mde", answer) is None:
        note("no difference up to the discordance gives the rule this power", quiet)


@dataclass(frozen=True, slots=True)
class _Request:
    """A power to compute where the effect (p_win, p_loss) is given, else an MDE."""

    n: int
    rule: Rule
    level: Level
    effect: tuple[Fraction, Fraction] | None
    discordance: Fraction
    target: Fraction

    def answer(self) -> dict[str, Any]:
        from harness.statistics.power import minimum_detectable_effect, power

        if self.effect is not None:
            return {"power": power(self.rule, self.n, *self.effect, self.level)}
        mde = minimum_detectable_effect(
            self.rule, self.n, self.discordance, self.level, self.target
        )
        return {"mde": mde}

    def inputs(self) -> dict[str, Any]:
        """Return what was asked, for people."""
        asked = {"rule": str(self.rule), "level": self.level.text, "n": self.n}
        if self.effect is None:
            return asked | {"discordance": self.discordance, "target": self.target}
        return asked | {"p_win": self.effect[0], "p_loss": self.effect[1]}


@dataclass(frozen=True, slots=True)
class _Sides:
    p_win: Share
    p_loss: Share

    def __post_init__(self) -> None:
        if self.p_win + self.p_loss > 1:
            win, loss = float(self.p_win), float(self.p_loss)
            raise FieldError("p_loss", f"is {loss:g} and p_win {win:g}: their sum is over 1")


@dataclass(frozen=True, slots=True)
class _Discordance:
    discordance: Share
    difference: Annotated[Fraction, Via(Any, exact_decimal)] | None = None

    def __post_init__(self) -> None:
        if self.difference is not None and abs(self.difference) > self.discordance:
            bound = f"{float(self.discordance):g}"
            message = f"is {float(self.difference):g}, expected a decimal number"
            raise FieldError("difference", f"{message} from -{bound} to {bound}")


def _margin_wrong(margin: Any) -> str | None:
    if margin is None or (isinstance(margin, str | int | float) and not isinstance(margin, bool)):
        return None
    return f'is {named(margin)}, expected a fraction such as "0.02"'


@dataclass(frozen=True, slots=True)
class _RuleText:
    """A rule, and the fraction that the word margin in it stands for."""

    rule: Annotated[str, Example("one such as 'lower > 0' or 'lower >= -2.0 points'")]
    margin: Annotated[Any, Check(_margin_wrong)] = None

    def __post_init__(self) -> None:
        from harness.errors import HarnessError

        try:
            self.parsed()
        except HarnessError as error:
            raise FieldError("rule", wrong(error)) from error

    def parsed(self) -> Rule:
        from harness.statistics.rules import parse_rule

        return parse_rule(self.rule, self.margin)


@dataclass(frozen=True, slots=True)
class _Settings:
    """`target_power` is a line's own, and goes before a `target` that an option gave."""

    n: Annotated[int, *whole_number(1, MOST_PAIRS)]
    level: ConfidenceLevel = DEFAULT
    target: Share | None = None
    target_power: Share | None = None
    grid_step: Share = GRID_STEP
    convention: str | None = None

    def __post_init__(self) -> None:
        check_convention(self.convention, ("power-exact-percentile/1", "mde-exact-percentile/1"))
        if self.grid_step != GRID_STEP:
            raise FieldError("grid_step", "is fixed; expected 0.001, or leave it out")
        for key in ("target_power", "target"):
            target = getattr(self, key)
            if target in (0, 1):
                message = f"is {target}, expected a power between 0 and 1, such as 0.8"
                raise FieldError(key, message)


def _read(parts: Fields) -> _Request | None:
    from harness.statistics.power import DEFAULT_TARGET

    settings, rule = parts.part(_Settings), parts.part(_RuleText)
    effect: tuple[Fraction, Fraction] | None = None
    discordance: Fraction | None = None
    by_sides = parts.has("p_win") or parts.has("p_loss")
    if by_sides == (parts.has("discordance") or parts.has("difference")):
        said = "are both given" if by_sides else "are missing"
        win, loss, share = map(parts.name, ("p_win", "p_loss", "discordance"))
        parts.add(
            f"is unclear about the effect: {win} and {loss}, or {share} {said}; give the one or "
            "the other"
        )
    elif by_sides and (sides := parts.part(_Sides)) is not None:
        effect = sides.p_win, sides.p_loss
        discordance = sum(effect, Fraction())
    elif not by_sides and (pairs := parts.part(_Discordance)) is not None:
        discordance = pairs.discordance
        if pairs.difference is not None:
            win_share = (discordance + pairs.difference) / 2
            effect = win_share, discordance - win_share
    if settings is None or rule is None or discordance is None:
        return None
    target = settings.target_power or settings.target or Fraction(DEFAULT_TARGET)
    return _Request(settings.n, rule.parsed(), settings.level, effect, discordance, target)


_FORM = RequestForm(
    "power",
    _read,
    (
        *("p_win", "p_loss", "discordance", "difference"),
        *("power", "mde", "power_at_mde", "power_below", "power_at_zero"),
    ),
    '{"n": 400, "p_win": "0.06", "p_loss": "0.03", "rule": "lower > 0"}; see: harness power --help',
)


def _columns(request: _Request) -> tuple[Column, ...]:
    def echoed(key: str) -> Column:
        """Return the column of a fraction as it was asked for."""
        return Column(key, key.replace("_", " "), Kind.FRACTION, cell=lambda row: _short(row[key]))

    asked = [
        Column("rule", "rule"),
        Column("level", "level"),
        Column("n", "n", Kind.COUNT),
    ]
    if request.effect is None:
        asked += [echoed("discordance"), echoed("target")]
        return (*asked, Column("mde", "mde", Kind.POINTS))
    asked += [echoed("p_win"), echoed("p_loss")]
    return (*asked, Column("power", "power", Kind.FRACTION))


def _short(fraction: Any) -> str:
    return f"{float(fraction):.6g}"
