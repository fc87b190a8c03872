"""A page that was read by OCR is evidence of a lesser kind, and whoever judges by it is told."""

import pytest

from medreview.judges.llm_stage import judge_with
from medreview.judges.ocr_limits import status_as_read
from medreview.judges.offline_stage import judge_offline
from medreview.judges.quote_grounding import QuoteGrounder
from medreview.judges.verdicts import refresh
from medreview.study import Study
from tests.judges.renal_study import part_of
from tests.support.scanned_study import PAGES, SCANNED, TYPED, fill_scanned
from tests.support.study_builder import rows_of

TOLD = "page 2 of the document was read by OCR, so letters and numbers may be wrong; copy them as they stand"


@pytest.fixture
def scanned(tmp_path):
    with Study.create(tmp_path / "a.medreview") as study:
        fill_scanned(study)
        yield study


@pytest.mark.parametrize(
    ("quote", "status"),
    [
        ("Lie the patient flat with the legs raised", "exact"),
        ("Repeat the dose after 5 minutes", "near"),
        ("repeat the  dose after 5 minutes", "near"),
        ("call for help at once … into the outer thigh", "near"),
        ("Adults are given 500 micrograms of adrenaline", "altered"),
        ("Glucagon is given to patients on beta blockers", "absent"),
    ],
)
def test_a_quote_from_a_page_read_by_ocr_is_never_more_than_near(scanned, quote, status):
    found = QuoteGrounder(scanned.reader).ground(quote, "p1", supports="Adrenaline is repeated after 5 minutes.")
    assert found.status == status
    assert (found.doubt is not None) == (status in ("exact", "near"))


def test_without_pages_read_by_ocr_a_status_stays_what_it_is():
    span = PAGES[0].span
    assert status_as_read("exact", (span,), ()) == "exact"
    assert status_as_read("too_short", (span,), PAGES) == "too_short"


def test_what_differs_only_in_a_number_in_doubt_contradicts_nothing_and_says_why(scanned):
    judge_offline(scanned, processes=0)
    refresh(scanned)

    doubtful, sure, typed = rows_of(scanned, "SELECT * FROM judgement ORDER BY statement_id")
    assert (doubtful["verdict"], doubtful["raw_label"]) == (None, "unsure")
    assert "300 micrograms in the source" in doubtful["reason"]
    assert "(read by OCR with 71%: look at the page)" in doubtful["reason"]
    assert sure["verdict"] == "contradicted"
    assert "OCR" not in sure["reason"]
    assert [row["quote_status"] for row in (doubtful, sure, typed)] == ["near", "near", "exact"]

    flagged = rows_of(scanned, "SELECT statement_id, badges FROM verdict WHERE priority > 0 ORDER BY priority DESC")
    assert [(row["statement_id"], row["badges"]) for row in flagged] == [
        ("s2", "numbers differ"),
        ("s1", "numbers differ (OCR in doubt)"),
    ]


def test_a_judge_is_told_which_pages_were_read_by_ocr(scanned, serve):
    model = serve(
        lambda prompt: {
            "quote": "Repeat the dose after 5 minutes",
            "reason": "It says so.",
            "label": "partial",
            "confidence": 0.6,
        }
    )
    judge_with(scanned, [model.settings()])

    assert len(model.prompts) == 3
    for prompt in model.prompts:
        fence = next(line for line in prompt.splitlines() if line.startswith("<<<source "))
        assert fence.endswith(f", {TOLD}>>>")
        assert part_of(prompt, "source") == f"{TYPED}\n\n{SCANNED}"
    assert {row["quote_status"] for row in rows_of(scanned, "SELECT quote_status FROM judgement")} == {"near"}


def test_a_prompt_for_any_other_page_is_what_it_always_was(study, serve):
    model = serve()
    judge_with(study, [model.settings()])
    assert not any("OCR" in prompt for prompt in model.prompts)


def test_a_judge_of_all_sources_together_is_told_at_the_source(study, serve):
    values = ("p1", 1, 0, 40, 0.9, "OCR 1", "[]")
    study.write(lambda db: db.execute("INSERT INTO snapshot_ocr VALUES (?, ?, ?, ?, ?, ?, ?)", values))
    judge_with(study, [serve().settings()])
    refresh(study)
    model = serve(lambda _: {"quotes": [], "reason": "No.", "label": "not_addressed", "confidence": 0.6})
    judge_with(study, [model.settings()], task="merged_verification")

    (prompt,) = model.prompts
    headings = [line for line in part_of(prompt, "sources").splitlines() if line.startswith("Source ")]
    assert headings[0].startswith("Source 1, page 1 of the document was read by OCR, so letters")
    assert headings[1:] == ["Source 2:"]
