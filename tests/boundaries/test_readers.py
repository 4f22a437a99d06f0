"""What cannot be held is refused where it is read, by every reader, with its place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import CASES, Harness

SURROGATES, DEEP = CASES / "lone-surrogates", CASES / "deep-and-huge"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("case-id.jsonl", "line 1: case_id holds a lone surrogate"),
        ("key.jsonl", r"line 1: has the key '\ud800', which holds a lone surrogate"),
    ],
)
def test_a_lone_surrogate_is_refused_with_its_place(
    name: str, message: str, harness: Harness
) -> None:
    finished = harness("diff", SURROGATES / "plain.jsonl", SURROGATES / name)
    assert (finished.code, finished.out) == (2, "")
    assert name in finished.err
    assert message in finished.err


def test_a_verdict_with_a_lone_surrogate_is_refused(harness: Harness) -> None:
    finished = harness("report", SURROGATES / "verdict.json")
    assert finished.code == 2
    assert r"verdict.json has the key '\ud800'" in finished.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("select", DEEP / "cases.jsonl", "--point", "items"), "is nested too deeply"),
        (("register", DEEP / "plan-deep.toml", "--out", "R.json"), "is nested too deeply"),
        (
            ("register", DEEP / "plan-huge-integer.toml", "--out", "R.json"),
            "holds a number of 5,000 digits",
        ),
    ],
)
def test_what_is_too_deep_or_too_large_is_refused(
    arguments: tuple[object, ...], message: str, harness: Harness
) -> None:
    finished = harness(*arguments)
    assert finished.code == 2
    assert message in finished.err
    assert str(arguments[1]) in finished.err
    assert not Path("R.json").exists()


def test_a_key_that_stands_twice_is_refused(harness: Harness) -> None:
    finished = harness("select", CASES / "duplicate-keys" / "cases.jsonl", "--point", "items")
    assert (finished.code, finished.out) == (2, "")
    assert "line 1: has the key 'case_id' twice" in finished.err
    assert "has the key 'text' twice" in finished.err


# further readers of lines and of whole files; each is given what no reader may let through
ODD = {
    "twice": ('{"a": 1, "a": 2}', "has the key 'a' twice"),
    "surrogate": (r'{"a": "\ud800"}', "lone surrogate"),
    "deep": ('{"a": ' + "[" * 1200 + "]" * 1200 + "}", "nested too deeply"),
    "digits": ('{"a": ' + "9" * 5000 + "}", "too large to be read"),
}


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize(
    "arguments",
    [
        ("select", "FILE", "--point", "items"),
        ("import", "cases", "FILE", "--out", "OUT"),
        ("diff", "FILE", "FILE"),
        ("interval", "FILE"),
        ("test", "FILE"),
        ("record", "longmemeval", "FILE", "--out", "OUT"),
        ("report", "FILE"),
        ("judge", "FILE", "--grades", "FILE", "--out", "OUT"),
    ],
    ids=lambda arguments: " ".join(arguments[:2]),
)
def test_no_reader_lets_it_through(
    odd: str, arguments: tuple[str, ...], harness: Harness, tmp_path: Path
) -> None:
    text, message = ODD[odd]
    path = tmp_path / "file.jsonl"
    path.write_text(text + "\n", encoding="utf-8")
    finished = harness(*[str(path) if name == "FILE" else name for name in arguments])
    assert finished.code == 2
    assert message in finished.err or "expected" in finished.err or "is not" in finished.err
    assert not Path("OUT").exists()


def test_grades_whose_fields_have_other_types_are_refused(harness: Harness) -> None:
    folder = CASES / "wrong-types"
    finished = harness(
        *("grades", "import", folder / "mylib_lme_judged.json", "--format", "omnimemeval"),
        *("--point", "external(name=x)", "--split", folder / "split.json"),
        *("--questions", folder / "questions.jsonl", "--part", "all", "--exploratory"),
        *("--out", "G"),
    )
    assert finished.code == 2
    assert "entry 1 ('lme_exper_user_v1_0'): category is a list" in finished.err
    assert "entry 2 ('lme_exper_user_v1_1'): category is an object" in finished.err
    assert not Path("G").exists()


def test_a_manifest_whose_fields_have_other_types_is_refused(harness: Harness) -> None:
    finished = harness("show", CASES / "wrong-types" / "recording-manifest")
    assert finished.code == 2
    assert "content is a list, expected an object" in finished.err


def test_an_empty_text_differs_from_another(harness: Harness) -> None:
    folder = CASES / "diff-of-an-empty-text"
    for sides in (("a.jsonl", "b.jsonl"), ("b.jsonl", "a.jsonl")):
        finished = harness("diff", *(folder / side for side in sides))
        assert finished.code == 1
        assert "differs in context" in finished.out
        assert "the end" in finished.out  # of the text that is empty


def test_an_empty_category_is_not_an_absent_one(harness: Harness) -> None:
    line = (CASES / "out-with-a-colon" / "cases.jsonl").read_text(encoding="utf-8").splitlines()[0]
    case = json.loads(line) | {"category": ""}
    Path("cases.jsonl").write_text(json.dumps(case) + "\n", encoding="utf-8")
    assert harness("import", "cases", "cases.jsonl", "--out", "REC", "-q").code == 0
    shown = harness("show", "REC", "--case", case["case_id"])
    assert "no category" not in shown.out
    assert '("")' in shown.out
