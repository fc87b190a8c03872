"""A study whose one source is a PDF of two pages: the first has text, the second was read by OCR, a number in doubt."""

from medreview.sources.ocr_pages import Doubtful, OcrPage, add_ocr_pages
from medreview.study import Study
from medreview.text import Span
from tests.support.study_builder import StudyBuilder, build

TYPED = "Anaphylaxis on the ward\n\nLie the patient flat with the legs raised and call for help at once."
SCANNED = (
    "Adrenaline by injection into the outer thigh.\n"
    "Adults are given 300 micrograms of adrenaline into the muscle.\n"
    "Repeat the dose after 5 minutes when there is no improvement."
)
TEXT = f"{TYPED}\n\n{SCANNED}"
STARTS = (0, len(TYPED) + 2)
DOUBTFUL = TEXT.index("300")
PAGES = (
    OcrPage(2, Span(STARTS[1], len(TEXT)), 0.934, "OCR 1", (Doubtful(DOUBTFUL, DOUBTFUL + 3, 0.71),)),
)  # fmt: skip
STATEMENTS = {
    "s1": "Adults are given 500 micrograms of adrenaline into the muscle.",
    "s2": "Repeat the dose after 15 minutes when there is no improvement.",
    "s3": "Lie the patient flat with the legs raised.",
}
QUESTION = "How much adrenaline do we give?"


def fill_scanned(study: Study) -> str:
    """Three statements of one response; the id of the page that they cite."""

    def rows(rows: StudyBuilder) -> str:
        snapshot = rows.page("u1", TEXT, "https://poster.example/", snapshot_id="p1", page_starts=f"[0, {STARTS[1]}]")
        add_ocr_pages(rows.connection, snapshot, PAGES)
        rows.response("r1", " ".join(STATEMENTS.values()), cites=["u1"], question=QUESTION)
        for statement_id, text in STATEMENTS.items():
            rows.statement("r1", text, statement_id)
        return snapshot

    return build(study, rows)
