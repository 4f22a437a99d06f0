"""`harness interval`, `harness test` and `harness power`."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from harness.cli.main import run
from harness.statistics.counts import PairedCounts
from harness.statistics.exact_bootstrap import stratified_exact_interval
from harness.statistics.power import minimum_detectable_effect, power
from harness.statistics.rules import parse_rule
from harness.statistics.tango import tango_interval

from ..golden import GOLDEN, golden_rows


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run([*arguments]) == 0
    return capsys.readouterr().out


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Standard output is a terminal."""
    monkeypatch.setattr("harness.cli.output.on_terminal", lambda: True)


def answers(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in printed(capsys, *arguments).splitlines()]


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run([*arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    return captured.err


@pytest.fixture
def lines_file(tmp_path: Path) -> Path:
    return tmp_path / "lines.jsonl"


def test_an_interval_as_json_is_exactly_this(capsys: pytest.CaptureFixture[str]) -> None:
    out = printed(capsys, "interval", "--wins", "29", "--losses", "25", "--n", "500", "--json")
    assert out == (
        '{"method": "exact", "level": "0.95", "n": 500, "wins": 29, "losses": 25, '
        '"difference": 0.008, "lower": -0.02, "upper": 0.036, "warnings": []}\n'
    )


@pytest.mark.usefixtures("terminal")
def test_an_interval_for_people_is_in_points(capsys: pytest.CaptureFixture[str]) -> None:
    out = printed(capsys, "interval", "--wins", "29", "--losses", "25", "--n", "500")
    heading, unit, _, row = out.splitlines()
    assert "difference" in heading
    assert unit.split() == ["(points)"] * 3
    assert row.split() == ["exact", "0.95", "500", "29", "25", "+0.80", "−2.00", "+3.60"]


@pytest.mark.usefixtures("terminal")
def test_an_interval_that_misleads_says_so_wherever_it_is_shown(
    capsys: pytest.CaptureFixture[str],
) -> None:
    few = "1 discordant pair, fewer than 10"
    arguments = ["interval", "--wins", "0", "--losses", "1", "--n", "400"]
    for form in ("--csv", "--json"):
        assert run([*arguments, form]) == 0
        captured = capsys.readouterr()
        assert few in captured.out
        assert few in captured.err
        assert run([*arguments, form, "-q"]) == 0
        assert few in (captured := capsys.readouterr()).out
        assert captured.err == ""
    assert run([*arguments, "-q"]) == 0
    assert f"warning: {few}" in capsys.readouterr().out


def test_lines_are_answered_in_order_with_options_for_what_they_lack(
    capsys: pytest.CaptureFixture[str], lines_file: Path
) -> None:
    lines_file.write_text(
        '{"n": 400, "wins": 13, "losses": 10}\n'
        '{"n": 21, "wins": 1, "losses": 7, "level": 0.9, "method": "exact"}\n'
    )
    first, second = answers(
        capsys, "interval", "--from", str(lines_file), "--method", "tango", "-q"
    )
    tango = tango_interval(PairedCounts(13, 10, 377), "0.95")
    assert (first["method"], first["lower"], first["upper"]) == ("tango", tango.lower, tango.upper)
    assert (second["method"], second["level"], second["n"]) == ("exact", "0.9", 21)


def test_strata_are_resampled_within_themselves(
    capsys: pytest.CaptureFixture[str], lines_file: Path
) -> None:
    parts = [{"n": 20, "wins": 5, "losses": 2}, {"n": 30, "wins": 9, "losses": 0}]
    lines_file.write_text(json.dumps({"strata": parts, "level": "0.90"}))
    (found,) = answers(capsys, "interval", "--from", str(lines_file), "-q")
    expected = stratified_exact_interval([PairedCounts(5, 2, 13), PairedCounts(9, 0, 21)], "0.90")
    assert (found["n"], found["wins"], found["losses"]) == (50, 14, 2)
    assert (found["lower"], found["upper"]) == (expected.lower, expected.upper)


@pytest.mark.parametrize(
    ("name", "method"),
    [
        ("exact_bootstrap", "exact"),
        ("stratified_exact", "exact"),
        ("exact_ties", "exact"),
        ("tango", "tango"),
        ("bonett_price", "bonett-price"),
        ("wald", "wald"),
    ],
)
def test_rows_of_reference_intervals_are_answered(
    name: str, method: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whole rows: their results are passed over, their convention tells the method."""
    path = GOLDEN / "statistics" / f"{name}.jsonl"
    rows = golden_rows(f"statistics/{name}")
    found = answers(capsys, "interval", "--from", str(path), "-q")
    for answer, row in zip(found, rows, strict=True):
        assert (answer["method"], answer["level"]) == (method, row["level"])
        assert answer["lower"] == pytest.approx(float(row["lower"]), abs=1e-12)
        assert answer["upper"] == pytest.approx(float(row["upper"]), abs=1e-12)


def test_rows_of_reference_tests_and_powers_are_answered(
    capsys: pytest.CaptureFixture[str], lines_file: Path
) -> None:
    folder = GOLDEN / "statistics"
    rows = golden_rows("statistics/mcnemar")
    found = answers(capsys, "test", "--from", str(folder / "mcnemar.jsonl"))
    for answer, row in zip(found, rows, strict=True):
        assert list(answer) == ["exact_p", "mid_p"]
        assert answer["exact_p"] == pytest.approx(float(row["exact_p"]), rel=1e-11)
    text = (folder / "power.jsonl").read_text() + (folder / "mde.jsonl").read_text()
    lines_file.write_text(text)
    rows = [json.loads(line) for line in text.splitlines()]
    for answer, row in zip(answers(capsys, "power", "--from", str(lines_file)), rows, strict=True):
        (key,) = answer
        assert key == ("mde" if "discordance" in row else "power")
        expected = None if row[key] is None else pytest.approx(float(row[key]), rel=1e-11)
        assert answer[key] == expected


@pytest.mark.usefixtures("terminal")
def test_the_test_by_hand(capsys: pytest.CaptureFixture[str]) -> None:
    assert answers(capsys, "test", "--wins", "3", "--losses", "1", "--json") == [
        {"exact_p": 10 / 16, "mid_p": 6 / 16}
    ]
    row = printed(capsys, "test", "--wins", "3", "--losses", "1").splitlines()[-1]
    assert row.split() == ["3", "1", "0.6250", "0.3750"]


def test_power_of_a_given_effect_in_both_spellings(capsys: pytest.CaptureFixture[str]) -> None:
    rule = ["--rule", "lower >= -2.0 points", "--n", "100", "--json"]
    sides = answers(capsys, "power", *rule, "--p-win", "0.10", "--p-loss", "0.05")
    both = answers(capsys, "power", *rule, "--discordance", "0.15", "--difference", "0.05")
    expected = power(parse_rule("lower >= -2.0 points"), 100, "0.10", "0.05", "0.95")
    assert sides == both == [{"power": expected}]


@pytest.mark.usefixtures("terminal")
def test_a_detectable_difference(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["power", "--n", "100", "--discordance", "0.3", "--rule", "lower > 0"]
    more = ["--level", "0.90", "--target", "0.5"]
    rule = parse_rule("lower > 0")
    expected = minimum_detectable_effect(rule, 100, "0.3", "0.90", "0.5")
    assert expected is not None
    assert answers(capsys, *asked, *more, "--json") == [{"mde": expected}]
    row = printed(capsys, *asked, *more).splitlines()[-1]
    assert row.split()[-3:] == ["0.3", "0.5", f"{100 * expected:+.2f}"]


@pytest.mark.usefixtures("terminal")
def test_a_difference_that_nothing_detects_is_null(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["power", "--n", "100", "--discordance", "0.05", "--rule", "lower > 0"]
    assert printed(capsys, *asked, "--json") == '{"mde": null}\n'
    assert run(asked) == 0
    assert "no difference up to the discordance" in capsys.readouterr().err


def test_powers_and_detectable_differences_make_one_csv(
    capsys: pytest.CaptureFixture[str], lines_file: Path
) -> None:
    lines_file.write_text(
        '{"p_win": "0", "p_loss": "0", "rule": "lower >= -margin", "margin": "0.02"}\n'
        '{"discordance": "0.05", "target_power": "0.9", "margin": null}\n'
    )
    out = printed(
        capsys, "power", "--from", str(lines_file), "--csv", "--n", "50", "--rule", "lower > 0"
    )
    assert list(csv.DictReader(io.StringIO(out))) == [
        {"power": "1.0", "mde": ""},
        {"power": "", "mde": ""},
    ]


BAD_INTERVALS = [
    ('{"n": 10, "wins": 9, "losses": 3}', "n is the number 10, less than wins + losses = 12"),
    ("[1]", "is a list, expected an object"),
    ("oops", "is not JSON"),
    ('{"n": 1, "wins": 1, "losses": 0, "levl": 1}', "levl is an unknown key; did you mean 'level'"),
    ('{"n": 10, "wins": 1}', "losses is missing; write a whole number from 0"),
    ('{"n": 10, "wins": -1, "losses": 0}', "wins is the number -1, expected a whole number"),
    ('{"n": 10, "wins": true, "losses": 0}', "wins is true, expected a whole number"),
    ('{"n": 0, "wins": 0, "losses": 0}', "n is the number 0, expected a whole number from 1"),
    ('{"n": 1, "wins": 0, "losses": 0, "level": "95"}', "the level is 95, which is not between"),
    ('{"n": 1, "wins": 0, "losses": 0, "level": []}', "level is a list, expected a decimal"),
    ('{"n": 1, "wins": 0, "losses": 0, "level": NaN}', "level is nan, which JSON does not have"),
    ('{"n": 1, "wins": 0, "losses": 0, "method": "tang"}', "did you mean 'tango'? Methods:"),
    ('{"n": 1, "wins": 0, "losses": 0, "method": 1}', "method is the number 1, expected one of"),
    ('{"n": 1, "wins": 0, "losses": 0, "convention": "holm/1"}', "convention is the string"),
    ('{"strata": []}', "strata is empty"),
    ('{"strata": [{"n": 2, "wins": 1}]}', "strata[0].losses is missing"),
    ('{"strata": [{"n": 2, "wins": 1, "losses": 0, "x": 1}]}', "strata[0].x is an unknown key"),
    ('{"strata": [3]}', "strata[0] is the number 3, expected an object"),
    ('{"strata": [{"n": 2, "wins": 1, "losses": 0}], "n": 2}', "n does not go with strata"),
    ('{"strata": [{"n": 2, "wins": 1, "losses": 0}], "method": "wald"}', "the method is exact"),
]


def test_every_fault_of_every_line_is_named_and_nothing_is_answered(
    capsys: pytest.CaptureFixture[str], lines_file: Path
) -> None:
    good = '{"n": 10, "wins": 1, "losses": 1}'
    lines_file.write_text("\n".join([good, *(line for line, _ in BAD_INTERVALS)]))
    error = refused(capsys, "interval", "--from", str(lines_file))
    assert f"{lines_file.name}: {len(BAD_INTERVALS)} faults" in error
    for number, (_, message) in enumerate(BAD_INTERVALS, start=2):
        (line,) = [part for part in error.splitlines() if f"line {number}:" in part]
        assert message in line
    assert 'A line is an object such as {"n": 500,' in error


BAD_POWERS = [
    ('{"p_win": "0.5", "p_loss": "0.6"}', "p_loss is 0.6 and p_win 0.5: their sum is over 1"),
    ('{"p_win": "0.5"}', "p_loss is missing; write a decimal number from 0 to 1"),
    ('{"p_win": "0.5", "p_loss": "x"}', "p_loss is wrong: 'x' is not a decimal number"),
    ('{"p_win": "0.5", "p_loss": null, "discordance": "1"}', "p_win and p_loss, or discordance"),
    ("{}", "discordance are missing; give the one or the other"),
    ('{"discordance": "1.5"}', "discordance is the string '1.5', expected a decimal number"),
    ('{"difference": "0.5"}', "discordance is missing"),
    ('{"discordance": "0.2", "difference": "-0.3"}', "a decimal number from -0.2 to 0.2"),
    ('{"discordance": "0.2", "target_power": 1}', "target_power is 1, expected a power between"),
    ('{"discordance": "0.2", "grid_step": "0.01"}', "grid_step is fixed; expected 0.001"),
    ('{"discordance": "0.2", "rule": "lower < 0"}', "compared by > or >=, not <"),
    ('{"discordance": "0.2", "rule": "lower >= -0.02"}', "has no unit. Write -0.02 points if"),
    ('{"discordance": "0.2", "rule": "lower >= -margin"}', "names a margin, but none is passed"),
    (
        '{"discordance": "0.2", "rule": 5}',
        "rule is the number 5, expected a string; write one such as",
    ),
    ('{"discordance": "0.2", "margin": {}}', "margin is an object, expected a fraction"),
    ('{"discordance": true}', "discordance is true, expected a decimal number"),
]


def test_every_fault_of_a_power_line_is_named(
    capsys: pytest.CaptureFixture[str], lines_file: Path
) -> None:
    lines_file.write_text("\n".join(line for line, _ in BAD_POWERS))
    options = ["--n", "10", "--rule", "lower > 0"]
    error = refused(capsys, "power", "--from", str(lines_file), *options)
    for number, (_, message) in enumerate(BAD_POWERS, start=1):
        (line,) = [part for part in error.splitlines() if f"line {number}:" in part]
        assert message in line


@pytest.mark.parametrize(
    ("arguments", "messages"),
    [
        (["interval"], ["--n is missing", "--wins is missing", "--losses is missing"]),
        (
            ["interval", "--wins", "3", "--losses", "0", "--n", "2", "--level", "95%"],
            ["--n is the number 2, less than", "--level is wrong: the level '95%'"],
        ),
        (["test", "--wins", "-1", "--losses", "2"], ["--wins is the number -1"]),
        (["power", "--n", "5", "--p-win", "0.1"], ["--rule is missing", "--p-loss is missing"]),
        (["power", "--n", "5", "--rule", "lower > 0"], ["--p-win and --p-loss, or --discordance"]),
        (["interval", "--json", "--csv"], ["exclude each other"]),
        (["test", "--wins", "x", "--losses", "2"], ["'x' is not a valid integer"]),
    ],
)
def test_bad_options_are_named(
    arguments: list[str], messages: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    error = refused(capsys, *arguments)
    for message in messages:
        assert message in error


def test_an_empty_file_is_refused(capsys: pytest.CaptureFixture[str], lines_file: Path) -> None:
    lines_file.write_text("\n")
    assert "holds no line" in refused(capsys, "test", "--from", str(lines_file))
    assert "cannot read" in refused(capsys, "test", "--from", f"{lines_file}.none")


@pytest.mark.parametrize("verb", ["interval", "test", "power"])
def test_help_teaches_with_an_example(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([verb, "--help"]) == 0
    out = capsys.readouterr().out
    assert f"harness {verb} --" in out
    assert "docs/statistics.md" in " ".join(out.split())


def test_in_a_pipe_one_answer_is_one_line_of_json(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("test", "--wins", "13", "--losses", "3")
    assert printed(capsys, *arguments) == printed(capsys, *arguments, "--json")
