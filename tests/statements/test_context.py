"""What stands beside a statement: what it needs of the text before it, and where the answer says what was reworded."""

import pytest

from medreview.statements.place_in_response import Contexts, Sentences
from medreview.statements.split import split

ANSWER = """**Amoxicillin** is first-line [1]. It is given for 5 days [2]. It is important to finish it.

This drug is safe in pregnancy.

The main causes of pneumonia are:
- viruses
- bacteria:
  - *S. pneumoniae*

## Side effects
- Rash

| Drug | Dose |
|---|---|
| Aspirin | 75 mg |

Ibuprofen relieves pain. Its dose is 400 mg for men and 200 mg for women.
"""


def test_an_item_has_its_introduction_and_a_pronoun_what_it_refers_to() -> None:
    contexts = Contexts(ANSWER)
    assert [(one.text, contexts.of(one.places[0])) for one in split(ANSWER).statements] == [
        ("**Amoxicillin** is first-line", ""),
        ("It is given for 5 days", "Amoxicillin is first-line."),
        ("It is important to finish it.", ""),
        ("This drug is safe in pregnancy.", "Amoxicillin is first-line."),
        ("viruses", "The main causes of pneumonia are:"),
        ("S. pneumoniae", "The main causes of pneumonia are: bacteria:"),
        ("Rash", "Side effects"),
        ("Aspirin | 75 mg", "Drug | Dose"),
        ("Ibuprofen relieves pain.", ""),
        ("Its dose is 400 mg for men", "Ibuprofen relieves pain."),
        ("Its dose is 200 mg for women.", "Ibuprofen relieves pain."),
    ]


SAID = (
    "Amoxicillin is first-line for pneumonia [1]. It is given for 5 days [2]. "
    "Statins lower LDL cholesterol by 30% [3]. Muscle pain was reported in 28.4% of men and 1.2% of women. "
    "Patients with CKD should not take metformin."
)


@pytest.mark.parametrize(
    ("reworded", "sentence"),
    [
        ("Amoxicillin is given for 5 days.", "It is given for 5 days [2]."),
        ("Amoxicillin is the first-line treatment for pneumonia.", "Amoxicillin is first-line for pneumonia [1]."),
        ("LDL cholesterol falls by 30% with statins.", "Statins lower LDL cholesterol by 30% [3]."),
        ("Metformin should not be taken by patients with CKD.", "Patients with CKD should not take metformin."),
        (
            "Muscle pain was reported in 1.2% of women.",
            "Muscle pain was reported in 28.4% of men and 1.2% of women.",
        ),
    ],
)
def test_a_reworded_statement_is_found_in_the_sentence_that_says_it(reworded: str, sentence: str) -> None:
    found = Sentences(SAID).find(reworded)
    assert found is not None
    assert SAID[found.start : found.end] == sentence


@pytest.mark.parametrize(
    "invented",
    [
        "Statins cause myopathy.", "Amoxicillin is given for 7 days.", "Statins are contraindicated in pregnancy.",
        "Patients with CKD should take metformin.", "Statins do not lower LDL cholesterol by 30%.", "...",
    ],
)  # fmt: skip
def test_what_no_sentence_says_is_found_nowhere(invented: str) -> None:
    assert Sentences(SAID).find(invented) is None
