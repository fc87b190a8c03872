"""Whether a quotation bears on a statement: what must be let through, and what must not."""

import pytest

from medreview.evidence.bearing import Bearing
from medreview.evidence.grounding import ground
from medreview.evidence.passage_ranking import SourceIndex

TITLE = "Warfarin for the heart"
PAGE = """Warfarin for the heart

Warfarin is a medicine that makes the blood clot more slowly. It is used after a clot in the leg or lung.
Atrial fibrillation is another reason.

How to take it
Take warfarin once a day, at the same time in the evening. The tablets are 1 mg, 3 mg and 5 mg.
Your dose may change often.

Blood tests
The INR is measured once or twice a week at first. For most people it should be between 2 and 3.
Later it is measured every 12 weeks.

Food and drink
Do not drink cranberry juice with warfarin. Leafy vegetables contain vitamin K, which works against it.
Keep the amount steady.

Other medicines
Miconazole gel for the mouth can raise the INR and cause bleeding. Paracetamol is preferred to ibuprofen for pain.
Do not stop it before an operation unless the surgeon says so.

Pregnancy
Warfarin can harm an unborn baby. Heparin is used in its place from the sixth to the twelfth week.
"""
BEARS = (
    ("The target INR for most patients is 2 to 3.", "For most people it should be between 2 and 3."),
    ("Oral miconazole increases the risk of bleeding on warfarin.", "can raise the INR and cause bleeding"),
    ("Warfarin is taken once daily in the evening.", "Take warfarin once a day, at the same time in the evening."),
    ("Warfarin slows blood clotting.", "Warfarin is a medicine that makes the blood clot more slowly."),
    ("A lung clot is treated with warfarin.", "It is used after a clot in the leg or lung"),
    (
        "Vitamin K in green vegetables counteracts warfarin.",
        "Leafy vegetables contain vitamin K, which works against it.",
    ),
    ("Cranberry juice should be avoided by patients on warfarin.", "Do not drink cranberry juice with warfarin."),
    ("Warfarin is teratogenic: it harms the unborn child.", "Warfarin can harm an unborn baby."),
    (
        "In early pregnancy heparin replaces warfarin.",
        "Heparin is used in its place from the sixth to the twelfth week.",
    ),
    ("For pain relief paracetamol is safer than ibuprofen.", "Paracetamol is preferred to ibuprofen for pain."),
    ("Once stable, the INR is checked every 12 weeks.", "Later it is measured every 12 weeks."),
    ("Warfarin tablets come in strengths of 1, 3 and 5 mg.", "The tablets are 1 mg, 3 mg and 5 mg."),
)
OFF_TOPIC = (
    ("Warfarin can be stopped at once in pregnancy.", "Warfarin for the heart"),
    ("Warfarin cures atrial fibrillation within days.", "Warfarin for the heart"),
    ("Warfarin lowers cholesterol and prevents diabetes.", "Do not drink cranberry juice with warfarin."),
    ("Warfarin tablets of 10 mg are the usual strength.", "The tablets are 1 mg, 3 mg and 5 mg."),
    ("Apixaban needs no regular blood tests.", "Heparin is used in its place from the sixth to the twelfth week."),
    ("Grapefruit doubles the effect of statins.", "Keep the amount steady."),
    ("Stop it before an operation.", "stop it before an operation unless the surgeon says so"),
    ("Simvastatin may be combined with clarithromycin.", "Paracetamol is preferred to ibuprofen for pain."),
)


def off_topic(statement: str, quote: str, page: str = PAGE, title: str = TITLE) -> bool | None:
    found = ground(quote, page)
    assert found.spans
    return Bearing(SourceIndex(page), title).is_off_topic(statement, quote, found.spans)


@pytest.mark.parametrize(("statement", "quote"), BEARS)
def test_an_honest_quote_bears_on_the_statement(statement: str, quote: str) -> None:
    assert off_topic(statement, quote) is False


@pytest.mark.parametrize(("statement", "quote"), OFF_TOPIC)
def test_a_quote_of_something_else_is_off_topic(statement: str, quote: str) -> None:
    assert off_topic(statement, quote) is True


def test_where_a_passage_says_the_statement_another_that_shares_a_little_does_not_bear() -> None:
    claim = "Warfarin can be stopped before an operation without asking the surgeon."
    for quote in (PAGE.splitlines()[2], "Take warfarin once a day, at the same time in the evening."):
        assert off_topic(claim, quote, f"{PAGE}\n{claim}\n") is True
    assert off_topic(claim, claim, f"{PAGE}\n{claim}\n") is False


def test_nothing_is_said_of_a_page_in_another_language_or_of_a_statement_without_words() -> None:
    page = "Metformin sollte bei einer eGFR unter 30 nicht begonnen werden. Die Dosis wird unter 45 geprüft."
    assert off_topic("Metformin must not be started below 30.", page.split(". ")[0], page, "") is None
    assert off_topic("...", "Do not drink cranberry juice with warfarin.") is None


KIDNEY = """Dabigatran and the kidneys

Dabigatran is cleared by the kidneys. Give dabigatran 110 mg twice a day to adults of 80 years and over.
CrCl below 30 mL/min, and dialysis: dabigatran is contraindicated.

Vaccines
The injection is intramuscular: into the deltoid, with a fine needle, after dabigatran was left out for a day.
Press on the place for two minutes.

Bleeding
Dabigatran causes indigestion in one of ten. Idarucizumab reverses dabigatran within minutes.
Haemodialysis removes some of dabigatran.
"""


@pytest.mark.parametrize(
    ("statement", "quote"),
    [
        # The amount and a rare word are the statement's, the medicine is another.
        ("Below 30 mL/min or on dialysis, apixaban is preferred.", "CrCl below 30 mL/min, and dialysis: dabigatran is"),
        # Stems inside longer words, and one rare word beside the topic.
        ("On dabigatran a vaccine can go into the muscle of the arm.", "The injection is intramuscular"),
        (
            "Of the blood thinners dabigatran upsets digestion most often.",
            "Dabigatran causes indigestion in one of ten.",
        ),
        ("In an emergency dialysis can lower the level of the drug.", "Haemodialysis removes some of dabigatran."),
    ],
)
def test_a_free_paraphrase_bears_by_a_stem_an_amount_or_one_rare_word(statement: str, quote: str) -> None:
    assert off_topic(statement, quote, KIDNEY, "Dabigatran and the kidneys") is False


def test_a_claim_in_the_next_paragraph_is_not_what_a_quote_says() -> None:
    claim = "Dabigatran can be given on dialysis at any dose without a check."
    page = f"{KIDNEY}\n{claim}\n"
    assert off_topic(claim, "Idarucizumab reverses dabigatran within minutes.", page) is True
    assert off_topic(claim, "Haemodialysis removes some of dabigatran.", page) is True
