"""A quotation that lost its negation proves nothing, wherever the negation stood; the whole sentence does."""

from typing import Final

import pytest

from medreview.evidence.grounding import ground
from medreview.labels import PROVEN_QUOTES
from tests.bench.quote_negations import honest, without_a_negation

BEFORE: Final = "The trial enrolled adults in primary care. Follow-up lasted for two years (95% CI 1.8 to 2.2). "
AFTER: Final = " The authors ask for larger trials. Visits were monthly."
SENTENCES: Final = """
    There was no significant difference in mortality at 28 days.
    No serious adverse events were seen in either group.
    No statistically significant interaction was found (p = 0.41).
    None of the patients had a stroke within a year.
    Neither drug reduced the number of falls in older adults.
    Neither aspirin nor clopidogrel lowered the risk of dementia.
    Without treatment about half of the patients die within a year.
    However, no effect on blood pressure was seen in the second year.
    It is not known whether the vaccine prevents transmission.
    We did not find an association between statins and cataract.
    This was not observed in patients with diabetes.
    Antibiotics do not shorten a common cold.
    The drug didn't change the length of stay in hospital.
    There weren't any deaths in the first month.
    Paracetamol cannot prevent febrile seizures in children.
    Metformin should never be started in severe acidosis.
    Patients without a history of bleeding were given warfarin.
    Vitamin C had no effect, and zinc did not prevent colds.
    Pain improved with surgery, whereas with exercise it did not.
    Serious bleeding was reported in none.
    Few patients relapse once the antibodies have gone.
    There was little benefit in people over 80 years of age.
    There are few effective treatments for tinnitus.
    Lack of sleep was not associated with asthma.
    In the absence of fever the test is not needed.
    The trial failed to show a benefit of early dialysis.
    We failed to demonstrate any advantage of the combination.
    The tumour was unable to grow in mice given the antibody.
    There was however no difference between the treatment groups.
    Hardly any patient reported a dry mouth.
    Nothing was gained by a second dose of the vaccine.
    Rarely, zinc supplements caused nausea in the first week.
    Rarely, in older adults, zinc supplements caused nausea in the first week.
    Seldom did the vaccine cause a fever above 39 degrees.
    Few, if any, patients had a stroke within a year.
    Few in vitro studies have examined the drug.
    Little has been published on the drug in pregnancy.
    However, few good trials have been done in children.
    1. No evidence supports a routine scan for low back pain.
""".strip().split("\n    ")  # fmt: skip


@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_sentence_without_its_negation_proves_nothing_and_whole_it_does(sentence: str) -> None:
    page = f"{BEFORE}{sentence}{AFTER}" if sentence[0] != "1" else f"{BEFORE}\n\n{sentence}\n2. {AFTER}"
    changed, whole = list(without_a_negation(sentence)), list(honest(sentence))
    proven = [(way, quote) for way, quote in changed if ground(quote, page).status in PROVEN_QUOTES]
    lost = [(way, quote) for way, quote in whole if ground(quote, page).status not in PROVEN_QUOTES]

    assert changed
    assert (proven, lost) == ([], [])


@pytest.mark.parametrize(
    ("source", "quote"),
    [
        # what is left of a sentence in small letters, too, and what is cut off at its end
        ("No adverse events were seen in the trial. More.", "adverse events were seen in the trial."),
        ("Placebo helped nobody. The drug did not.", "The drug did."),
        ("Placebo helped and zinc did not. The trial ended.", "Placebo helped and zinc did"),
        ('He said "in adults it helps, in children it does not."', "in adults it helps, in children it does"),
        (
            "Two groups are told apart: those who take it and those who do not:\nDoses differ.",
            "Two groups are told apart: those who take it and those who do :",
        ),
        (
            "He asked \u201cwhether the drug helps or not.\u201d The trial goes on.",
            "He asked \u201cwhether the drug helps or.\u201d",
        ),
        # a list's number in its place, and the same words in the line before
        (
            "A. Mood\n1. Loss of appetite in the morning;\n2. Lack of interest in usual activities\nB. Sleep",
            "2. interest in usual activities",
        ),
        ('"But at this dose?\nIt was never at this dose.\nIt was a placebo."', "It was at this dose."),
        ("Bleeding (ARR 1.10, 95% CI 1.02-1.20). No ulcers were found.", "A ulcers were found."),
        # the head of the sentence denies what its clause says further on, too
        (
            "Colds are common. Rarely, in older adults, zinc supplements caused nausea.",
            "zinc supplements caused nausea.",
        ),
        ("Colds are common. Nor did daily aspirin lower the risk of death.", "Daily aspirin lower the risk of death."),
        ("Colds are common. Hardly ever does the drug cause nausea.", "The drug cause nausea."),
        ("Colds are common. Few randomised controlled trials of zinc exist.", "Controlled trials of zinc exist."),
        ("Colds are common. Not all patients recover within a week.", "Patients recover within a week."),
        ("OBJECTIVES::\nFew in vitro studies have examined it.", "In vitro studies have examined it."),
        ("BODY.RESULTS:\nNo ulcers were found at endoscopy.", "Ulcers were found at endoscopy."),
        (
            "They noted whether the pump was switched on or not; both groups were alike.",
            "They noted whether the pump was switched on or also",
        ),
    ],
)
def test_negations_at_the_edges_of_a_quote_are_missed(source: str, quote: str) -> None:
    found = ground(quote, source)

    assert found.status == "altered"
    assert [difference.kind for difference in found.differences] == ["negation"]


@pytest.mark.parametrize(
    ("source", "quote"),
    [
        # An aside is no noun that a number belongs to.
        (
            "Lipids were measured at weeks −4 (i.e. start of run-in), 0 (first visit), 8 and 16 in all patients.",
            "Lipids were measured at weeks −4 ... , 0 (first visit), 8 and 16 in all patients.",
        ),
        # A heading ends a sentence, so that the part before it has no negation skipped.
        (
            "Asthma is common in children. Its cause is not known.MATERIAL/\nMETHODS: We measured flow in 20 children.",
            "Asthma is common in children. [...] METHODS: We measured flow in 20 children.",
        ),
        (
            "Deaths were fewer with it (p < 0.01) than before.",
            "Deaths were fewer with it **(p &lt;** 0.01) than before.",
        ),
        ("Mortality was lower [[4,5], and [6]]. More.", "Mortality was lower [[1,2], and [3]]."),
        ("Oral iron was preferred over intravenous iron.", "Oral iron was preferred to intravenous iron."),
        ("It is described in regulation no. 5 of the law on medicines.", "It is described in regulation"),
        ("It works whether or not patients take insulin at night.", "patients take insulin at night"),
        ("It was seen with or without insulin therapy at night.", "insulin therapy at night"),
        ("It lasts. Rarely, zinc caused nausea, and colds were shorter by a day.", "colds were shorter by a day."),
        ("It lasts. Few trials were large and patients were young.", "patients were young"),
        ("It lasts. Not surprisingly, patients relapse late in life.", "patients relapse late in life."),
        ("It lasts. No doubt patients relapse late in life.", "patients relapse late in life."),
        ("It lasts. Without treatment, patients relapse late in life.", "patients relapse late in life."),
        ("It was first described by Little and others in young children.", "others in young children"),
        ("It lasts. Some relapse. No, patients relapse late in life.", "patients relapse late in life."),
    ],
)
def test_honest_quotes_stay_proven(source: str, quote: str) -> None:
    assert ground(quote, source).status in PROVEN_QUOTES
