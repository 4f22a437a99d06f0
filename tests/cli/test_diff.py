"""`harness diff`."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest

from harness.cli.main import run
from harness.points import parse_point

from ..arms.any_arm import answer_object
from ..make.recordings import small_run
from ..make.selections import made_case, write_case, write_lines

POINT = "evidence(budget=800)"


def selected(case_id: str, point: str = POINT) -> dict[str, Any]:
    return answer_object(parse_point(point), made_case(case_id))


def swapped() -> dict[str, Any]:
    """The selection of the case `second`, with two passages in the other order."""
    value = selected("second")
    first, second, last = value["sequence"]
    return {**value, "sequence": [second, first, last]}


def test_equal_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = write_lines(tmp_path / "a.jsonl", selected("first"), selected("second"))
    other = tmp_path / "b.jsonl.gz"
    lines = [json.dumps(selected(case_id)) for case_id in ("second", "first")]
    other.write_bytes(gzip.compress("\n".join(lines).encode()))
    assert run(["diff", one, str(other)]) == 0
    written = capsys.readouterr()
    assert written.err == ""
    assert (
        written.out
        == """\
point                   pairs    equal    different    only in A    only in B  differ in
--------------------  -------  -------  -----------  -----------  -----------  -----------
evidence(budget=800)        2        2            0            0            0  –

No difference in 2 pairs.
"""
    )


def test_what_changed_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = write_lines(tmp_path / "a.jsonl", selected("first"), selected("second"))
    other = write_lines(tmp_path / "b.jsonl", swapped(), selected("third"))
    assert run(["diff", one, other]) == 1
    assert (
        capsys.readouterr().out
        == """\
point                   pairs    equal    different    only in A    only in B  differ in
--------------------  -------  -------  -----------  -----------  -----------  -----------
evidence(budget=800)        1        0            1            1            1  sequence 1

Different: 1 of 1 pair; only in A: 1, only in B: 1.

case second, evidence(budget=800): differs in sequence
  first at place 0 of the sequence (sequence)
    A  tea [0:12]  ranks record 0, inside 0, cosine –  taken
    B  long [0:5]  ranks record 1, inside 0, cosine –  taken
case first, evidence(budget=800): only in A
case third, evidence(budget=800): only in B
"""
    )


def test_as_json_and_csv(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = write_lines(tmp_path / "a.jsonl", selected("first"), selected("second"))
    other = write_lines(tmp_path / "b.jsonl", swapped())
    assert run(["diff", one, other, "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    row = {
        "point": POINT,
        "pairs": 1,
        "equal": 0,
        "different": 1,
        "only_a": 1,
        "only_b": 0,
        "fields": {"sequence": 1},
    }
    assert found["points"] == [row]
    assert [found[name] for name in ("pairs", "equal", "different", "only_a", "only_b")] == [
        1, 0, 1, 1, 0,
    ]  # fmt: skip
    different, alone = found["differences"]
    assert alone == {"case_id": "first", "point": POINT, "only_in": "A"}
    assert different["differing"] == ["sequence"]
    assert different["first"]["A"]["record_id"] == "tea"
    assert different["first"]["B"] == {
        "record_id": "long",
        "span": [0, 5],
        "ranks": {"record": 1, "inside": 0, "cosine": None},
        "taken": True,
    }
    assert run(["diff", one, other, "--csv"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "point,pairs,equal,different,only_a,only_b,fields",
        f'{POINT},1,0,1,1,0,"{{""sequence"": 1}}"',
    ]


def test_standard_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    one = write_lines(tmp_path / "a.jsonl", selected("first"))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(Path(one).read_bytes())))
    assert run(["diff", "-", one]) == 0
    assert run(["diff", "-", "-"]) == 2
    assert "both standard input" in capsys.readouterr().err


def test_chosen_cases_and_a_bounded_list(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = [f"case {number}" for number in range(12)]
    one = write_lines(tmp_path / "a.jsonl", *map(selected, names))
    changed = [{**selected(name), "used": 0} for name in names]
    other = write_lines(tmp_path / "b.jsonl", *changed)
    assert run(["diff", one, other, "--case", "case 3", "--case", "case 4"]) == 1
    assert "Different: 2 of 2 pairs" in capsys.readouterr().out
    assert run(["diff", one, other]) == 1
    shown = capsys.readouterr().out
    assert shown.count("differs in used") == 10
    assert shown.endswith("\n… and 2 more; --all lists them.\n")
    assert run(["diff", one, other, "--all"]) == 1
    assert capsys.readouterr().out.count("differs in used") == 12


def test_two_points_of_a_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of the made run, only `q2` and `q1` have a second item, so `k=1` shows less there."""
    folder = str(small_run())
    capsys.readouterr()
    two = ["--point", "count-curve(k=1)", "--against-point", "count-curve(k=2)"]
    assert run(["diff", folder, folder, *two]) == 1
    shown = capsys.readouterr().out
    assert "count-curve(k=1) ~ count-curve(k=2)" in shown
    assert "Different: 2 of 3 pairs; only in A: 0, only in B: 0." in shown
    assert "  first at item 1\n    A  nothing\n    B  s1\n" in shown
    assert "  first at item 1\n    A  nothing\n    B  s3\n" in shown
    same = ["--point", "count-curve(k=2)", "--against-point", "items"]
    assert run(["diff", folder, folder, *same]) == 0


def test_a_run_and_what_select_prints(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = small_run()
    out = str(tmp_path / "selections.jsonl")
    points = ["-p", "items", "-p", "count-curve(k=1)", "-p", "count-curve(k=2)"]
    assert run(["select", str(folder.parent / "cases.jsonl"), *points, "--out", out, "-q"]) == 0
    capsys.readouterr()
    assert run(["diff", str(folder), out]) == 0
    assert "No difference in 9 pairs." in capsys.readouterr().out


def test_the_same_replay_twice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of the same cases in another order, and of records in another order."""
    case = made_case()
    turned = [
        made_case("second"),
        type(case)(case.case_id, case.query, case.records[::-1], case.items),
    ]
    runs = []
    for name, cases in (("one", [case, made_case("second")]), ("other", turned)):
        source = write_case(tmp_path / f"{name}.jsonl", *cases)
        recording, folder = str(tmp_path / f"{name}-recording"), str(tmp_path / name)
        assert run(["import", "cases", source, "--out", recording, "-q"]) == 0
        assert run(["replay", recording, "--out", folder, "-q", "--no-tokens"]) == 0
        runs.append(folder)
    capsys.readouterr()
    assert run(["diff", *runs]) == 0
    written = capsys.readouterr()
    assert "A and B are runs of different recordings" in written.err
    assert "No difference in " in written.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a.jsonl", "nosuch"], "cannot read nosuch"),
        (["a.jsonl", "b.jsonl"], "b.jsonl: 1 fault\n  line 2: is not JSON"),
        (["a.jsonl", "a.jsonl", "--point", "items"], "a.jsonl has no selection at items"),
        (["a.jsonl", "a.jsonl", "--case", "x"], "neither a.jsonl nor a.jsonl has a case 'x'"),
        (["a.jsonl", "a.jsonl", "--against-point", "items"], "--against-point needs --point"),
        (["a.jsonl", "a.jsonl", "-p", "itms"], "there is no arm 'itms'"),
        (["a.jsonl", "."], "no manifest.json"),
        (["a.jsonl", "a.jsonl", "--json", "--csv"], "exclude each other"),
    ],
)
def test_bad_input(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    write_lines(Path("a.jsonl"), selected("first"))
    write_lines(Path("b.jsonl"), selected("first"), "{")
    assert run(["diff", *arguments]) == 2
    written = capsys.readouterr()
    assert written.out == ""
    assert message in written.err
