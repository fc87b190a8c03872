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
    assert found.figures["response_support"].reason == "No response has statements."
    assert found.without_statements == 1


def test_an_invalid_response_is_one_that_is_not_supported_and_nothing_else() -> None:
    found = support_metrics([*FIVE, ResponseSupport([], [], invalid=True)])
    valid = support_metrics(FIVE)
    assert found.figures["response_support"].value == pytest.approx(2 / 5)
    assert found.wilson["response_support"].n == 5
    assert found.bounds["response_support"].n == 5
    for key in ("url_validity", "statement_support", "unused_source_share"):
        assert found.wilson[key] == valid.wilson[key]
    assert (found.responses, found.without_statements, found.invalid) == (4, 1, 1)


def test_a_response_without_sources_has_unsupported_statements() -> None:
    found = support_metrics([ResponseSupport([], [[], []]), FIVE[0]])
    assert found.figures["statement_support"].value == pytest.approx(2 / 4)


def test_what_lacks_a_verdict_is_left_out_whatever_another_verdict_settles() -> None:
    found = support_metrics(
        [
            ResponseSupport([True, True], [[True, None], [None, False], [False, False]]),
            ResponseSupport([True], [[True]]),
            ResponseSupport([None], [[None], [True]], [False, True]),
        ]
    )
    wilson = {key: (figure.value, figure.n, figure.dropped) for key, figure in found.wilson.items()}
    # The second statement is open. The third is unsupported, which settles the response; it is left out all the same.
    assert wilson["statement_support"] == (3 / 5, 5, 1)
    assert wilson["response_support"] == (1 / 2, 2, 1)
    # The first source is used, the second may be; the third was not fetched.
    assert wilson["unused_source_share"] == (0.0, 1, 3)
    assert wilson["url_validity"] == (1.0, 3, 1)


def test_bounds_take_every_missing_verdict_as_not_supported_and_as_supported() -> None:
    found = support_metrics(
        [
            ResponseSupport([True, True], [[True, None], [None, False]]),
            ResponseSupport([True], [[None], [False]]),
            ResponseSupport([True], [[True]]),
        ]
    ).bounds
    bounds = {key: (each.not_supported, each.supported, each.n, each.missing) for key, each in found.items()}
    assert bounds["statement_support"] == (2 / 5, 4 / 5, 5, 2)
    assert bounds["response_support"] == (1 / 3, 2 / 3, 3, 2)
    # Unused: the second and third source if what is missing supports nothing, else none.
    assert bounds["unused_source_share"] == (2 / 4, 0, 4, 3)


def test_missing_at_random_moves_neither_the_figure_nor_the_truth_out_of_the_bounds() -> None:
    chance = random.Random(4)
    whole = [[chance.random() < 0.9 for _ in range(4)] for _ in range(4_000)]
    truth = sum(map(all, whole)) / len(whole)
    for share in (0.05, 0.2):
        left = [[None if chance.random() < share else state for state in states] for states in whole]
        found = support_metrics([ResponseSupport([], [[]] * 4, states) for states in left], replicates=99)
        figure, bounds = found.wilson["response_support"], found.bounds["response_support"]
        # Dropping only the responses that a missing verdict leaves open gave .62 and .43 for .66.
        assert figure.value == pytest.approx(truth, abs=0.02)
        assert bounds.not_supported is not None
        assert bounds.supported is not None
        assert bounds.not_supported < truth < bounds.supported


def test_why_a_share_is_undefined() -> None:
    nothing = support_metrics([]).figures
    assert nothing["url_validity"].reason == "No response cites a URL."
    waiting = support_metrics([ResponseSupport([None], [[None]])]).figures
    assert waiting["url_validity"].reason == "Nothing was fetched yet."
    assert waiting["response_support"].reason == "In no response has every statement a verdict."


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


def test_a_share_of_few_responses_resamples_those_alone() -> None:
    """Two of forty responses have a source: one in nine resamples of all would draw neither."""
    few = [ResponseSupport([True], [[True], [False]]), ResponseSupport([True, False], [[False, False]])]
    figure = support_metrics([*few, *[ResponseSupport([], [[]])] * 38], replicates=999).figures["unused_source_share"]

    assert (figure.value, figure.undefined_share) == (pytest.approx(2 / 3), 0)
    assert figure.reason == "No interval: of 2 responses; it takes 3 to see how responses differ."
    assert (figure.n, figure.clusters) == (3, 2)
