"""Published data sets: K-QA, ExpertQA, AttributionBench, FaithBench, MedQuAD, LiveQA."""

from typing import Any

import pytest

from medreview.labels import EXCERPT, GIVEN
from medreview.units.stored import load_reference
from tests.exchange.producers.conftest import Bring, lines

ASKED = "Can I take ibuprofen with warfarin?"
FIRST = "Ibuprofen raises the risk of bleeding with warfarin [1]."
SECOND = "Paracetamol is the usual choice for pain [2][3]."
BLEEDING, PAIN = "https://bleeding.example/nsaid", "https://pain.example/paracetamol"


KQA = {
    "Question": ASKED,
    "Free_form_answer": "No. Ibuprofen raises the risk of bleeding.",
    "Must_have": [" Ibuprofen with warfarin raises the risk of bleeding."],
    "Nice_to_have": ["Paracetamol is an alternative."],
    "Sources": f"{BLEEDING}\n \n\n {PAIN}#:~:text=pain%2C",
    "ICD_10_diag": None,
}


def test_a_question_of_kqa_has_the_physicians_answer_its_facts_and_its_sources(bring: Bring) -> None:
    found, answer = bring(lines(KQA), "kqa.jsonl"), KQA["Free_form_answer"]
    assert (found.answer.question, found.answer.model, found.answer.text) == (ASKED, "physician", answer)
    assert found.answer.cited == [BLEEDING, PAIN]
    assert load_reference(found.study.reader, ASKED) == answer
    assert [tuple(row) for row in found.study.reader.execute("SELECT text FROM key_fact ORDER BY ordinal")] == [
        ("Ibuprofen with warfarin raises the risk of bleeding.",),
        ("Paracetamol is an alternative.",),
    ]


def test_results_for_the_evaluation_of_kqa_are_answers(bring: Bring) -> None:
    found = bring([{"Question": ASKED, "result": "No."}, {"Question": "Is it safe?", "result": "Ask a pharmacist."}])
    assert [(one.question, one.text, one.model) for one in found.answers] == [
        (ASKED, "No.", ""),
        ("Is it safe?", "Ask a pharmacist.", ""),
    ]


def claim(text: str, *evidence: str) -> dict[str, Any]:
    return {"claim_string": text, "evidence": list(evidence), "support": "Complete", "correctness": "Probably correct"}


ANSWER = f"{FIRST} {SECOND}"
PASSAGE = "Of NSAIDs with warfarin, all raise the risk of bleeding."
EXPERTQA = {
    "question": ASKED,
    "annotator_id": "7",
    "answers": {
        "rr_ember": {
            "answer_string": ANSWER,
            "attribution": [f"[1] {BLEEDING}", f"[2] {PAIN}", f"[3] {PAIN}"],
            "claims": [
                claim(FIRST, f"[1] {BLEEDING}\n\n{PASSAGE}"),
                claim(SECOND, f"[2] {PAIN}", f"[3] {PAIN}"),
            ],
            "usefulness": "Useful",
        },
        "atlas": {"answer_string": "No.", "attribution": [], "claims": []},
    },
    "metadata": {"field": "Healthcare / Medicine"},
}


def test_answers_of_expertqa_cite_by_number_and_each_claim_its_evidence(bring: Bring) -> None:
    found = bring(lines(EXPERTQA), "expertqa.jsonl")
    first, second = found.answers
    assert (first.model, first.question, second.model, second.text) == ("rr_ember", ASKED, "atlas", "No.")
    assert first.cited == [BLEEDING, PAIN]
    assert list(first.own.values()) == [{BLEEDING}, {PAIN}]
    assert found.pages == {BLEEDING: (EXCERPT, PASSAGE)}
    assert first.extra["claims"][0] == {
        "claim_string": FIRST,
        "support": "Complete",
        "correctness": "Probably correct",
    }


def attributed(**more: Any) -> dict[str, Any]:
    return {
        "question": ASKED,
        "claim": FIRST,
        "claim_raw_string": FIRST,
        "response": f"{FIRST} Weekly controls of the INR are advised.",
        "references": [f"[1] {BLEEDING}\n\nAll NSAIDs raise the risk."],
        "citation_links": [],
        "webpage_references": [],
        "attribution_label": "attributable",
        "src_dataset": "ExpertQA",
        "id": "ExpertQA_1",
        **more,
    }


@pytest.mark.parametrize(
    ("more", "source"),
    [
        ({}, BLEEDING),
        ({"references": ["All NSAIDs raise the risk."], "citation_links": [BLEEDING]}, BLEEDING),
        (
            {"references": ["All NSAIDs raise the risk."], "citation_links": ["https://a.example/My Guide.pdf"]},
            "https://a.example/My%20Guide.pdf",
        ),
        ({"references": ["All NSAIDs raise the risk."]}, "All NSAIDs raise the risk."),
    ],
)
def test_a_claim_of_attributionbench_cites_its_passages(bring: Bring, more: dict[str, Any], source: str) -> None:
    found = bring(lines(attributed(**more)), "attributionbench.jsonl")
    assert (found.answer.id, found.answer.question) == ("ExpertQA_1", ASKED)
    (claim, *cited), (rest, *not_cited) = found.answer.own.items()
    assert (claim, *cited) == (FIRST.partition(" [")[0], {source})
    assert (rest, *not_cited) == ("Weekly controls of the INR are advised.", set())
    assert found.pages == {source: (EXCERPT, "All NSAIDs raise the risk.")}
    assert found.answer.extra["attribution_label"] == "attributable"


SUMMARISED = "Of 120 patients 60 had metformin. Nausea was commoner with metformin."
SUMMARIES = ("Nausea was commoner.", "Vomiting was commoner.")
MARKED = {"label": ["Unwanted"], "summary_span": "Vomiting", "summary_start": 0, "summary_end": 8}
FAITHBENCH = {
    "samples": [
        {
            "sample_id": number,
            "source": SUMMARISED,
            "summary": summary,
            "annotations": [MARKED] if number else [],
            "metadata": {"summarizer": f"maker/ember-{number}"},
        }
        for number, summary in enumerate(SUMMARIES)
    ]
}


def test_a_summary_of_faithbench_has_the_text_that_it_summarises_as_its_source(bring: Bring) -> None:
    found = bring(FAITHBENCH, "batch_1.json")
    assert [(one.id, one.model, one.text) for one in found.answers] == [
        ("0", "maker/ember-0", "Nausea was commoner."),
        ("1", "maker/ember-1", "Vomiting was commoner."),
    ]
    (name,) = found.answers[1].cited
    assert found.pages == {name: (GIVEN, SUMMARISED)}
    assert found.answers[1].extra["annotations"] == [MARKED]


PAGE = f"""<?xml version="1.0" encoding="UTF-8"?>
<Document id="0000001" source="Institute" url="{PAIN}">
<Focus>Back pain</Focus>
<QAPairs>
  <QAPair pid="1">
    <Question qid="0000001-1" qtype="treatment">What are the treatments for Back pain ?</Question>
    <Answer>Key Points
                    - Stay active.    - Heat may help.

                Most back pain goes within &lt; 6 weeks.</Answer>
  </QAPair>
  <QAPair pid="2"><Question qid="0000001-2" qtype="outlook">What is the outlook ?</Question><Answer></Answer></QAPair>
</QAPairs>
</Document>"""


ON_PAGE = "Key Points\n- Stay active.\n- Heat may help.\n\nMost back pain goes within < 6 weeks."


def test_a_page_of_medquad_has_several_questions_and_is_cited_by_each_answer(bring: Bring) -> None:
    found = bring(PAGE, "0000001.xml")
    assert found.answer.text == ON_PAGE
    assert (found.answer.id, found.answer.question) == ("0000001-1", "What are the treatments for Back pain ?")
    assert found.answer.cited == [PAIN]
    assert found.answer.extra == {"focus": "Back pain", "qtype": "treatment"}
    assert found.told.left == {"question without an answer": 1}


ANSWERED = f"""<?xml version="1.0" encoding="UTF-8"?>
<LiveQA>
<NLM-QUESTION qid="T1">
  <Original-Question qfile="1.txt">
    <Subject>Warfarin</Subject><Message>Is ibuprofen safe with it?</Message>
  </Original-Question>
  <Paraphrase>Is ibuprofen safe with warfarin?</Paraphrase>
  <ReferenceAnswers>
    <RefAnswer aid="T1A1">
      <Answer>No, it raises the risk of bleeding.</Answer><AnswerURL> {BLEEDING} </AnswerURL>
    </RefAnswer>
    <ReferenceAnswer aid="T1A2"><Answer>Paracetamol is safer.</Answer><AnswerURL></AnswerURL></ReferenceAnswer>
  </ReferenceAnswers>
</NLM-QUESTION>
<NLM-QUESTION questionid="Q2">
  <SUBJECT></SUBJECT><MESSAGE>What causes gout?</MESSAGE>
  <SUB-QUESTIONS><SUB-QUESTION subqid="Q2-S1">
    <ANNOTATIONS><FOCUS>gout</FOCUS><TYPE>cause</TYPE></ANNOTATIONS>
    <ANSWERS><ANSWER answerid="Q2-S1-A1" pairid="1">Crystals of urate in a joint cause gout.</ANSWER></ANSWERS>
  </SUB-QUESTION></SUB-QUESTIONS>
</NLM-QUESTION>
</LiveQA>"""
OF_REFERENCE = (
    "No, it raises the risk of bleeding.",
    "Paracetamol is safer.",
    "Crystals of urate in a joint cause gout.",
)


def test_questions_of_liveqa_have_answers_of_reference_with_their_pages(bring: Bring) -> None:
    found = bring(ANSWERED, "liveqa.xml")
    assert [(one.id, one.question, one.text, one.cited) for one in found.answers] == [
        ("T1A1", "Warfarin\nIs ibuprofen safe with it?", OF_REFERENCE[0], [BLEEDING]),
        ("T1A2", "Warfarin\nIs ibuprofen safe with it?", OF_REFERENCE[1], []),
        ("Q2-S1-A1", "What causes gout?", OF_REFERENCE[2], []),
    ]
    assert load_reference(found.study.reader, "What causes gout?") == OF_REFERENCE[2]
    assert found.answers[0].extra == {"paraphrase": "Is ibuprofen safe with warfarin?"}
    assert found.answers[2].extra == {"focus": "gout", "type": "cause"}
