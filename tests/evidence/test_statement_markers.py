"""A statement's markers are no words and no amounts of it, wherever it is compared with a page."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from medreview import pipeline
from medreview.citations.markers import without_markers
from medreview.citations.stage import extract_all
from medreview.evidence.assess import assess
from medreview.evidence.grounding import ground
from medreview.evidence.jsonl_filter import serve
from medreview.evidence.passage_ranking import SourceIndex
from medreview.evidence.source_highlights import matches
from medreview.judges import offline_stage
from medreview.judges.offline_stage import OfflineJudgement, judge
from medreview.judges.runs import ENGINE
from medreview.study import Study
from tests.support.study_builder import StudyBuilder, build, rows_of

PAGE = (
    "Metformin lowers vitamin B12 in 12 patients of 30. The daily dose of metformin was 500 mg at first. "
    "Of 3 patients, 4 had symptoms. See https://a.org/12/3 and Smith 2019 for more."
)
MARKERS = [
    "[3]", "[3, 4]", "[3][4]", "【3†source】", "<sup>3</sup>", "[Source: 3]", "[^3]", "(Smith et al., 2019)",
    "https://a.org/12/3",
]  # fmt: skip


def statements(marker: str) -> tuple[str, str]:
    """A statement with a marker, and the same with blanks there."""
    text = "The daily dose of metformin {} was 250 mg at first."
    return text.format(marker), text.format(" " * len(marker))


@pytest.mark.parametrize("marker", MARKERS)
def test_a_marker_changes_nothing_that_is_found(marker: str) -> None:
    index = SourceIndex(PAGE)
    marked, plain = statements(marker)
    assert without_markers(marked) == plain
    assert assess(marked, index) == assess(plain, index)
    assert judge(marked, index) == judge(plain, index)
    assert matches(marked, index) == matches(plain, index)
    [one, other] = serve(json.dumps({"statement": text, "source_text": PAGE}) for text in (marked, plain))
    assert one == other
    [clash] = assess(marked, index).clashes
    assert marked[slice(*clash.statement_span)] == "250 mg"


@pytest.mark.parametrize(
    "text",
    ["95% CI [1, 5]", "grade (3)", "in May (2019)", "kg/m²", "[18F]FDG", "500 mg (2 tablets)", "10⁹ cells",
     "40 inches²", "Ca²⁺", "x^2^"],
)  # fmt: skip
def test_what_only_looks_like_a_marker_stays(text: str) -> None:
    assert without_markers(text) == text


@pytest.mark.parametrize("text", ["It lowers vitamin B12 in adults.²³", "in adults²,³ as told", "in adults^2,3^."])
def test_raised_numbers_after_a_word_are_markers_without_a_list(text: str) -> None:
    assert not {"2", "3"} & set(re.findall(r"\d+", without_markers(text)))
    assert len(without_markers(text)) == len(text)


def test_the_marker_and_address_that_a_retrieved_text_begins_with_are_no_passage() -> None:
    statement = "The daily dose of metformin at https://a.org/metformin was 500 mg at first."
    for opening in (
        "[5] https://a.org/metformin-dose\n\n",
        "[5]: <https://a.org/metformin-dose> ",
        "\n[^5] http://a.org\n",
    ):
        retrieved, plain = SourceIndex(opening + PAGE), SourceIndex(PAGE)
        places = [(passage.start - len(opening), passage.end - len(opening)) for passage in retrieved.passages]
        assert places == [(passage.start, passage.end) for passage in plain.passages]
        assert assess(statement, retrieved).unsupported == assess(statement, plain).unsupported
    assert SourceIndex("[5] Metformin, see https://a.org").passages[0].start == 0


def test_a_quote_with_markers_is_found_word_for_word() -> None:
    assert ground("Metformin lowers vitamin B12 [3] in 12 patients of 30.", PAGE).status == "normalised"


def test_markers_that_only_the_answers_own_list_tells_are_left_out_too(tmp_path: Path) -> None:
    study = Study.create(tmp_path / "s.medreview")
    text = "Metformin (3) lowers vitamin B12 (3) in patients who take it."
    listed = json.dumps([f"https://{name}.org" for name in "abc"])
    build(study, lambda rows: rows.response("r1", text, cited=0, parser=None, listed=listed))
    extract_all(study)
    source = rows_of(study, "SELECT source_id FROM source WHERE url = 'https://c.org'")[0]["source_id"]
    build(study, lambda rows: rows.snapshot(source, PAGE))
    pipeline.parse(study)
    pipeline.judge(study)
    [found] = rows_of(study, "SELECT unsupported, clashes, lexical FROM evidence")
    index = SourceIndex(PAGE)
    expected = assess(text.replace("(3)", "   "), index)
    assert found["unsupported"] == expected.unsupported
    assert assess(text, index).unsupported != expected.unsupported  # 3 is an amount where no list has it
    lit = [PAGE[start:end] for start, end in json.loads(found["lexical"])]
    assert lit
    assert not any("3" in words.split() for words in lit)


def test_pairs_that_an_earlier_engine_judged_are_judged_again_and_its_judgement_counts_no_more(tmp_path: Path) -> None:
    study = Study.create(tmp_path / "s.medreview")
    text = "The daily dose of metformin was 250 mg at first."

    def pair(rows: StudyBuilder) -> None:
        rows.page("s1", PAGE)
        rows.response("r1", text, statements=[text], cites=["s1"])

    build(study, pair)
    with pytest.MonkeyPatch.context() as earlier:
        earlier.setattr(offline_stage, "ENGINE", "rules-2")
        earlier.setattr(offline_stage, "OFFLINE", replace(offline_stage.OFFLINE, model="rules-2"))
        earlier.setattr(
            offline_stage, "judge", lambda *_: OfflineJudgement("supported", "supported", 0.9, "as it was", None, None)
        )
        pipeline.judge(study)
    query = "SELECT engine FROM evidence"
    assert rows_of(study, query) == [{"engine": "rules-2"}]
    assert rows_of(study, "SELECT verdict FROM verdict") == [{"verdict": "supported"}]
    pipeline.judge(study)
    assert rows_of(study, query) == [{"engine": ENGINE}]
    assert rows_of(study, "SELECT verdict FROM verdict") == [{"verdict": "contradicted"}]
    runs = rows_of(study, "SELECT model FROM judgement JOIN judge_run USING (judge_run_id) ORDER BY model")
    assert runs == [{"model": "rules-2"}, {"model": ENGINE}]  # what was said stays on record
    pipeline.judge(study)
    assert rows_of(study, "SELECT count(*) AS n FROM judgement") == [{"n": 2}]
