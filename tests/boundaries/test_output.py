"""Text from outside is escaped where it enters an output."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from harness import escapes
from harness.words import code

from .conftest import CASES, Harness

TAG = re.compile(r"<(?:script|img)", re.IGNORECASE)
SPAN = re.compile(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)")


def test_an_error_shows_what_steers_a_terminal_as_escapes(harness: Harness) -> None:
    finished = harness("select", CASES / "terminal-escapes" / "cases.jsonl", "--point", "items")
    assert finished.code == 2
    assert r"query.\x1b]0;TITLE\x07\x1b[31mred\u202e is an unknown key" in finished.err
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", finished.err)


def test_a_wrong_option_is_shown_with_escapes(harness: Harness) -> None:
    finished = harness("select", "--\x1b[31mpoint")
    assert finished.code == 2
    assert "\x1b" not in finished.err


def test_a_table_for_the_terminal_shows_escapes(harness: Harness) -> None:
    line = (CASES / "hostile-text" / "cases.jsonl").read_text(encoding="utf-8").splitlines()[0]
    case = json.loads(line) | {"case_id": "a\x1b[2Jb\u202ec", "category": "=1+1"}
    Path("cases.jsonl").write_text(json.dumps(case) + "\n", encoding="utf-8")
    assert harness("import", "cases", "cases.jsonl", "--out", "REC", "--quiet").code == 0
    shown = harness("show", "REC", "--case", case["case_id"])
    assert shown.code == 0
    assert "\x1b" not in shown.out + shown.err
    assert "\u202e" not in shown.out + shown.err
    assert r"b\u202ec" in shown.out


def test_data_for_programs_keep_their_bytes(harness: Harness) -> None:
    line = (CASES / "hostile-text" / "cases.jsonl").read_text(encoding="utf-8").splitlines()[0]
    case = json.loads(line) | {"case_id": "a\u202eb"}
    text = json.dumps(case, ensure_ascii=False) + "\n"
    Path("cases.jsonl").write_text(text, encoding="utf-8")
    assert harness("import", "cases", "cases.jsonl", "--out", "REC", "--quiet").code == 0
    exported = harness("export", "cases", "REC")
    assert "a\u202eb" in exported.out


def test_no_page_of_a_report_holds_a_tag_from_outside(harness: Harness, tmp_path: Path) -> None:
    cases = CASES / "hostile-text" / "cases.jsonl"
    assert harness("import", "cases", cases, "--out", "REC").code == 0
    points = ("--point", "items", "--point", "count-curve(k=1)")
    assert harness("replay", "REC", "--out", "RUN", *points).code == 0
    assert harness("report", "RUN", "--recording", "REC", "--out", "REPORT").code == 0
    pages = [path for path in (tmp_path / "REPORT").rglob("*") if path.is_file()]
    text = {path.name: path.read_text(encoding="utf-8") for path in pages}
    assert len(text) > 3
    for name, page in text.items():
        assert not TAG.search(SPAN.sub("", page)), name
    assert any("&lt;script" in page or "&lt;img" in page for page in text.values())


def test_pages_keep_code_as_it_is() -> None:
    page = "a <b>x</b> and `<i>` and ``a`<i>``\n\n```html\n<script>\n```\n<!-- c --> 1 < 2\n"
    assert escapes.page(page) == (
        "a &lt;b>x&lt;/b> and `<i>` and ``a`<i>``\n\n```html\n<script>\n```\n&lt;!-- c --> 1 < 2\n"
    )


def test_a_code_span_holds_any_text() -> None:
    assert code("k=4") == "`k=4`"
    assert code("a`b``c") == "```a`b``c```"
    assert code("`x\ny`") == "`` `x y` ``"


def test_markdown_is_shown_as_text() -> None:
    assert escapes.markdown("<img src=x>*a*\n_b_ [c](d) e_f &amp; 1 & 2") == (
        r"&lt;img src=x>\*a\* \_b\_ \[c\](d) e_f &amp;amp; 1 & 2"
    )


def test_html_has_no_markup_and_no_control_character() -> None:
    assert escapes.html('<a b="c">&\'\x1b') == r"&lt;a b=&quot;c&quot;&gt;&amp;&#x27;\x1b"


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx"])
def test_a_cell_that_a_spreadsheet_would_run_is_text(text: str) -> None:
    assert escapes.csv_cell(text) == f"'{text}"


@pytest.mark.parametrize("value", ["a=1", "", "2.6.5a1(budget=2800)", -1, -0.5, None])
def test_other_cells_are_as_they_are(value: object) -> None:
    assert escapes.csv_cell(value) is value
