"""The language of a text, where it can be told."""

import pytest

from medreview.generators.language import language_of, other_language

SOURCE = "Aspirin is stopped 7 days before the operation, and nobody needs a bridge with heparin in that time."


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (SOURCE, "en"),
        ("How long before an operation is aspirin stopped?", "en"),
        ("Wie lange vor der Operation wird Aspirin abgesetzt, und ist Heparin nötig?", "de"),
        ("Quand faut-il arrêter l'aspirine avant une opération, et pour qui est-ce que cela vaut?", "fr"),
        ("¿Cuántos días antes de una operación se suspende la aspirina y para qué pacientes es?", "es"),
        ("За сколько дней до операции отменяют аспирин?", "other"),
        ("Aspirin, 7 days", ""),
        ("", ""),
    ],
)  # fmt: skip
def test_the_commonest_words_tell_the_language(text, language):
    assert language_of(text) == language


def test_only_what_is_clearly_in_another_language_is_called_so():
    assert other_language("Wie lange vor der Operation wird Aspirin abgesetzt, und ist Heparin nötig?", SOURCE)
    assert not other_language("Is aspirin stopped before the operation?", SOURCE)
    assert not other_language("Aspirin?", SOURCE)
