"""The files of an export that are close to the tables of the study, and scores.csv.

Responses, statements, what was left out of these, citations, judgements, events and spans. A row of scores.csv goes
back to where its response came from, by the id that it had there.
"""

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from types import SimpleNamespace
from typing import Annotated, Any, Final, NamedTuple

from medreview.exchange.exports.missing_words import (
    JURY,
    hidden_statements,
    jury_verdict,
    no_level_of_one,
    no_two_way,
    no_verdict,
    no_word_of_one,
)
from medreview.exchange.files.columns import (
    CLUSTER_MEANING,
    CODE_POINTS,
    DOUBT_MEANING,
    EVENT_VALUES,
    EVENTS,
    PAYLOAD,
    UTF16,
    Cell,
    Column,
    ExportFile,
    about,
    cells_of,
    columns_of,
    levels_of,
    selected,
)
from medreview.exchange.files.csv_file import flatten
from medreview.judges.votes import VoteReader, jury
from medreview.labels import (
    AXES,
    EVIDENCE,
    FINISHES,
    IN_RESPONSE,
    INVALID,
    LEFT_OUT_REASONS,
    PAGE_STATES,
    QUOTE_DOUBTS,
    QUOTE_STATUSES,
    label_words,
)
from medreview.sources.ocr_pages import OCR_CONFIDENCE
from medreview.statements.left_out import left_out
from medreview.statements.place_in_response import Contexts, Sentences
from medreview.stats.clusters import study_clusters
from medreview.study.statement_edits import RETIRED_HOW
from medreview.study.unit_faults import RESPONSE, SOURCE, marked_text, response_of
from medreview.text import counted, sha256, utf16, written_parts
from medreview.units.statement_view import places_of

OCR_CONFIDENCE_COLUMN: Final = Column(
    "ocr_confidence", "number", "How sure the engine was of the page's parts that were read by OCR (the mean of their "
    "characters, no probability); empty where none was: the page has text of its own.", unit="0 to 1",
    sql=OCR_CONFIDENCE,
)  # fmt: skip


def _response_rows(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
    clusters, made = study_clusters(reader).of, cells_of(RESPONSES.columns)
    for row in reader.execute(f"{selected(RESPONSES.columns)} FROM response ORDER BY ordinal"):
        yield made(row, {"cluster_id": clusters[row["response_id"]], "listed": row["listed"]})


RESPONSES: Final = ExportFile(
    "responses.csv",
    (
        Column("response_id", "text", "The response."),
        Column("cluster_id", "text", CLUSTER_MEANING, made=lambda row: row["cluster_id"]),
        Column("ordinal", "integer", "Its number in the study."),
        Column("record_id", "text", "Its id in the file it came from."),
        Column("model", "text", "The model that gave it."),
        Column("origin", "text", "Where the question came from."),
        Column("imported_at", "time", "When it was imported.", unit="UTC"),
        Column("imported_from", "text", "From which file."),
        Column("cited", "boolean", "1: its citations were extracted."),
        Column("parser", "text", "What split it into statements, with its version; given = they came with it; empty = "
               "not yet."),
        Column("dropped", "integer", "Parts that are not statements."),
        Column("invalid", "text", "Why it is not a response, so that it has neither statements nor citations: "
               + "; ".join(f"{level} = {why}" for level, why in INVALID.items()) + ". Empty: it is one.",
               levels=tuple(INVALID)),
        # Listed citations hold no line ends, so that one stands on each line.
        Column("listed", "text", "Citations listed beside the text, one a line.", sql="listed",
               made=lambda row: "\n".join(json.loads(row["listed"])) if row["listed"] else None),
        Column("producer", "text", "The format of the file it was read from, where a system wrote that."),
        Column("created_at", "text", "When the model gave it, as its file says; ISO 8601, empty where it does not."),
        Column("finish", "text", "How it ended, as its file says: "
               + "; ".join(f"{level} = {how}" for level, how in FINISHES.items()) + ".", levels=tuple(FINISHES)),
        Column("question_id", "text", "The id that repeated runs of one question share; empty where there is none."),
        Column("extra", "text", "What else its record says, as JSON."),
        Column("ranges", "text", "Which stretch of the text cites what, as its producer says: JSON [[start, end, "
               "[entry of listed, ...], quote], ...].", unit=CODE_POINTS),
        Column("turns", "text", "What was said before the question: JSON [{role, text}, ...].", sql="""(
            SELECT json_group_array(json_object('role', t.role, 'text', t.text))
            FROM (SELECT role, text FROM turn AS o WHERE o.response_id = response.response_id ORDER BY ordinal) AS t
        )"""),
        Column("text_sha256", "text", "SHA-256 of the text's UTF-8 bytes."),
        Column("question", "text", "The question."),
        Column("text", "text", "The response."),
    ),
    _response_rows,
    "The answers of the language models, with their questions.",
    key=("response_id",),
    counted="response",
    first=("response_id", "ordinal", "record_id", "model", "origin", "question", "text"),
    facets=("model", "origin"),
    sorted_by="ordinal",
    named_by="question",
    size=20,
)  # fmt: skip

_NO_VERDICT: Final = no_verdict(
    "judge_verdict", lambda one: one.row["judge_verdict"], lambda one: "hidden" if one.hidden else jury_verdict(one.row)
)
_NO_TWO_WAY: Final = no_two_way(
    "judge_supported",
    lambda one: one.row["judge_supported"],
    lambda one: "hidden" if one.hidden else jury_verdict(one.row),
)
_STATEMENTS: Final = (
    Column("statement_id", "text", "The statement.", sql="s.statement_id"),
    Column("response_id", "text", "The response it is part of.", sql="s.response_id"),
    Column("cluster_id", "text", CLUSTER_MEANING, made=lambda one: one.cluster),
    Column("ordinal", "integer", "Its place there, from 1.", sql="s.ordinal"),
    Column("start_cp", "integer", "Where it starts in the response; empty when it is paraphrased.", unit=CODE_POINTS,
           sql='s."start"'),
    Column("end_cp", "integer", "Where it ends.", unit=CODE_POINTS, sql='s."end"'),
    Column("parts_cp", "text", "Its places where it has several: start-end, parted by blanks; their texts joined by "
           "one blank are the statement, and start_cp and end_cp are empty.", unit=CODE_POINTS,
           made=lambda one: written_parts(json.loads(one.parts))),
    Column("in_response", "text", "How its response says it: words = in these words; reworded = a sentence of it says "
           "the same; no = nowhere.", levels=IN_RESPONSE, made=lambda one: (
               "words" if one.places else "reworded" if one.sentences.find(one.text) else "no")),
    Column("context", "text", "What it needs of the text before it: the introduction of its list, what a pronoun "
           "means.", made=lambda one: one.contexts.of(one.places[0]) if one.places else ""),
    Column("audit_number", "number", "Its permanent random number: it is in the audit when that is below "
           "inclusion_prob; empty before an audit is drawn.", unit="0 to 1", sql="a.number"),
    Column("stratum", "text", "Stratum of the audit.", sql="a.stratum"),
    Column("inclusion_prob", "number", "Probability of being in the audit, the same for all of the stratum.",
           unit="0 to 1", sql="a.rate"),
    Column("audit_flagged", "integer", "Whether it was flagged when strata by flag first counted for it: 0, 1, or 2 "
           "where copies of the study differed; empty without such strata.", sql="a.flagged"),
    Column("judge_verdict", "text", "The judges' verdict, as in labels.csv; of every statement.",
           levels=levels_of(EVIDENCE), sql="v.verdict"),
    replace(_NO_VERDICT, name="judge_verdict_missing"),
    Column("judge_supported", "boolean", "Their two-way verdict, as there.", sql="v.supported"),
    replace(_NO_TWO_WAY, name="judge_supported_missing"),
    Column("retired", "text", "How it was edited away; labels on it stay. Empty: it stands.", levels=RETIRED_HOW,
           sql="x.how"),
    Column("retired_by", "text", "The event that did so; undone: the one that made it.", sql="x.event_id"),
    Column("text_sha256", "text", "SHA-256 of the text's UTF-8 bytes.", sql="s.text_sha256"),
    Column("text", "text", "The statement.", sql="s.text"),
)  # fmt: skip


def _statement_rows(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
    query = f"""{selected(_STATEMENTS)}, s.parts, s."start", s."end", r.text AS response, {JURY}
        FROM response AS r CROSS JOIN statement AS s ON s.response_id = r.response_id
        LEFT JOIN verdict AS v ON v.statement_id = s.statement_id
        LEFT JOIN audit_frame AS a ON a.statement_id = s.statement_id
        LEFT JOIN retired_statement AS x ON x.statement_id = s.statement_id
        ORDER BY r.ordinal, s.ordinal"""
    made, clusters, hidden = cells_of(_STATEMENTS), study_clusters(reader).of, hidden_statements(reader)
    for (response_id, response), of_response in groupby(
        reader.execute(query), key=itemgetter("response_id", "response")
    ):
        sentences, contexts = Sentences(response), Contexts(response)
        for row in of_response:
            yield made(row, SimpleNamespace(
                parts=row["parts"], text=row["text"], places=places_of(row), sentences=sentences, contexts=contexts,
                cluster=clusters[response_id], row=row, hidden=row["statement_id"] in hidden,
            ))  # fmt: skip


STATEMENTS: Final = ExportFile(
    "statements.csv",
    _STATEMENTS,
    _statement_rows,
    "The responses cut into statements that can be verified one by one.",
    key=("statement_id",),
    counted="statement",
    first=("statement_id", "text", "response_id", "ordinal"),
    named_by="text",
)

_LEFT_OUT: Final = (
    Column("response_id", "text", "The response it is part of."),
    Column("record_id", "text", "The response's id in the file it came from."),
    Column("start", "integer", "Where it starts in the response.", unit=CODE_POINTS),
    Column("end", "integer", "Where it ends.", unit=CODE_POINTS),
    Column("text", "text", "What is not a statement."),
    Column("reason", "text",
           "Why: " + "; ".join(f"{reason} = {why}" for reason, why in LEFT_OUT_REASONS.items()) + ".",
           levels=tuple(LEFT_OUT_REASONS)),
)  # fmt: skip
LEFT_OUT: Final = ExportFile(
    "left_out.csv",
    _LEFT_OUT,
    lambda reader: map(cells_of(_LEFT_OUT), left_out(reader)),
    "What of the responses is not a statement, with the reason.",
    key=("response_id", "start"),
)

CITATIONS: Final = ExportFile(
    "citations.csv",
    (
        Column("response_id", "text", "The response that cites.", sql="c.response_id"),
        Column("ordinal", "integer", "Place among its citations, from 1.", sql="c.ordinal"),
        Column("source_id", "text", "The source cited.", sql="c.source_id"),
        Column("kind", "text", "What kind of reference it is: url, doi, pmid, ...", sql="c.kind"),
        Column("value", "text", "The reference.", sql="c.value"),
        Column("start_cp", "integer", "Where it starts in the response; empty when listed beside it.",
               unit=CODE_POINTS, sql='c."start"'),
        Column("end_cp", "integer", "Where it ends.", unit=CODE_POINTS, sql='c."end"'),
        Column("source_key", "text", "What makes two references the same source.", sql="u.key"),
        Column("source_kind", "text", "Kind of reference by which the source was first met.", sql="u.kind"),
        Column("source_value", "text", "Reference by which it was first met.", sql="u.value"),
        Column("source_url", "text", "Where it is fetched.", sql="u.url"),
        Column("source_domain", "text", "Host of that address.", sql="u.domain"),
        Column("snapshot_id", "text", "Its current page; empty when not fetched.", sql="p.snapshot_id"),
        Column("page_state", "text", "What kind of page that is.", levels=PAGE_STATES),
        Column("http_status", "integer", "Status of the answer; empty when there was none.", sql="p.status"),
        Column("fetched_at", "time", "When it was fetched.", unit="UTC"),
        Column("text_sha256", "text", "SHA-256 of the page's text.", sql="p.text_sha256"),
        OCR_CONFIDENCE_COLUMN,
    ),
    """FROM response AS r CROSS JOIN citation AS c ON c.response_id = r.response_id
       CROSS JOIN source AS u ON u.source_id = c.source_id LEFT JOIN snapshot AS p ON p.snapshot_id = u.current_snapshot
       ORDER BY r.ordinal, c.ordinal""",
    "What the responses cite, each with its source and the source's current page.",
    key=("response_id", "ordinal"),
    counted="citation",
    facets=("page_state", "kind"),
)  # fmt: skip


# fmt: off
class JudgementRow(NamedTuple):
    """What one judge said of one statement in one page, stale ones too; the columns of ``judgements.csv``."""

    judgement_id: Annotated[str, about("The judgement.")]
    judge_run_id: Annotated[str, about("The run of a judge that gave it.", sql="run.judge_run_id")]
    judge: Annotated[str, about("Name of the judge.")]
    kind: Annotated[str, about(
        "The offline judge, one whose judgements came in a file, or a model that was asked from here.",
        levels=("offline", "recorded", "llm"), sql="run.kind")]
    model: Annotated[str | None, about("Model of the judge.", sql="run.model")]
    prompt_id: Annotated[str | None, about("Its prompt.")]
    prompt_sha256: Annotated[str | None, about("SHA-256 of the prompt; empty when not known.")]
    seed: Annotated[int | None, about("Its seed; empty when none.")]
    statement_id: Annotated[str, about("The statement judged.", sql="s.statement_id")]
    response_id: Annotated[str, about("The response it is part of.", sql="s.response_id")]
    snapshot_id: Annotated[str, about("The page judged.", sql="p.snapshot_id")]
    source_id: Annotated[str, about("The source of the page.", sql="u.source_id")]
    source_url: Annotated[str, about("Address of the source.", sql="u.url")]
    raw_label: Annotated[str | None, about("The judge's own word, as given.")]
    verdict: Annotated[str | None, about("Its level; empty without one, which verdict_missing says why.",
                                         levels=levels_of(EVIDENCE))]
    supported: Annotated[bool | None, about(
        "Two-way verdict; empty without one, which supported_missing says why.")]
    confidence: Annotated[float | None, about("As given; empty when none.", unit="0 to 1")]
    score: Annotated[float | None, about(
        "Probability that the judge says supported, by log probabilities or repeated samples; empty where none was "
        "measured.", unit="0 to 1")]
    quote_status: Annotated[str, about("How true the quote is to the page; none = no quote was given.",
                                       levels=QUOTE_STATUSES)]
    quote_doubt: Annotated[str | None, about(DOUBT_MEANING, levels=QUOTE_DOUBTS)]
    quote_start: Annotated[int | None, about("Where the quote starts in the page's text.", unit=CODE_POINTS)]
    quote_end: Annotated[int | None, about("Where it ends.", unit=CODE_POINTS)]
    quote: Annotated[str | None, about("The quote as given; several joined by an ellipsis.")]
    quotes: Annotated[str, about(
        "JSON: each of several quotes by itself, with its status, its doubt, its places in the page's text and what it "
        "has otherwise; opposes = it is quoted against the statement. [] where there is one at most.")]
    opposes: Annotated[bool | None, about(
        "1: the judge says that the page says the opposite; empty when it was not asked.")]
    missing: Annotated[str | None, about("The part of the statement that the page does not state, by the judge.")]
    missing_at: Annotated[str, about("JSON [[start, end], ...]: where that stands in the statement; [] = not in its "
                                     "words.", unit=CODE_POINTS)]
    reason: Annotated[str | None, about("The reason as given.")]
    error: Annotated[str | None, about("Why there is no usable judgement; empty when there is one.")]
    vote: Annotated[bool, about(
        "1: it counts. One judgement of a judge on a source does: that of its newest run, on the page as it is now. Of "
        "the offline judge only where no other spoke on the statement.",
        made=lambda counting: counting is not None and not counting.abstains)]
    abstained: Annotated[bool, about(
        "1: it would count, but gives no vote: unsure, not answered, or supported without a quote that shows it. With "
        "vote 0 and abstained 0 it is not the judge's word any more, or the offline judge's beside another's.",
        made=lambda counting: counting is not None and counting.abstains)]
    verdict_missing: Annotated[str | None, no_level_of_one()]
    supported_missing: Annotated[str | None, no_word_of_one()]
# fmt: on


_JUDGEMENTS: Final = columns_of(JudgementRow)
_STORED: Final = sum(column.made is None for column in _JUDGEMENTS)
_WHY: Final = len(_JUDGEMENTS) - 2
_SAID: Final = [column.name for column in _JUDGEMENTS].index("verdict")


def judgement_rows(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
    """Everything that judges ever said of a pair, and which of it counts."""
    query = f"""{selected(_JUDGEMENTS)}, run.ordinal AS run, j.error = '' AS answered
        FROM response AS r CROSS JOIN statement AS s ON s.response_id = r.response_id
        CROSS JOIN judgement AS j ON j.statement_id = s.statement_id
        JOIN judge_run AS run ON run.judge_run_id = j.judge_run_id
        JOIN snapshot AS p ON p.snapshot_id = j.snapshot_id
        JOIN source AS u ON u.source_id = p.source_id
        ORDER BY r.ordinal, s.ordinal, j.judge_run_id, j.judgement_id"""
    # The last columns are made of its vote, and of the row.
    of_vote, why = cells_of(_JUDGEMENTS[_STORED:_WHY]), cells_of(_JUDGEMENTS[_WHY:])
    silent, voters, answered = of_vote(None), VoteReader(reader), (None, None)
    for _, group in groupby(reader.execute(query), key=itemgetter("statement_id")):
        of_statement = list(group)
        counting = {vote.judgement_id: of_vote(vote) for vote in jury(voters.votes(of_statement))}
        for row in of_statement:
            stored = tuple(row)[:_STORED]
            full = None not in stored[_SAID : _SAID + 2]
            yield *stored, *counting.get(stored[0], silent), *(answered if full else why(row))


JUDGEMENTS: Final = ExportFile(
    "judgements.csv",
    _JUDGEMENTS,
    judgement_rows,
    "What each judge said of each statement and page, also of pages that have changed since.",
    key=("judgement_id",),
    counted="judgement",
    first=("judgement_id", "judge", "statement_id", "snapshot_id", "verdict", "raw_label", "confidence", "quote_status",
           "quote", "reason"),
    facets=("judge", "verdict", "quote_status"),
)  # fmt: skip

_EVENTS: Final = f"{selected(EVENTS)} FROM event ORDER BY event_id"


def _event_rows(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
    for event in reader.execute(_EVENTS):
        names, values = flatten(json.loads(event["payload"]))
        yield *tuple(event)[:-1], names, *(values.get(name) for name in PAYLOAD)


def _event_value_rows(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
    for event, stored in reader.execute("SELECT event_id, payload FROM event ORDER BY event_id"):
        payload = json.loads(stored)
        for name in PAYLOAD.keys() & payload.keys():
            if not isinstance(payload[name], dict | list):  # what lies within it is called otherwise
                del payload[name]
        yield from ((event, name, value) for name, value in flatten(payload)[1].items() if name not in PAYLOAD)


EVENT_FILES: Final = (
    ExportFile(
        "events.csv",
        (*EVENTS, *PAYLOAD.values()),
        _event_rows,
        "Everything that reviewers did, in the order of time; nothing in it is ever changed.",
        key=("event_id",),
        counted="event",
        leads={"snapshot": "snapshots", "undoes_event": "events"},
        facets=("kind", "reviewer"),
        named_by="kind",
    ),
    ExportFile(
        "event_values.csv",
        EVENT_VALUES,
        _event_value_rows,
        "What events hold for which the table of events has no column.",
        key=("event_id", "name"),
    ),
)

_CONTEXT: Final = 32


def _said(name: str) -> Callable[[Any], Cell]:
    return lambda span: span.said.get(name)


def _in_text(made: Callable[[Any], Cell]) -> Callable[[Any], Cell]:
    """The cell is empty where the text is not at hand as it was when it was marked."""
    return lambda span: made(span) if span.stale == 0 else None


_SPANS: Final = (
    Column("span_id", "text", "The event that marked the span.", sql="event_id"),
    Column("unit_id", "text", "The statement it was marked for, or KIND:ID of another unit.", sql="unit"),
    Column("reviewer_id", "text", "Who marked it.", sql="reviewer"),
    Column("pass_no", "integer", "In which pass.", sql="pass"),
    Column("target_type", "text", "Which text it lies in: response, source, passage, note, output, reference.",
           made=lambda span: span.said["target"].partition(":")[0]),
    Column("target_id", "text", "That response, snapshot, note or output; of a text that the unit holds once, the "
           "unit.", made=lambda span: span.place),
    Column("target_sha256", "text", "SHA-256 of the text when it was marked.", made=_said("sha256")),
    Column("start_cp", "integer", "Start of the half-open range.", unit=CODE_POINTS, made=_said("start")),
    Column("end_cp", "integer", "End of the half-open range.", unit=CODE_POINTS, made=_said("end")),
    Column("start_utf16", "integer", "Start for JavaScript and Excel; empty when the text is not at hand.", unit=UTF16,
           made=_in_text(lambda span: utf16(span.text, span.said["start"]))),
    Column("end_utf16", "integer", "End for JavaScript and Excel; empty when the text is not at hand.", unit=UTF16,
           made=_in_text(lambda span: utf16(span.text, span.said["end"]))),
    Column("exact", "text", "The marked text.", made=_said("exact")),
    Column("prefix32", "text", "Up to 32 code points before it; empty when the text is not at hand.",
           made=_in_text(lambda span: span.text[max(0, span.said["start"] - _CONTEXT) : span.said["start"]])),
    Column("suffix32", "text", "Up to 32 code points after it; empty when the text is not at hand.",
           made=_in_text(lambda span: span.text[span.said["end"] : span.said["end"] + _CONTEXT])),
    Column("label", "text", "The level that the span is marked with.", made=_said("label")),
    Column("axis", "text", "The axis of the level.", levels=tuple(AXES), made=_said("axis")),
    Column("reason", "text", "Why, in the reviewer's words or by a reason's code; empty when not said.",
           made=_said("reason")),
    Column("with_span_id", "text", "The other span of a conflict between two parts of a text.", made=_said("with")),
    Column("stale", "boolean", "1: the text is no longer the one that was marked; empty when it is not at hand.",
           made=lambda span: span.stale),
)  # fmt: skip


def _span_rows(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
    """By document, so that each text is read once."""
    query = f"""{selected(_SPANS)}, unit, snapshot, payload FROM span_live
        ORDER BY json_extract(payload, '$.target'), unit, snapshot, event_id"""
    made = cells_of(_SPANS)
    document: tuple[str | None, ...] = ()
    text: str | None = None
    digest = ""
    for row in reader.execute(query):
        unit, snapshot, said = row["unit_id"], row["snapshot"], json.loads(row["payload"])
        if document != (document := (said["target"], unit, snapshot, said.get("sha256"))):
            text = marked_text(reader, unit, said, snapshot)
            digest = sha256(text) if text is not None else ""
        same = text is not None and text[said["start"] : said["end"]] == said["exact"]
        stale = None if text is None else int(said.get("sha256", digest) != digest or not same)
        kind, _, part = said["target"].partition(":")
        of_response = response_of(reader, unit) or None if kind == RESPONSE else part or unit
        place = snapshot if kind == SOURCE else of_response
        yield made(row, SimpleNamespace(said=said, text=text, stale=stale, place=place))


SPANS: Final = ExportFile(
    "spans.csv",
    _SPANS,
    _span_rows,
    "Words that reviewers marked, in a response or in a page.",
    key=("span_id",),
    leads={"unit_id": "", "span_id": "events"},
    facets=("label", "target_type"),
)


_SUPPORTED: Final = "supported"
_QUOTED: Final = 3
"""Statements that an explanation quotes."""


def _share(labels: Sequence[str | None]) -> float | None:
    said = [label == _SUPPORTED for label in labels if label]
    return sum(said) / len(said) if said else None


_COLUMNS: Final = (
    Column("record_id", "text", "The id of the response's record in the file it came from."),
    Column("response_id", "text", "The response."),
    Column("model", "text", "The model that gave it."),
    Column("statements", "integer", "Its statements.", made=lambda one: len(one.texts)),
    Column("labelled", "integer", "Statements with one label of the reviewers: all who labelled it agree, or their "
           "conflict was settled. Not those that they could not judge, nor labels on pages that have changed.",
           made=lambda one: sum(map(bool, one.given))),
    Column("supported_share", "number", "Of these, labelled supported; empty: none is labelled.", unit="0 to 1",
           made=lambda one: _share(one.given)),
    Column("hallucination", "boolean", "1: a reviewer labelled the answer or a statement of it as a hallucination, and "
           "no settled conflict says otherwise; 0: labelled, and none is; empty: not labelled."),
    Column("judged", "integer", "Statements with a two-way verdict of the judges together.",
           made=lambda one: sum(map(bool, one.said))),
    Column("judges_supported_share", "number", "Of these, supported; empty: none is judged.", unit="0 to 1",
           made=lambda one: _share(one.said)),
    Column("judges_hallucination", "boolean", "1: a judge found a hallucination in the answer; 0: asked, and none did; "
           "empty: none was asked."),
    Column("explanation", "text", "The shares in words, with statements that are not supported: by the reviewers, or "
           "where they labelled none by the judges.", made=lambda one: _explanation(one)),
)  # fmt: skip

_SCORED: Final = """
SELECT r.response_id, r.record_id, r.model, s.statement_id, s.text,
       CASE v.supported WHEN 1 THEN 'supported' WHEN 0 THEN coalesce(v.verdict, 'not_supported') END AS said,
       (SELECT iif(min(l.current) = max(l.current), min(l.current), NULL) FROM axis_label AS l
        WHERE l.unit = s.statement_id AND l.axis = 'evidence' AND l.pass = 1
              AND l.current_event NOT IN (SELECT event_id FROM decision_stale)) AS given
FROM response AS r LEFT JOIN statement_standing AS s ON s.response_id = r.response_id
LEFT JOIN verdict AS v ON v.statement_id = s.statement_id
ORDER BY r.ordinal, s.place, s.ordinal"""
_INVENTED: Final = """
SELECT l.unit, coalesce(s.response_id, substr(l.unit, 8)) AS response_id, max(l.current <> 'none') AS found
FROM axis_label AS l LEFT JOIN statement_standing AS s ON s.statement_id = l.unit
WHERE l.axis = 'hallucination' AND l.pass = 1 AND (s.response_id IS NOT NULL OR l.unit GLOB 'answer:*')
GROUP BY l.unit"""
_FOUND: Final = """
SELECT response_id, max(found) FROM (
    SELECT f.response_id, f.found, max(run.ordinal) FROM hallucination_finding AS f JOIN judge_run AS run
        USING (judge_run_id) WHERE NOT f.assisted AND f.found IS NOT NULL GROUP BY f.response_id, run.judge)
GROUP BY response_id"""
_SETTLED: Final = "SELECT unit, axis, label FROM adjudicated WHERE stands AND axis IN ('evidence', 'hallucination')"


def _score_rows(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
    made = cells_of(_COLUMNS)
    settled = {(unit, axis): label for unit, axis, label in reader.execute(_SETTLED)}
    invented = _invented(reader, settled)
    found = dict(reader.execute(_FOUND).fetchall())
    for (response_id, record_id, model), rows in groupby(reader.execute(_SCORED), key=itemgetter(0, 1, 2)):
        of_one = [row for row in rows if row["statement_id"] is not None]
        given = [settled.get((row["statement_id"], "evidence"), row["given"]) for row in of_one]
        one = SimpleNamespace(
            record_id=record_id, response_id=response_id, model=model, texts=[row["text"] for row in of_one],
            given=[None if label == "cannot_judge" else label for label in given],
            said=[row["said"] for row in of_one], hallucination=invented.get(response_id),
            judges_hallucination=found.get(response_id),
        )  # fmt: skip
        yield made(one)


def _invented(reader: sqlite3.Connection, settled: Mapping[tuple[str, str], str]) -> dict[str, int]:
    """By response, whether the reviewers labelled something in it as a hallucination; without those not labelled."""
    told: dict[str, int] = {}
    for unit, response_id, found in reader.execute(_INVENTED):
        label = settled.get((unit, "hallucination"))
        told[response_id] = max(told.get(response_id, 0), found if label is None else int(label != "none"))
    return told


def _explanation(one: SimpleNamespace) -> str | None:
    """``1 of 2 labelled statements supported; Contradicted: "Aspirin is safe."``"""
    by, labels = ("labelled", one.given) if any(one.given) else ("judged", one.said)
    told = [(label, text) for label, text in zip(labels, one.texts, strict=True) if label]
    if not told:
        return None
    supported = sum(label == _SUPPORTED for label, _ in told)
    others = [f'{_words(label)}: "{text}"' for label, text in told if label != _SUPPORTED]
    more = [f"and {len(others) - _QUOTED} more"] if len(others) > _QUOTED else []
    return "; ".join([f"{supported} of {counted(len(told), by + ' statement')} supported", *others[:_QUOTED], *more])


def _words(label: str) -> str:
    return label_words("support" if label == "not_supported" else "evidence", label).capitalize()


SCORES: Final = ExportFile(
    "scores.csv",
    _COLUMNS,
    _score_rows,
    "Scores of each response, to go back to the evaluation that it came from by record_id.",
    key=("response_id",),
    counted="response",
)
