"""German, French, Spanish and Portuguese pages: nothing breaks, and amounts are read."""

import pytest

from medreview.evidence.assess import assess
from medreview.evidence.grounding import ground
from medreview.evidence.passage_ranking import SourceIndex
from medreview.evidence.quantities import Quantity, quantities
from medreview.evidence.segment import segment

PAGES = {
    "de": """Metformin bei Nierenschwäche
Die übliche Dosis beträgt 0,5 g zweimal täglich, z. B. morgens und abends. Bei Übelkeit wird sie halbiert.
Bei einer GFR unter 30 ml/min, d. h. bei schwerer Niereninsuffizienz, darf Metformin nicht gegeben werden.
""",
    "fr": """Metformine et insuffisance rénale
La dose habituelle est de 0,5 g deux fois par jour, p. ex. le matin et le soir. Elle est réduite en cas de nausées.
La metformine ne doit pas être donnée si le débit est de moins de 30 ml/min.
""",
    "es": """Metformina en la insuficiencia renal
La dosis habitual es de 0,5 g dos veces al día, p. ej. por la mañana. ¿Hay náuseas? Entonces se reduce.
No debe administrarse metformina con un filtrado de menos de 30 ml/min.
""",
    "pt": """Metformina na insuficiência renal
A dose habitual é de 0,5 g duas vezes ao dia. O Sr. João tomou 850 mg. Com náuseas, reduz-se a dose.
Não se deve dar metformina com uma filtração de menos de 30 ml/min.
""",
}


def one(text: str) -> Quantity:
    (found,) = quantities(text)
    return found


@pytest.mark.parametrize(
    ("local", "english"),
    [
        ("0,5 mg", "0.5 mg"),
        ("2,5 mg/kg/jour", "2.5 mg/kg/day"),
        ("38,5 °C", "38.5 °C"),
        ("1 500 mg", "1500 mg"),
        ("zweimal täglich", "twice daily"),
        ("3 fois par jour", "three times a day"),
        ("dos veces al día", "twice a day"),
        ("duas vezes por semana", "twice a week"),
        ("alle 12 Stunden", "every 12 hours"),
        ("toutes les 8 heures", "every 8 hours"),
        ("cada 12 horas", "every 12 hours"),
        ("10 mg pro Tag", "10 mg per day"),
        ("10 mg por día", "10 mg/day"),
        ("10 Mikrogramm", "10 mcg"),
        ("10 microgrammes", "10 mcg"),
        ("2 comprimidos", "2 tablets"),
        ("zwischen 5 und 10 mg", "between 5 and 10 mg"),
        ("entre 5 et 10 mg", "5-10 mg"),
        ("5 a 10 mg", "5 to 10 mg"),
        ("weniger als 30 ml/min", "< 30 mL/min"),
        ("moins de 30 ml/min", "below 30 mL/min"),
        ("más de 65 años", "> 65 years"),
        ("pelo menos 4 g", "at least 4 g"),
        ("höchstens 4 g", "at most 4 g"),
    ],
)
def test_local_amounts(local: str, english: str) -> None:
    assert one(local).equals(one(english))
    assert one(local).sign == one(english).sign


def test_a_preposition_before_another_word_is_no_unit() -> None:
    assert [quantity.unit for quantity in quantities("5 mg por la mañana")] == ["mg"]
    assert [quantity.unit for quantity in quantities("5 mg a la mañana")] == ["mg"]
    assert [quantity.unit for quantity in quantities("5 mg par l'infirmière")] == ["mg"]


@pytest.mark.parametrize("language", PAGES)
def test_sentences_are_not_cut_at_abbreviations(language: str) -> None:
    page = PAGES[language]
    texts = [page[passage.start : passage.end] for passage in segment(page)]
    assert len(texts) == {"de": 4, "fr": 4, "es": 5, "pt": 5}[language]
    assert any("0,5 g" in text and text[-1] in ".?" for text in texts)


@pytest.mark.parametrize(
    ("language", "statement", "words"),
    [
        ("de", "Metformin wird zweimal täglich mit 500 mg gegeben, die übliche Dosis.", "0,5 g zweimal täglich"),
        ("fr", "La dose habituelle de metformine est de 500 mg deux fois par jour.", "0,5 g deux fois par jour"),
        ("es", "La dosis habitual de metformina es de 500 mg dos veces al día.", "0,5 g dos veces al día"),
        ("pt", "A dose habitual de metformina é de 500 mg duas vezes ao dia.", "0,5 g duas vezes ao dia"),
    ],
)
def test_the_passage_is_found_and_its_amounts_agree(language: str, statement: str, words: str) -> None:
    page = PAGES[language]
    made = assess(statement, SourceIndex(page))
    best = made.spans[0]
    assert words in page[best.start : best.end]
    assert made.clashes == ()
    assert made.features is not None
    assert made.features.missing == ()


@pytest.mark.parametrize("language", PAGES)
def test_an_altered_amount_in_a_quotation_is_seen(language: str) -> None:
    page = PAGES[language]
    line = page.splitlines()[1]
    quote = line[: line.index("0,5 g") + 5]
    assert ground(quote, page).status == "exact"
    assert ground(quote.upper(), page).status == "normalised"
    assert ground(quote.replace("0,5", "0,05"), page).status == "altered"
    assert ground(quote.replace("0,5", "5"), page).status == "altered"
