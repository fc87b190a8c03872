"""Data sets that others published: questions with answers of people and of systems, and what was said of them."""

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

from medreview.exchange.imports.fact_records import FactLabel
from medreview.exchange.imports.listed_citations import document_entry
from medreview.exchange.producers.given import (
    Cite,
    CitedText,
    Form,
    Given,
    NoAnswerError,
    Producer,
    asked,
    has,
    items,
    member,
    rest,
    text_at,
)

_IDEAL: Final = "ideal_completions_data"


def _graded(given: Given, value: Any, request: Any) -> None:
    """A conversation, the answer that a physician wrote to its last turn, and the rubric of a good one.

    The answers of models that the physician worked from stand beside it. What the rubric gives points for are key
    facts. The file of its meta-evaluation has an answer of a model and one criterion a line, with what physicians said
    of it.
    """
    fact, physicians = text_at(value, "rubric").strip(), value.get("anonymized_physician_ids")
    named = zip(physicians if isinstance(physicians, list) else (), value["binary_labels"], strict=False)
    given.facts = [(fact, "other")]
    given.graded = [
        FactLabel(fact, who, "present" if met else "absent")
        for who, met in named
        if isinstance(who, str) and who.strip() and isinstance(met, bool)
    ]


def _example(value: Any, request: Any) -> Iterator[Given]:
    """The physician's answer to a prompt, then those of models."""
    question, turns = asked(value["prompt"])
    name, ideal = text_at(value, "prompt_id"), text_at(value, f"{_IDEAL}.ideal_completion")
    references = member(value, f"{_IDEAL}.ideal_completions_ref_completions")
    written = [("physician", ideal)]
    written += ((f"reference-{at}", text) for at, text in enumerate(_texts(references), 1) if isinstance(text, str))
    answers = [(model, text) for model, text in written if text.strip()]
    if not answers:
        raise NoAnswerError("has a prompt of HealthBench and no completion of it")
    wanted = [
        (text_at(one, "criterion"), "other")
        for one in items(value["rubrics"])
        if isinstance(points := one.get("points"), int | float) and points > 0
    ]
    for number, (model, text) in enumerate(answers):
        yield Given(
            response=text,
            question=question,
            turns=turns,
            id=name if model == "physician" else f"{name}-{model}",
            model=model,
            facts=[] if number else wanted,
            correct=ideal,
            question_id=name,
            extra=rest(value, "prompt", "prompt_id", _IDEAL)
            | {"group": text_at(value, f"{_IDEAL}.ideal_completions_group")},
        )


def _texts(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


HEALTHBENCH: Final = Producer(
    "HealthBench",
    "its examples: the physician's answer, those of models, the rubric as key facts",
    Form(
        "prompt:list rubric:str binary_labels:list",
        "response=completion question=prompt id=completion_id question_id=prompt_id",
        _graded,
        used="prompt prompt_id completion completion_id rubric binary_labels anonymized_physician_ids",
    ),
    Form("prompt:list prompt_id rubrics:list", read=_example),
)


_ENTRY: Final = re.compile(r"\s*(?:\[(\d{1,3})\]\s*)?((?:https?://|www\.)\S+)?\s*(.*)\Z", re.DOTALL)
_LABELS: Final = ("support", "correctness", "reliability", "informativeness", "worthiness", "reason_missing_support")


class _Evidence(NamedTuple):
    """An entry of evidence: what is cited, its number in the answer, and a passage of it, ``""`` for none."""

    cited: str
    number: int | None
    passage: str


def _evidence_of(entries: Any) -> list[_Evidence]:
    """The entries of a list; one without an address is a document that its passage names."""
    found = []
    for entry in _texts(entries):
        number, address, passage = _ENTRY.match(entry if isinstance(entry, str) else "").groups()  # type: ignore[union-attr]
        if cited := address or (document_entry("", passage) if passage.strip() else ""):
            found.append(_Evidence(cited, int(number) if number else None, passage.strip()))
    return found


def _cited_by(claim: str, text: str, evidence: Iterable[_Evidence], near: int = 0) -> list[Cite]:
    """The citations of a claim of an answer, where it stands in the answer's text; without a place if it does not."""
    start = text.find(claim.strip(), near) if claim.strip() else -1
    if start < 0:
        return [Cite(one.cited, number=one.number) for one in evidence]
    return [Cite(one.cited, "", start, start + len(claim.strip()), number=one.number) for one in evidence]


def _passages(evidence: Iterable[_Evidence]) -> list[CitedText]:
    return [CitedText(one.cited, one.passage) for one in dict.fromkeys(evidence) if one.passage]


def _is_expertqa(value: Any) -> bool:
    answers = member(value, "answers")
    texts = [member(one, "answer_string") for one in answers.values()] if isinstance(answers, dict) else []
    return any(isinstance(text, str) for text in texts) and all(isinstance(text, str | None) for text in texts)


def _expertqa(given: Given, value: Any, request: Any) -> None:
    """The answers of systems, the pages that they cite by number, and what experts said of each claim.

    ``answers: {system: {answer_string, attribution, claims}}``; an entry of ``attribution`` or ``evidence`` is
    ``[2] https://...``, with a passage of the page below it. What the experts said is kept with the answer.
    """
    answer = value["answers"][given.model]
    claims, evidence = items(answer, "claims"), _evidence_of(member(answer, "attribution"))
    given.response = text_at(answer, "answer_string")
    given.cites = [Cite(one.cited, number=one.number) for one in evidence]
    near = 0
    for claim in claims:
        proofs = _evidence_of(claim.get("evidence"))
        found = _cited_by(text_at(claim, "claim_string"), given.response, proofs, near)
        near = next((cite.end for cite in found if cite.end is not None), near)
        given.cites += found
        evidence += proofs
    given.texts = _passages(evidence)
    given.extra = {
        **given.extra,
        **rest(answer, "answer_string", "attribution", "claims"),
        "claims": [rest({name: claim.get(name) for name in ("claim_string", *_LABELS)}) for claim in claims],
    }


EXPERTQA: Final = Producer(
    "ExpertQA",
    "the answers of systems with their evidence, and experts' words on each claim",
    Form(
        _is_expertqa,
        "question=question model=system",
        _expertqa,
        lambda value: ({**value, "system": system} for system in value["answers"]),
        used="question answers system",
    ),
)


def _attributed(given: Given, value: Any, request: Any) -> None:
    """One claim of an answer, and the passages that should support it; whether they do is kept."""
    raw, evidence, links = text_at(value, "claim_raw_string"), _evidence_of(value["references"]), value.get(_LINKS)
    if isinstance(links, list) and len(links) == len(evidence):  # a link for each passage: it is of that page
        evidence = [
            one._replace(cited=page) if isinstance(page, str) and page.strip() else one
            for one, page in zip(evidence, links, strict=True)
        ]
    claim = raw if raw.strip() in given.response else text_at(value, "claim")
    given.cites, given.texts = _cited_by(claim, given.response, evidence), _passages(evidence)
    given.extra = {**given.extra, "claim": text_at(value, "claim")}


_LINKS: Final = "citation_links"

ATTRIBUTIONBENCH: Final = Producer(
    "AttributionBench",
    "a claim of an answer with the passages it is attributed to",
    Form(
        "claim response references attribution_label",
        "response=response question=question id=id origin=src_dataset",
        _attributed,
        used=f"question claim_raw_string claim response references {_LINKS} id src_dataset",
    ),
)


def _summary(given: Given, sample: Any, request: Any) -> None:
    """Summaries of a text by models, and the spans in which people found something unfaithful to it.

    The text is the source of every summary; what people said is kept with the summary.
    """
    source = text_at(sample, "source")
    given.cite(document_entry("", source), text=source, whole=True)


FAITHBENCH: Final = Producer(
    "FaithBench",
    "summaries by models with the text that they summarise",
    Form(
        lambda value: any(has(one, "summary:str source:str") for one in items(value, "samples")),
        "response=summary id=sample_id model=metadata.summarizer",
        _summary,
        lambda value: items(value["samples"]),
        used="sample_id source summary",
    ),
)


_KQA_FACTS: Final = ("Must_have", "Nice_to_have")
_ADDRESS: Final = re.compile(r"https?://\S+")


def _kqa(value: Any, request: Any) -> Iterator[Given]:
    """Questions of patients with a physician's answer, and what it must say.

    ``[{"Question", "result"}]`` is what K-QA's evaluation reads: the answers of one system.
    """
    correct = text_at(value, "Free_form_answer")
    facts = [(fact, "other") for name in _KQA_FACTS for fact in _texts(value.get(name)) if isinstance(fact, str)]
    sources = [Cite(address) for address in _ADDRESS.findall(text_at(value, "Sources"))]
    used = ("Question", "Free_form_answer", "result", "Sources", *_KQA_FACTS)
    extra = rest(value, *used) | rest({"must_have": value.get("Must_have")})
    question = text_at(value, "Question")
    for model, text, cites in (("physician", correct, sources), ("", text_at(value, "result"), [])):
        if text.strip():
            yield Given(
                response=text, question=question, model=model, cites=cites, facts=facts, correct=correct, extra=extra
            )
            facts = []


KQA: Final = Producer(
    "K-QA",
    "its questions with a physician's answer, MedLFQA's too; results to be evaluated",
    Form("Question:str result|Free_form_answer:str", read=_kqa),
)


_POINT: Final = re.compile(r"(?<=\S)[ \t]{2,}(?=[-•] )")


def _child(element: Any, *path: str) -> dict[str, Any] | None:
    """The first element at the end of a path of tags below an element."""
    for tag in path:
        element = next(iter(_children(element, tag)), None)
    return element if isinstance(element, dict) else None


def _children(element: Any, *tags: str) -> list[dict[str, Any]]:
    """The children of an element that have one of these tags."""
    return [one for one in items(element, "children") if one.get("tag") in tags]


def _words(element: Any) -> str:
    """All text of an element."""
    inner = (_words(one) + text_at(one, "tail") for one in items(element, "children"))
    return text_at(element, "text") + "".join(inner)


def _lines(element: Any) -> str:
    """The text of an element without the indentation of the page, each point of a list on a line of its own."""
    stripped = "\n".join(line.strip() for line in _POINT.sub("\n", _words(element)).splitlines())
    return re.sub(r"\n{3,}", "\n\n", stripped).strip()


def _medquad(value: Any, request: Any) -> Iterator[Given]:
    """The questions and answers that a page of a health institute holds, one XML file a page."""
    pairs = _children(_child(value, "QAPairs"), "QAPair")
    answered = [(pair, text) for pair in pairs if (text := _lines(_child(pair, "Answer")))]
    if not answered:
        raise NoAnswerError("has no answers: MedQuAD left those of this page out")
    address = text_at(value, "attributes.url")
    for number, (pair, text) in enumerate(answered):
        question = _child(pair, "Question")
        yield Given(
            response=text,
            question=" ".join(_words(question).split()),
            id=text_at(question, "attributes.qid"),
            origin=text_at(value, "attributes.source"),
            cites=[Cite(address)] if address else [],
            left=["question without an answer"] * (0 if number else len(pairs) - len(answered)),
            extra=rest(
                {"focus": _words(_child(value, "Focus")).strip(), "qtype": text_at(question, "attributes.qtype")}
            ),
        )


MEDQUAD: Final = Producer(
    "MedQuAD",
    "questions and answers of pages of health institutes (XML)",
    Form(lambda value: member(value, "tag") == "Document" and _child(value, "QAPairs") is not None, read=_medquad),
)

_ASKED: Final = "NLM-QUESTION"


def _liveqa(value: Any, request: Any) -> Iterator[Given]:
    """Questions of consumers, with answers of reference and the pages they are from.

    The questions of its test set have a paraphrase and an address for each answer; those of its training sets have
    parts.
    """
    found = [one for question in _children(value, _ASKED) for one in _of_question(question)]
    if not found:
        raise NoAnswerError("has questions of LiveQA and no answers to them")
    yield from found


def _of_question(asked_for: dict[str, Any]) -> Iterator[Given]:
    message = [
        _child(asked_for, "Original-Question", name) or _child(asked_for, name.upper())
        for name in ("Subject", "Message")
    ]
    stated = [(one, text_at(one, "attributes.aid"), _lines(_child(one, "Answer")))
            for one in _children(_child(asked_for, "ReferenceAnswers"), "RefAnswer", "ReferenceAnswer")]  # fmt: skip
    stated += [(part, text_at(one, "attributes.answerid"), _lines(one))
             for part in _children(_child(asked_for, "SUB-QUESTIONS"), "SUB-QUESTION")
             for one in _children(_child(part, "ANSWERS"), "ANSWER")]  # fmt: skip
    written = [one for one in stated if one[2]]
    for around, record, text in written:
        address = _words(_child(around, "AnswerURL")).strip()
        kept = {
            "paraphrase": _child(asked_for, "Paraphrase"),
            "comment": _child(around, "Comment"),
            "focus": _child(around, "ANNOTATIONS", "FOCUS"),
            "type": _child(around, "ANNOTATIONS", "TYPE"),
        }
        yield Given(
            response=text,
            question="\n".join(filter(None, map(_lines, message))),
            id=record,
            origin="LiveQA",
            cites=[Cite(address)] if address else [],
            correct=written[0][2],
            question_id=text_at(asked_for, "attributes.qid|attributes.questionid"),
            extra=rest({name: _words(one).strip() for name, one in kept.items()}),
        )


LIVEQA: Final = Producer(
    "LiveQA",
    "questions of LiveQA's medical task with answers of reference (XML)",
    Form(lambda value: has(value, "tag:str") and bool(_children(value, _ASKED)), read=_liveqa),
)
