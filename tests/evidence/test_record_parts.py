"""Statements about a trial record, and the entries below whose headings the answer stands. The record is made up."""

import pytest

from medreview.evidence.assess import assess
from medreview.evidence.passage_ranking import SourceIndex
from medreview.evidence.segment import AnsweringParts, asked, place_of

RECORD = """Letrozole or Placebo After Surgery
ClinicalTrials.gov ID NCT99000017

Intervention
INTERVENTION 1:
  Letrozole
  Patients receive letrozole 2.5 mg orally once daily.
INTERVENTION 2:
  Placebo
  Patients receive placebo orally once daily.

Eligibility
Inclusion Criteria:
  postmenopausal women with breast cancer
  ECOG performance status of 0 or 1
Exclusion Criteria:
  known brain metastases
  other experimental drugs

Results
Outcome Measurement:
  Progression-free Survival
  Time frame: 2 years
Results 1:
  Arm/Group Title: Letrozole
  Overall Number of Participants Analyzed: 67
  11.2 (9.1 to 14.0)
Results 2:
  Arm/Group Title: Placebo
  Overall Number of Participants Analyzed: 65
  9.7 (8.0 to 11.9)

Adverse Events 1:
  Total: 28/67 (41.79%)
  Anaemia 2/67 (2.99%)
  Nausea 5/67 (7.46%)
Adverse Events 2:
  Total: 9/65 (13.85%)
  Anaemia 1/65 (1.54%)
  Nausea 0/65 (0.00%)
"""
PAGE = """Adverse Events
|  | Letrozole 2.5 mg | Placebo |
| Total | 28/67 (41.79%) | 9/65 (13.85%) |
| Anaemia | 2/67 (2.99%) | 1/65 (1.54%) |

Other Conditions
|  | Letrozole 5 mg | Tamoxifen |
| Headache | 3/30 (10.0%) | 1/31 (3.2%) |
| Anaemia | 4/30 (13.3%) | 3/31 (9.7%) |
"""


def found(statement: str, record: str, count: int) -> list[str]:
    index = SourceIndex(record)
    return [index.text[hit.start : hit.end].strip() for hit in index.rank(statement, count)]


@pytest.mark.parametrize(
    ("statement", "entry"),
    [
        ("The dose in cohort 1 of the primary trial is higher than in cohort 2.",
         "Patients receive letrozole 2.5 mg orally once daily."),
        ("In cohort 2 of the trial 1 patient had anaemia.", "Anaemia 1/65 (1.54%)"),
        ("In the first cohort 2 patients had anaemia.", "Anaemia 2/67 (2.99%)"),
        ("More than half of the patients in cohort 2 had an adverse event.", "Total: 9/65 (13.85%)"),
        ("Patients with metastases in the brain are not eligible.", "known brain metastases"),
        ("Patients who have other experimental drugs can be enrolled.", "other experimental drugs"),
        ("The median PFS was followed in arm A.", "11.2 (9.1 to 14.0)"),
        ("Survival without progression was measured for 2 years.", "Time frame: 2 years"),
    ],
)  # fmt: skip
def test_the_entry_of_the_part_and_arm_is_among_the_first(statement: str, entry: str) -> None:
    assert entry in found(statement, RECORD, 2)


def test_a_total_is_evidence_though_it_shares_no_word() -> None:
    assessed = assess("Half of those in arm B had adverse events.", SourceIndex(RECORD))
    assert RECORD[slice(*assessed.spans[0][:2])] == "Total: 9/65 (13.85%)"
    assert assessed.features is not None
    assert assessed.features.covered > 0


def test_a_row_gets_of_the_words_at_the_head_of_its_columns() -> None:
    assert found("Anaemia was seen in patients on letrozole 5 mg.", PAGE, 1)[0].startswith("| Anaemia | 4/30")
    assert found("With letrozole 2.5 mg anaemia was seen.", PAGE, 1)[0].startswith("| Anaemia | 2/67")


def test_entries_in_small_letters_stay_apart_and_a_name_with_its_value_is_no_heading() -> None:
    passages = {RECORD[one.start : one.end].strip(): one for one in SourceIndex(RECORD).passages}
    assert {"known brain metastases", "other experimental drugs"} <= passages.keys()
    assert passages["Overall Number of Participants Analyzed: 65"].kind == "sentence"
    assert passages["Overall Number of Participants Analyzed: 65"].place == ("outcomes", 2)


def test_a_paper_keeps_its_sections() -> None:
    paper = "Introduction\nWe know little.\nInterventions\nWomen had letrozole.\nResults\nWomen did well on letrozole."
    assert found("Women treated with letrozole.", paper, 1) == ["Women did well on letrozole."]
    cited = f"{RECORD}\nReferences\nSmith J. Letrozole in women.\n"
    assert (
        found("The dose in cohort 1 is higher.", cited, 1) == found("The dose in cohort 1 is higher.", RECORD, 1) != []
    )


@pytest.mark.parametrize(
    ("heading", "place"),
    [
        ("Adverse Events 2:", ("adverse events", 2)),
        ("Other (Not Including Serious) Adverse Events", ("adverse events", 0)),
        ("**Exclusion Criteria**", ("eligibility", 0)),
        ("Ages Eligible for Study", ("eligibility", 0)),
        ("Arms and Interventions", ("interventions", 0)),
        ("3.2 Primary Outcome Measures", ("outcomes", 0)),
        ("Baseline Characteristics", ("baseline", 0)),
        ("Adverse events were rare in both arms", None),
        ("Treatment failure", None),
    ],
)
def test_headings_of_records(heading: str, place: tuple[str, int] | None) -> None:
    assert place_of(heading) == place


def test_arms_by_number_letter_and_word() -> None:
    assert asked("Cohort 1 and arm B differ.") == AnsweringParts(frozenset(), frozenset({1, 2}))
    assert asked("Groups I and III differ.").arms == {1, 3}
    assert asked("The second group got 5 mg.") == AnsweringParts(frozenset({"interventions"}), frozenset({2}))
    assert not asked("In each group a patient fell, and in group 2.5 no one.").arms
