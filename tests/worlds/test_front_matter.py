"""Front matter: plain lines of `key: value`, and nothing guessed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.worlds.markdown_folder import MarkdownText, split_front_matter


def test_entries_and_body() -> None:
    text = (
        "---\ntitle: A: b #c\n# a comment\n\ntags:  one, two \nrel-x: /a.md#b\nempty:\n"
        "quoted: 'it is'\r\n---\n\n# Body\n---\n"
    )
    assert split_front_matter(text) == MarkdownText(
        {
            "title": "A: b #c",
            "tags": "one, two",
            "rel-x": "/a.md#b",
            "empty": "",
            "quoted": "it is",
        },
        "\n# Body\n---\n",
    )


@pytest.mark.parametrize(
    "text", ["", "# A\n", "----\n", " ---\na: b\n---\n", "text\n---\na: b\n---\n"]
)
def test_no_front_matter(text: str) -> None:
    assert split_front_matter(text) == MarkdownText({}, text)


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("no colon", "line 3 is 'no colon', expected `key: value`"),
        ("- item", "line 3 is '- item', expected `key: value`"),
        ("key:value", "line 3 is 'key:value', expected `key: value`"),
        ("a: again", "line 3 has the key 'a' a second time"),
        ("b: [x, y]", "line 3 has a value that starts with '['; write `b: one, two` as plain text"),
        ("b: |", "line 3 has a value that starts with '|'; write `b: one, two` as plain text"),
        (
            'b: "x\\n"',
            "line 3 has a quoted value that is not plain text; write `b: TEXT` without quotes",
        ),
        (
            "b: 'open",
            "line 3 has a quoted value that is not plain text; write `b: TEXT` without quotes",
        ),
    ],
)
def test_what_is_no_plain_text_is_refused_by_line(line: str, fault: str) -> None:
    assert split_front_matter(f"---\na: 1\n{line}\n---\nbody").faults == (fault,)


def test_front_matter_that_is_never_closed() -> None:
    found = split_front_matter("---\na: b\n")
    assert found.faults == ("line 1 opens front matter that no line `---` closes",)


def test_a_byte_order_mark_is_no_text() -> None:
    assert split_front_matter("\ufeff---\na: b\n---\nx").metadata == {"a": "b"}
    assert split_front_matter("\ufeff# A").body == "# A"


KEYS = st.from_regex(r"[a-z][a-z-]{0,8}", fullmatch=True)
VALUES = st.from_regex(r"([a-z0-9/][a-z:#/, ]{0,10}[a-z])?", fullmatch=True)


@given(st.dictionaries(KEYS, VALUES, max_size=5), st.text(max_size=40))
def test_what_was_written_is_read(metadata: dict[str, str], body: str) -> None:
    lines = "".join(f"{key}: {value}\n" for key, value in metadata.items())
    assert split_front_matter(f"---\n{lines}---\n{body}") == MarkdownText(metadata, body)
