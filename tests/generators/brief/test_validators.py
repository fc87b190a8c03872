"""The rules of each stage: what breaks one is named, and what keeps them all is valid."""

import pytest

from medreview.generators.brief_rules import (
    Claim,
    Organised,
    Placed,
    Problem,
    Refined,
    claims_of,
    draft_codes,
    is_own_advice,
    numbered,
    organised_of,
    refine_codes,
    refined_of,
    reorganise_codes,
    single_codes,
)
from tests.support.brief_sample import HP, LAST, WALKS, WARD

SHOWN = {"N1": HP, "N4": LAST}
CAME = Claim("The patient came with cough and fever for three days and an oxygen saturation of 88%.", ("N1",))
TREATED = Claim("Ceftriaxone 1 g intravenously once daily was begun.", ("N1",))
HOME = Claim("The plan is home with doxycycline until 7 January and the clinic in two weeks.", ("N4",))
DRAFT = [CAME, TREATED, HOME]
RASH = Claim(
    "A rash followed the second dose of ceftriaxone, which was changed to doxycycline 100 mg twice daily.", ("N2",)
)


@pytest.mark.parametrize(
    ("claims", "codes"),
    [
        (DRAFT, []),
        ([CAME._replace(tags=("N1", "N9")), TREATED, HOME], []),
        ([CAME._replace(tags=()), TREATED], ["untagged"]),
        ([CAME._replace(tags=("N9",))], ["untagged"]),
        ([CAME._replace(tags=("N1", "N2"))], ["tag_of_other_note"]),
        ([], ["empty"]),
        ([Claim("", ("N1",))], ["empty"]),
        ([CAME, CAME], ["repeated"]),
        ([Claim(" ".join([CAME.text] * 5), ("N1",))], ["statement_long"]),
        ([Claim(f"Fever and {'cough ' * times}again.", ("N1",)) for times in range(20)], ["too_long"]),
        ([Claim("El paciente fue ingresado por tos y fiebre desde hace varios días.", ("N1",))], ["not_from_notes"]),
        ([Claim("Apixaban was held because of a bleeding ulcer.", ("N1",))], ["not_from_notes"]),
        ([Claim(sentence.strip(), ("N1",)) for sentence in HP.replace("\n", " ").split(". ")], ["copy_of_note"]),
    ],
)
def test_a_draft(claims, codes):
    if "copy_of_note" in codes:
        claims = [Claim(f"{claim.text.rstrip('.')}.", claim.tags) for claim in claims]
    assert draft_codes(claims, SHOWN, {"N2", "N3"}) == codes


def refined(*changes: tuple[int, Claim], of: list[Claim] = DRAFT) -> list[Refined]:
    """The draft as it is, with statements changed by their number; 0 adds one, one without a text is left out."""
    kept = dict(enumerate(of, 1)) | {number: claim for number, claim in changes if number}
    new = [Refined(0, claim) for number, claim in changes if not number]
    return [Refined(number, claim) for number, claim in kept.items() if claim.text] + new


GONE = Claim("", ())


@pytest.mark.parametrize(
    ("after", "codes"),
    [
        (refined(), []),
        (refined((0, RASH)), []),
        (refined((2, Claim("Ceftriaxone 1 g once daily was given until a rash.", ("N1", "N2")))), []),
        (refined((2, GONE)), []),
        (refined((2, TREATED._replace(tags=("N2",)))), ["tag_lost"]),
        (refined((2, GONE), (0, TREATED._replace(tags=("N2",)))), ["tag_lost"]),
        (refined((2, TREATED._replace(tags=("N1", "N3")))), ["tag_of_other_note"]),
        (refined((0, RASH._replace(tags=("N2", "N3")))), ["tag_of_other_note"]),
        (refined((0, RASH._replace(tags=()))), ["untagged"]),
        (refined((2, Claim("Ceftriaxone 1 g was begun, and a rash followed.", ("N1",)))), ["change_untagged"]),
        (refined((2, RASH._replace(text="No fever on day 2.", tags=("N1", "N2")))), ["statement_exchanged"]),
        ([*refined(), Refined(9, RASH)], ["number_unknown"]),
        ([*refined(), Refined(2, RASH._replace(tags=("N1", "N2")))], ["number_twice"]),
        (refined((1, GONE), (2, GONE), (0, RASH)), ["brief_lost"]),
        ([], ["empty", "brief_lost"]),
        (refined((0, Claim("Les symptômes respiratoires avaient disparu.", ("N2",)))), ["not_from_notes"]),
    ],
)  # fmt: skip
def test_a_refined_brief(after, codes):
    assert refine_codes(DRAFT, after, "N2", WARD, len((HP + LAST + WARD).split())) == codes


NODULE = Claim("A nodule of 6 mm was seen, and a CT in 6 months is advised.", ("N1",))
ALLERGY = Claim("No allergies were known.", ("N1",))
BRIEF = [*DRAFT, NODULE, ALLERGY, RASH]
LINE = Placed((1,), Claim("The patient came with cough and fever for three days.", ("N1",)))


def organised(
    *changes: tuple[int, Placed], summary: Placed = LINE, without: int = 0, name: str = "Nodule"
) -> Organised:
    """The brief with each statement in the hospital course, and the nodule in the problem list, too."""
    placed = {number: Placed((number,), claim) for number, claim in enumerate(BRIEF, 1)} | dict(changes)
    course = tuple(one for number, one in placed.items() if number not in (4, without))
    return Organised(summary, course, (Problem(name, (placed[4],) if without != 4 else (placed[1],)),))


MERGED = Placed((2, 6), Claim(f"{TREATED.text[:-1]}; {RASH.text[0].lower()}{RASH.text[1:]}", ("N1", "N2")))


@pytest.mark.parametrize(
    ("made", "codes"),
    [
        (organised(), []),
        (organised((2, MERGED), without=6), []),
        (organised(without=4), ["statement_lost"]),
        (organised(without=6), ["tags_changed", "statement_lost"]),
        (organised((3, Placed((3,), HOME._replace(tags=("N1", "N4"))))), ["tags_changed"]),
        (organised((2, Placed((2,), Claim("Ceftriaxone 2 g intravenously once daily was begun.", ("N1",))))),
         ["number_added", "text_added", "text_lost"]),
        (organised((2, Placed((2,), Claim("Vancomycin and steroids were begun after blood cultures.", ("N1",))))),
         ["text_added", "text_lost"]),
        (organised((5, Placed((5,), Claim("Allergies were known.", ("N1",))))), ["negation_changed"]),
        (organised((2, Placed((2,), Claim("Ceftriaxone 1 g intravenously was not begun once daily.", ("N1",))))),
         ["negation_changed"]),
        (organised((2, Placed((77,), TREATED))), ["statement_lost", "number_unknown"]),
        (organised((2, Placed((), TREATED))), ["statement_lost", "number_unknown"]),
        (organised(summary=Placed((1,), Claim("The patient had a stroke at home.", ("N1",)))), ["text_added"]),
        (Organised(LINE, (), ()), ["tags_changed", "statement_lost", "section_empty"]),
    ],
)  # fmt: skip
def test_a_reorganised_brief(made, codes):
    assert reorganise_codes(BRIEF, made) == codes


def test_a_brief_in_one_call_has_no_tags_to_keep():
    assert single_codes([CAME.text, RASH.text, HOME.text], [HP, WARD, WALKS, LAST]) == []
    assert single_codes(["Bitte beachten Sie die Hinweise des Herstellers."], [HP]) == ["not_from_notes"]


@pytest.mark.parametrize(
    ("text", "notes", "own"),
    [
        ("A CT in 6 months is advised because of a nodule of 6 mm.", [HP], False),
        ("Breathing exercises at home three times a day are recommended.", [WALKS], False),
        ("The plan is home, doxycycline until 7 January and the clinic in two weeks.", [LAST], False),
        ("A CT should be repeated in 3 months.", [HP], True),
        ("The patient should stop smoking.", [HP, LAST], True),
        ("The saturation was 95% on room air; the patient must call if fever returns.", [LAST], True),
        ("The oxygen saturation was 20%.", [LAST], False),
    ],
)
def test_advice_that_the_notes_lack_is_told_from_theirs(text, notes, own):
    assert is_own_advice(text, notes) is own


def test_statements_without_a_text_stand_as_they_did():
    value = {"statements": [{"number": 3, "text": "", "tags": []}, {"number": 0, "text": "", "tags": ["N2"]}]}
    assert refined_of(value, DRAFT) == [Refined(3, HOME), Refined(0, Claim("", ("N2",)))]
    one = {"numbers": [1, 3, 1, 9], "text": " ", "tags": []}
    problems = [{"problem": " Home ", "statements": [{"numbers": [2], "text": "", "tags": ["N4"]}]}]
    made = organised_of({"one_line_summary": one, "hospital_course": [one], "problem_list": problems}, DRAFT)
    assert made.summary == Placed((1, 3, 9), Claim(f"{CAME.text} {HOME.text}", ("N1", "N4")))
    assert made.problems == (Problem("Home", (Placed((2,), TREATED._replace(tags=("N4",))),)),)


def test_a_statement_is_read_without_tags_and_marks_and_printed_with_its_tags():
    value = {"statements": [{"text": "2. No fever <N4>\n on day 2 [N1, N2]", "tags": ["<N10>", "N2", "N2"]}]}
    claims = claims_of(value)
    assert claims == [Claim("No fever on day 2.", ("N2", "N10"))]
    assert numbered([CAME, *claims]).splitlines()[1] == "2. No fever on day 2. [N2] [N10]"
