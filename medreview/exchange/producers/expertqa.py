"""ExpertQA: the answers of systems, the pages that they cite by number, and what experts said of each claim.

``answers: {system: {answer_string, attribution, claims}}``; an entry of ``attribution`` or ``evidence`` is
``[2] https://...``, with a passage of the page below it. What the experts said is kept with the answer.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

from medreview.exchange.imports.listed_citations import document_entry
from medreview.exchange.producers.given import Cite, Given, Producer, SourceText, items, member, rest, text_at

_ENTRY: Final = re.compile(r"\s*(?:\[(\d{1,3})\]\s*)?((?:https?://|www\.)\S+)?\s*(.*)\Z", re.DOTALL)
_LABELS: Final = ("support", "correctness", "reliability", "informativeness", "worthiness", "reason_missing_support")


class Evidence(NamedTuple):
    """An entry of evidence: what is cited, its number in the answer, and a passage of it, ``""`` for none."""

    cited: str
    number: int | None
    passage: str


def evidence_of(entries: Any) -> list[Evidence]:
    """The entries of a list; one without an address is a document that its passage names."""
    found = []
    for entry in entries if isinstance(entries, list) else []:
        number, address, passage = _ENTRY.match(entry if isinstance(entry, str) else "").groups()  # type: ignore[union-attr]
        if cited := address or (document_entry("", passage) if passage.strip() else ""):
            found.append(Evidence(cited, int(number) if number else None, passage.strip()))
    return found


def cited_by(claim: str, text: str, evidence: Iterable[Evidence], near: int = 0) -> list[Cite]:
    """The citations of a claim of an answer, where it stands in the answer's text; without a place if it does not."""
    start = text.find(claim.strip(), near) if claim.strip() else -1
    if start < 0:
        return [Cite(one.cited, number=one.number) for one in evidence]
    end = start + len(claim.strip())
    return [Cite(one.cited, start=start, end=end, number=one.number) for one in evidence]


def passages(evidence: Iterable[Evidence]) -> list[SourceText]:
    """The texts of evidence."""
    return [SourceText(one.cited, one.passage) for one in dict.fromkeys(evidence) if one.passage]


def _detect(value: Any) -> bool:
    answers = member(value, "answers")
    return (
        isinstance(answers, dict)
        and bool(answers)
        and all(isinstance(text := member(one, "answer_string"), str) or text is None for one in answers.values())
        and any(isinstance(member(one, "answer_string"), str) for one in answers.values())
    )


def _records(value: Any, request: Any) -> Iterator[Given]:
    for system, answer in value["answers"].items():
        text, claims = text_at(answer, "answer_string"), items(member(answer, "claims"))
        listed = evidence_of(member(answer, "attribution"))
        cites = [Cite(one.cited, number=one.number) for one in listed]
        near = 0
        for claim in claims:
            found = cited_by(text_at(claim, "claim_string"), text, evidence_of(claim.get("evidence")), near)
            near = next((cite.end for cite in found if cite.end is not None), near)
            cites += found
        proofs = (one for claim in claims for one in evidence_of(claim.get("evidence")))
        yield Given(
            response=text,
            question=text_at(value, "question"),
            model=system,
            cites=cites,
            texts=passages([*listed, *proofs]),
            extra=rest(value, "question", "answers")
            | rest(answer, "answer_string", "attribution", "claims")
            | {"claims": [rest({name: claim.get(name) for name in ("claim_string", *_LABELS)}) for claim in claims]},
        )


PRODUCER = Producer(
    "ExpertQA", "the answers of systems with their evidence, and experts' words on each claim", _detect, _records
)
