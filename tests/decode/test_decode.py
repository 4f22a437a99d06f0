"""The decoder: every fault by its path, in one sentence each, whatever the text holds."""

from __future__ import annotations

import gzip
import json
import lzma
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from harness.decode import (
    KEEP,
    Check,
    Count,
    Example,
    FieldError,
    Format,
    IsoDate,
    Json,
    JsonObject,
    NotNull,
    NullIs,
    Parsed,
    Positive,
    Sha256,
    SourceLines,
    Text,
    Whole,
    decode,
    decode_file,
    decode_lines,
    decode_toml,
    keys,
    named,
    read_json,
    typed,
)
from harness.decode.format import _LABEL
from harness.errors import Faults, InputError, UsageError


class Role(Enum):
    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True)
class Span:
    record_id: Text
    start: Count
    end: Count

    def __post_init__(self) -> None:
        if self.end <= self.start:
            raise FieldError("end", f"is {self.end}, expected more than {self.start}")


@dataclass(frozen=True, slots=True)
class Tokens:
    prompt: int
    completion: int = 0


def rule_of(text: str) -> tuple[str, str]:
    left, arrow, right = text.partition(">")
    if not arrow:
        raise ValueError(f"{text!r} has no '>'")
    if not right:
        raise UsageError("nothing follows '>'", "Write a number.")
    return left, right


@dataclass(frozen=True, slots=True, kw_only=True)
class Labels:
    __pydantic_config__ = keys(pass_number="pass")

    answer: str | int
    role: Role = Role.USER
    score: float = 0.0
    flag: bool = False
    spans: tuple[Span, ...] = ()
    pair: tuple[int, int] | None = None
    by_name: Mapping[str, Span] = field(default_factory=dict)
    metadata: JsonObject = field(default_factory=dict)
    extra: Json = None
    method: Literal["exact", "bootstrap"] = "exact"
    usage: Tokens | Literal["unknown"] | None = None
    number: Whole = 0
    pass_number: Positive = 1
    date: IsoDate | None = None
    digest: Sha256 | None = None
    rule: Annotated[tuple[str, str] | None, Parsed(rule_of)] = None
    scope: Annotated[str | None, NotNull()] = None
    names: Annotated[tuple[str, ...], NullIs(tuple)] = ("x",)
    even: Annotated[int, Check(lambda value: "is odd" if value % 2 else None)] = 0


LABELS = Format("harness.labels/1", Labels, hint="Read the docs.")


def faults_of(text: str | bytes, form: Format[Any] = LABELS) -> list[str]:
    faults = Faults()
    value = decode(form, text, faults=faults)
    assert (value is None) == bool(len(faults))
    return list(faults)


def with_keys(text: str) -> str:
    return f'{{"schema": "harness.labels/1", "answer": 1, {text}}}'


def test_values_of_every_kind() -> None:
    text = with_keys(
        '"role": "assistant", "score": 3, "flag": true, "pair": [1, 2], "method": "bootstrap",'
        '"spans": [{"record_id": "a", "start": 0, "end": 2}], "metadata": {"a": [null, 1e3]},'
        '"by_name": {"x": {"record_id": "b", "start": 1, "end": 2}}, "extra": [{}],'
        '"usage": {"prompt": 3}, "number": -5, "pass": 2, "date": "2023-05-20T02:21:00+00:00",'
        f'"digest": "{"0a" * 32}", "rule": "a>b", "even": 4'
    )
    value = decode(LABELS, text, place="x")
    assert value == Labels(
        answer=1,
        role=Role.ASSISTANT,
        score=3.0,
        flag=True,
        spans=(Span("a", 0, 2),),
        pair=(1, 2),
        by_name={"x": Span("b", 1, 2)},
        metadata={"a": [None, 1000.0]},
        extra=[{}],
        method="bootstrap",
        usage=Tokens(3),
        number=-5,
        pass_number=2,
        date="2023-05-20T02:21:00+00:00",
        digest="0a" * 32,
        rule=("a", "b"),
        even=4,
    )
    assert isinstance(value.score, float)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('"role": "usr"', "role is 'usr', expected 'user' or 'assistant'; did you mean"),
        ('"role": 1', "role is the number 1, expected 'user' or 'assistant'"),
        ('"score": "3"', "score is the string '3', expected a finite number"),
        ('"score": true', "score is true, expected a finite number"),
        ('"score": 1e999', "score is the number inf, expected a finite number"),
        ('"score": NaN', "score is nan, which JSON does not have"),
        ('"flag": 0', "flag is the number 0, expected true or false"),
        ('"flag": null', "flag is null, expected true or false"),
        ('"spans": {}', "spans is an object, expected a list"),
        ('"spans": [3]', "spans[0] is the number 3, expected an object"),
        ('"spans": [{"record_id": "a", "start": 1}]', "spans[0].end is missing"),
        (
            '"spans": [{"record_id": "", "start": 1, "end": 2}]',
            "spans[0].record_id is empty",
        ),
        (
            '"spans": [{"record_id": "a", "start": 2, "end": 2}]',
            "spans[0].end is 2, expected more than 2",
        ),
        (
            '"spans": [{"record_id": "a", "start": 1, "end": 2, "strt": 0}]',
            "spans[0].strt is an unknown key; did you mean 'start'?",
        ),
        ('"pair": [1]', "pair[1] is missing"),
        ('"pair": [1, 2, 3]', "pair has 3 entries, expected 2"),
        ('"by_name": []', "by_name is a list, expected an object"),
        (
            '"by_name": {"x.y": {"record_id": "a", "start": -1, "end": 2}}',
            "by_name.x.y.start is -1, expected 0 or more",
        ),
        ('"metadata": [1]', "metadata is a list, expected an object"),
        ('"metadata": {"a": [{"b": 1e999}]}', "metadata.a[0].b is inf, which JSON does not have"),
        ('"extra": {"a": [NaN]}', "extra.a[0] is nan, which JSON does not have"),
        ('"extra": {"a": 1, "a": 2}', "extra has the key 'a' twice"),
        ('"method": "exct"', "method is 'exct', expected 'exact' or 'bootstrap'"),
        ('"usage": 3', "usage is the number 3, expected an object or 'unknown'"),
        ('"usage": {"prompt": "3"}', "usage.prompt is the string '3', expected a whole number"),
        ('"usage": "unkown"', "usage is 'unkown', expected 'unknown'; did you mean"),
        ('"number": 1.0', "number is the number 1.0, expected a whole number"),
        ('"number": true', "number is true, expected a whole number"),
        ('"number": 2147483648', "number is a number of more than 32 bits"),
        ('"number": -2147483648', "number is a number of more than 32 bits"),
        (f'"number": {"9" * 5000}', "number is a number of 5,000 digits, too large to be read"),
        ('"pass": 0', "pass is 0, expected 1 or more"),
        ('"pass_number": 1', "pass_number is an unknown key"),
        ('"date": "2023-13-01"', "date is '2023-13-01', expected a date in ISO 8601"),
        ('"digest": "A"', "digest is 'A', expected 64 lower-case hexadecimal digits"),
        ('"rule": "a"', "rule: 'a' has no '>'"),
        ('"rule": "a>"', "rule: nothing follows '>'. Write a number."),
        ('"rule": 3', "rule is the number 3, expected a string"),
        ('"scope": null', "scope is null, expected a string"),
        ('"names": [null]', "names[0] is null, expected a string"),
        ('"even": 3', "even is odd"),
        ('"flag": true, "flag": true', "has the key 'flag' twice"),
        ('"date": "\\ud800"', "date holds a lone surrogate"),
        ('"\\udfff": 1', "has the key '\\udfff', which holds a lone surrogate"),
        (f'"extra": {"[" * 1200}{"]" * 1200}', "is nested too deeply"),
        (f'"extra": {"[" * 300}{"]" * 300}', "extra[0] is nested too deeply"),
        (f'"extra": {"[" * 100_000}', "is nested too deeply"),
    ],
)
def test_each_fault_is_one_sentence(text: str, fault: str) -> None:
    faults = faults_of(with_keys(text))
    assert len(faults) == 1
    assert fault in faults[0]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "is not JSON (at character 1: Expecting value)"),
        ('{"a":\n3x}', "is not JSON (at line 2, column 2: Expecting ',' delimiter)"),
        ("{} {}", "has more after its JSON value ends (at character 4)"),
        (b'"\xff"', "is not UTF-8 (byte 2: invalid start byte)"),
        ("[]", "is a list, expected an object"),
        ("null", "is null, expected an object"),
        ("{}", "schema is missing"),
        ('{"schema": "harness.labels/2"}', "newer than 'harness.labels/1': a newer harness reads"),
        ('{"schema": "harness.case/1"}', "schema is the string 'harness.case/1', expected"),
        ('{"schema": null}', "schema is null, expected 'harness.labels/1'"),
    ],
)
def test_faults_of_the_whole(text: str | bytes, fault: str) -> None:
    assert fault in faults_of(text)[0]


def test_keys_are_checked_as_values_are() -> None:
    rules = Format("rules", dict[Annotated[tuple[str, str], Parsed(rule_of)], int])
    assert decode(rules, '{"a>b": 1}', place="x") == {("a", "b"): 1}
    assert faults_of('{"a": 1, "b>": "1"}', rules) == [
        "a: 'a' has no '>'",
        "b>: nothing follows '>'. Write a number.",
        "b> is the string '1', expected a whole number",
    ]


def test_null_and_absent_keys() -> None:
    value = decode(LABELS, with_keys('"names": null'), place="x")
    assert (value.names, value.scope) == ((), None)
    value = decode(LABELS, with_keys('"scope": "s"'), place="x")
    assert (value.names, value.scope) == (("x",), "s")


def test_every_fault_is_reported_together_once() -> None:
    text = (
        '{"schema": "harness.labels/1", "answer": null, "spans": [{"record_id": 1, "start": 5},'
        '{"record_id": "a", "start": 5, "end": 4},'
        '{"record_id": "a", "start": 5, "end": 1, "ends": 6}], "pas": 1, "score": -Infinity,'
        '"extra": "\\ud8ff"}'
    )
    assert faults_of(text) == [
        "score is -inf, which JSON does not have",
        "extra holds a lone surrogate, which is not Unicode text",
        "answer is null, expected a string or a whole number",
        "spans[0].record_id is the number 1, expected a string",
        "spans[0].end is missing",
        "spans[1].end is 4, expected more than 5",
        "spans[2].end is 1, expected more than 5",
        "spans[2].ends is an unknown key; did you mean 'end'?",
        "pas is an unknown key; did you mean 'pass'?",
    ]
    with pytest.raises(InputError) as caught:
        decode(LABELS, text, place="file.json")
    assert caught.value.message.startswith("file.json: 9 faults\n  score is -inf")
    assert caught.value.hint == "Read the docs."


def test_a_misspelled_key_is_one_fault() -> None:
    """Not that one key is missing and another unknown."""
    assert faults_of('{"schema": "harness.labels/1", "anwser": "x", "spans": []}') == [
        "anwser is an unknown key; did you mean 'answer'?"
    ]
    assert faults_of('{"shema": "harness.labels/1", "answer": "x", "spans": []}') == [
        "shema is an unknown key; did you mean 'schema'?"
    ]
    spans = '[{"record": "a", "start": 1, "ends": 2}, {"record_id": "a", "start": 1, "finish": 2}]'
    assert faults_of(f'{{"schema": "harness.labels/1", "answer": "x", "spans": {spans}}}') == [
        "spans[1].end is missing",
        "spans[0].record is an unknown key; did you mean 'record_id'?",
        "spans[0].ends is an unknown key; did you mean 'end'?",
        "spans[1].finish is an unknown key",
    ]


def test_unknown_keys_are_kept_where_the_format_says_so() -> None:
    theirs = Format("tokens", Tokens, unknown=KEEP)
    assert decode(theirs, '{"prompt": 1, "other": {"prompt": "x"}}', place="x") == Tokens(1)
    assert faults_of('{"prompt": 1, "other": 1, "other": 2}', theirs)
    assert faults_of('{"prompt": 1, "other": NaN}', theirs)


def test_a_tree_that_is_read_already_has_a_path_of_its_own() -> None:
    faults = Faults()
    assert typed(Format("tokens", Tokens), {"prompt": "1"}, faults, "calls[2]") is None
    assert typed(Format("tokens", Tokens), [], faults, "calls[3]") is None
    assert typed(Format("tokens", Tokens), {"prompt": 1}, faults) == Tokens(1)
    assert list(faults) == [
        "calls[2].prompt is the string '1', expected a whole number",
        "calls[3] is a list, expected an object",
    ]


@dataclass(frozen=True, slots=True)
class Study:
    question: Annotated[Text, Example('question = "…"')]
    level: Annotated[Decimal, Example("level = 0.95")] = Decimal("0.95")
    spans: tuple[Span, ...] = ()


STUDY = Format("study", Study)


def test_toml_keeps_decimals_as_they_are_written() -> None:
    text = 'question = "q"\nlevel = 0.90\n[[spans]]\nrecord_id = "a"\nstart = 0\nend = 1\n'
    value = decode_toml(STUDY, text, place="plan.toml")
    assert value == Study("q", Decimal("0.90"), (Span("a", 0, 1),))
    assert str(value.level) == "0.90"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", 'question is missing; write question = "…"'),
        ("question = 2026-01-01", "question is the date 2026-01-01, expected a string; write ques"),
        ("question = 'q'\nlevel = nan", "level is NaN, expected a finite number"),
        ("question = 'q'\nlevel = '1'", "level is the string '1', expected a number; write level"),
        ("question = 'q'\nlevl = 1.0", "levl is an unknown key; did you mean 'level'?"),
        ("question = 'q'\nquestion = 'p'", "is not TOML (Cannot overwrite a value"),
        (f"question = 'q'\nlevel = {'9' * 5000}", "holds a number of 5,000 digits in line 2"),
        (f"question = {'[' * 1200}{']' * 1200}", "is nested too deeply"),
        (f"question = {'[' * 100_000}", "is nested too deeply"),
        (b"question = '\xff'", "is not UTF-8 (byte 13: invalid start byte)"),
    ],
)
def test_faults_of_toml(text: str | bytes, fault: str) -> None:
    faults = Faults()
    assert decode_toml(STUDY, text, faults=faults) is None
    assert fault in next(iter(faults))


@pytest.mark.parametrize("pack", [bytes, gzip.compress, lzma.compress])
def test_lines_of_plain_and_packed_files(tmp_path: Path, pack: Any) -> None:
    path = tmp_path / "lines"
    path.write_bytes(pack(b'{"prompt": 1}\n\n  \n{"prompt": 2}'))
    lines = SourceLines(str(path))
    form = Format("tokens", Tokens)
    assert list(decode_lines(form, lines)) == [(1, Tokens(1)), (4, Tokens(2))]
    assert lines.sha256 == sha256(b'{"prompt": 1}\n\n  \n{"prompt": 2}').hexdigest()


def test_faults_of_lines_come_together(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_text('{"prompt": 1}\n{"prompt": "1"}\n{"prompt": 1}\n{}\n[\n', encoding="utf-8")
    lines = decode_lines(
        Format("tokens", Tokens), str(path), identity=lambda value: f"prompt {value.prompt}"
    )
    assert next(lines) == (1, Tokens(1))
    with pytest.raises(InputError) as caught:
        next(lines)
    assert caught.value.message.splitlines()[1:] == [
        "  line 2: prompt is the string '1', expected a whole number",
        "  line 3: prompt 1 is already in line 1",
        "  line 4: prompt is missing",
        "  line 5: is not JSON (at character 3: Expecting value)",
    ]


def test_a_damaged_file_keeps_the_faults_before_its_end(tmp_path: Path) -> None:
    path = tmp_path / "lines.gz"
    whole = gzip.compress(b'{"prompt": "1"}\n' + b'{"prompt": 1}\n' * 99_999)
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError) as caught:
        list(decode_lines(Format("tokens", Tokens), str(path)))
    assert "line 1: prompt is the string" in caught.value.message
    assert "damaged or ends early" in caught.value.message


def test_files_by_their_name(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    path.write_text("question = 'q'", encoding="utf-8")
    assert decode_file(STUDY, path) == Study("q")
    with pytest.raises(InputError, match=r"cannot read .*missing\.json"):
        decode_file(STUDY, tmp_path / "missing.json")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda children: st.lists(children) | st.dictionaries(st.text(), children),
    max_leaves=20,
)


@pytest.mark.parametrize("key", ["\0", "\0001", "0", ""])
def test_an_unknown_key_of_any_spelling_is_named(key: str) -> None:
    spelled = key or "''"
    assert f"{spelled} is an unknown key" in faults_of(json.dumps({"answer": 1, key: 2}))


@given(JSON)
@example({"\0": None})
def test_any_json_is_a_value_or_named_faults(value: Any) -> None:
    keyed = {"schema": "harness.labels/1", "answer": value, "spans": value, "by_name": value}
    for tree in (value, keyed, {**keyed, "usage": value, "rule": value, "role": value}):
        for fault in faults_of(json.dumps(tree)):
            assert _LABEL not in fault


@given(st.text())
def test_any_text_is_a_value_or_named_faults(text: str) -> None:
    faults_of(text)
    decode_toml(STUDY, text.encode("utf-8", "surrogatepass"), faults=Faults())


OF_OTHERS = Format("labels of others", Labels, of_others=True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('"answer": 3.0', Labels(answer=3)),
        ('"answer": "3.0"', Labels(answer="3.0")),
        (
            '"answer": 1, "number": -1001.0, "pair": [1.0, 2]',
            Labels(answer=1, number=-1001, pair=(1, 2)),
        ),
        ('"answer": 1, "number": -0.0', Labels(answer=1)),
        ('"answer": 1, "flag": 1', Labels(answer=1, flag=True)),
        ('"answer": 1, "flag": 1.0, "score": 1', Labels(answer=1, flag=True, score=1.0)),
        ('"answer": 1, "flag": 0.0', Labels(answer=1)),
        ('"answer": 1, "extra": 1.0', Labels(answer=1, extra=1.0)),
    ],
)
def test_numbers_of_others_are_what_they_were(text: str, expected: Labels) -> None:
    value = decode(OF_OTHERS, f"{{{text}}}", place="x")
    assert value == expected
    assert [type(value.answer), type(value.number), type(value.flag), type(value.extra)] == [
        type(expected.answer),
        int,
        bool,
        type(expected.extra),
    ]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('"number": 1001.5', "number is the number 1001.5, expected a whole number"),
        ('"number": 1e17', "number is the number 1e+17, expected a whole number"),
        ('"number": 9007199254740992.0', "expected a whole number"),
        ('"number": "1.0"', "number is the string '1.0', expected a whole number"),
        ('"number": true', "number is true, expected a whole number"),
        ('"number": 4294967296.0', "number is a number of more than 32 bits"),
        ('"pass": 0.0', "pass is 0, expected 1 or more"),
        ('"flag": 0.5', "flag is the number 0.5, expected true or false"),
        ('"flag": 2', "flag is the number 2, expected true or false"),
        ('"flag": "1"', "flag is the string '1', expected true or false"),
        ('"flag": "true"', "flag is the string 'true', expected true or false"),
    ],
)
def test_what_would_lose_something_stays_a_fault(text: str, fault: str) -> None:
    found = faults_of(f'{{"answer": 1, {text}}}', OF_OTHERS)
    assert len(found) == 1
    assert fault in found[0]


def test_names_of_values() -> None:
    assert named("x" * 61) == f"the string {'x' * 59 + '…'!r}"
    values: list[Any] = [None, True, 1, 1.5, Decimal("0.10"), [], {}]
    assert [named(value) for value in values] == [
        "null",
        "true",
        "the number 1",
        "the number 1.5",
        "the number 0.10",
        "a list",
        "an object",
    ]
    assert named(10**5000) == "a number of more than 1,024 bits"


def test_json_without_a_declared_type() -> None:
    faults = Faults()
    assert read_json('{"a": [1, "x"]}', faults, "answer") == {"a": [1, "x"]}
    assert read_json('{"a": [1, NaN], "a": [NaN]}', faults, "answer") is None
    assert read_json("{", faults, "answer") is None
    assert list(faults)[:2] == [
        "answer has the key 'a' twice",
        "answer.a[0] is nan, which JSON does not have",
    ]
    assert list(faults)[2].startswith("answer is not JSON (at character 2")


def test_pydantic_is_imported_when_something_is_decoded() -> None:
    code = "import sys, harness.decode; sys.exit('pydantic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
