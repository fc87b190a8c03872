"""Which two places of an answer clash, as far as rules on words can tell, and which they cannot."""

import pytest

from medreview.generators.answer_rules import any_clash, clash
from medreview.text import Span

CLASHING = [
    ("Take it on an empty stomach.", "Take it with a full meal."),
    ("Feed your baby as soon as possible after delivery.", "Wait at least 24 hours after delivery to feed your baby."),
    ("Take at most 4 g of paracetamol a day.", "Up to 6 g of paracetamol a day is fine."),
    ("At most 4 g in 24 hours.", "6 g in 24 hours are allowed."),
    ("Most people recover within two weeks.", "People recover within six months."),
    ("Tablets are swallowed whole.", "The tablets may be crushed into water."),
    ("Do not put ice on the burn.", "Put ice on the burn for ten minutes."),
    ("There is no cure for type 1 diabetes.", "Type 1 diabetes can be cured with diet alone."),
    ("Avoid alcohol while taking this medicine.", "Moderate alcohol is fine while taking this medicine."),
    ("Drink plenty of fluids.", "Restrict your fluid intake."),
    ("Tonsillitis is usually caused by a virus.", "Tonsillitis is always caused by bacteria."),
    ("Regular exercise lowers the risk of falls.", "Exercise increases the risk of falls."),
    ("The vaccine is recommended for adults over 65.", "Adults over 65 should not receive the vaccine."),
]
ALONGSIDE = [
    ("Cool the burn with water.", "Cover the burn with cling film."),
    ("Do not use ice on a burn.", "Cool the burn with running water."),
    ("Avoid alcohol while taking this medicine.", "Take this medicine with food."),
    ("Most people recover within two weeks.", "See a doctor if you do not recover within two weeks."),
    ("At most 4 g a day, in tablets of 500 mg.", "Tablets of 500 mg are small."),
    ("Call an ambulance at once.", "Keep the patient warm until the ambulance comes."),
    ("Call an ambulance at once.", "The moon is made of rock."),
]
BEYOND = [
    ("The condition is more common in women.", "Men are affected far more often than women."),
    ("It runs in families.", "It is never inherited."),
]


@pytest.mark.parametrize(("one", "other"), CLASHING)
def test_amounts_a_no_and_words_of_opposite_meaning_clash_in_either_order(one, other):
    assert clash(one, other)
    assert clash(other, one)


@pytest.mark.parametrize(("one", "other"), [*ALONGSIDE, *BEYOND])
def test_what_can_be_true_together_does_not_clash_nor_what_only_knowledge_tells(one, other):
    assert not clash(one, other)


def test_places_that_overlap_are_one_and_short_ones_clash_by_their_sentences():
    text = "Swallow the tablets whole. If that is hard, the tablets may be crushed into water."
    whole, crushed = (Span(text.find(words), text.find(words) + len(words)) for words in ("whole", "crushed"))
    assert any_clash(text, [whole, crushed])
    assert not any_clash(text, [whole, Span(0, 25)])
    assert not any_clash(text, [whole])
