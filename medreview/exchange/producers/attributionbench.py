"""AttributionBench: one claim of an answer, and the passages that should support it; whether they do is kept."""

from collections.abc import Iterator
from typing import Any, Final

from medreview.exchange.producers.expertqa import Evidence, cited_by, evidence_of, passages
from medreview.exchange.producers.given import Given, Producer, rest, text_at

_NEEDED: Final = ("claim", "response", "references", "attribution_label")
_FIELDS: Final = (
    "question", "claim", "claim_raw_string", "response", "references", "citation_links", "id", "src_dataset",
)  # fmt: skip


def _detect(value: Any) -> bool:
    return isinstance(value, dict) and all(name in value for name in _NEEDED)


def _records(value: Any, request: Any) -> Iterator[Given]:
    text, claim = text_at(value, "response"), text_at(value, "claim_raw_string")
    if claim.strip() not in text:
        claim = text_at(value, "claim")
    evidence = list(_evidence(value))
    yield Given(
        response=text,
        question=text_at(value, "question"),
        id=text_at(value, "id"),
        origin=text_at(value, "src_dataset"),
        cites=cited_by(claim, text, evidence),
        texts=passages(evidence),
        extra=rest(value, *_FIELDS) | {"claim": text_at(value, "claim")},
    )


def _evidence(value: Any) -> Iterator[Evidence]:
    """What the claim is attributed to; where there is a link for each passage, the passages of these."""
    found, links = evidence_of(value["references"]), value.get("citation_links")
    pages = links if isinstance(links, list) and len(links) == len(found) else [""] * len(found)
    for one, page in zip(found, pages, strict=True):
        yield one._replace(cited=page) if isinstance(page, str) and page.strip() else one


PRODUCER = Producer("AttributionBench", "a claim of an answer with the passages it is attributed to", _detect, _records)
