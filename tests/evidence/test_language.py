"""The language of a text is told by its script and its function words."""

import pytest

from medreview.evidence.language import language_of, languages_in

TEXTS = {
    "English": "Metformin should not be started when the eGFR is below 30 mL/min/1.73 m2.",
    "German": "Bei einer GFR unter 30 ml/min darf Metformin nicht gegeben werden.",
    "French": "La metformine ne doit pas être donnée si le débit est de moins de 30 ml/min.",
    "Spanish": "No debe administrarse metformina con un filtrado de menos de 30 ml/min.",
    "Italian": "La metformina non deve essere iniziata quando il filtrato è al di sotto di 30 ml/min.",
    "Portuguese": "A metformina não deve ser iniciada quando a filtração está abaixo de 30 ml/min.",
    "Dutch": "Metformine mag niet worden gestart wanneer de klaring onder de 30 ml/min is.",
    "Chinese": "eGFR 低于 30 时不应开始使用二甲双胍。",
    "Japanese": "eGFR が 30 未満の場合、メトホルミンを開始してはならない。",
    "Russian": "Метформин не следует назначать при СКФ ниже 30.",
    "Arabic": "لا ينبغي البدء بالميتفورمين عندما يكون معدل الترشيح أقل من 30.",
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_sentence_tells_its_language(name):
    assert language_of(TEXTS[name]) == name


@pytest.mark.parametrize(
    "text",
    [
        "", "5 mg once daily", "Streptococcus pneumoniae",
        "Vancomycin, cefepime, metronidazole, piperacillin-tazobactam", "de Quervain tenosynovitis", "α-1",
    ],
)  # fmt: skip
def test_too_few_words_tell_nothing(text):
    assert language_of(text) == ""


def test_names_of_another_language_leave_english_what_it_is():
    assert language_of("The Hospital de la Santa Creu reported that the Ménière group did well with β-histine.") == (
        "English"
    )


def test_a_short_text_may_be_in_the_languages_it_has_words_of():
    assert language_of("Is metformin safe?") == ""
    assert languages_in("Is metformin safe?") == {"English"}
    assert languages_in("Metformin bei Schwangeren?") == {"German"}
    assert languages_in("Metformin?") == frozenset()
    assert languages_in(TEXTS["Chinese"]) == {"Chinese"}
