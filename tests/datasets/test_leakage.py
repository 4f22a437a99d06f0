"""What dev and test questions share."""

from __future__ import annotations

from harness.datasets.leakage import Shared, shared_labels, stems_of


def test_a_stem_is_an_id_without_the_mark_of_abstention() -> None:
    found = shared_labels(
        ["a1", "b2_abs", "c3"],
        stems_of(["a1", "b2_abs", "c3", "a1_abs", "b2", "c3x", "d4_abs"]),
    )
    assert found == Shared(("a1", "b2_abs"), ("a1_abs", "b2"))
    assert shared_labels(["a"], stems_of(["a", "b", "b_abs"])) == Shared((), ())


def test_labels_in_both_parts() -> None:
    labels = {"a": frozenset("xy"), "b": frozenset("y"), "c": frozenset("z"), "d": frozenset("z")}
    assert shared_labels(["a", "c"], labels) == Shared(("a", "c"), ("b", "d"))
    assert shared_labels(["a", "b"], labels) == Shared((), ())
    assert shared_labels([], labels) == Shared((), ())
