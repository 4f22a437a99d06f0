"""Clusters of questions: the interval that resamples them whole, and what an opening fixes."""

from __future__ import annotations

import json
from collections.abc import Iterable
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import bootstrap

from harness.cli.main import run
from harness.show.verdict_page import verdict_page
from harness.storage.content import content_size_and_sha256
from harness.trial.clusters import ALONE, Clusters, cluster_interval
from harness.trial.ledger import LINE_SCHEMA, opening_of_line, read_ledger
from harness.trial.verdict import read_verdict, verdict_text

from ...make.project import TEST_IDS, Project, make_project, question_id
from ...make.questions import SESSIONS, question, turn, write_questions
from ...make.study import CONTROL, POINT


def clusters(sizes: Iterable[int]) -> Clusters:
    """Questions in clusters of these sizes, in order."""
    labels, number = {}, 0
    for size in sizes:
        lead = f"q{number:03d}"
        for _ in range(size):
            labels[f"q{number:03d}"] = lead
            number += 1
    return Clusters(labels)


SIZES = (3, 2, 2, 1, 1, 1, 2, 3, 1, 1, 1, 2, 1, 1, 1, 1, 1, 2, 1, 1, 2, 1)
MADE = clusters(SIZES)
PAIRS = {
    name: (1, 0, 0, -1, 1, 1, 0)[number % 7] * (number % 3 != 1)
    for number, name in enumerate(MADE.labels)
}


def sums() -> list[tuple[int, int]]:
    """The sum of differences and the size of each cluster."""
    found: dict[str, tuple[int, int]] = {}
    for name, lead in MADE.labels.items():
        total, size = found.get(lead, (0, 0))
        found[lead] = (total + PAIRS[name], size + 1)
    return list(found.values())


def distribution() -> dict[Fraction, float]:
    """How likely each resampled mean is, exactly: the sums of as many independent draws as there
    are clusters."""
    drawn = sums()
    chances = {(0, 0): 1.0}
    for _ in drawn:
        step: dict[tuple[int, int], float] = {}
        for (total, size), (more, larger) in product(chances, drawn):
            key = (total + more, size + larger)
            step[key] = step.get(key, 0.0) + chances[total, size] / len(drawn)
        chances = step
    means: dict[Fraction, float] = {}
    for (total, size), chance in chances.items():
        mean = Fraction(total, size)
        means[mean] = means.get(mean, 0.0) + chance
    return means


def test_the_limits_are_quantiles_of_the_resampled_mean() -> None:
    found = cluster_interval(PAIRS, MADE)
    assert (found.clusters, found.reason) == (len(SIZES), None)
    assert found.lower is not None
    assert found.upper is not None
    means = distribution()
    below = sum(chance for mean, chance in means.items() if mean < Fraction(found.lower))
    above = sum(chance for mean, chance in means.items() if mean > Fraction(found.upper))
    # 10,000 resamples know a share of 2.5 % to 0.16 points, and the mean is on a lattice
    assert below <= 0.025 + 0.005
    assert above <= 0.025 + 0.005
    assert below + means_at(means, found.lower) >= 0.025 - 0.005
    assert above + means_at(means, found.upper) >= 0.025 - 0.005


def means_at(means: dict[Fraction, float], limit: float) -> float:
    return sum(chance for mean, chance in means.items() if abs(float(mean) - limit) < 1e-12)


def test_the_limits_are_those_of_another_package() -> None:
    totals, sizes = (np.array(column) for column in zip(*sums(), strict=True))
    theirs = bootstrap(
        (totals, sizes),
        lambda total, size, axis: total.sum(axis=axis) / size.sum(axis=axis),
        paired=True,
        n_resamples=20_000,
        method="percentile",
        random_state=5,
    ).confidence_interval
    found = cluster_interval(PAIRS, MADE)
    assert found.lower == pytest.approx(theirs.low, abs=0.012)
    assert found.upper == pytest.approx(theirs.high, abs=0.012)


def test_joined_questions_widen_the_interval() -> None:
    """Twenty clusters of two equal questions know as much as twenty questions."""
    pairs = {name: 1 if number < 12 else 0 for number, name in enumerate(clusters([2] * 20).labels)}
    joined = cluster_interval(pairs, clusters([2] * 20))
    alone = cluster_interval(pairs, clusters([2] + [1] * 38))
    assert None not in (joined.lower, joined.upper, alone.lower, alone.upper)
    assert (joined.lower or 0) < (alone.lower or 0)
    assert (joined.upper or 0) > (alone.upper or 0)


def test_where_there_is_no_interval() -> None:
    def reason(pairs: dict[str, int], found: Clusters | None) -> tuple[int | None, str | None]:
        interval = cluster_interval(pairs, found)
        assert (interval.lower, interval.upper) == (None, None)
        return interval.clusters, interval.reason

    many = dict.fromkeys(clusters([2] * 19).labels, 1)
    assert reason(many, clusters([2] * 19)) == (19, "fewer than 20 clusters")
    few = {name: int(number < 9) for number, name in enumerate(clusters([2] * 20).labels)}
    assert reason(few, clusters([2] * 20)) == (20, "fewer than 10 discordant pairs")
    assert reason(few, clusters([1] * 40)) == (40, ALONE)
    assert reason(few, None) == (None, "clusters not known (give the dataset with --data)")


# judging


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A dataset of the project's questions: two of the test share an answer session, two more a
    haystack."""
    one, other, *stacked = TEST_IDS[4:8]
    made = []
    for index in range(24):
        name = question_id(index)
        own = [(turn("user", f"The kettle of {name}.", has_answer=True),), *SESSIONS[::2]]
        ids = [f"answer_{name}", f"rain_{name}", f"cat_{name}"]
        if name == other:
            kettle = turn("user", f"The kettle of {one}.", has_answer=True)
            own[0], ids[0] = (kettle,), f"answer_{one}"
        if name in stacked:
            own[0], ids = (turn("user", "The kettle.", has_answer=True),), ["answer", "rain", "cat"]
        keys = {"question_type": "multi-session", "haystack_session_ids": ids}
        made.append(question(name, own, **keys, answer_session_ids=ids[:1]))
    return write_questions(tmp_path / "data.json", made)


@pytest.fixture
def project(tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """The project over that dataset, registered and graded."""
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    sha256 = content_size_and_sha256(data)[1]
    made = make_project(folder, dataset_sha256=sha256)
    made.register(sha256=sha256)
    made.grade("new", POINT, made.rows(TEST_IDS[:16]))
    made.grade("old", CONTROL, made.rows(TEST_IDS[5:8]))
    return made


def described(verdict: dict[str, Any]) -> dict[str, Any]:
    (found,) = verdict["not_registered"]
    return {key: value for key, value in found.items() if key.startswith("cluster")}


def test_clusters_of_the_dataset(project: Project, data: Path) -> None:
    verdict = project.judged("--data", str(data))
    assert len(TEST_IDS) == 20  # in two pairs and sixteen alone
    assert described(verdict) == {
        "clusters": 18,
        "cluster_lower": None,
        "cluster_upper": None,
        "cluster_note": "fewer than 20 clusters",
    }
    (line,) = project.openings()
    assert line["clusters_sha256"] == verdict["fixed"]["clusters_sha256"] is not None
    page = verdict_page(read_verdict(project.verdict_file))
    assert "| 18 | none: fewer than 20 clusters |" in page
    assert "Clusters: questions that share a haystack or an answer session" in page


def test_without_the_dataset_clusters_are_not_known(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    verdict = project.judged()
    assert described(verdict)["clusters"] is None
    terminal = " ".join(capsys.readouterr().out.split())
    assert "none: clusters not known (give the dataset with --data)" in terminal
    page = verdict_page(read_verdict(project.verdict_file))
    assert "| not known | none: clusters not known (give the dataset with --data) |" in page


def test_an_opening_fixes_the_clusters(
    project: Project, data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project.judged("--data", str(data))
    ledger, verdict = project.ledger.read_bytes(), project.verdict_file.read_bytes()
    project.verdict_file.unlink()
    assert project.judge() == 2
    message = capsys.readouterr().err
    assert "this registration was judged" in message
    assert "clusters (--data): fixed " in message
    assert "given none" in message
    assert not project.verdict_file.exists()
    assert project.judge("--data", str(data)) == 0
    assert (project.ledger.read_bytes(), project.verdict_file.read_bytes()) == (ledger, verdict)


def test_clusters_cannot_be_added_later(
    project: Project, data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project.judged()
    assert project.judge("--data", str(data)) == 2
    assert "clusters (--data): fixed none, given " in capsys.readouterr().err
    assert project.judge() == 0


def test_only_the_registered_dataset_is_taken(
    project: Project, data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data.write_text(data.read_text() + "\n")
    assert project.judge("--data", str(data), "--data", str(data)) == 2
    assert "sha256 of its content is" in capsys.readouterr().err
    assert project.judge("--data", "gone.json") == 2
    assert "--data: gone.json is not a file" in capsys.readouterr().err
    assert project.openings() == []


def test_a_dataset_that_lacks_a_judged_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "other"
    folder.mkdir()
    monkeypatch.chdir(folder)
    data = write_questions(tmp_path / "few.json", [question(TEST_IDS[0], SESSIONS)])
    sha256 = content_size_and_sha256(data)[1]
    project = make_project(folder, dataset_sha256=sha256)
    project.register(sha256=sha256)
    project.grade_both()
    assert project.judge("--data", str(data)) == 2
    assert f"lacks 19 judged questions, such as {TEST_IDS[1]}" in capsys.readouterr().err


def test_what_was_written_before_there_were_clusters_opens(project: Project, data: Path) -> None:
    project.judged("--data", str(data))
    (opening,) = read_ledger(project.ledger)
    line = json.loads(project.ledger.read_text())
    del line["clusters_sha256"]
    assert line["schema"] == LINE_SCHEMA
    kept = {key: value for key, value in line.items() if key not in ("number", "sha256")}

    class Chained:
        number, value, text_sha256 = 1, kept, "0" * 64

    earlier = opening_of_line(project.ledger, Chained())  # type: ignore[arg-type]
    assert earlier.identities == opening.identities
    value = json.loads(project.verdict_file.read_text())
    del value["fixed"]["clusters_sha256"]
    for row in value["not_registered"]:
        for key in list(row):
            if key.startswith("cluster"):
                del row[key]
    project.verdict_file.write_text(json.dumps(value, indent=1) + "\n")
    verdict = read_verdict(project.verdict_file)
    assert "Clusters" not in verdict_page(verdict)
    assert "clusters |" not in verdict_page(verdict)
    assert '"clusters": null' in verdict_text(verdict)


def test_help_says_what_the_dataset_is_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["judge", "--help"]) == 0
    assert "haystack or an answer session" in " ".join(capsys.readouterr().out.split())
