"""The statement as a kind of unit: what is asked of it, and its view."""

import sqlite3
from functools import partial
from typing import Final

from medreview.labels import EVIDENCE, PROVEN_QUOTES, REASONS, quote_doubt_words
from medreview.sources.ocr_pages import pages_over
from medreview.study.ids import PAIR, REFERENCE, STATEMENT
from medreview.units.cited_source import Source
from medreview.units.kind import (
    RESPONSE,
    Asks,
    CardPart,
    Document,
    DocumentPassage,
    Machines,
    Opinion,
    TextMark,
    UnitView,
)
from medreview.units.statement_view import (
    Judgement,
    StatementView,
    judge_name,
    load_statement_view,
    load_text,
    said_in_words,
    vote_in_words,
)


class StatementKind(Asks):
    """A statement: its sources are the documents, the text of each read when it is shown; its response stands beside.

    The name of its view is the one in its response: ``S3``.
    """

    name = STATEMENT
    noun = "statement"
    axis = "evidence"
    levels = EVIDENCE
    reasons = REASONS
    leads_to = PAIR
    crosses_to = REFERENCE
    parsed = True

    def load(self, reader: sqlite3.Connection, unit: str) -> UnitView:
        """The statement, with all that is known of it."""
        item = load_statement_view(reader, unit)
        marks = tuple(TextMark(*place, "statement") for place in item.shown_at)
        return UnitView(
            unit=unit,
            kind=self.name,
            name=item.short_name,
            group=item.response_name,
            text=item.text,
            text_sha256=item.text_sha256,
            parts=(CardPart("statement", item.text, main=True), CardPart("asked", item.question)),
            documents=tuple(_document(reader, source) for source in item.sources),
            beside=Document(RESPONSE, f"response {item.response_name}", item.response, marks),
            model=item.model,
            origin=item.origin,
            record_id=item.record_id,
            response_id=item.response_id,
            statement=item,
        )

    def machines(self, reader: sqlite3.Connection, unit: str) -> Machines:
        """The judges' word, rolled up over its sources; the offline rules alone have a word, but no say."""
        return _rolled_up(load_statement_view(reader, unit))

    def machines_on(self, reader: sqlite3.Connection, view: UnitView) -> Machines:
        """The same of a statement that is read."""
        assert view.statement is not None
        return _rolled_up(view.statement)


STATEMENT_ASKS: Final = StatementKind()


def _document(reader: sqlite3.Connection, source: Source) -> Document:
    page = partial(load_text, reader, source.snapshot_id) if source.snapshot_id else ""
    return Document(
        source.source_id,
        f"{source.bracketed} {source.domain}",
        page,
        state=source.state,
        state_words=source.state_evidence,
        snapshot_id=source.snapshot_id,
    )


def _rolled_up(item: StatementView) -> Machines:
    judges = [said for said in item.judgements if not said.offline]
    verdict = item.verdict
    lead_first = sorted(item.judgements, key=lambda said: not verdict or said.judgement_id != verdict.judgement_id)
    return Machines(
        level=verdict.verdict if verdict else None,
        badges=verdict.badges if verdict else "",
        supported=verdict.supported if verdict else None,
        opinions=tuple(opinion(said, item.source_of(said.snapshot_id)) for said in lead_first),
        by_rules=not judges,
        divided=frozenset(said.verdict for said in judges if said.verdict is not None),
    )


def opinion(said: Judgement, source: Source | None, key: str = "", *, counts: bool = True) -> Opinion:
    """What a judge says by one source, whose text has a ``key`` among the documents, by itself its id.

    What the rules found is marked as that, and is no quotation. ``counts``: it is one of the jury's votes.
    """
    by_ocr = source.by_ocr if source else ()
    passages = tuple(
        DocumentPassage(
            key or said.source_id,
            quote.text,
            quote.status,
            () if said.offline else quote.spans,
            quote.differences if quote.status == "altered" else (),
            quote_doubt_words(quote.doubt),
            quote.kinds,
            quote.status in PROVEN_QUOTES and any(pages_over(by_ocr, span) for span in quote.spans),
            quote.opposes,
        )
        for quote in said.quotes
    ) or (DocumentPassage(key or said.source_id, "", said.quote_status),)
    return Opinion(
        opinion_id=said.judgement_id,
        judge=judge_name(said),
        model=said.model,
        prompt=said.prompt,
        said=said_in_words(said) if said.offline else vote_in_words(said.verdict, said.supported, said.raw_label),
        label=said.verdict,
        confidence=said.confidence,
        reason=said.reason,
        passages=passages,
        counts=counts and not said.vote.abstains,
        about=key or said.source_id,
        supported=said.supported,
        missing=said.missing,
        opposes=said.opposes,
    )
