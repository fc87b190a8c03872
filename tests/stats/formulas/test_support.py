"""Citation support at the level of URL, statement, response and source."""

import random

import pytest

from medreview.stats.formulas.support import ResponseSupport, support_metrics

FIVE = [
    ResponseSupport([True, True], [[True, False], [False, True]]),
    ResponseSupport([True, False], [[True, False], [False, False]]),
    ResponseSupport([], [[], []]),
    ResponseSupport([True], []),
    ResponseSupport([False, True, True], [[False, True, False]]),
]


def test_the_four_shares() -> None:
    found = support_metrics(FIVE, replicates=999)
    assert found.figures["url_validity"].value == pytest.approx(6 / 8)
    assert found.figures["statement_support"].value == pytest.approx(4 / 7)
    assert found.figures["response_support"].value == pytest.approx(2 / 4)
    assert found.figures["unused_source_share"].value == pytest.approx(4 / 8)
    assert (found.urls, found.statements, found.responses, found.without_statements) == (8, 7, 4, 1)


def test_a_response_without_statements_is_not_fully_supported() -> None:
    found = support_metrics([ResponseSupport([True], [])])
    assert found.figures["response_support"].value is None
    assert found.figures["response_support"].reason == "No response has judged statements."
    assert found.without_statements == 1


def test_a_response_without_sources_has_unsupported_statements() -> None:
    found = support_metrics([ResponseSupport([], [[], []]), FIVE[0]])
    assert found.figures["statement_support"].value == pytest.approx(2 / 4)


def test_a_missing_judgement_leaves_out_only_what_hangs_on_it() -> None:
    found = support_metrics([ResponseSupport([True, True], [[True, None], [None, False], [False, False]])])
    # The second statement is open; the response is not, because the third statement is unsupported.
    assert (found.wilson["statement_support"].value, found.wilson["statement_support"].dropped) == (0.5, 1)
    assert (found.wilson["response_support"].value, found.wilson["response_support"].dropped) == (0.0, 0)
    # The first source is used, whatever the open pair says; the second may be.
    assert (found.wilson["unused_source_share"].value, found.wilson["unused_source_share"].dropped) == (0.0, 1)


def test_nothing_is_undefined_with_sentences() -> None:
    found = support_metrics([])
    for figures in (found.figures, found.wilson):
        assert all(figure.value is None and figure.reason for figure in figures.values())


def test_a_row_of_the_wrong_length_is_refused() -> None:
    with pytest.raises(ValueError, match="one entry per URL"):
        support_metrics([ResponseSupport([True], [[True, False]])])


def test_statements_of_a_response_are_resampled_together() -> None:
    chance = random.Random(11)
    responses = []
    for _ in range(80):
        good = chance.random() < 0.7
        responses.append(ResponseSupport([True], [[good] for _ in range(10)]))
    found = support_metrics(responses)
    lead, plain = found.figures["statement_support"], found.wilson["statement_support"]
    assert lead.value == plain.value
    assert (lead.clusters, lead.n) == (80, 800)
    assert lead.high - lead.low > 2 * (plain.high - plain.low)  # type: ignore[operator]
    # Every response is fully supported or not at all: statements carry no more information than responses.
    whole = found.figures["response_support"]
    assert (lead.low, lead.high) == pytest.approx((whole.low, whole.high))


def test_when_all_is_supported_there_is_a_bound_instead_of_certainty() -> None:
    figure = support_metrics([ResponseSupport([True], [[True]])] * 14).figures["statement_support"]
    assert (figure.value, figure.low, figure.high) == (1.0, None, None)
    assert "14 of 14 responses (Clopper-Pearson 95%: 76.8% to 100.0%)" in str(figure.reason)


def test_the_seed_is_stored_and_repeats() -> None:
    first, again = support_metrics(FIVE * 8, seed=4), support_metrics(FIVE * 8, seed=4)
    assert first.figures == again.figures
    assert first.figures["url_validity"].seed == 4
