"""The answer prompt: a template with the context, the date and the question."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.cli.main import run
from harness.errors import InputError
from harness.evidence.prompt import DEFAULT_TEMPLATE, PromptTemplate
from harness.model import Query
from harness.storage.hashing import sha256_of_text


def test_fields_are_filled_once_and_other_braces_stay() -> None:
    template = PromptTemplate('{"q": "{question}", "d": "{date}"}\n{context}\n{question} {other}')
    filled = template.fill("about {question} and {date}", Query("why {context}?", "2023-05-20"))
    assert filled == (
        '{"q": "why {context}?", "d": "2023-05-20"}\n'
        "about {question} and {date}\n"
        "why {context}? {other}"
    )


def test_a_question_without_a_date_says_so() -> None:
    assert PromptTemplate("{date}").fill("", Query("?")) == "unknown"


def test_the_bundled_template_has_every_field() -> None:
    filled = DEFAULT_TEMPLATE.fill("THE CONTEXT", Query("THE QUESTION?", "THE DATE"))
    assert filled.index("THE CONTEXT") < filled.index("THE DATE") < filled.index("THE QUESTION?")
    assert "{" not in filled
    assert DEFAULT_TEMPLATE.sha256 == sha256_of_text(DEFAULT_TEMPLATE.text)


def test_a_template_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "template.txt"
    path.write_bytes("{context}\nFrage: {question} ü".encode())
    template = PromptTemplate.read(path)
    assert template.fill("c", Query("q")) == "c\nFrage: q ü"
    assert template.sha256 == sha256_of_text("{context}\nFrage: {question} ü")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{context}", "lacks {question}"),
        (b"{Context} {question}", "lacks {context}"),
        (b"", r"lacks {context} and {question}"),
        (b"{context} {question} \xff", "cannot read the template"),
    ],
)
def test_a_template_that_cannot_be_used(
    tmp_path: Path, content: bytes, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "template.txt"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        PromptTemplate.read(path)
    given = ["replay", str(tmp_path / "none"), "--out", str(tmp_path / "run")]
    assert run([*given, "--prompt-template", str(path)]) == 2
    assert message in capsys.readouterr().err
