"""The columns of pairs.csv: every statement beside every source of its response."""

from typing import Final

from medreview.exchange.files.columns import CODE_POINTS, DOUBT_MEANING, OCR_CONFIDENCE, Column, levels_of
from medreview.labels import EVIDENCE, PAGE_STATES, QUOTE_DOUBTS, QUOTE_STATUSES

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
    OCR_CONFIDENCE,
)  # fmt: skip

PASSAGE: Final = Column("passage", "text", "The passage to read first.")
"""Of the table of pairs in Python only: the files of an export hold no texts of pages."""
