"""Responses cut into statements, and what is left out with its reason."""

import re
import tomllib
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medreview.citations import extract
from medreview.statements.split import split
from medreview.text import Span


def kept(text: str) -> list[str]:
    return [statement.text for statement in split(text).statements]


def dropped(text: str) -> list[tuple[str, str]]:
    return [(part.reason, text[part.start : part.end]) for part in split(text).dropped]


@pytest.mark.parametrize(
    ("text", "statements"),
    [
        ("Take 500 mg twice daily [1].", ["Take 500 mg twice daily"]),
        ("Take 500 mg. [1]", ["Take 500 mg."]),
        ("Take 500 mg.[1][2]", ["Take 500 mg."]),
        ("Take 500 mg [1][2].", ["Take 500 mg"]),
        ("Take 500 mg [1, 3-5].", ["Take 500 mg"]),
        ("Take 500 mg.¹²", ["Take 500 mg."]),
        ("Take 500 mg² daily.", ["Take 500 mg² daily."]),
        ("The dose is 5 kg/m².", ["The dose is 5 kg/m²."]),
        ("The dose is 5 mg kg⁻¹ min⁻¹.", ["The dose is 5 mg kg⁻¹ min⁻¹."]),
        ("Platelets fell to 10⁹.", ["Platelets fell to 10⁹."]),
        ("Take 500 mg (https://a.org/b).", ["Take 500 mg"]),
        ("Take 500 mg. (https://a.org/b) Rest for a day.", ["Take 500 mg.", "Rest for a day."]),
        ("Take 500 mg ([CDC](https://a.org/b)).", ["Take 500 mg"]),
        ("Take 500 mg ([CDC](https://a.org/b), [WHO](https://b.org)).", ["Take 500 mg"]),
        ("Take 500 mg (NHS: https://a.org/b).", ["Take 500 mg"]),
        ("Take 500 mg [Source](https://a.org).", ["Take 500 mg"]),
        ("Take 500 mg. [CDC](https://a.org)", ["Take 500 mg."]),
        ("It is recommended by [NICE](https://a.org).", ["It is recommended by [NICE](https://a.org)."]),
        ("By [CDC](https://a.org) it is safe.", ["By [CDC](https://a.org) it is safe."]),
        ("Take 500 mg PMID: 123.", ["Take 500 mg"]),
        ("Take 500 mg (PMID 123; doi:10.1000/x).", ["Take 500 mg"]),
        ("Take 500 mg [PMID: 123].", ["Take 500 mg"]),
        ("Ibuprofen lowers fever (doi:10.1000/x).", ["Ibuprofen lowers fever"]),
        ("Ibuprofen 400 mg daily: https://a.org", ["Ibuprofen 400 mg daily"]),
        ("Ibuprofen lowers fever. References: [1] https://a.org [2] https://b.org", ["Ibuprofen lowers fever."]),
        ("Ibuprofen lowers fever :contentReference[oaicite:0]{index=0}.", ["Ibuprofen lowers fever"]),
        (
            "I hope this helps, and remember to take it with food.",
            ["I hope this helps, and remember to take it with food."],
        ),
        ("Thanks, avoid alcohol. Take care!", ["Thanks, avoid alcohol."]),
        ("Sources: lung (60%), urine (20%).", ["Sources: lung (60%), urine (20%)."]),
        ("Take 500 mg, see https://a.org/b.", ["Take 500 mg"]),
        ("Take 500 mg (Smith et al., 2020).", ["Take 500 mg"]),
        ("Take 500 mg (since May 2020).", ["Take 500 mg (since May 2020)."]),
        ("Take 500 mg <https://a.org>.", ["Take 500 mg"]),
        ("**Do not take ibuprofen.** Rest.", ["Do not take ibuprofen."]),
        ("**Do not take ibuprofen**.", ["Do not take ibuprofen"]),
        ("**Dose:** 500 mg daily.", ["**Dose:** 500 mg daily."]),
        ("**Do not take ibuprofen **.", ["Do not take ibuprofen"]),
        ("- *Take 500 mg.*", ["Take 500 mg."]),
        ("- Take 500 mg\n- Rest for a day\n", ["Take 500 mg", "Rest for a day"]),
        ("1. Take 500 mg.\n2) Rest for a day\n   and drink.\n", ["Take 500 mg.", "Rest for a day\n   and drink."]),
        (
            "* Take 0.5 mg/kg. Then rest.\n  - Not e.g. ibuprofen\n",
            ["Take 0.5 mg/kg.", "Then rest.", "Not e.g. ibuprofen"],
        ),
        ("• Nausea\n• Rash [2]\n", ["Nausea", "Rash"]),
        ("- [x] Take 500 mg\n", ["Take 500 mg"]),
        ("> Take 500 mg daily.\n", ["Take 500 mg daily."]),
        ("Ibuprofen is 400 mg\nAspirin is 75 mg\n", ["Ibuprofen is 400 mg", "Aspirin is 75 mg"]),
        (
            "The usual dose of this medicine in adults is 400 mg, taken\nthree times a day with food.",
            ["The usual dose of this medicine in adults is 400 mg, taken\nthree times a day with food."],
        ),
        ("| Drug | Dose |\n|---|---|\n| Ibuprofen | 400 mg [1] |\n", ["Ibuprofen | 400 mg"]),
        (
            "Die Dosis beträgt 2,5 mg bzw. 5 mg. Danach z. B. Heparin.",
            ["Die Dosis beträgt 2,5 mg bzw. 5 mg.", "Danach z. B. Heparin."],
        ),
        (
            "La dose est de 2,5 mg/kg, p. ex. le soir. Elle est sûre.",
            ["La dose est de 2,5 mg/kg, p. ex. le soir.", "Elle est sûre."],
        ),
        ("La dosis es de 2,5 mg. La Dra. Ruiz lo confirma.", ["La dosis es de 2,5 mg.", "La Dra. Ruiz lo confirma."]),
    ],
)
def test_statements(text: str, statements: list[str]) -> None:
    assert kept(text) == statements


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("## Dosing\nTake 5 mg daily.", "heading"),
        ("**Side effects**\n\nTake 5 mg daily.", "heading"),
        ("**Side effects:**\nTake 5 mg daily.", "heading"),
        ("Side effects\n============\nTake 5 mg daily.", "heading"),
        ("Side effects:\n- Take 5 mg daily.", "heading"),
        ("Options include:\n- Take 5 mg daily.", "heading"),
        ("The following drugs should be avoided:\n1. Take 5 mg daily.", "heading"),
        ("Side effects\n\nTake 5 mg daily.", "heading"),
        ("1. **Metformin**\n   - Take 5 mg daily.", "heading"),
        ("Consult your doctor before making any changes. Take 5 mg daily.", "disclaimer"),
        ("Always seek the advice of a qualified healthcare provider. Take 5 mg daily.", "disclaimer"),
        ("Please talk to a healthcare professional. Take 5 mg daily.", "disclaimer"),
        ("It's important to speak with your doctor or pharmacist. Take 5 mg daily.", "disclaimer"),
        ("If you have any concerns, please contact your healthcare provider. Take 5 mg daily.", "disclaimer"),
        ("I am not a doctor. Take 5 mg daily.", "disclaimer"),
        ("As an AI language model, I cannot diagnose. Take 5 mg daily.", "disclaimer"),
        ("This is not medical advice. Take 5 mg daily.", "disclaimer"),
        ("This information is not a substitute for professional medical advice. Take 5 mg daily.", "disclaimer"),
        ("This answer is for informational purposes only. Take 5 mg daily.", "disclaimer"),
        ("Hello! Take 5 mg daily.", "disclaimer"),
        ("Great question! Take 5 mg daily.", "disclaimer"),
        ("Take 5 mg daily. Hope this helps!", "disclaimer"),
        ("Take 5 mg daily. Let me know if you have other questions.", "disclaimer"),
        ("Is it safe? Take 5 mg daily.", "question"),
        ("Take 5 mg daily. If you'd like, I can compare the two.", "disclaimer"),
        ("Take 5 mg daily.\n👍🩺", "fragment"),
        ("Take 5 mg daily. Take care and stay well 😊", "disclaimer"),
        ("Take 5 mg daily. Good luck with your surgery!", "disclaimer"),
        ("Thank you for your question about metformin! Take 5 mg daily.", "disclaimer"),
        ("(e.g. [3])\n\nTake 5 mg daily.", "fragment"),
        ("Take 5 mg daily. References[20]:", "citation_list"),
        ("Materials & Equipment:\n- Sterile tubing\n- Appropriate labels\n\nTake 5 mg daily.", None),
        ("Take 5 mg daily. See the guideline (https://a.org).", "citation_list"),
        ("Take 5 mg daily.\nNICE guideline: https://a.org", "citation_list"),
        ("Take 5 mg daily.\n\nReferences\n\n1. Smith J. Lancet 2020.", "citation_list"),
        ("Take 5 mg daily.\n\n**Sources:**\n- [CDC](https://a.org)\n- NICE NG28", "citation_list"),
        ("Take 5 mg daily.\nSources: https://a.org, https://b.org", "citation_list"),
        ("Take 5 mg daily.\n\n[1]: https://a.org\n[2] Jones A. A title. BMJ 2019.", "citation_list"),
        ("Take 5 mg daily.\nPMID: 123", "citation_list"),
        ("Take 5 mg daily.\n\nQuellen:\n1. https://a.org", "citation_list"),
    ],
)
def test_left_out(text: str, reason: str | None) -> None:
    assert kept(text) == ["Take 5 mg daily."]
    assert {why for why, _ in dropped(text)} == ({reason} if reason else {"heading", "fragment"})


@pytest.mark.parametrize(
    "claim",
    [
        "If you have chest pain, seek medical attention immediately.",
        "Metformin can cause lactic acidosis; talk to your doctor.",
        "Ask your doctor about a lower dose because the risk of bleeding rises.",
        "Metformin should be halved when the eGFR is below 45:",
        "The dose is 2.5 mg if there are two of the following:",
        "Take care to avoid NSAIDs.",
        "See your doctor within 24 hours if fever exceeds 39 °C.",
        "Here is what the guideline says: give 1 g of ceftriaxone.",
        "A good question is not whether 5 mg works.",
        "Doctors recommend 5 mg daily.",
        "The References range is 3 to 5 mmol/L.",
        "Sources of vitamin K are leafy vegetables.",
        "Resources such as dialysis are needed.",
        "If you are nursing, ask your doctor before taking an antihistamine.",
        "You should not combine them, please consult a pharmacist, as they both contain diphenhydramine.",
        "It is important to follow up with your doctor to monitor its effect.",
        "Consult a healthcare professional about rectal discharge.",
        "I'm sorry, but ibuprofen is not safe for you.",
        "Great question, aspirin can cause bleeding.",
        "I am not a doctor, but you should stop taking ibuprofen.",
        "Seek medical attention if:",
        "Metformin is contraindicated in:",
        "No.",
    ],
)
def test_claims_stay(claim: str) -> None:
    assert kept(claim) == [claim]
    assert kept(f"{claim}\n- Nausea occurs") == [claim, "Nausea occurs"]


SENTENCES = tomllib.loads(Path(__file__).with_name("left_out_or_kept.toml").read_text("utf-8"))


def test_closings_and_introductions_of_lists_are_no_statements() -> None:
    for closing in SENTENCES["closings"] + SENTENCES["more_closings"]:
        assert kept(closing) == [], closing
        assert kept(f"Take 5 mg daily. {closing}") == ["Take 5 mg daily."], closing
    for intro in SENTENCES["intros"] + SENTENCES["more_intros"]:
        assert kept(f"{intro}\n- Take 5 mg daily.") == ["Take 5 mg daily."], intro
    assert len(SENTENCES["closings"]) + len(SENTENCES["intros"]) == 100


def test_orders_with_words_of_advice_or_a_citation_are_statements() -> None:
    for order in SENTENCES["orders"] + SENTENCES["more_orders"]:
        assert kept(order), order
        assert len(kept(f"Take 5 mg daily.\n\n{order}")) == 1 + len(kept(order)), order
        assert not dropped(order), order
    assert len(SENTENCES["orders"]) == 100


@pytest.mark.parametrize("lead", ["See", "Please refer to", "Check", "Consult", "Read", "For more information, see"])
@pytest.mark.parametrize(
    "works",
    ["the guideline (https://a.org)", "the NICE guideline on hypertension ([NG136](https://a.org))", "[KDIGO](https://a.org)",
     "the WHO factsheet, https://a.org", "Smith et al. 2020 (https://a.org)"],
)  # fmt: skip
def test_a_sentence_of_works_alone_is_a_list_of_citations(lead: str, works: str) -> None:
    assert dropped(f"Take 5 mg daily.\n\n{lead} {works}") == [("citation_list", f"{lead} {works}")]


def test_an_introduction_of_a_list_that_asserts_something_is_a_statement() -> None:
    assert kept("The side effects of warfarin include:") == ["The side effects of warfarin include:"]
    assert kept("The side effects of warfarin include:\n- Bleeding") == ["Bleeding"]
    claim = "Warfarin may cause the following:"
    assert kept(f"{claim}\n- Bleeding") == [claim, "Bleeding"]


def test_a_sentence_with_a_mark_of_its_own_is_a_statement_whatever_its_form() -> None:
    assert kept("Consult a healthcare professional for proper use [3].") == [
        "Consult a healthcare professional for proper use"
    ]
    assert kept("Is there a link between both of them [2]?") == ["Is there a link between both of them [2]?"]
    assert kept("**Ibuprofen is contraindicated in pregnancy**\n\nRest.") == [
        "Ibuprofen is contraindicated in pregnancy"
    ]
    assert dropped("## What is ibuprofen used for\n") == [("heading", "What is ibuprofen used for")]


@pytest.mark.parametrize(
    ("text", "statements"),
    [
        ("It improved function.The success rate is high.", ["It improved function.", "The success rate is high."]),
        ("It helps (most).If not, rest.", ["It helps (most).", "If not, rest."]),
        ("Take vitamin B12.It is safe [1].Then rest.", ["Take vitamin B12.", "It is safe", "Then rest."]),
        ("Visit example.Com or St.John there.", ["Visit example.Com or St.John there."]),
        ("See https://a.org/page.The end is near.", ["See https://a.org/page.The end is near."]),
        ("Pack it (e.g[4]. Transfer pack).", ["Pack it (e.g[4]. Transfer pack)."]),
        ("Steps follow here now.\n1[5]. Begin with gloves.", ["Steps follow here now.", "Begin with gloves."]),
        ("Seek care if:\n-The pain lasts\n-It is new", ["Seek care if:", "The pain lasts", "It is new"]),
        ("Note it down[18]. - Check it daily.", ["Note it down", "Check it daily."]),
    ],
)
def test_sentences_run_together_and_lists_without_blanks(text: str, statements: list[str]) -> None:
    assert kept(text) == statements


def test_html_and_escaped_line_breaks_end_a_line_and_move_no_place() -> None:
    assert kept("Take 5 mg<br>Drink water for a day.<br/>") == ["Take 5 mg", "Drink water for a day."]
    assert kept("<ul><li>Take 5 mg</li><li>Rest for a day</li></ul>") == ["Take 5 mg", "Rest for a day"]
    assert kept("<h2>Dosing</h2><p>Take 5 mg.</p>") == ["Take 5 mg."]
    text = r"Options include:\n- Take 5 mg\n- Rest for a day\n\nSources:\n1. https://a.org/b\n2. https://c.org"
    assert kept(text) == ["Take 5 mg", "Rest for a day"]
    assert [citation.value for citation in extract(text)] == ["https://a.org/b", "https://c.org"]
    assert kept("| Drug | Dose |\n|---|---|\n| Aspirin | 75 mg<br>daily |") == ["Aspirin | 75 mg<br>daily"]
    assert kept(r"Where \nabla is zero, $a \neq b$ holds.") == [r"Where \nabla is zero, $a \neq b$ holds."]


@pytest.mark.parametrize(
    ("text", "halves"),
    [
        (
            "The rate was 28.4% for men and 1.2% for women [3].",
            ["The rate was 28.4% for men", "The rate was 1.2% for women"],
        ),
        ("Give it at 5 mg daily for adults and 2 mg daily for children.",
         ["Give it at 5 mg daily for adults", "Give it at 2 mg daily for children."]),
        ("It has a pooled sensitivity and specificity of 94% and 95%, respectively.",
         ["It has a pooled sensitivity of 94%", "It has a pooled specificity of 95%"]),
    ],
)  # fmt: skip
def test_a_sentence_with_two_figures_is_two_statements_with_both_places(text: str, halves: list[str]) -> None:
    found = split(f"Rest for a day. {text}").statements[1:]
    assert [statement.text for statement in found] == halves
    for statement in found:
        assert statement.text == " ".join(
            f"Rest for a day. {text}"[place.start : place.end] for place in statement.places
        )
    assert found[1].start is None
    assert len(found[1].parts) > 1


@pytest.mark.parametrize(
    "whole",
    [
        "The difference was 5% for men and 7% for women.",
        "The study found that 28% of men and 12% of women recovered.",
        "It fell from 28% in May and 12% in June.",
        "It was 5% for men and 7 mg for women.",
        "The rates of diabetes mellitus and hypertension were 5% and 7%, respectively.",
        "Not both were seen in 5% of men and 7% of women.",
        "It was 28% for men and 12% for women, who were older.",
    ],
)
def test_a_sentence_is_not_parted_where_a_half_could_say_something_else(whole: str) -> None:
    assert kept(whole) == [whole]


def test_prose_after_a_list_of_sources_is_read_again() -> None:
    text = "Sources:\n- https://a.org\n\n## Dosing\n- Take 5 mg daily.\n"
    assert kept(text) == ["Take 5 mg daily."]
    assert kept("Sources:\n- https://a.org\n\nAspirin is contraindicated in children.") == [
        "Aspirin is contraindicated in children."
    ]


RESPONSES = [
    (
        "ACE inhibitors are contraindicated in pregnancy due to risk of fetal toxicity.\nSee NIH guidance: "
        "https://www.ncbi.nlm.nih.gov/books/NBK431051/\nWHO overview: https://www.who.int/health#tab=tab_1\n"
        "DOI: 10.1056/NEJMoa055202\n",
        1,
        3,
    ),
    (
        "Metformin should be reduced for eGFR <45, and stopped if <30.\n"
        "NICE guideline: https://www.nice.org.uk/guidance/ng28\n"
        "Example blog (not approved): http://blog.example/metformin\nPMID: 21617112\n",
        1,
        3,
    ),
    ("Aspirin with warfarin increases bleeding risk; avoid unless benefits outweigh risks.\n", 1, 0),
    (
        "For discharge on anticoagulants, refer to standard protocols:\n"
        "http://example.com/af\nhttps://health.example.net/afib\n",
        0,
        3,
    ),
    (
        "For suspected sepsis, start early antibiotics and fluids.\nCDC guidance: https://www.cdc.gov/sepsis/\n"
        "DOI: 10.1001/jama.2016.0287\nPubMed: PMID 28345952\n",
        1,
        3,
    ),
]


@pytest.mark.parametrize(("text", "statements", "others"), RESPONSES)
def test_whole_responses(text: str, statements: int, others: int) -> None:
    parsed = split(text, extract(text))
    assert (len(parsed.statements), len(parsed.dropped)) == (statements, others)


PIECES = st.sampled_from(
    [
        "Take 5 mg", ". ", "\n", "\n\n", "- ", "1. ", "**", "*", "[1]", "¹", "(", ")", "](", "[", "https://a.org",
        "PMID: 1", "| ", "|---|", "# ", "> ", ":", "?", "Sources:", "Consult your doctor", "e.g.", " ", "_", "a", "İ",
        "\ud800", "薬。", "\r", "\0", "\x85",
    ]
)  # fmt: skip


@given(st.one_of(st.text(max_size=120), st.lists(PIECES, max_size=40).map("".join)))
def test_spans_hold_their_text_and_never_overlap(text: str) -> None:
    parsed = split(text)
    whole = [statement for statement in parsed.statements if not statement.parts]
    for statement in parsed.statements:
        assert " ".join(text[place.start : place.end] for place in statement.places) == statement.text
        assert statement.text == statement.text.strip() != ""
    for part in parsed.dropped:
        assert 0 <= part.start < part.end <= len(text)
    assert [s.places[0] for s in parsed.statements] == sorted(s.places[0] for s in parsed.statements)
    places = [s.places[0] for s in whole] + [Span(part.start, part.end) for part in parsed.dropped]
    assert all(before.end <= after.start for before, after in pairwise(sorted(places)))


WORDS = st.sampled_from(
    [
        "Take 5 mg daily.", "No.", "Is it safe?", "Hope this helps!", "Consult your doctor.", "Options include:",
        "The rate was 5% for men and 7% for women.", "**Side effects**", "## Dosing", "- Nausea", "1. **Rest**",
        "| Aspirin | 75 mg |", "|---|---|", "Materials:", "- Tubing", "```", "function.The", "👍", "<br>",
        "\\nThen rest.", "Sources:",
        "[1] Smith J. A title. BMJ 2019.", "(see https://a.org/b)", "[2]", "Smoking", "kills.", "\n",
        "\n\n", "> Rest",
    ]
)  # fmt: skip
_MARKUP = re.compile(r"https?://\S+|</?\w+/?>|\\n|\bsee\b|\b\d+[.)]|[^\w]|_|\b\d+\b")


@given(st.lists(WORDS, max_size=14).map(" ".join))
def test_no_word_of_a_response_is_lost(text: str) -> None:
    parsed = split(text)
    taken = [*(place for s in parsed.statements for place in s.places), *((d.start, d.end) for d in parsed.dropped)]
    covered = {at for start, end in taken for at in range(start, end)}
    rest = "".join(" " if at in covered else sign for at, sign in enumerate(text))
    assert not _MARKUP.sub("", rest.replace(" and ", " ")), rest


@given(
    st.lists(
        st.sampled_from(["Aspirin is safe.", "Take 5 mg.", "Rest for 24 h.", "Avoid NSAIDs."]), min_size=1, max_size=8
    )
)
def test_every_plain_sentence_is_a_statement(sentences: list[str]) -> None:
    assert kept(" ".join(sentences)) == sentences
    assert kept("\n".join(f"- {sentence} [1]" for sentence in sentences)) == sentences


def test_scripts_without_blanks_and_other_question_marks() -> None:
    assert kept("二甲双胍在肾病时禁用。每日最大剂量为2000毫克。好。") == [
        "二甲双胍在肾病时禁用。",
        "每日最大剂量为2000毫克。",
    ]
    assert kept("هل هذا آمن في الحمل؟ لا تستخدم هذا الدواء في الحمل.") == ["لا تستخدم هذا الدواء في الحمل."]
