"""FaithBench: summaries of a text by models, and the spans in which people found something unfaithful to it.

The text is the source of every summary; what people said is kept with the summary.
"""

from collections.abc import Iterator
from typing import Any

from medreview.exchange.imports.listed_citations import document_entry
from medreview.exchange.producers.given import Cite, Given, Producer, SourceText, items, member, rest, text_at


def _detect(value: Any) -> bool:
    samples = items(member(value, "samples"))
    return any(isinstance(one.get("summary"), str) and isinstance(one.get("source"), str) for one in samples)


def _records(value: Any, request: Any) -> Iterator[Given]:
    for sample in items(value["samples"]):
        source = text_at(sample, "source")
        cited = document_entry("", source)
        yield Given(
            response=text_at(sample, "summary"),
            id=text_at(sample, "sample_id"),
            model=text_at(sample, "metadata", "summarizer"),
            cites=[Cite(cited)],
            texts=[SourceText(cited, source, whole=True)],
            extra=rest(sample, "sample_id", "source", "summary"),
        )


PRODUCER = Producer("FaithBench", "summaries by models with the text that they summarise", _detect, _records)
