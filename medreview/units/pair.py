"""A pair: does this one source say the statement? (SourceCheckup's expert annotation)"""

import sqlite3
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from types import SimpleNamespace
from typing import Final

from medreview.exchange.files.columns import Cell, Column, ExportFile, cells
from medreview.judges.rollup import RollUp, by_source, tie_rule
from medreview.judges.triage import CitedPages, CitedReference, flags, worth_flagging
from medreview.judges.votes import COLUMNS, VoteReader, jury
from medreview.labels import EVIDENCE, REASONS
from medreview.statements.own_citations import own_citations
from medreview.study.ids import PAIR, REFERENCE, STATEMENT, ids_of, unit_id
from medreview.units.checked_reference import load_source_reference
from medreview.units.cited_source import NamedBy, Source, load_sources, references_of_sources
from medreview.units.derived_label import derived_labels
from medreview.units.documents import response_document, source_document
from medreview.units.kind import (
    SOURCE,
    CardPart,
    Headline,
    Machines,
    Rating,
    TextMark,
    UnitKind,
    UnitView,
)
from medreview.units.statement import opinion
from medreview.units.statement_view import (
    Evidence,
    Judgement,
    load_evidence,
    load_judgements,
    places_of,
    response_name,
    statement_name,
)

_COLUMNS: Final = (
    Column("unit_id", "text", "The statement.", made=lambda one: one.statement_id),
    Column("response_id", "text", "The response that it is part of: the unit to resample."),
    Column("reviewer_id", "text", "Who labelled its pairs.", made=lambda one: one.reviewer),
    Column("pass_no", "integer", "Which time this reviewer went through the study, from 1."),
    Column("mode", "text", "blind: all of these labels were given before anything of the judges' opinion on their "
           "pairs had been seen; else assisted."),
    Column("label_from_pairs", "text", "What they come to on the evidence axis, each as it is now; empty until all "
           "pairs are labelled, unless one supports, and where some only tell supported from not.",
           made=lambda one: one.current.label),
    Column("supported_from_pairs", "boolean", "The same two-way; empty where the reviewer could not tell.",
           made=lambda one: one.current.supported),
    Column("counting_label_from_pairs", "text", "As label_from_pairs, of blind labels the first.",
           made=lambda one: one.counting.label),
    Column("pairs_labelled", "integer", "Pairs of the statement with a label of this reviewer on the page as it is.",
           made=lambda one: one.current.labelled),
    Column("pairs", "integer", "All pairs of the statement.", made=lambda one: one.current.pairs),
)  # fmt: skip


def _rows(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
    responses = dict(reader.execute("SELECT statement_id, response_id FROM statement").fetchall())
    for one in derived_labels(reader):
        yield cells(_COLUMNS, SimpleNamespace(**one._asdict(), response_id=responses[one.statement_id]))


_ABOUT: Final = "The label of a statement as it follows from one reviewer's labels on its pairs."

FROM_PAIRS: Final = ExportFile("labels_from_pairs.csv", _COLUMNS, _rows, _ABOUT)
"""A row for each statement, reviewer and pass with a labelled pair."""


_STATEMENT: Final = """
SELECT s.*, r.ordinal AS response_ordinal, r.record_id, r.model, r.origin, r.question, r.text AS response
FROM statement AS s JOIN response AS r USING (response_id) WHERE s.statement_id = ?"""

_JUDGED: Final = f"""
SELECT s.response_id, s.statement_id, {COLUMNS}
FROM response AS r CROSS JOIN statement_standing AS s ON s.response_id = r.response_id
CROSS JOIN judgement AS j ON j.statement_id = s.statement_id JOIN judge_run AS run USING (judge_run_id)
ORDER BY r.ordinal, s.ordinal"""


class PairKind(UnitKind):
    """``pair:STATEMENT_ID:SOURCE_ID``, one of the view ``reviewed_pair``.

    The judges' opinions are their votes on this source; their common label is rolled up over the jury as everywhere.
    The offline rules alone have none: nobody owes them a reason.
    """

    name = PAIR
    title = "pairs"
    noun = "pair"
    about = "Does this source say the statement?"
    headline = Headline("supported by the source", {"evidence": ("supported",), "support": ("supported",)})
    axis = "evidence"
    levels = EVIDENCE
    also = ("support",)
    reasons = REASONS
    leads_to = STATEMENT
    crosses_to = REFERENCE
    parsed = True
    tables = (FROM_PAIRS,)
    rows = """SELECT 'pair:' || p.statement_id || ':' || p.source_id AS unit, r.ordinal AS cluster,
       10000000000 * s.place + 1000 * coalesce(s."start", 0) + p.ordinal AS ordinal, s.text, r.model, r.origin,
       r.record_id
FROM reviewed_pair AS p JOIN statement_standing AS s USING (statement_id) JOIN response AS r USING (response_id)"""

    def load(self, reader: sqlite3.Connection, unit: str) -> UnitView:
        """The statement and its question; the source, with the words that both share marked; the response beside."""
        statement_id, source_id = ids_of(unit)
        row = reader.execute(_STATEMENT, (statement_id,)).fetchone()
        source = _source(reader, row, source_id) if row else None
        if row is None or source is None:
            raise KeyError(unit)
        evidence = load_evidence(reader, statement_id, source.snapshot_id)
        shown = source_document(reader, source, lexical=evidence.lexical)
        group = response_name(row["response_ordinal"])
        return UnitView(
            unit=unit,
            kind=self.name,
            name=f"{group} {_named(reader, row)} {source.bracketed}",
            group=group,
            text=row["text"],
            text_sha256=row["text_sha256"],
            parts=(CardPart("statement", row["text"], main=True), CardPart("asked", row["question"])),
            documents=(shown,),
            beside=response_document(row["response_ordinal"], row["response"], places_of(row)),
            model=row["model"],
            origin=row["origin"],
            record_id=row["record_id"],
            response_id=row["response_id"],
            missing="" if shown.text else "There is no text of this source to decide by.",
        )

    def machines(self, reader: sqlite3.Connection, unit: str) -> Machines:
        """The judges' votes on this source, with their quotes in its page, and what the offline rules found there."""
        statement_id, source_id = ids_of(unit)
        every = load_judgements(reader, statement_id)
        here = [said for said in every if said.source_id == source_id]
        common = by_source((said.vote for said in every), tie_rule(reader)).get(source_id)
        counting = {vote.judgement_id for vote in jury(said.vote for said in every)}
        source = _source(reader, reader.execute(_STATEMENT, (statement_id,)).fetchone(), source_id)
        assert source is not None
        evidence = load_evidence(reader, statement_id, source.snapshot_id)
        named = _named_by(reader, statement_id, source_id)
        return Machines(
            opinions=tuple(opinion(said, source, SOURCE, counts=said.judgement_id in counting) for said in here),
            level=common.verdict if common and not common.by_rules else None,
            words=" · ".join(filter(None, (_words(common, len(here)), _reference(reader, named)))),
            badges=_badges(common, evidence, source, named),
            marks=tuple((SOURCE, mark) for mark in _marks(here, evidence)),
            supported=common.supported if common and not common.by_rules else None,
        )

    def cluster(self, reader: sqlite3.Connection, unit: str) -> str:
        """The response."""
        query = "SELECT response_id FROM statement WHERE statement_id = ?"
        return str(reader.execute(query, (ids_of(unit)[0],)).fetchone()[0])

    def machine_ratings(self, reader: sqlite3.Connection) -> Iterator[Rating]:
        """Each judge's vote on each source: its level, and on the axis ``support`` the two-way word."""
        voters = VoteReader(reader)
        for _, rows in groupby(reader.execute(_JUDGED), key=itemgetter("statement_id")):
            of_statement = list(rows)
            for vote in voters.votes(of_statement):
                first = of_statement[0]
                unit, rater = unit_id(PAIR, first["statement_id"], vote.source_id), vote.judge.title
                if vote.verdict is not None:
                    yield Rating(unit, first["response_id"], "evidence", rater, True, "", vote.verdict)
                if vote.supported is not None:
                    word = "supported" if vote.supported else "not_supported"
                    yield Rating(unit, first["response_id"], "support", rater, True, "", word)


def _named_by(reader: sqlite3.Connection, statement_id: str, source_id: str) -> NamedBy | None:
    row = reader.execute("SELECT response_id FROM statement WHERE statement_id = ?", (statement_id,)).fetchone()
    return references_of_sources(reader, row[0]).get(source_id)


def _reference(reader: sqlite3.Connection, named: NamedBy | None) -> str:
    """What is wrong with the reference that names the source, ``""`` for nothing: the page may be another work."""
    found = load_source_reference(reader, named) if named else None
    return found.said if found and found.worth_a_row else ""


def _source(reader: sqlite3.Connection, statement: sqlite3.Row, source_id: str) -> Source | None:
    """The source as the response calls it, ``None`` when the response does not cite it."""
    own = own_citations(reader, statement["statement_id"])
    sources = load_sources(reader, statement["response_id"], own)
    return next((source for source in sources if source.source_id == source_id), None)


def _named(reader: sqlite3.Connection, row: sqlite3.Row) -> str:
    return statement_name(reader, row["statement_id"], row["response_id"], row["ordinal"])


def _words(common: RollUp | None, asked: int) -> str:
    """The jury on this source; of a single judge its opinion says it all."""
    if common is None or asked < 2:
        return ""
    silent = f", {common.abstained} abstained" if common.abstained else ""
    return f"judges {common.votes_for}-{common.votes_other}{silent}"


def _badges(common: RollUp | None, evidence: Evidence, source: Source, named: NamedBy | None) -> str:
    """Why the pair is worth a look, by the rules of triage."""
    if common is None:
        return ""
    page = CitedPages(1, (source.state,), opens=source.snapshot_id, readable=True)
    cited = [CitedReference(named.verdict, source.snapshot_id)] if named else []
    found = flags(common, [clash.kind for clash in evidence.clashes], page, references=cited)
    return " · ".join(flag.badge for flag in worth_flagging(found, ()))


def _marks(here: list[Judgement], evidence: Evidence) -> Iterator[TextMark]:
    """In the source: where a quote of it was altered, what the rules found and what differs."""
    for said in here:
        yield from (TextMark(*in_text, "clash") for quote in said.quotes for _, in_text in quote.differences)
    yield from (TextMark(*span, "evidence") for span in evidence.highlights)
    yield from (TextMark(*clash.source, "clash") for clash in evidence.clashes)
