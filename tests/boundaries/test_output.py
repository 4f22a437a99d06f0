"""Text from outside is escaped where it enters an output."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import cmarkgfm
import pytest
from cmarkgfm.cmark import Options
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from harness import escapes

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


def test_drawings_and_junit_hold_what_xml_has_not_as_escapes() -> None:
    text = "".join(map(chr, range(32))) + "\ufffe\uffff\ud800<&>"
    assert ElementTree.fromstring(f"<t a='{escapes.html(text)}'>{escapes.html(text)}</t>").text


def test_a_code_span_holds_any_text() -> None:
    assert escapes.code_span("k=4") == "`k=4`"
    assert escapes.code_span("a`b``c") == "```a`b``c```"
    assert escapes.code_span("`x\ny\x1b") == "`` `x y\\x1b ``"


def test_a_line_of_a_block_of_code_ends_no_block() -> None:
    assert escapes.verbatim("a <b> `c`\n```\n[d](e)") == r"a <b> `c`\n```\n[d](e)"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<img src=x>*a*\n_b_ __c__ e_f ~d~", r"&lt;img src=x>\*a\* \_b\_ \_\_c\_\_ e_f \~d\~"),
        ("![x](y) [x][y] [x]: z [^1] [a, b]", r"![x\](y) [x\][y] [x\]: z \[^1] [a, b]"),
        ("&lt; & &amp; 1 < 2 a\\b", r"&amp;lt; & &amp;amp; 1 < 2 a\\b"),
        ("see <http://x.y>, @b a@b.c #1 a#1", "see `<http://x.y>,` `@b` `a@b.c` `#1` a#1"),
        ("a `b*c` ``d` http://x", r"a `b*c` \`\`d\` `http://x`"),
        ("`a`@b", "`a` `@b`"),
        ("# a", r"\# a"),
        ("12. a", r"12\. a"),
        (" - a - b", r" \- a - b"),
        (">a", r"\>a"),
        ("---", r"\---"),
        ("−2.0, 1.5 → 3 (+50.0) -1", "−2.0, 1.5 → 3 (+50.0) -1"),
    ],
)
def test_markdown_is_shown_as_text(text: str, shown: str) -> None:
    assert escapes.markdown(text) == shown
    assert escapes.markdown(escapes.markdown(text)) == shown


HOSTILE = (
    *("![x](http://e.org/i.png)", "[x](javascript:alert(1))", "<http://e.org>", "http://e.org/a_b"),
    *(
        "www.e.org",
        "a@e.org",
        "@someone",
        "[^1]",
        "[^1]: x",
        "[x]: /y",
        "[x][y]",
        "[x]",
        "&lt;b&gt;",
    ),
    *("&#60;", "<b>", "<!-- x -->", "*a*", "__a__", "~~a~~", "`", "``", "`a`", "\\", "|", "](y)"),
    *("[", "]", "(", ")", "!", "# ", "1. ", "- ", "> ", "===", "---", "```", "~~~", " ", "\n", "a"),
    *("ftp://e.org", "mailto:a@b.c", "xmpp:a@b", "#12", "\t", "<", "&", "_", "*", "é", "$a$", ":"),
)
CONTEXTS = (
    "{}",
    "- {}",
    "## {}",
    "**{}** (n=1)",
    "a {}b",
    "| a |\n| --- |\n| {} |",
)


class _Seen(HTMLParser):
    """Where links and images lead, and the text that a reader sees."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.places: list[str | None] = []
        self.tags: set[str] = set()
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag in ("a", "img"):
            self.places.append(dict(attributes).get("href", dict(attributes).get("src")))

    def handle_data(self, data: str) -> None:
        self.text += data


def seen(page: str) -> list[_Seen]:
    """A page as two renderers show it: one of CommonMark with tables, and GitHub's."""
    options = Options.CMARK_OPT_UNSAFE | Options.CMARK_OPT_FOOTNOTES
    extensions = ["table", "autolink", "strikethrough", "tasklist"]
    return [
        _Seen(MarkdownIt("commonmark").enable("table").render(page)),
        _Seen(cmarkgfm.markdown_to_html_with_extensions(page, options, extensions)),
    ]


@given(st.lists(st.sampled_from(HOSTILE), max_size=12).map("".join), st.sampled_from(CONTEXTS))
def test_no_link_image_or_tag_comes_from_outside(text: str, context: str) -> None:
    shown: str = escapes.markdown(text)
    if context.startswith("|"):
        shown = " ".join(shown.replace("|", "\\|").split())
    for page in seen(f"before\n\n{context.format(shown)}\n\nafter [^1] [x] [own](own.md)\n"):
        assert set(page.places) == {"own.md"}
        assert page.tags <= {*("p", "ul", "li", "h2", "strong", "code", "pre", "a"), *TABLE}
        letters = re.sub(r"[\s`]", "", escapes.terminal(text))
        assert letters in re.sub(r"[\s`]", "", page.text)


TABLE = ("table", "thead", "tbody", "tr", "th", "td")


def test_no_page_of_a_report_has_a_link_from_outside(harness: Harness, tmp_path: Path) -> None:
    line = (CASES / "hostile-text" / "cases.jsonl").read_text(encoding="utf-8").splitlines()[0]
    case = json.loads(line)
    hostile = [text for text in HOSTILE if text.strip()]
    lines = [
        json.dumps({**case, "case_id": f"c{number} {text}", "category": f"{text} {number}"})
        for number, text in enumerate([*hostile, " ".join(hostile)])
    ]
    Path("cases.jsonl").write_text("\n".join(lines), encoding="utf-8")
    assert harness("import", "cases", "cases.jsonl", "--out", "REC", "--quiet").code == 0
    points = ("--point", "items", "--point", "count-curve(k=1)")
    assert harness("replay", "REC", "--out", "RUN", *points).code == 0
    assert harness("report", "RUN", "--recording", "REC", "--out", "REPORT").code == 0
    pages = list((tmp_path / "REPORT").rglob("*.md"))
    assert len(pages) > 3
    own = re.compile(r"(\.\./)?([\w.-]+/)?([\w-]+\.(md|svg))?(#[\w-]+)?")
    for path in pages:
        for page in seen(path.read_text(encoding="utf-8")):
            assert page.places
            assert [place for place in page.places if not own.fullmatch(place or "?")] == []


def test_html_has_no_markup_and_no_control_character() -> None:
    assert escapes.html('<a b="c">&\'\x1b') == r"&lt;a b=&quot;c&quot;&gt;&amp;&#x27;\x1b"


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "\n=1", "＝1"])
def test_a_cell_that_a_spreadsheet_would_run_is_text(text: str) -> None:
    assert escapes.csv_cell(text) == f"'{text}"


@pytest.mark.parametrize("value", ["a=1", "", "2.6.5a1(budget=2800)", -1, -0.5, None])
def test_other_cells_are_as_they_are(value: object) -> None:
    assert escapes.csv_cell(value) is value
