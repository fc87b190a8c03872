"""Names of journals: which of them are the same journal's, and which are not."""

import pytest

from medreview.references.comparing.journals import compare_containers

SAME = [
    ("N Engl J Med", "The New England Journal of Medicine"),
    ("NEJM", "New England Journal of Medicine"),
    ("NEJM", "N. Engl. J. Med."),
    ("BMJ", "British Medical Journal"),
    ("Br Med J", "BMJ"),
    ("Br Med J (Clin Res Ed)", "BMJ"),
    ("JAMA: The Journal of the American Medical Association", "JAMA"),
    ("Journal of the American Medical Association", "JAMA"),
    ("PNAS", "Proc Natl Acad Sci U S A"),
    ("Proceedings of the National Academy of Sciences USA", "Proc. Natl. Acad. Sci. U.S.A."),
    ("AJRCCM", "Am J Respir Crit Care Med"),
    ("American Journal of Respiratory & Critical Care Medicine", "Am J Respir Crit Care Med"),
    ("Am. J. Physiol.", "American Journal of Physiology"),
    ("Lancet", "The Lancet"),
    ("Lancet (London, England)", "Lancet"),
    ("Lancet Diabetes Endocrinol", "The Lancet Diabetes & Endocrinology"),
    ("J Bone Joint Surg Am", "The Journal of Bone and Joint Surgery. American Volume"),
    ("Arch Intern Med", "JAMA Internal Medicine"),
    ("Int J Obes (Lond)", "International Journal of Obesity and Related Metabolic Disorders"),
    ("Dtsch Arztebl Int", "Deutsches Ärzteblatt International"),
    ("Natl Med J India", "National Medical Journal of India"),
    ("Arch Dis Child Fetal Neonatal Ed", "Archives of Disease in Childhood. Fetal and Neonatal Edition"),
    ("Acta Pædiatr", "Acta Paediatrica"),
    ("J Paediatr Child Health", "Journal of Pediatrics and Child Health"),
    ("Diabetologica", "Diabetologia"),
    ("Ann NY Acad Sci", "Annals of the New York Academy of Sciences"),
    ("Ann N Y Acad Sci", "Ann NY Acad Sci"),
    ("Cochrane Database Syst Rev", "Cochrane Database of Systematic Reviews (Online)"),
    ("BMJ (Clinical research ed", "BMJ"),
    ("PLoS ONE 9", "PLoS One"),
    ("J Bone Joint Surg", "J Bone Joint Surg Am"),
    ("BJOG", "BJOG : an international journal of obstetrics and gynaecology"),
    ("Acta Orthop Scand Suppl", "Acta orthopaedica Scandinavica. Supplementum"),
    ("JACC", "Journal of the American College of Cardiology"),
]
OTHERS = [
    ("Lancet", "Lancet Oncol"),
    ("JAMA", "JAMA Internal Medicine"),
    ("J Physiol", "Am J Physiol"),
    ("Am J Med", "American Journal of the Medical Sciences"),
    ("J Immunol", "Journal of Immunotoxicology"),
    ("Am J Epidemiol", "European Journal of Epidemiology"),
    ("Int J Cardiol", "Int J Radiol"),
    ("J Neurosci", "Journal of Neuroscience Research"),
    ("J Bone Joint Surg Am", "J Bone Joint Surg Br"),
    ("Pain", "European Journal of Pain"),
    ("J Neurol", "Journal of Neurology, Neurosurgery, and Psychiatry"),
    ("Circulation", "Circulation. Heart failure"),
    ("Neurology", "Nephrology"),
    ("Ann Surg", "Annals of Medicine"),
    ("Circulation", "Circulation: Heart Failure"),
    ("BMJ", "BMJ Open"),
    ("Sports Med.", "Clin. Med."),
]


@pytest.mark.parametrize(("printed", "name"), SAME)
def test_names_of_one_journal_are_at_most_a_slip(printed, name):
    assert compare_containers(printed, [name]).likeness in ("same", "slip")
    assert compare_containers(name, [printed]).likeness in ("same", "slip")


@pytest.mark.parametrize(("printed", "name"), OTHERS)
def test_names_of_two_journals_are_told_apart(printed, name):
    found = compare_containers(printed, [name])

    assert found.likeness == "wrong"
    assert found.why == "The record has another journal."
    assert compare_containers(name, [printed]).likeness == "wrong"


def test_any_of_a_records_names_will_do_and_a_missing_one_says_nothing():
    assert compare_containers("Lancet", ["J. Physiol.", "The Lancet"]).likeness == "same"
    assert compare_containers("", ["The Lancet"]).likeness == "unknown"
    assert compare_containers("Lancet", []).likeness == "unknown"
    assert compare_containers("Lancet", ["", " "]).likeness == "unknown"


def test_an_end_of_the_title_before_a_journals_name_is_no_other_journal():
    name = "Results of operative debridement and subacromial decompression. J Bone Joint Surg Am"

    assert compare_containers("J Bone Joint Surg Am", [name]).likeness == "slip"
