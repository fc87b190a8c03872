"""The columns of the tables that only the exported database has: the CSV files of an export hold no pages."""

from typing import Final

from medreview.exchange.files.columns import OCR_CONFIDENCE, Column
from medreview.labels import PAGE_STATES, SET_APART

SOURCES: Final = (
    Column("source_id", "text", "The source: what one or more citations lead to."),
    Column("kind", "text", "Kind of reference by which it was first met: url, doi, pmid, ..."),
    Column("value", "text", "Reference by which it was first met."),
    Column("url", "text", "Where it is fetched."),
    Column("domain", "text", "Host of that address."),
    Column("key", "text", "What makes two references the same source."),
)

SNAPSHOTS: Final = (
    Column("snapshot_id", "text", "One version of a source's page, as it was fetched."),
    Column("source_id", "text", "Its source. Empty, as all that follows, for a page that a label names and that this "
           "study does not have."),
    Column("url", "text", "Address of the source."),
    Column("title", "text", "Title of the page."),
    Column("version", "integer", "Which text of the source it is, from 1, by the time at which it was fetched."),
    Column("is_current", "boolean", "1: the version that is judged and shown now."),
    Column("page_state", "text", "What kind of page it is.", levels=PAGE_STATES),
    Column("http_status", "integer", "Status of the answer; empty when there was none."),
    Column("fetched_at", "time", "When it was fetched.", unit="UTC"),
    Column("final_url", "text", "Where the redirects led."),
    Column("content_type", "text", "What the server called it."),
    Column("extractor", "text", "What made the text, with its version."),
    Column("text_sha256", "text", "SHA-256 of the text's UTF-8 bytes."),
    Column("set_apart", "text", "Parts of the text that do not stand open on the page, as JSON: [[start, end, kind], "
           "...] in code points; kinds: " + ", ".join(SET_APART) + ". [] where none is known."),
    OCR_CONFIDENCE,
    Column("text_length", "integer", "Length of the text.", unit="code points"),
    Column("text", "text", "The main text, as it was judged and shown. Empty where there is none, and in a database "
           "made without the texts of pages."),
)  # fmt: skip
