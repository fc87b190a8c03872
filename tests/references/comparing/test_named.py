"""Works that running text only names: a trial, a guideline. A name that is not the title accuses nobody."""

import pytest

from medreview.references.library import Library
from medreview.references.model import Author, Record
from medreview.references.printed.find import find_references

RECORDS = [
    Record(
        "library",
        "sprint",
        title="A Randomized Trial of Intensive versus Standard Blood-Pressure Control",
        authors=(Author("Wright", "JT"),),
        containers=("N Engl J Med",),
        years=(2015,),
        volume="373",
        pages="2103-16",
    ),
    Record(
        "library",
        "sepsis",
        title="Surviving sepsis campaign: international guidelines for management of sepsis and septic shock 2021",
        authors=(Author("Evans", "L"),),
        containers=("Intensive Care Med",),
        years=(2021,),
    ),
]


@pytest.mark.parametrize(
    ("sentence", "verdict", "record"),
    [
        ("The SPRINT trial (N Engl J Med 2015;373:2103-16) found fewer events.", "match", "sprint"),
        ("The 2021 Surviving Sepsis Campaign guideline recommends fluids.", "match", "sepsis"),
        ("The SPRINT trial (NEJM 2015) found fewer events.", "not_checkable", None),
        ("The 2021 ESC heart failure guideline recommends them.", "not_checkable", None),
        ("A 2015 NEJM trial found fewer events.", "not_checkable", None),
    ],
)
def test_a_work_that_is_only_named_is_found_by_its_name_or_numbers_or_nothing_is_said_of_it(sentence, verdict, record):
    (reference,) = find_references(sentence)
    check = Library(RECORDS).check(reference)

    assert (check.verdict, check.record and check.record.record_id) == (verdict, record)
    assert not check.wrong
