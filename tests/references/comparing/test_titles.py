"""Titles word by word: what changes what is said, what is another title; and works that running text only names."""

import pytest

from medreview.references.comparing.titles import compare_titles, part_numbers, said_of
from medreview.references.library import Library
from medreview.references.model import Author, Record
from medreview.references.printed.find import find_references

OLMSTED = "Prevalence of heart failure with preserved ejection fraction in Olmsted County"
ACCORD = "Effects of intensive glucose lowering in type 2 diabetes"
STEROIDS = "Dexamethasone in adults with bacterial meningitis: a randomised, double-blind, placebo-controlled trial"

SLIPS = [
    ("Prevalence of Heart Failure With Preserved Ejection Fraction in Olmsted County.", OLMSTED, ""),
    ("**Prevalence of heart failure with preserved ejection-fraction in Olmsted County**", OLMSTED, ""),
    ("Prevalence of heart failure with preserved ejection fraction in the Olmsted County", OLMSTED, "wording"),
    ("Prevalence of heart failure with preserved ejection fraction in Olmsetd County", OLMSTED, "typo"),
    ("Prevalence of heart failure with preserved ejecton fraction in Olmsted County", OLMSTED, "typo"),
    ("Prevalence of heart failure with preserved ejectionfraction in Olmsted County", OLMSTED, ""),
    ("Prevalence of heart failures with preserved ejection fraction in Olmsted County", OLMSTED, "wording"),
    ("Effects of intensive glucose lowering in type II diabetes", ACCORD, "spelling"),
    ("Effect of intensive glucose lowering in type 2 diabetes", ACCORD, "wording"),
    ("Effects of intensive glucose lowering on type-2 diabetes", ACCORD, "wording"),
    ("Dexamethasone in adults with bacterial meningitis", STEROIDS, "without its subtitle"),
    ("Dexamethasone in adults with bacterial men …", STEROIDS, ""),
    ("Dexamethasone in adults with bacterial meningitis: a randomised …", STEROIDS, "cut"),
    (STEROIDS.replace("randomised", "randomized").replace("-", " "), STEROIDS, "spelling"),
    (STEROIDS, "Dexamethasone in adults with bacterial meningitis", "with a subtitle"),
    ("Estrogen and esophageal tumors in anemia", "Oestrogen and oesophageal tumours in anaemia", "spelling"),
    ("Paediatric behaviour centre", "Pediatric behavior center", "spelling"),
    ("TNF-α and interferon-γ in the β-cell", "TNF-alpha and interferon-gamma in the beta-cell", ""),
    ("Tumour necrosis factor α", "Tumour necrosis factor-α", ""),
    ("CO<sub>2</sub> &amp; H<sub>2</sub>O in Alzheimer’s disease", "CO2 and H2O in Alzheimer's disease", "wording"),
    ("Adrenaline for out-of-hospital arrest", "Epinephrine for out-of-hospital arrest", "spelling"),
    (
        "Expectation and dopamine releas:e in Parkinson's disease",
        "Expectation and dopamine release in Parkinson's disease",
        "",
    ),
    ("Etude sur le cafe", "Étude sur le café", ""),
    (
        "Kenny Da. Judging stimuli as a random factor in psychology",
        "Judging stimuli as a random factor in psychology",
        "",
    ),
    ("Judging stimuli as a random factor. J Pers", "Judging stimuli as a random factor", "with a subtitle"),
]
CHANGED = [
    ("Prevalence of heart failure with reduced ejection fraction in Olmsted County", OLMSTED, ("reduced", "preserved")),
    (
        "Incidence of heart failure with preserved ejection fraction in Olmsted County",
        OLMSTED,
        ("incidence", "prevalence"),
    ),
    ("Effects of intensive glucose lowering in type 1 diabetes", ACCORD, ("1", "2")),
    ("Effects of intensive lipid lowering in type 2 diabetes", ACCORD, ("lipid", "glucose")),
    (STEROIDS.replace("with", "without"), STEROIDS, ("without", "with")),
    (STEROIDS.replace("Dexamethasone", "Prednisolone"), STEROIDS, ("prednisolone", "dexamethasone")),
    (STEROIDS.replace("adults", "children"), STEROIDS, ("children", "adults")),
    (
        "Treatment of dialysis hypertension in elderly patients",
        "Treatment of dialysis hypotension in elderly patients",
        ("hypertension", "hypotension"),
    ),
    (
        "Management of dysphasia after acute stroke",
        "Management of dysphagia after acute stroke",
        ("dysphasia", "dysphagia"),
    ),
    (
        "Effect of nitrite on exercise tolerance in men",
        "Effect of nitrate on exercise tolerance in men",
        ("nitrite", "nitrate"),
    ),
    ("Aspirin in women at low cardiovascular risk", "Aspirin in men at low cardiovascular risk", ("women", "men")),
    (
        "Screening for prostate cancer does not reduce mortality",
        "Screening for prostate cancer does reduce mortality",
        ("not", ""),
    ),
    (
        "A 25-week randomized trial of empagliflozin therapy",
        "A 24-week randomized trial of empagliflozin therapy",
        ("25", "24"),
    ),
]
OTHERS = [
    ("Prevalence of heart failure in a randomized trial of exercise", OLMSTED),
    ("Dexamethasone in adults with the steady-state pharmacokinetics of lithium", STEROIDS),
    ("Diabetes", ACCORD),
    ("", ACCORD),
    (ACCORD, ""),
    ("…", "—"),
]


@pytest.mark.parametrize(("printed", "title", "slip"), SLIPS)
def test_what_misleads_nobody_is_no_change(printed, title, slip):
    found = compare_titles(printed, [title], lambda _: False)

    assert found.likeness in ("same", "slips")
    assert slip == "" or slip in found.slips
    assert found.changes == ()


@pytest.mark.parametrize(("printed", "title", "change"), CHANGED)
def test_a_content_word_that_is_another_one_is_a_change(printed, title, change):
    found = compare_titles(printed, [title], lambda _: False)

    assert found.likeness == "changed"
    assert found.changes == (change,)


@pytest.mark.parametrize(("printed", "title"), OTHERS)
def test_titles_that_share_some_words_are_other_titles(printed, title):
    assert compare_titles(printed, [title], lambda _: False).likeness == "other"


def test_a_word_that_other_titles_have_is_no_typing_error():
    printed, title = "Effects of statin on platelets in adults", "Effects of station on platelets in adults"

    assert compare_titles(printed, [title], lambda _: False).slips == ("typo",)
    assert compare_titles(printed, [title], {"statin"}.__contains__).changes == (("statin", "station"),)


def test_four_letters_are_too_few_to_tell_a_typing_error_unless_two_are_swapped():
    title = "Effects of gait training in adults after stroke"

    assert compare_titles(title.replace("gait", "gain"), [title], lambda _: False).likeness == "changed"
    assert compare_titles(title.replace("gait", "giat"), [title], lambda _: False).slips == ("typo",)


def test_the_best_of_several_titles_counts():
    titles = ["[Vitamin D und Knochen]", "Vitamin D and bones in the elderly"]

    assert compare_titles("Vitamin D and bones in the elderly", titles, lambda _: False).title == titles[1]


def test_another_number_of_a_part_is_another_part():
    one = "The MATRICS Consensus Cognitive Battery, part 1: test selection"
    other = "The MATRICS Consensus Cognitive Battery, part 2: test selection"

    assert compare_titles(one, [other], lambda _: False).another_part
    assert not compare_titles(CHANGED[2][0], [ACCORD], lambda _: False).another_part


def test_a_subtitle_that_is_another_one_is_no_subtitle_left_out():
    one = "The MATRICS Consensus Cognitive Battery. Part 1: test selection, reliability, and validity"
    other = "The MATRICS Consensus Cognitive Battery. Part 2: co-norming and standardization"

    assert compare_titles(one, [other], lambda _: False).likeness == "other"


def test_a_title_of_a_million_words_is_read_as_far_as_titles_go():
    assert compare_titles("word " * 1_000_000, ["A title of six words here"], lambda _: False).likeness == "other"


def test_a_title_that_was_cut_is_that_title_as_far_as_it_goes():
    title = "Restrictive fluid therapy for septic shock in patients with cirrhosis of the liver"

    for cut in (
        "Restrictive fluid therapy for septic shock in patients...",
        "Restrictive fluid therpay for septic shock in pat…",
        "Restrictive fluid therapy for septic shock in",
    ):
        assert "cut" in compare_titles(cut, [title], lambda _: False).slips, cut
    for other in ("Restrictive fluid therapy for cardiogenic shock in...", "Restrictive fluids in..."):
        assert compare_titles(other, [title], lambda _: False).likeness in ("changed", "other"), other


def test_a_title_that_ends_within_another_one_is_changed_and_no_other():
    title = "Restrictive fluid therapy for septic shock in patients with cirrhosis of the liver"

    assert compare_titles("Restrictive fluid therapy for septic shock", [title], lambda _: False).likeness == "changed"


def test_what_is_said_of_a_work_and_its_parts_is_told_by_the_title():
    for title in ("Re: Falls in age", "Comment on: falls", "Erratum to “Falls”", "Falls in age: authors’ reply"):
        assert said_of(title), title
    for title in ("Response of platelets to statins", "Reply and repair in cells", "Renal function: comments welcome"):
        assert not said_of(title), title
    assert part_numbers("Test selection. Part II. Schizophr Bull; part 3") == {"2", "3"}


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
