"""What may become a revision of an unsupported statement: each rule by an answer that breaks it."""

import pytest

from medreview.evidence.grounding import QuoteIndex, ground
from medreview.generators.cleanup import lacking, revision_faults
from medreview.judges.quote_grounding import Grounded
from tests.support.unsupported_study import GOOD, ORIGINAL, PAGE, REMOVAL


def page(quote: str, supports: str) -> Grounded:
    found = ground(quote, QuoteIndex(PAGE))
    return Grounded(found.status, found, "instructions" if "Look again" in quote else "none")


@pytest.mark.parametrize("value", [GOOD, REMOVAL], ids=["revised", "removed"])
def test_a_revision_with_the_numbers_of_its_quote_and_a_removal_are_valid(value):
    assert revision_faults(value, ORIGINAL, page) == ()


@pytest.mark.parametrize(
    ("change", "codes"),
    [
        ({"text": ORIGINAL}, ("unchanged", "number_not_in_quote")),
        ({"text": " "}, ("no_text",)),
        ({"changed": ""}, ("no_explanation",)),
        ({"quote": "give 30 mL/kg or more of albumin by vein at once, and again within the first 3 hours"},
         ("quote_not_grounded",)),
        ({"quote": ""}, ("quote_not_grounded", "number_not_in_quote")),
        ({"quote": "Look again often. When blood pressure stays low, norepinephrine is the first choice.",
          "text": "When blood pressure stays low, norepinephrine is the first choice."}, ("quote_proves_nothing",)),
        ({"text": "Patients with septic shock should receive 30 mL/kg of crystalloid in the first 6 hours."},
         ("number_not_in_quote",)),
        ({"text": "Patients with septic shock should receive 30 mg/kg of crystalloid in the first 3 hours."},
         ("unit_not_in_quote",)),
        ({"text": "Give norepinephrine and 30 mL/kg of crystalloid in the first 3 hours."}, ("drug_not_in_quote",)),
        ({"text": "Do not give 30 mL/kg or more of a crystalloid by vein within the first 3 hours."},
         ("negation_not_in_quote",)),
        ({"text": f"{GOOD['text']} {GOOD['text']}"}, ("too_long",)),
        ({"action": "remove"}, ("removal_with_text",)),
    ],
)  # fmt: skip
def test_each_rule_of_a_revision_has_its_code(change, codes):
    assert revision_faults(GOOD | change, ORIGINAL, page) == codes


@pytest.mark.parametrize(
    ("text", "quote", "codes"),
    [
        ("Take 0.5 g of metformin twice daily.", "metformin 500 mg every 12 hours", ()),
        ("Give acetaminophen.", "Paracetamol is given.", ()),
        ("Stop it five days before.", "It is stopped 5 days before.", ()),
        ("At most 5 mg.", "at least 5 mg", ("number_not_in_quote",)),
        ("It is ineffective in adults.", "It is effective in adults.", ("negation_not_in_quote",)),
        ("It is not given.", "It is never given.", ()),
        ("Give simvastatin.", "Give a statin.", ("drug_not_in_quote",)),
        ("Give aspirin and digoxin.", "Give aspirin.", ("drug_not_in_quote",)),
        ("Adrenaline is given at once.", "Epinephrine is given at once.", ()),
        ("Naloxone is at hand.", "An antidote is at hand.", ("drug_not_in_quote",)),
        ("An antibiotic is given with the vaccine.", "Treatment is given with the injection.", ()),
        ("Screening starts at age 50.", "Offer screening from the age of 50 to 75 years.", ()),
        ("Screening starts at age 60.", "Offer screening from the age of 50 to 75 years.", ("number_not_in_quote",)),
        ("Give up to 20 mg.", "Give 10 to 20 mg.", ()),
        ("Grade 2 evidence.", "Evidence of grade 1.", ("number_not_in_quote",)),
    ],
)
def test_a_text_may_say_nothing_that_decides_and_that_its_quote_lacks(text, quote, codes):
    assert lacking(text, quote) == codes
