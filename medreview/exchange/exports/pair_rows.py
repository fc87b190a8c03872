"""pairs.csv, its columns and rows: every statement beside every source of its response, one row each."""

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Final

from medreview.exchange.files.columns import CODE_POINTS, DOUBT_MEANING, OCR_CONFIDENCE_COLUMN, Column, levels_of
from medreview.exchange.files.csv_file import Cell
from medreview.judges.rollup import RollUp, by_source, tie_rule
from medreview.labels import EVIDENCE, PAGE_STATES, QUOTE_DOUBTS, QUOTE_STATUSES
from medreview.references.verdict import pages_of_other_works
from medreview.sources.ocr_pages import OCR_CONFIDENCE
from medreview.statements.own_citations import OwnCitations, of_response
from medreview.stats.reports.study_reader import judged_responses
from medreview.study.ids import PAIR, unit_id
from medreview.study.rows import rows_in_turn
from medreview.units.statement_view import load_text

PAIRS: Final = (
    Column("unit_id", "text", "The statement."),
    Column("response_id", "text", "The response that it is part of: the unit to resample."),
    Column("record_id", "text", "The id of the response's record in the file it came from."),
    Column("statement_ordinal", "integer", "Place of the statement in its response, from 1."),
    Column("statement_text", "text", "The statement."),
    Column("source_id", "text", "The source."),
    Column("source_url", "text", "Where it is fetched."),
    Column("source_number", "integer", "The answer's own number of the source: of several the one that the statement "
           "uses, else the lowest; empty when the answer gives it none."),
    Column("markers", "text", "The answer's own numbers that the statement points to, parted by blanks, in the order "
           "of its text; also those that stand for nothing in the answer's list."),
    Column("cited_by_statement", "boolean", "1: the statement itself points to this source; empty when no statement "
           "of the response points to any."),
    Column("readable", "boolean", "1: there is a text of the source to decide by."),
    Column("shown_first", "boolean", "1: the source that the workbench opens first, save in queues that are about a "
           "certain page. One of each statement's is."),
    Column("unsupported", "number", "Score of the offline rules, with a model of meaning where one was asked: higher "
           "is to be looked at sooner; empty when they have not seen the pair.", unit="0 to 1"),
    Column("flagged", "boolean", "1: the statement is flagged; empty before anything was judged."),
    Column("judge", "text", "On this page: the judge to read first; empty when none has a word on it, as in all that "
           "follows up to jury_abstained."),
    Column("judge_raw_label", "text", "Its own word, as given."),
    Column("judge_confidence", "number", "Its confidence, as given.", unit="0 to 1"),
    Column("judge_quote", "text", "Its quote from this page."),
    Column("judge_quote_status", "text", "How true that quote is to this page; none = no quote was given.",
           levels=QUOTE_STATUSES),
    Column("judge_quote_doubt", "text", DOUBT_MEANING, levels=QUOTE_DOUBTS),
    Column("verdict", "text", "The verdict of most judges on this page; empty when tied, or when their labels map to "
           "none.", levels=levels_of(EVIDENCE)),
    Column("supported", "boolean", "Their two-way verdict; of a tie what the study's tie rule gives. Empty when that "
           "is nothing."),
    Column("jury_for", "integer", "Judges with that verdict (when tied, the size of the largest party)."),
    Column("jury_against", "integer", "Judges with another verdict."),
    Column("jury_abstained", "integer", "Judges that were asked about this page and gave no verdict."),
    Column("response_model", "text", "The model that gave the response."),
    Column("origin", "text", "Where the question came from: a stratum."),
    Column("source_place", "integer", "Place of the source among those that the response cites, from 1."),
    Column("source_domain", "text", "Host of its address."),
    Column("snapshot_id", "text", "Its current page; empty when not fetched."),
    Column("page_state", "text", "What kind of page that is; empty when not fetched.", levels=PAGE_STATES),
    Column("passage_start", "integer", "Where the passage to read first starts in the page's text, by the offline "
           "rules; empty when no word is shared.", unit=CODE_POINTS),
    Column("passage_end", "integer", "Where it ends.", unit=CODE_POINTS),
    Column("pair_id", "text", "The pair as a unit of review: what events on it name as their unit."),
    Column("page_of_other_work", "boolean", "1: the source's identifier is that of another work than the one that the "
           "response names with it; 0: of that one. By the newest checks of references; empty where they tell none."),
    OCR_CONFIDENCE_COLUMN,
)  # fmt: skip

PASSAGE: Final = Column("passage", "text", "The passage to read first.")
"""Of the table of pairs in Python only: the files of an export hold no texts of pages."""


# CROSS JOIN fixes the order of the loops: the view is read once, from its start to its end.
_PAIRS: Final = f"""
SELECT r.response_id, r.record_id, r.model, r.origin, s.statement_id, s.ordinal, s.text,
       o.source_id, o.readable, o.opens, o.unsupported, u.url, u.domain, p.snapshot_id, p.page_state,
       {OCR_CONFIDENCE} AS ocr_confidence,
       json_extract(e.highlights, '$[0]') AS passage, v.priority > 0 AS flagged
FROM source_order AS o
CROSS JOIN statement_standing AS s ON s.statement_id = o.statement_id
JOIN response AS r ON r.response_id = s.response_id
JOIN source AS u ON u.source_id = o.source_id
LEFT JOIN snapshot AS p ON p.snapshot_id = o.snapshot_id
LEFT JOIN evidence AS e ON e.statement_id = s.statement_id AND e.snapshot_id = o.snapshot_id
LEFT JOIN verdict AS v ON v.statement_id = s.statement_id
ORDER BY r.ordinal, s.ordinal, o.first"""
_SAID: Final = """
SELECT s.response_id, j.judgement_id, j.raw_label, j.confidence, j.quote, j.quote_status, j.quote_doubt
FROM response AS r
CROSS JOIN statement_standing AS s ON s.response_id = r.response_id
CROSS JOIN judgement AS j ON j.statement_id = s.statement_id
ORDER BY r.ordinal, s.ordinal"""


def pair_rows(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
    """The rows in the order of :data:`~medreview.exchange.exports.pair_rows.PAIRS`, by response, statement, source."""
    return (cells for cells, _ in _pairs(reader))


def pairs_with_passages(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
    """The same rows, each with the text of its passage at the end."""
    response_id, texts = "", dict[str, str]()
    for cells, row in _pairs(reader):
        if row["response_id"] != response_id:  # the pages of one response are read once
            response_id, texts = row["response_id"], {}
        page, span = row["snapshot_id"], _passage(row)
        if span and page not in texts:
            texts[page] = load_text(reader, page)
        yield *cells, texts[page][slice(*span)] if span else None


def _pairs(reader: sqlite3.Connection) -> Iterator[tuple[Sequence[Cell], sqlite3.Row]]:
    """The cells of each pair, with the row that they are from."""
    other, tie = pages_of_other_works(reader), tie_rule(reader)
    every = rows_in_turn(reader.execute(_PAIRS), itemgetter(0))
    said = rows_in_turn(reader.execute(_SAID), itemgetter(0))
    for response in judged_responses(reader, votes=True):
        response_id = response.response_id
        told = {row["judgement_id"]: tuple(row)[2:] for row in said(response_id)}
        of_one = every(response_id)
        if not of_one:
            continue
        words = {statement.statement_id: by_source(statement.votes, tie) for statement in response.statements}
        own = dict(of_response(reader, response_id))
        for statement_id, pairs in groupby(of_one, key=itemgetter("statement_id")):
            for place, row in enumerate(pairs, 1):
                word = words[statement_id].get(row["source_id"])
                named = other.get((response_id, row["source_id"]))
                yield (*_material(row, own[statement_id]), *_judged(word, told), *_page(row, place, named)), row


def _material(row: sqlite3.Row, own: OwnCitations) -> Sequence[Cell]:
    """The pair itself: up to ``flagged``."""
    cites = own.cites(row["source_id"])
    return (
        row["statement_id"], row["response_id"], row["record_id"], row["ordinal"], row["text"], row["source_id"],
        row["url"], own.number_of(row["source_id"]), " ".join(map(str, own.numbers)),
        None if cites is None else int(cites), row["readable"], row["opens"], row["unsupported"], row["flagged"],
    )  # fmt: skip


def _judged(word: RollUp | None, told: Mapping[str, Sequence[Cell]]) -> Sequence[Cell]:
    """What the judges say of the pair: up to ``jury_abstained``; ``told``: what each judgement says beside its vote."""
    if word is None or word.lead is None:
        return (None,) * 11
    supported = None if word.supported is None else int(word.supported)
    return (
        word.lead.judge.name,
        *told[word.lead.judgement_id],
        word.verdict,
        supported,
        word.votes_for,
        word.votes_other,
        word.abstained,
    )


def _page(row: sqlite3.Row, place: int, other: bool | None) -> Sequence[Cell]:
    """The rest; ``other``: whether the page is of another work than the one that is named."""
    start, end = _passage(row) or (None, None)
    pair = unit_id(PAIR, row["statement_id"], row["source_id"])
    return (
        row["model"], row["origin"], place, row["domain"], row["snapshot_id"], row["page_state"], start, end, pair,
        None if other is None else int(other), row["ocr_confidence"],
    )  # fmt: skip


def _passage(row: sqlite3.Row) -> tuple[int, int] | None:
    """The best highlight."""
    return tuple(json.loads(row["passage"])) if row["passage"] else None
