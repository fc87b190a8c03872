"""pairs.csv: every statement beside every source of its response, one row each."""

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby, starmap
from operator import itemgetter
from types import SimpleNamespace
from typing import Annotated, Any, Final, Literal, NamedTuple

from medreview.exchange.exports.missing_words import hidden_statements, no_two_way, no_verdict
from medreview.exchange.exports.study_rows import OCR_CONFIDENCE_COLUMN
from medreview.exchange.files.columns import (
    CODE_POINTS,
    DOUBT_MEANING,
    Cell,
    Column,
    ExportFile,
    about,
    cells_of,
    columns_of,
    levels_of,
    selected,
)
from medreview.judges.rollup import RollUp, by_source, tie_rule
from medreview.labels import EVIDENCE, PAGE_STATES, QUOTE_DOUBTS, QUOTE_STATUSES
from medreview.references.verdict import pages_of_other_works
from medreview.statements.own_citations import of_response
from medreview.stats.reports.reviewer_labels import JuryVerdict
from medreview.stats.reports.study_reader import judged_responses
from medreview.study.ids import PAIR, unit_id
from medreview.study.rows import rows_in_turn
from medreview.units.statement_view import load_text


def _word(meaning: str, made: Callable[[Any], Cell], **more: Any) -> Column:
    """What the judges say of the pair, by their roll-up; empty if it is missing."""
    return about(meaning, made=lambda pair: pair.word and made(pair.word), **more)


def _lead(meaning: str, name: str, **more: Any) -> Column:
    """What the judgement to read first says."""
    return about(meaning, made=lambda pair: pair.lead and pair.lead[name], **more)


def _jury(pair: SimpleNamespace) -> JuryVerdict | Literal["hidden"] | None:
    word: RollUp | None = pair.word
    if word is None:
        return "hidden" if pair.hidden else None
    return JuryVerdict(word.verdict, word.supported, word.votes_for, word.votes_other, word.tied, False)


# fmt: off
class PairRow(NamedTuple):
    """A statement beside one of the sources that its response cites, judged or not; the columns of ``pairs.csv``.

    Its ``passage``, which no file holds, is the text from ``passage_start`` to ``passage_end`` of the page.
    """

    unit_id: Annotated[str, about("The statement.", sql="s.statement_id")]
    response_id: Annotated[str, about("The response that it is part of: the unit to resample.", sql="r.response_id")]
    record_id: Annotated[str | None, about("The id of the response's record in the file it came from.")]
    statement_ordinal: Annotated[int, about("Place of the statement in its response, from 1.", sql="s.ordinal")]
    statement_text: Annotated[str, about("The statement.", sql="s.text")]
    source_id: Annotated[str, about("The source.", sql="o.source_id")]
    source_url: Annotated[str, about("Where it is fetched.", sql="u.url")]
    source_number: Annotated[int | None, about(
        "The answer's own number of the source: of several the one that the statement uses, else the lowest; empty "
        "when the answer gives it none.", made=lambda pair: pair.own.number_of(pair.ids[1]))]
    markers: Annotated[str | None, about(
        "The answer's own numbers that the statement points to, parted by blanks, in the order of its text; also those "
        "that stand for nothing in the answer's list.", made=lambda pair: " ".join(map(str, pair.own.numbers)))]
    cited_by_statement: Annotated[bool | None, about(
        "1: the statement itself points to this source; empty when no statement of the response points to any.",
        made=lambda pair: pair.own.cites(pair.ids[1]))]
    readable: Annotated[bool, about("1: there is a text of the source to decide by.")]
    shown_first: Annotated[bool, about(
        "1: the source that the workbench opens first, save in queues that are about a certain page. One of each "
        "statement's is.", sql="o.opens")]
    unsupported: Annotated[float | None, about(
        "Score of the offline rules, with a model of meaning where one was asked: higher is to be looked at sooner; "
        "empty when they have not seen the pair.", unit="0 to 1", sql="o.unsupported")]
    flagged: Annotated[bool | None, about("1: the statement is flagged; empty before anything was judged.",
                                          sql="v.priority > 0")]
    judge: Annotated[str | None, _word(
        "On this page: the judge to read first; empty when none has a word on it, as in all that follows up to "
        "jury_abstained.", lambda word: word.lead.judge.name)]
    judge_raw_label: Annotated[str | None, _lead("Its own word, as given.", "raw_label")]
    judge_confidence: Annotated[float | None, _lead("Its confidence, as given.", "confidence", unit="0 to 1")]
    judge_quote: Annotated[str | None, _lead("Its quote from this page.", "quote")]
    judge_quote_status: Annotated[str | None, _lead("How true that quote is to this page; none = no quote was given.",
                                                    "quote_status", levels=QUOTE_STATUSES)]
    judge_quote_doubt: Annotated[str | None, _lead(DOUBT_MEANING, "quote_doubt", levels=QUOTE_DOUBTS)]
    verdict: Annotated[str | None, _word(
        "The verdict of most judges on this page; empty without one, which verdict_missing says why.",
        lambda word: word.verdict, levels=levels_of(EVIDENCE))]
    verdict_missing: Annotated[str | None, no_verdict(
        "verdict", lambda pair: pair.word and pair.word.verdict, _jury)]
    supported: Annotated[bool | None, _word(
        "Their two-way verdict; of a tie what the study's tie rule gives. Empty without one, which supported_missing "
        "says why.", lambda word: word.supported)]
    supported_missing: Annotated[str | None, no_two_way(
        "supported", lambda pair: pair.word and pair.word.supported, _jury)]
    jury_for: Annotated[int | None, _word("Judges with that verdict (when tied, the size of the largest party).",
                                          lambda word: word.votes_for)]
    jury_against: Annotated[int | None, _word("Judges with another verdict.", lambda word: word.votes_other)]
    jury_abstained: Annotated[int | None, _word("Judges that were asked about this page and gave no verdict.",
                                                lambda word: word.abstained)]
    response_model: Annotated[str | None, about("The model that gave the response.", sql="r.model")]
    origin: Annotated[str | None, about("Where the question came from: a stratum.")]
    source_place: Annotated[int, about("Place of the source among those that the response cites, from 1.",
                                       made=lambda pair: pair.place)]
    source_domain: Annotated[str | None, about("Host of its address.", sql="u.domain")]
    snapshot_id: Annotated[str | None, about("Its current page; empty when not fetched.", sql="p.snapshot_id")]
    page_state: Annotated[str | None, about("What kind of page that is; empty when not fetched.", levels=PAGE_STATES)]
    passage_start: Annotated[int | None, about(
        "Where the passage to read first starts in the page's text, by the offline rules; empty when no word is "
        "shared.", unit=CODE_POINTS, made=lambda pair: pair.span[0])]
    passage_end: Annotated[int | None, about("Where it ends.", unit=CODE_POINTS, made=lambda pair: pair.span[1])]
    pair_id: Annotated[str, about("The pair as a unit of review: what events on it name as their unit.",
                                  made=lambda pair: unit_id(PAIR, *pair.ids))]
    page_of_other_work: Annotated[bool | None, about(
        "1: the source's identifier is that of another work than the one that the response names with it; 0: of that "
        "one. By the newest checks of references; empty where they tell none.", made=lambda pair: pair.other)]
    ocr_confidence: Annotated[float | None, OCR_CONFIDENCE_COLUMN]
    passage: Annotated[str | None, about("The passage to read first.", made=lambda pair: pair.passage)]
# fmt: on


_TABLE: Final = columns_of(PairRow)
_COLUMNS: Final = _TABLE[:-1]
"""The files of an export hold no texts of pages."""


# CROSS JOIN fixes the order of the loops: the view is read once, from its start to its end.
_PAIRS: Final = f"""{selected(_COLUMNS)}, json_extract(e.highlights, '$[0]') AS span
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
    """The rows of the file, by response, statement, source."""
    return starmap(cells_of(_COLUMNS), _pairs(reader))


def pairs_with_passages(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
    """The same rows, each with the text of its passage at the end."""
    made = cells_of(_TABLE)
    response_id, texts = "", dict[str, str]()
    for row, pair in _pairs(reader):
        if row["response_id"] != response_id:  # the pages of one response are read once
            response_id, texts = row["response_id"], {}
        (start, end), page = pair.span, row["snapshot_id"]
        if end and page not in texts:
            texts[page] = load_text(reader, page)
        pair.passage = texts[page][start:end] if end else None
        yield made(row, pair)


def _pairs(reader: sqlite3.Connection) -> Iterator[tuple[sqlite3.Row, SimpleNamespace]]:
    """Each pair: what SQL gives of it, and what the functions of the columns read."""
    other, tie, hidden = pages_of_other_works(reader), tie_rule(reader), hidden_statements(reader)
    every = rows_in_turn(reader.execute(_PAIRS), itemgetter("response_id"))
    said = rows_in_turn(reader.execute(_SAID), itemgetter(0))
    for response in judged_responses(reader, votes=True):
        response_id = response.response_id
        told = {row["judgement_id"]: row for row in said(response_id)}
        of_one = every(response_id)
        if not of_one:
            continue
        words = {statement.statement_id: by_source(statement.votes, tie) for statement in response.statements}
        own = dict(of_response(reader, response_id))
        for statement_id, pairs in groupby(of_one, key=itemgetter("unit_id")):
            for place, row in enumerate(pairs, 1):
                word = words[statement_id].get(row["source_id"])
                lead = told[word.lead.judgement_id] if word and word.lead else None
                yield (
                    row,
                    SimpleNamespace(
                        ids=(statement_id, row["source_id"]),
                        span=json.loads(row["span"]) if row["span"] else (None, None),
                        word=word if lead else None,
                        hidden=statement_id in hidden,
                        lead=lead,
                        own=own[statement_id],
                        place=place,
                        other=other.get((response_id, row["source_id"])),
                    ),
                )


PAIRS: Final = ExportFile(
    "pairs.csv",
    _COLUMNS,
    pair_rows,
    "One row for every statement and source that its response cites: whether the statement itself points to it, and "
    "what the judges say of this page.",
    key=("unit_id", "source_id"),
    counted="statement JOIN (SELECT DISTINCT response_id, source_id FROM citation) USING (response_id)",
    leads={"unit_id": "statements"},
    facets=("page_state", "verdict", "cited_by_statement"),
)
