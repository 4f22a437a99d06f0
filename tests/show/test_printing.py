"""One table in four forms."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass

import numpy as np
import pytest

from harness.points import Point, parse_point
from harness.show.printing import OutputFormat, cell_text, print_as
from harness.show.table import (
    Column,
    Limits,
    MeanOf,
    PartOf,
    Table,
    WithChange,
    WithLimits,
    count_of,
    with_limits,
)
from harness.words import Code, Emphasis, Kind, Strong, plain_of

COLUMNS = (
    Column("point", "point", Kind.CODE),
    Column("tokens", "result tokens", Kind.TOKENS, per="lookup"),
    Column("share", "shown", Kind.SHARE),
    Column("change", "difference", Kind.SHARE_POINTS, cell=with_limits("change", "low", "high")),
    Column(
        "band",
        "band of all",
        Kind.SHARE_POINTS,
        cell=lambda row: None if row["low"] is None else Limits(row["low"], row["high"]),
    ),
    Column("citable", "citable", Kind.COUNT, cell=count_of("citable", "fields")),
)
ROWS = (
    {
        "point": "a|b",
        "tokens": 1531.42,
        "share": 0.1 + 0.2,
        "change": -0.0123,
        "low": -0.0,
        "high": np.float64(0.05),
        "citable": np.int64(7),
        "fields": 1021,
    },
    dict.fromkeys(("point", "tokens", "share", "change", "low", "high"), None)
    | {"citable": 0, "fields": 2},
)
TABLE = Table(COLUMNS, ROWS, title=("What ", Code("x"), " showed"), notes=("A note.",))


def test_markdown() -> None:
    assert print_as(TABLE, OutputFormat.MARKDOWN).split("\n") == [
        "| point | result tokens per lookup | shown (%) | difference (points) "
        "| band of all (points) | citable |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
        r"| `a\|b` | 1,531.4 | 30.0 | −1.2 (0.0, +5.0) | (0.0, +5.0) | 7 of 1,021 |",
        "| – | – | – | – | – | 0 of 2 |",
    ]


def test_text_has_narrow_headings_and_no_marks() -> None:
    assert print_as(TABLE, OutputFormat.TEXT).split("\n") == [
        "What x showed",
        "",
        "point          result    shown (%)        difference    band of all     citable",
        "           tokens per                       (points)       (points)",
        "               lookup",
        "-------  ------------  -----------  ----------------  -------------  ----------",
        "a|b           1,531.4         30.0  −1.2 (0.0, +5.0)    (0.0, +5.0)  7 of 1,021",
        "–                   –            –                 –              –      0 of 2",
        "",
        "A note.",
    ]


def test_people_see_the_same_numbers_on_a_terminal_and_on_a_page() -> None:
    text = print_as(TABLE, OutputFormat.TEXT).split("\n")[6]
    page = print_as(TABLE, OutputFormat.MARKDOWN).split("\n")[2]
    cells = [cell.strip(" `") for cell in page.replace("\\|", "/").strip("|").split("|")]
    assert text.replace("a|b", "a/b").split() == " ".join(cells).split()


def test_csv_and_json_hold_the_same_values_and_every_key() -> None:
    held = json.loads(print_as(TABLE, OutputFormat.JSON))
    read = list(csv.DictReader(io.StringIO(print_as(TABLE, OutputFormat.CSV))))
    assert list(read[0]) == list(held[0]) == list(ROWS[0])
    for by_json, by_csv in zip(held, read, strict=True):
        for key, value in by_json.items():
            assert by_csv[key] == ("" if value is None else str(value))
    assert held[0]["share"] == 0.30000000000000004
    assert read[0]["share"] == "0.30000000000000004"
    assert str(held[0]["low"]) == "0.0"


@dataclass(frozen=True)
class Shown:
    point: Point
    value: float
    inner: tuple[int, ...]


def test_a_row_may_be_a_dataclass_and_a_point_is_its_spelling() -> None:
    row = Shown(parse_point("count-curve(k=4)"), 0.5, (1, 2))
    table = Table(
        (Column("point", "point", Kind.CODE), Column("value", "value", Kind.SHARE)), (row,)
    )
    assert print_as(table, OutputFormat.MARKDOWN).endswith("| `count-curve(k=4)` | 50.0 |")
    assert json.loads(print_as(table, OutputFormat.JSON)) == [
        {"point": "count-curve(k=4)", "value": 0.5, "inner": [1, 2]}
    ]
    assert print_as(table, OutputFormat.CSV) == 'point,value,inner\ncount-curve(k=4),0.5,"[1, 2]"\n'


def test_a_table_without_rows() -> None:
    empty = Table(COLUMNS, ())
    assert print_as(empty, OutputFormat.TEXT) == "(none)"
    assert print_as(empty, OutputFormat.JSON) == "[]"
    assert print_as(empty, OutputFormat.CSV) == "point,tokens,share,change,band,citable\n"
    assert print_as(empty, OutputFormat.MARKDOWN).count("\n") == 1


def test_rows_before_the_others_are_for_people_alone() -> None:
    first = {"point": Emphasis("questions scored"), "share": PartOf(470, 500)}
    table = Table(COLUMNS, ROWS[:1], before=(first,))
    page = print_as(table, OutputFormat.MARKDOWN).split("\n")
    assert page[2] == "| *questions scored* |  | 470 of 500 |  |  |  |"
    assert len(json.loads(print_as(table, OutputFormat.JSON))) == 1


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        (WithLimits(0.5, None, None), Kind.SHARE_POINTS, "+50.0 (no interval)"),
        (WithLimits(None, None, None), Kind.SHARE_POINTS, "–"),
        (WithLimits(-1086.1, -1140.4, 0.0), Kind.TOKENS_CHANGE, "−1,086.1 (−1,140.4, 0.0)"),
        (WithLimits(0.1, 0.0, 0.2, doubtful=True), Kind.POINTS, "+10.00 †"),
        (Limits(-0.1, 0.1), Kind.SHARE_POINTS, "(−10.0, +10.0)"),
        (PartOf(103, 900, share=True), Kind.COUNT, "103 (11.4 %)"),
        (PartOf(103, 900, share=True), Kind.SHARE, "11.4"),
        (PartOf(0, 0, share=True), Kind.COUNT, "0"),
        (PartOf(0, 0, share=True), Kind.SHARE, "–"),
        (MeanOf(0.5, 1470), Kind.SHARE, "50.0 (n=1,470)"),
        (MeanOf(None, 0), Kind.SHARE, "– (n=0)"),
        (WithChange(0.77, -0.002), Kind.SHARE, "77.0 (−0.2)"),
        (True, Kind.TEXT, "yes"),
        ("sealed", Kind.ACCURACY, "sealed"),
        (("a", "b"), Kind.TEXT, "a, b"),
        ((), Kind.CODE, "–"),
    ],
)
def test_a_cell(value: object, kind: Kind, text: str) -> None:
    assert plain_of(cell_text(value, kind)) == text


def test_words_keep_their_marks_on_a_page() -> None:
    table = Table(
        (Column("a", "a", Kind.CODE), Column("b", "b")), ({"a": ("x", "y"), "b": Strong("MET")},)
    )
    assert print_as(table, OutputFormat.MARKDOWN).endswith("| `x`, `y` | **MET** |")


def test_a_hash_is_short_on_a_terminal_and_whole_on_a_page() -> None:
    table = Table((Column("sha256", "sha256", Kind.HASH),), ({"sha256": "0123456789abcdef"},))
    assert print_as(table, OutputFormat.TEXT).endswith("0123456789ab…")
    assert print_as(table, OutputFormat.MARKDOWN).endswith("`0123456789abcdef` |")
