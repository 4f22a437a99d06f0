"""What a judge is shown, and how its reply is read."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path

import pytest

from harness.errors import InputError
from harness.grading.graders import Answered, AskingGrader, parse_grader
from harness.grading.graders.judge import JudgeTemplates, bundled_templates, read_templates

ANSWERED = Answered("Where is {answer}?", "in {response}", "It says {question}, yes.")


def judge() -> AskingGrader:
    grader = parse_grader("judge").grader
    assert isinstance(grader, AskingGrader)
    return grader


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        ("yes", True),
        ("Yes.", True),
        (" NO\n", False),
        ("no.", False),
        ("", None),
        ("yes, it is", None),
        ("yes no", None),
        ("The answer is yes", None),
        ("yess", None),
        ("yes..", None),
        ("はい", None),
        ("true", None),
    ],
)
def test_yes_and_no_are_read_strictly(reply: str, verdict: bool | None) -> None:
    assert judge().verdict(reply) is verdict


@pytest.mark.parametrize(
    ("question_type", "abstention", "kind"),
    [
        ("single-session-user", False, "single_session"),
        ("single-session-assistant", False, "single_session"),
        ("multi-session", False, "single_session"),
        ("single-session-preference", False, "preference"),
        ("temporal-reasoning", False, "temporal"),
        ("knowledge-update", False, "knowledge_update"),
        ("knowledge-update", True, "abstention"),
        (None, False, "single_session"),
        ("something else", False, "single_session"),
    ],
)
def test_each_kind_of_question_has_a_text(
    question_type: str | None, abstention: bool, kind: str
) -> None:
    answered = replace(ANSWERED, question_type=question_type, abstention=abstention)
    texts = JudgeTemplates(
        **{field.name: f"{field.name} {{question}} {{answer}} {{response}}" for field in FIELDS}
    )
    # one pass: what stands in braces in a question or a response stays
    assert judge().prompt(answered, texts) == (
        f"{kind} Where is {{answer}}? in {{response}} It says {{question}}, yes."
    )


FIELDS = fields(JudgeTemplates)


def test_our_texts_differ_by_kind_and_ask_for_one_word() -> None:
    texts = [getattr(bundled_templates(), field.name) for field in FIELDS]
    assert len(set(texts)) == len(texts) == 5
    assert all("Reply with the single word yes or the single word no." in text for text in texts)
    assert "one more or one less is right too" in " ".join(bundled_templates().temporal.split())


def test_the_judge_sees_question_gold_and_response_alone() -> None:
    secret = Answered(
        "Q?", "G", "R", question_type="multi-session", date="2023-05-30", context="the context"
    )
    prompt = judge().prompt(secret, bundled_templates())
    assert not judge().reads_context
    for hidden in ("the context", "2023-05-30", "multi-session"):
        assert hidden not in prompt


def test_a_text_of_ones_own_for_all_kinds(tmp_path: Path) -> None:
    path = tmp_path / "own.txt"
    path.write_text("{question} {answer} {response} ok?")
    own = read_templates(path)
    assert {getattr(own, field.name) for field in FIELDS} == {"{question} {answer} {response} ok?"}
    assert own.sha256 != bundled_templates().sha256


def test_texts_of_ones_own_by_kind(tmp_path: Path, checkout: Path) -> None:
    path = tmp_path / "own.toml"
    bundled = (checkout / "harness/grading/graders/judge_prompts.toml").read_text("utf-8")
    path.write_text(bundled)
    assert read_templates(path) == bundled_templates()
    path.write_text('temporal = "{question} {response}"\nother = "x"\n')
    with pytest.raises(InputError) as caught:
        read_templates(path)
    for message in ("temporal lacks {answer}", "single-session is missing", "other"):
        assert message in str(caught.value)


def test_a_text_without_the_response_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "own.txt"
    path.write_text("{question} {answer}")
    with pytest.raises(InputError, match=r"lacks \{response\}"):
        read_templates(path)
    with pytest.raises(InputError, match="cannot read the text"):
        read_templates(tmp_path / "none.txt")
