"""`harness power`: what a rule can be expected to decide, before any answer is graded."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import click

from harness.show.printing import OutputFormat
from harness.show.table import Column, Table
from harness.words import Kind

from .options import quiet_option, table_options
from .output import format_for_reader, note, print_table

if TYPE_CHECKING:
    from harness.decode.fields import ObjectReader
    from harness.statistics.counts import Level
    from harness.statistics.rules import Rule

    from .statistics_lines import RequestForm

MOST_PAIRS = 100_000


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
    from .statistics_lines import print_answers, request_of_options, requests_of_lines

    form = format_for_reader(as_json, as_csv)
    options: dict[str, Any] = {"n": n, "rule": rule, "level": level, "target": target}
    options |= {"p_win": p_win, "p_loss": p_loss}
    options |= {"discordance": discordance, "difference": difference}
    if source is not None:
        requests = requests_of_lines(_form(), source, options)
        print_answers((request.answer() for _, request in requests), form)
        return
    request = request_of_options(_form(), options)
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


def _form() -> RequestForm[_Request]:
    from .statistics_lines import RequestForm

    effect = ("p_win", "p_loss", "discordance", "difference")
    return RequestForm(
        "power",
        (
            "n",
            *effect,
            "rule",
            "margin",
            "level",
            "target",
            "target_power",
            "grid_step",
            "convention",
        ),
        ("power", "mde", "power_at_mde", "power_below", "power_at_zero"),
        _read,
        '{"n": 400, "p_win": "0.06", "p_loss": "0.03", "rule": "lower > 0"}; '
        "see: harness power --help",
    )


def _read(fields: ObjectReader) -> _Request | None:
    from .statistics_lines import check_convention, decimal, level_of, whole_number

    check_convention(fields, ("power-exact-percentile/1", "mde-exact-percentile/1"))
    if fields.has("grid_step") and decimal(fields, "grid_step") not in (None, Fraction(1, 1000)):
        fields.fault("grid_step", "is fixed; expected 0.001, or leave it out")
    n = whole_number(fields, "n", 1, MOST_PAIRS)
    rule = _rule(fields)
    level = level_of(fields)
    target = _target(fields)
    truth = _truth(fields)
    if n is None or rule is None or level is None or target is None or truth is None:
        return None
    discordance, effect = truth
    return _Request(n, rule, level, effect, discordance, target)


def _rule(fields: ObjectReader) -> Rule | None:
    from harness.decode.fields import kind_of
    from harness.errors import HarnessError
    from harness.statistics.rules import parse_rule

    from .statistics_lines import wrong

    text, margin = fields.raw("rule"), fields.raw("margin")
    if not fields.has("rule"):
        fields.fault("rule", "is missing; give one such as 'lower > 0' or 'lower >= -2.0 points'")
        return None
    if not isinstance(text, str):
        fields.fault("rule", f"is {kind_of(text)}, expected a rule such as 'lower > 0'")
        return None
    if isinstance(margin, bool) or not isinstance(margin, (str, int, float, type(None))):
        fields.fault("margin", f'is {kind_of(margin)}, expected a fraction such as "0.02"')
        return None
    try:
        return parse_rule(text, margin)
    except HarnessError as error:
        fields.fault("rule", wrong(error))
        return None


def _target(fields: ObjectReader) -> Fraction | None:
    """Return the target power; a line's `target_power` goes before a `target` that an option
    gave."""
    from harness.statistics.power import DEFAULT_TARGET

    from .statistics_lines import decimal

    for key in ("target_power", "target"):
        if fields.has(key):
            found = decimal(fields, key)
            if found in (0, 1):
                fields.fault(key, f"is {found}, expected a power between 0 and 1, such as 0.8")
            return found
    return Fraction(DEFAULT_TARGET)


def _truth(fields: ObjectReader) -> tuple[Fraction, tuple[Fraction, Fraction] | None] | None:
    """Return the discordance, and the probabilities of a win and a loss where the effect is
    given."""
    from .statistics_lines import decimal

    first, second = ("p_win", "p_loss"), ("discordance", "difference")
    by_sides = any(fields.has(key) for key in first)
    if by_sides == any(fields.has(key) for key in second):
        said = "are both given" if by_sides else "are missing"
        names = "{} and {}, or {}".format(*(fields.where(key) for key in (*first, second[0])))
        fields.fault("", f"is unclear about the effect: {names} {said}; give the one or the other")
        return None
    if by_sides:
        win, loss = decimal(fields, "p_win"), decimal(fields, "p_loss")
        if win is None or loss is None:
            return None
        if win + loss > 1:
            fields.fault("p_loss", f"is {float(loss):g} beside p_win {float(win):g}: over 1 in sum")
            return None
        return win + loss, (win, loss)
    share = decimal(fields, "discordance")
    if share is None:
        return None
    if not fields.has("difference"):
        return share, None
    difference = decimal(fields, "difference", -share, share)
    if difference is None:
        return None
    return share, ((share + difference) / 2, (share - difference) / 2)


def _columns(request: _Request) -> tuple[Column, ...]:
    def echoed(key: str) -> Column:
        """The column of a fraction as it was asked for."""
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
