"""`harness report`."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.cli.main import run

from ..make.recordings import small_run


@pytest.fixture(scope="module")
def folder() -> Path:
    return small_run()


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    capsys.readouterr()
    assert run(["report", *arguments]) == 2
    return capsys.readouterr().err


def test_it_says_what_it_wrote(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "reports"
    arguments = ["report", str(folder), "--out", str(out)]
    capsys.readouterr()
    assert run(arguments) == 0
    assert capsys.readouterr() == ("", f"{out}: 8 of 8 files written. Read {out}/README.md\n")
    assert sorted(path.name for path in out.iterdir()) == [
        "README.md",
        "cost-evidence.svg",
        "count-curve",
        "instruments",
        "items",
        "report.json",
    ]
    assert run(arguments) == 0
    assert capsys.readouterr().err == f"{out}: as it was. Read {out}/README.md\n"
    assert run([*arguments, "-q"]) == 0
    assert capsys.readouterr() == ("", "")


def test_the_point_to_compare_with(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "reports"
    assert run(["report", str(folder), "--out", str(out), "--against", "items"]) == 0
    page = (out / "README.md").read_text(encoding="utf-8")
    assert "\n## Paired differences\n\nTo `items`:\n" in page
    assert "\nharness report RUN --out reports --against items\n" in page


def test_a_note_stands_first(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "reports"
    note = "Made up <b>by</b>\n  hand."
    assert run(["report", str(folder), "--out", str(out), "--note", note]) == 0
    page = (out / "README.md").read_text(encoding="utf-8")
    assert page.split("\n")[2] == "**Made up &lt;b>by&lt;/b> hand.**"
    assert "--note 'Made up" in page


def test_against_names_one_point_of_the_run(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "reports"
    arguments = (str(folder), "--out", str(out), "--against")
    message = refused(capsys, *arguments, "count-curve(k=3)")
    assert "has no point count-curve(k=3); did you mean 'count-curve(k=" in message
    assert "harness replay" in message
    assert "there is no arm 'itmes'" in refused(capsys, *arguments, "itmes")
    assert not out.exists()


def test_an_arm_that_means_several_points_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = small_run("--point", "quote-curve")
    message = refused(
        capsys, str(folder), "--out", str(tmp_path / "reports"), "--against", "quote-curve"
    )
    assert "--against quote-curve means 3 points" in message


def test_only_a_run_is_reported(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = ("--out", str(tmp_path / "reports"))
    assert "is not a folder" in refused(capsys, str(tmp_path / "nowhere"), *out)
    (tmp_path / "empty").mkdir()
    assert "has no manifest.json" in refused(capsys, str(tmp_path / "empty"), *out)
    recording = folder.parent / "recording"
    assert "expected 'harness.run/1'" in refused(capsys, str(recording), *out)
    assert not (tmp_path / "reports").exists()


def test_a_report_of_something_else_is_replaced_by_force(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = small_run("--point", "count-curve(k=full)")
    out = tmp_path / "reports"
    assert run(["report", str(other), "--out", str(out)]) == 0
    message = refused(capsys, str(folder), "--out", str(out))
    assert "points that this run lacks: count-curve(k=full)" in message
    assert "--force" in message
    assert run(["report", str(folder), "--out", str(out), "--force"]) == 0
    assert "k=full" not in (out / "README.md").read_text(encoding="utf-8")


def test_causes_need_published_figures(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    causes = tmp_path / "causes.toml"
    causes.write_text("")
    arguments = (str(folder), "--out", str(tmp_path / "reports"), "--causes", str(causes))
    assert "Give --published FILE with it." in refused(capsys, *arguments)


def test_help_teaches(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["report", "--help"]) == 0
    text = capsys.readouterr().out
    assert "harness report build/run --out reports" in text
    assert "OUT/cost-evidence.svg" in text
