import pytest
from hypothesis import given
from hypothesis import strategies as st

from medreview.evidence.clashes import clashes, clashes_between
from medreview.evidence.sentence_analysis import analyse


@pytest.mark.parametrize(
    ("statement", "passage", "expected"),
    [
        ("Give 50 mL/kg of crystalloid within 3 hours in septic shock.",
         "In septic shock, at least 30 mL/kg of crystalloid should be given within the first 3 hours.",
         ("number", "50 mL/kg", "at least 30 mL/kg")),
        ("Amoxicillin 500 mg twice daily is used for otitis.", "For otitis give amoxicillin 500 mg three times daily.",
         ("number", "twice daily", "three times daily")),
        ("The maximum dose of paracetamol in adults is 4 g.", "Adults: the maximum dose of paracetamol is 4 mg.",
         ("unit", "4 g", "4 mg")),
        ("Treat cystitis for 5-7 days.", "Cystitis: treat for 7-10 days.", ("range", "5-7 days", "7-10 days")),
        ("Start metformin when eGFR is above 30 mL/min.", "Start metformin when eGFR is below 30 mL/min.",
         ("comparison", "above 30 mL/min", "below 30 mL/min")),
        ("Metformin is stopped when eGFR is below 45 mL/min.", "Metformin is stopped if eGFR is <30 mL/min.",
         ("number", "below 45 mL/min", "<30 mL/min")),
        ("Aspirin reduces the risk of pre-eclampsia.", "Aspirin increases the risk of pre-eclampsia.",
         ("direction", "reduces", "increases")),
        ("Warfarin is recommended in pregnancy with a valve.", "Warfarin is not recommended in pregnancy with a valve.",
         ("negation", "recommended", "not recommended")),
        ("Live vaccines should not be given during pregnancy.", "Live vaccines can be given during pregnancy.",
         ("negation", "not be given", "given")),
        ("Children should receive ibuprofen for fever.", "Adults should receive ibuprofen for fever.",
         ("population", "Children", "Adults")),
        ("Metformin is for type 1 diabetes in young people.", "Metformin is for type 2 diabetes in young people.",
         ("population", "1", "2")),
        ("The drug significantly lowered blood pressure.", "No significant difference in blood pressure with the drug.",
         ("significance", "significantly", "No significant")),
        ("The drug significantly lowered blood pressure.", "The drug lowered blood pressure (p = 0.21).",
         ("significance", "significantly", "0.21")),
    ],
)  # fmt: skip
def test_a_clash_marks_both_places(statement: str, passage: str, expected: tuple[str, str, str]) -> None:
    source = "Some text before. " + passage
    found = [
        (clash.kind, statement[slice(*clash.statement_span)], source[slice(*clash.source_span)])
        for clash in clashes_between(analyse(statement), analyse(passage), 18)
    ]
    assert [kind for kind, _, _ in found] == [expected[0]]
    assert found[0][1] == expected[1]
    assert expected[2] in found[0][2]


@pytest.mark.parametrize(
    ("statement", "passage"),
    [
        ("Adults aged 70 years need a lower dose.", "Adults aged over 65 years need a lower dose."),
        ("Repeat the dose of naloxone after 6 hours.", "Repeat the dose of naloxone after at least 4 hours."),
        ("Paracetamol: at most 4 g in 24 hours.", "Do not take more than 4000 mg of paracetamol in 24 hours."),
        ("Amoxicillin 500 mg every 12 hours.", "Amoxicillin 0.5 g twice daily."),
        ("Metformin is contraindicated when eGFR is below 30 mL/min.", "Metformin: not if eGFR is <30 mL/min."),
        ("Treat cystitis for 7 days.", "Cystitis is treated for 5 to 7 days."),
        ("The vaccine protected 95% of adults.", "The vaccine protected adults (95% CI 80-98)."),
        ("The drug is not only safe but effective in adults.", "The drug is safe and effective in adults."),
        ("Children are at lower risk of death than older adults.",
         "Older adults are at higher risk of death than children."),
        ("A significant number of patients had cough.", "The number of patients with cough did not differ."),
        ("Trials in 2019 tested the vaccine.", "The vaccine was tested in trials in 2020."),
        ("Zebras eat 5 kg of grass.", "Lions eat 7 kg of meat."),
        ("Hydrocortisone is used for no longer than two weeks.", "Use hydrocortisone for a maximum of two weeks."),
        ("Dermatitis caused by poison ivy itches.", "Exposure to poison ivy can cause dermatitis, which itches."),
        ("Hydrocortisone cream relieves insect bites.",
         "Other creams, such as lidocaine, may also relieve insect bites."),
        ("Itching is less associated with ringworm of the nails.",
         "Itching is more often associated with ringworm of the feet, while it is less common in that of the nails."),
        ("Cleaning decreases the risk of infection, while stitches increase it.", "Cleaning decreases the risk."),
        ("Bezafibrate significantly decreased cholesterol.",
         "Bezafibrate significantly reduced total cholesterol by 8%, and increased creatinine."),
        ("Stopping caffeine was followed by improved sleep.", "Sleep improved in those who stopped caffeine."),
        ("Oral vancomycin treats severe infection.", "Severe infection is treated with oral vancomycin."),
        ("The information applies only to chemical wastes.",
         "If they are not chemical wastes, then this information does not apply."),
        ("No red flags were there, and mild pain is treated with ibuprofen.",
         "There were red flags; mild pain is treated with ibuprofen."),
        ("Avoid doxycycline in the second trimester.", "Avoid doxycycline in the second and third trimester."),
        ("Growth may decrease in summer with increased light.", "Light was associated with lower growth in summer."),
        ("Of the whole sample, 25% had nausea.", "Of 48 patients, 12 had nausea."),
        ("Nausea was reported on 12/2019 by 25% of patients.", "Nausea was reported by 25% of patients on 3/2020."),
        ("A lower dose is enough for older men than for younger men.",
         "For younger men a higher dose is needed than for older men."),
        ("The dose is 1 g twice daily.", "Give 2 g daily in two divided doses."),
        ("The mean age was 54 years.", "Mean age 54.3 years (SD 10.1)."),
        ("The drug is not inferior to warfarin.", "The drug was noninferior to warfarin."),
        ("Apixaban caused less bleeding than warfarin.", "Warfarin caused more bleeding than apixaban."),
        ("Most people need no treatment.", "The majority of people do not need treatment."),
        ("The drug is not safe in pregnancy.", "The drug is dangerous in pregnancy."),
        ("Type 2 diabetes is more common than type 1.", "Type 1 diabetes is rarer than type 2."),
        ("Mortality was 10% versus 15%.", "Mortality was 5 percentage points lower."),
        ("Ibuprofen can be given from 3 months of age.", "Ibuprofen should not be given before 3 months of age."),
        ("Screening is recommended at 45.", "Screening is not recommended before 45."),
        ("Antibiotics are recommended if pain lasts for days.",
         "Antibiotics are not recommended unless pain lasts for days."),
        ("Aspirin is recommended for adults with angina.",
         "Aspirin should not be given to adults with angina and a bleeding ulcer."),
        ("Recovery took 12 days after surgery and 9 days with drugs.",
         "With drugs recovery took 9 days, after surgery 12 days."),
        ("", "Anything."),
    ],
)  # fmt: skip
def test_no_clash_where_both_can_be_true(statement: str, passage: str) -> None:
    assert clashes(statement, passage) == []


@pytest.mark.parametrize(
    ("statement", "passage"),
    [
        ("With rituximab 60% of patients had a response.", "Response was seen in 18/60 patients given rituximab."),
        ("Vaccination must be given before travel.", "Vaccination may be given before travel."),
        ("Aspirin is recommended for children with fever.", "Aspirin should not be given to children with fever."),
        ("Warfarin caused less major bleeding than apixaban.", "Apixaban caused less major bleeding than warfarin."),
        ("Warfarin increases the effect of clarithromycin.", "Clarithromycin increases the effect of warfarin."),
        ("Mortality was 15% with the drug and 10% with placebo.",
         "Mortality was 10% with the drug and 15% with placebo."),
        ("After subarachnoid haemorrhage verapamil improves the outcome.",
         "Nimodipine improves the outcome after subarachnoid haemorrhage."),
    ],
)  # fmt: skip
def test_what_the_rules_do_not_look_for(statement: str, passage: str) -> None:
    """Shares, must and may, advice, exchanged sides, roles and amounts, another medicine."""
    assert clashes(statement, passage) == []


WORDS = st.sampled_from(
    ["dose", "5", "50", "mg", "mL", "not", "may", "must", "adults", "children", "women", "increased", "reduced", "<30",
     ">30", "%", "significant", "p", "=", "0.2", ".", "no"]
)  # fmt: skip
SENTENCES = st.lists(WORDS, max_size=20).map(" ".join)


@given(SENTENCES, SENTENCES)
def test_places_are_in_range_and_not_empty(statement: str, passage: str) -> None:
    for clash in clashes(statement, passage):
        assert 0 <= clash.statement_span.start < clash.statement_span.end <= len(statement)
        assert 0 <= clash.source_span.start < clash.source_span.end <= len(passage)


@pytest.mark.parametrize(
    ("statement", "passage"),
    [
        (
            "The adult dose is 500 mg into the thigh.",
            "The dose into the thigh for adults and for children over 12 years is 500 micrograms.",
        ),
        (
            "A full replacement dose is about 1.6 mg per kilogram a day.",
            "A full replacement dose is around 1.6 micrograms for each kilogram of body weight a day.",
        ),
    ],
)
def test_the_same_number_before_a_unit_a_thousand_times_smaller(statement, passage):
    assert [clash.kind for clash in clashes(statement, passage)] == ["unit"]


def test_the_heads_of_a_tables_columns_count_in_what_a_row_shares() -> None:
    claim = analyse("In adults with diabetes the starting dose of metformin is 500 mg.")
    row, heads = analyse("Metformin 850 mg"), analyse("Drug | Starting dose in adults with diabetes")
    assert clashes_between(claim, row) == []
    assert [clash.kind for clash in clashes_between(claim, row, 0, heads)] == ["number"]


def test_the_same_amount_in_another_unit_is_no_clash():
    assert clashes("Give 0.5 mg into the thigh.", "The dose is 500 micrograms, which is 0.5 mL.") == []
    assert clashes("With atorvastatin 20 mg a day is the limit.", "With atorvastatin the limit is 20 mg.") == []
