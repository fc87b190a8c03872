"""The columns of the files with what is reviewed: responses, statements, what is none, citations."""

from typing import Final

from medreview.exchange.files.columns import CODE_POINTS, OCR_CONFIDENCE, Column
from medreview.labels import IN_RESPONSE, INVALID, LEFT_OUT_REASONS, PAGE_STATES
from medreview.study.statement_edits import RETIRED_HOW

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
    OCR_CONFIDENCE,
)
