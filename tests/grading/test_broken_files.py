"""Files that were damaged or edited end in a message, whatever is wrong with them."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.cli.main import run
from harness.errors import HarnessError
from harness.grading.graders.judge import read_templates

from ..boundaries.fuzz import mutated
from ..make.answered import Answered, grade, judged, right, write_judge
from ..make.project import DEV_IDS
from ..make.trial import ONE, TWO

TIMES = 25


def broken(path: Path, command: Callable[[], int], capsys: pytest.CaptureFixture[str]) -> None:
    """Run the command on many damaged versions of the file, and put it back."""
    whole = path.read_bytes()
    codes = set()
    for number in range(TIMES):
        draw = random.Random(number)
        path.write_bytes(mutated(whole, draw, path.name))
        codes.add(command())
        said = capsys.readouterr().err
        assert "Traceback" not in said, (number, said)
    path.write_bytes(whole)
    assert codes <= {0, 2}
    assert command() == 0


@pytest.fixture
def graded(answered: Answered) -> Answered:
    answered.store(ONE, "dev", right(DEV_IDS, DEV_IDS[0]))
    answered.store(TWO, "dev", right(DEV_IDS))
    write_judge("one")
    assert judged("one") == 0
    return answered


def test_a_set_of_answers(graded: Answered, capsys: pytest.CaptureFixture[str]) -> None:
    (path,) = Path("answers/sets").glob("*k-1*")
    numbers = iter(range(10_000))

    def command() -> int:
        return grade("--grader", "contains", "--point", ONE, out=f"grades-{next(numbers)}")

    broken(path, command, capsys)


def test_the_file_for_people(graded: Answered, capsys: pytest.CaptureFixture[str]) -> None:
    audit = ["grades", "audit", f"graded/{ONE}", f"graded/{TWO}"]
    path = Path("audit.csv")
    assert run([*audit, "--write", str(path)]) == 0
    path.write_text(path.read_text("utf-8").replace(",\n", ",yes\n"), "utf-8")
    broken(path, lambda: run([*audit, "--labels", str(path)]), capsys)


def test_the_texts_of_a_judge(tmp_path: Path, checkout: Path) -> None:
    whole = (checkout / "harness/grading/graders/judge_prompts.toml").read_bytes()
    path = tmp_path / "own.toml"
    messages = []
    for number in range(4 * TIMES):
        path.write_bytes(mutated(whole, random.Random(number), path.name))
        try:
            read_templates(path)
        except HarnessError as error:
            messages.append(error.message)
    assert messages
    assert [message for message in messages if "own.toml" not in message] == []


def test_the_manifest_of_graded_answers(
    graded: Answered, capsys: pytest.CaptureFixture[str]
) -> None:
    path = Path("graded") / ONE / "manifest.json"
    write = ["--write", "audit.csv", "--force"]
    broken(path, lambda: run(["grades", "audit", str(path.parent), *write]), capsys)
