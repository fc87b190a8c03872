"""Distances between an expert's spans and the model's."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medreview.stats.units.answer_figures import SpanItem, nearest, span_distances

ITEMS = [
    SpanItem(["caused by exposure to cold temperatures"], ["exposure to cold temperatures", "excessive dairy"]),
    SpanItem(["limit dairy intake", "bacteria"], ["limit dairy"]),
    SpanItem(["identical span"], ["identical span"]),
    SpanItem(["kitten"], ["sitting"]),
    SpanItem(["unmatched"], []),
]


def test_the_nearest_span_counts_and_is_pooled_over_responses() -> None:
    found = span_distances(ITEMS)
    assert found.distances == (10, 7, 9, 0, 3, None)
    assert found.without_candidate == 1
    assert found.mean.value == pytest.approx(29 / 5)
    assert found.median.value == 7
    assert (found.mean.n, found.mean.dropped, found.mean.clusters) == (5, 1, 4)
    assert found.mean.low is not None
    assert found.mean.low < found.mean.value  # type: ignore[operator]


def test_without_candidate_the_rule_decides() -> None:
    found = span_distances(ITEMS, "length")
    assert found.distances[-1] == len("unmatched")
    assert found.relative[-1] == 1
    assert (found.mean.n, found.mean.dropped, found.without_candidate) == (6, 0, 1)
    assert found.median.value == 8


def test_the_relative_distance_does_not_grow_with_the_span() -> None:
    short, long = nearest("ab", ["ax"]), nearest("ab" * 10, ["ax" * 10])
    assert short == (1, 0.5)
    assert long == (10, 0.5)


def test_distances_are_in_code_points() -> None:
    assert nearest("5 µg 𝛼", ["5 µg 𝛽"]) == (1, pytest.approx(1 / 6))


def test_nothing_to_compare_is_undefined() -> None:
    for items in ([], [SpanItem(["a"], [])], [SpanItem([], ["a"])]):
        found = span_distances(items)
        for figure in (found.mean, found.median, found.mean_relative):
            assert figure.value is None
            assert figure.reason == "No expert span has a model span to compare with."


def test_empty_texts_are_identical() -> None:
    assert nearest("", [""]) == (0, 0.0)


@given(st.text(max_size=20), st.lists(st.text(max_size=20), min_size=1, max_size=4))
def test_another_candidate_never_makes_it_worse(expert: str, candidates: list[str]) -> None:
    every, first = nearest(expert, candidates), nearest(expert, candidates[:1])
    assert every is not None
    assert first is not None
    assert every[0] <= first[0]
    assert 0 <= every[1] <= 1
