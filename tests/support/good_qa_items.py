"""A passage, and good QA items that were made from it."""

from collections.abc import Mapping
from typing import Any, Final

from tests.support.misbehaving import Asked, Good

MRSA: Final = (
    "Vancomycin is given first for severe pneumonia caused by MRSA. Linezolid is the alternative when vancomycin is "
    "not tolerated. Daptomycin must not be used for pneumonia, because surfactant inactivates it."
)
_FIRST: Final = "Vancomycin is given first for severe pneumonia caused by MRSA."
_INACTIVATED: Final = "Daptomycin must not be used for pneumonia, because surfactant inactivates it."
_STEPS: Final = (
    "Surfactant lines the lung and inactivates daptomycin.",
    "Vancomycin comes first for MRSA in the lung.",
)
ITEMS: Final[Mapping[str, Mapping[str, Any]]] = {
    "list": {
        "quote": f"{_FIRST} Linezolid is the alternative when vancomycin is not tolerated.",
        "question": "Which of these are given for severe pneumonia caused by MRSA?",
        "options": ["Vancomycin", "Linezolid", "Ceftriaxone", "Cefazolin"],
        "answers": ["Vancomycin", "Linezolid"],
    },
    "multi_hop_inverse": {
        "quotes": [_INACTIVATED, _FIRST],
        "steps": list(_STEPS),
        "answer": "Vancomycin, because surfactant inactivates daptomycin",
        "question": "Which of two drugs for MRSA is chosen in pneumonia, and what speaks against the other?",
        "wrong_steps": ["Surfactant does not inactivate daptomycin.", _STEPS[1]],
        "wrong_answer": "Daptomycin, because surfactant does not inactivate it",
        "flaw": "The first step is wrong: surfactant inactivates daptomycin.",
    },
}
"""By their type."""
_REPLACED: Final = {"reason": "All are antibiotics.", "replacements": ["Gentamicin", "Azithromycin", "Clindamycin"]}


def answers(kind: str) -> Good:
    """A model that writes an item of a type, and replaces its wrong options."""

    def good(asked: Asked) -> Mapping[str, Any]:
        return _REPLACED if "replacements" in asked.schema["properties"] else ITEMS[kind]

    return good
