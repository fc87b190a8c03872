"""The rows of the exported files that are close to the tables of the study, and the columns of what is reviewed.

Responses, statements, what was left out of these, citations, judgements, events and spans.
"""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Final

from medreview.exchange.files.columns import CODE_POINTS, OCR_CONFIDENCE_COLUMN, PAYLOAD, Column
from medreview.exchange.files.csv_file import Cell, flatten
from medreview.judges.votes import VoteReader, jury
from medreview.labels import IN_RESPONSE, INVALID, LEFT_OUT_REASONS, PAGE_STATES
from medreview.sources.ocr_pages import OCR_CONFIDENCE
from medreview.statements.left_out import left_out
from medreview.statements.place_in_response import Contexts, Sentences
from medreview.study.statement_edits import RETIRED_HOW
from medreview.study.unit_faults import RESPONSE, SOURCE, marked_text, response_of
from medreview.text import sha256, utf16, written_parts
from medreview.units.statement_view import places_of

RESPONSES: Final = (
    Column("response_id", "text", "The response."),
    Column("ordinal", "integer", "Its number in the study."),
    Column("record_id", "text", "Its id in the file it came from."),
    Column("model", "text", "The model that gave it."),
    Column("origin", "text", "Where the question came from."),
    Column("imported_at", "time", "When it was imported.", unit="UTC"),
    Column("imported_from", "text", "From which file."),
    Column("cited", "boolean", "1: its citations were extracted."),
    Column(
        "parser", "text", "What split it into statements, with its version; given = they came with it; empty = not yet."
    ),
    Column("dropped", "integer", "Parts that are no statements."),
    Column(
        "invalid",
        "text",
        "Why it is no response, so that it has neither statements nor citations: "
        + "; ".join(f"{level} = {why}" for level, why in INVALID.items())
        + ". Empty: it is one.",
        levels=tuple(INVALID),
    ),
    Column("listed", "text", "Citations listed beside the text, one a line."),
    Column("text_sha256", "text", "SHA-256 of the text's UTF-8 bytes."),
    Column("question", "text", "The question."),
    Column("text", "text", "The response."),
)

STATEMENTS: Final = (
    Column("statement_id", "text", "The statement."),
    Column("response_id", "text", "The response it is part of."),
    Column("ordinal", "integer", "Its place there, from 1."),
    Column("start_cp", "integer", "Where it starts in the response; empty when it is paraphrased.", unit=CODE_POINTS),
    Column("end_cp", "integer", "Where it ends.", unit=CODE_POINTS),
    Column(
        "parts_cp",
        "text",
        "Its places where it has several: start-end, parted by blanks; their texts joined by one blank are the "
        "statement, and start_cp and end_cp are empty.",
        unit=CODE_POINTS,
    ),
    Column(
        "in_response",
        "text",
        "How its response says it: words = in these words; reworded = a sentence of it says the same; no = nowhere.",
        levels=IN_RESPONSE,
    ),
    Column(
        "context", "text", "What it needs of the text before it: the introduction of its list, what a pronoun means."
    ),
    Column(
        "audit_number",
        "number",
        "Its permanent random number: it is in the audit when that is below "
        "inclusion_prob; empty before an audit is drawn.",
        unit="0 to 1",
    ),
    Column("stratum", "text", "Stratum of the audit."),
    Column(
        "inclusion_prob", "number", "Probability of being in the audit, the same for all of the stratum.", unit="0 to 1"
    ),
    Column(
        "audit_flagged",
        "integer",
        "Whether it was flagged when strata by flag first counted for it: 0, 1, or 2 where copies of the study "
        "differed; empty without such strata.",
    ),
    Column("retired", "text", "How it was edited away; labels on it stay. Empty: it stands.", levels=RETIRED_HOW),
    Column("retired_by", "text", "The event that did so; undone: the one that made it."),
    Column("text_sha256", "text", "SHA-256 of the text's UTF-8 bytes."),
    Column("text", "text", "The statement."),
)

LEFT_OUT: Final = (
    Column("response_id", "text", "The response it is part of."),
    Column("record_id", "text", "The response's id in the file it came from."),
    Column("start", "integer", "Where it starts in the response.", unit=CODE_POINTS),
    Column("end", "integer", "Where it ends.", unit=CODE_POINTS),
    Column("text", "text", "What is no statement."),
    Column(
        "reason",
        "text",
        "Why: " + "; ".join(f"{reason} = {why}" for reason, why in LEFT_OUT_REASONS.items()) + ".",
        levels=tuple(LEFT_OUT_REASONS),
    ),
)

CITATIONS: Final = (
    Column("response_id", "text", "The response that cites."),
    Column("ordinal", "integer", "Place among its citations, from 1."),
    Column("source_id", "text", "The source cited."),
    Column("kind", "text", "What kind of reference it is: url, doi, pmid, ..."),
    Column("value", "text", "The reference."),
    Column("start_cp", "integer", "Where it starts in the response; empty when listed beside it.", unit=CODE_POINTS),
    Column("end_cp", "integer", "Where it ends.", unit=CODE_POINTS),
    Column("source_key", "text", "What makes two references the same source."),
    Column("source_kind", "text", "Kind of reference by which the source was first met."),
    Column("source_value", "text", "Reference by which it was first met."),
    Column("source_url", "text", "Where it is fetched."),
    Column("source_domain", "text", "Host of that address."),
    Column("snapshot_id", "text", "Its current page; empty when not fetched."),
    Column("page_state", "text", "What kind of page that is.", levels=PAGE_STATES),
    Column("http_status", "integer", "Status of the answer; empty when there was none."),
    Column("fetched_at", "time", "When it was fetched.", unit="UTC"),
    Column("text_sha256", "text", "SHA-256 of the page's text."),
    OCR_CONFIDENCE_COLUMN,
)


_CONTEXT: Final = 32

_RESPONSES: Final = """
SELECT response_id, ordinal, record_id, model, origin, imported_at, imported_from, cited, parser, dropped, invalid,
       listed, text_sha256, question, text
FROM response ORDER BY ordinal"""

_STATEMENTS: Final = """
SELECT s.statement_id, s.response_id, s.ordinal, s."start", s."end", s.parts, a.number, a.stratum, a.rate,
       a.flagged, x.how, x.event_id, s.text_sha256, s.text, r.text AS response
FROM response AS r CROSS JOIN statement AS s ON s.response_id = r.response_id
LEFT JOIN audit_frame AS a ON a.statement_id = s.statement_id
LEFT JOIN retired_statement AS x ON x.statement_id = s.statement_id
ORDER BY r.ordinal, s.ordinal"""

_CITATIONS: Final = f"""
SELECT c.response_id, c.ordinal, c.source_id, c.kind, c.value, c."start", c."end",
       u.key, u.kind AS source_kind, u.value AS source_value, u.url, u.domain,
       p.snapshot_id, p.page_state, p.status, p.fetched_at, p.text_sha256,
       {OCR_CONFIDENCE}
FROM response AS r CROSS JOIN citation AS c ON c.response_id = r.response_id
CROSS JOIN source AS u ON u.source_id = c.source_id
LEFT JOIN snapshot AS p ON p.snapshot_id = u.current_snapshot
ORDER BY r.ordinal, c.ordinal"""

_JUDGEMENTS: Final = """
SELECT j.judgement_id, j.judge_run_id, run.judge, run.kind, run.model, run.prompt_id, run.prompt_sha256, run.seed,
       j.statement_id, s.response_id, j.snapshot_id, p.source_id, u.url, j.raw_label, j.verdict, j.supported,
       j.confidence, j.quote_status, j.quote_doubt, j.quote_start, j.quote_end, j.quote, j.reason, j.error,
       run.ordinal AS run, j.error = '' AS answered
FROM response AS r CROSS JOIN statement AS s ON s.response_id = r.response_id
CROSS JOIN judgement AS j ON j.statement_id = s.statement_id
JOIN judge_run AS run ON run.judge_run_id = j.judge_run_id
JOIN snapshot AS p ON p.snapshot_id = j.snapshot_id
JOIN source AS u ON u.source_id = p.source_id
ORDER BY r.ordinal, s.ordinal, j.judge_run_id, j.judgement_id"""

_SPANS: Final = """
SELECT event_id, unit, reviewer, pass, snapshot, payload
FROM span_live
ORDER BY json_extract(payload, '$.target'), unit, snapshot, event_id"""

_EVENTS: Final = """
SELECT event_id, at_utc, reviewer, session, kind, unit, snapshot, pass, block, mode, undoes_event, app_version,
       label_set_version, previous_hash, hash, payload
FROM event ORDER BY event_id"""


def response_rows(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
    """The rows of responses.csv; listed citations hold no line ends, so that one stands on each line."""
    for row in reader.execute(_RESPONSES):
        cells = list(row)
        cells[11] = "\n".join(json.loads(row["listed"])) if row["listed"] else None
        yield cells


def statement_rows(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
    """The rows of statements.csv."""
    for _, group in groupby(reader.execute(_STATEMENTS), key=itemgetter("response_id")):
        of_response = list(group)
        sentences, contexts = Sentences(of_response[0]["response"]), Contexts(of_response[0]["response"])
        for row in of_response:
            cells = list(row)[:-1]  # all but the response
            places = places_of(row)
            cells[5] = written_parts(json.loads(row["parts"]))
            said = "words" if places else "reworded" if sentences.find(row["text"]) else "no"
            cells[6:6] = [said, contexts.of(places[0]) if places else ""]
            yield cells


def left_out_rows(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
    """The rows of left_out.csv."""
    for part in left_out(reader):
        yield part.response_id, part.record_id, part.start, part.end, part.text, part.reason


def citation_rows(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
    """The rows of citations.csv."""
    return (tuple(row) for row in reader.execute(_CITATIONS))


def judgement_rows(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
    """The rows of judgements.csv: everything that judges ever said of a pair, and which of it counts."""
    voters = VoteReader(reader)
    for _, group in groupby(reader.execute(_JUDGEMENTS), key=itemgetter("statement_id")):
        of_statement = list(group)
        counting = {vote.judgement_id: vote for vote in jury(voters.votes(of_statement))}
        for row in of_statement:
            vote = counting.get(row["judgement_id"])
            abstains = vote is not None and vote.abstains
            told = tuple(row)[:-2]  # all but what only the reader of votes needs
            yield *told, int(vote is not None and not abstains), int(abstains)


def event_rows(reader: sqlite3.Connection) -> Iterator[tuple[Sequence[Cell], Sequence[Sequence[Cell]]]]:
    """For every event its row of events.csv and its rows of event_values.csv, in the order of time."""
    for event in reader.execute(_EVENTS):
        names, values = flatten(json.loads(event["payload"]))
        others = [(event["event_id"], name, value) for name, value in values.items() if name not in PAYLOAD]
        yield (*tuple(event)[:-1], names, *(values.get(name) for name in PAYLOAD)), others


def span_rows(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
    """The rows of spans.csv, by document, so that each text is read once."""
    document: tuple[str | None, ...] = ()
    text: str | None = None
    digest = ""
    for event in reader.execute(_SPANS):
        said = json.loads(event["payload"])
        if document != (document := (said["target"], event["unit"], event["snapshot"], said.get("sha256"))):
            text = marked_text(reader, event["unit"], said, event["snapshot"])
            digest = sha256(text) if text is not None else ""
        start, end = said["start"], said["end"]
        stale = None if text is None else int(said.get("sha256", digest) != digest or text[start:end] != said["exact"])
        held = text if stale == 0 else None
        yield (
            event["event_id"], event["unit"], event["reviewer"], event["pass"], *_place(reader, event, said["target"]),
            said.get("sha256"), start, end, utf16(held, start), utf16(held, end), said["exact"],
            held and held[max(0, start - _CONTEXT) : start], held and held[end : end + _CONTEXT],
            said["label"], said["axis"], said.get("reason"), said.get("with"), stale,
        )  # fmt: skip


def _place(reader: sqlite3.Connection, event: sqlite3.Row, target: str) -> tuple[str, str | None]:
    """The type and the id of the document that a span is in."""
    kind, _, part = target.partition(":")
    if kind == RESPONSE:
        return kind, response_of(reader, event["unit"]) or None
    return kind, event["snapshot"] if kind == SOURCE else part or event["unit"]
