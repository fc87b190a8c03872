"""A response beside its reference: shared words, and clashes with places that hold."""

import math

import pytest

from medreview.citations import extract
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.reference_similarity import Pair, reference_similarities, similarity_figures

REFERENCE = "Give 30 mL/kg of crystalloid fluid within the first 3 hours of septic shock."


def one(response, reference=REFERENCE):
    return reference_similarities([Pair(response, extract(response), reference)])[0]


def test_the_same_words_have_cosine_one_and_others_none():
    assert one(REFERENCE).cosine == pytest.approx(1.0)
    assert one("Aspirin protects arteries.").cosine == 0.0


def test_the_cosine_is_the_one_defined():
    # Terms of two documents: {dose, kidney} and {dose}; df is 2 and 1, N is 2.
    shared, alone = 1 + math.log(3 / 3), 1 + math.log(3 / 2)

    assert one("kidney dose", "dose").cosine == pytest.approx(shared / math.hypot(shared, alone))


def test_order_of_the_two_and_citations_do_not_matter():
    assert one("The dose of metformin", "metformin").cosine == pytest.approx(
        one("metformin", "The dose metformin").cosine
    )
    assert (
        one("Give metformin https://www.metformin.example/dose", "metformin").cosine
        == one("Give metformin", "metformin").cosine
    )


def test_no_words_have_no_cosine():
    assert one("...").cosine is None
    assert one("Give fluid.", "---").cosine is None


def test_a_clash_is_found_at_its_places():
    response = "First. Give 50 mL/kg of crystalloid fluid within the first 3 hours of septic shock."
    (clash,) = one(response).clashes

    assert clash.kind == "number"
    assert response[clash.start : clash.end] == "50 mL/kg"
    assert REFERENCE[clash.reference_start : clash.reference_end] == "30 mL/kg"
    assert clash.sentence == "30 mL/kg in the reference, 50 mL/kg in the response"


def test_the_opposite_in_the_same_words_scores_high_and_clashes():
    found = one("Metformin must not be stopped before surgery.", "Metformin must be stopped before surgery.")

    assert found.cosine > 0.9
    assert (found.statements, found.clashing) == (1, 1)


def test_figures_are_over_responses_and_say_who_has_no_reference():
    pairs = [Pair(text, [], REFERENCE) for text in (REFERENCE, "Give fluid in septic shock.", "Aspirin.", "...")]
    found = similarity_figures(reference_similarities(pairs), 6, Resampling(replicates=199))

    assert (found.cosine.n, found.cosine.dropped) == (3, 7)
    assert found.cosine.low <= found.cosine.value <= found.cosine.high
    assert (found.with_clash.n, found.with_clash.dropped, found.with_clash.method) == (4, 6, "Wilson")
    assert similarity_figures([], 2).cosine.reason
