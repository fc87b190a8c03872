from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from medreview.evidence.segment import segment

PAGE = """Metformin in kidney disease
Home\tAbout\tContact
Dosing
Start with 500 mg once daily. Do not exceed 2000 mg, e.g. in older adults.
- Stop if eGFR is below 30 mL/min.
- Halve the dose if eGFR is 30-44 mL/min.
eGFR | Dose
30-44 | 1000 mg
Methods
We searched two databases.
RESULTS: Twelve trials were found.
References
1. Smith J. A trial. Lancet 2001.
"""
PRINT = """This trial compared two doses of the drug in adults who had been
admitted with sepsis, and followed them for ninety days after their
discharge from hospital. Mortality was lower with the larger dose of
the drug, although the difference was small and the confidence inter-
val wide."""


def test_kinds_and_sections() -> None:
    found = [(passage.kind, passage.section, PAGE[passage.start : passage.end]) for passage in segment(PAGE)]
    assert ("heading", "title", "Metformin in kidney disease") in found
    assert ("heading", "", "Dosing") in found
    assert ("sentence", "", "Do not exceed 2000 mg, e.g. in older adults.") in found
    assert ("item", "", "- Stop if eGFR is below 30 mL/min.") in found
    assert ("row", "", "30-44 | 1000 mg") in found
    assert ("sentence", "methods", "We searched two databases.") in found
    assert ("sentence", "results", "RESULTS: Twelve trials were found.") in found
    assert all(section == "references" for _, section, text in found if "Lancet" in text)


def test_lines_of_print_are_joined() -> None:
    texts = [PRINT[passage.start : passage.end] for passage in segment(PRINT)]
    assert len(texts) == 2
    assert texts[1].startswith("Mortality was lower")
    assert texts[1].endswith("wide.")


@given(st.one_of(st.text(max_size=200), st.text(alphabet="aB1. \n\t|-#:", max_size=200)))
def test_passages_hold_every_character_once(text: str) -> None:
    passages = segment(text)
    for before, after in pairwise(passages):
        assert before.end <= after.start
    covered = "".join(text[passage.start : passage.end] for passage in passages)
    assert "".join(covered.split()) == "".join(text.split())
