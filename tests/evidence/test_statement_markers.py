"""A statement's markers are no words and no amounts of it, wherever it is compared with a page."""

import json
import sqlite3
from pathlib import Path

import pytest

from medreview import pipeline
from medreview.citations.markers import without_markers
from medreview.citations.stage import extract_all
from medreview.evidence.assess import assess
from medreview.evidence.grounding import ground
from medreview.evidence.jsonl_filter import serve
from medreview.evidence.lexical import matches
from medreview.evidence.ranking import SourceIndex
from medreview.judges.offline import ENGINE, judge
from medreview.study import Study
from tests.support.study_builder import build, rows_of

PAGE = (
    "Metformin lowers vitamin B12 in 12 patients of 30. The daily dose of metformin was 500 mg at first. "
    "Of 3 patients, 4 had symptoms. See https://a.org/12/3 and Smith 2019 for more."
)
MARKERS = ["[3]", "[3, 4]", "[3][4]", "【3†source】", "<sup>3</sup>", "(Smith et al., 2019)", "https://a.org/12/3"]


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
    "text", ["95% CI [1, 5]", "grade (3)", "in May (2019)", "kg/m²", "[18F]FDG", "500 mg (2 tablets)"]
)
def test_what_only_looks_like_a_marker_stays(text: str) -> None:
    assert without_markers(text) == text


def test_a_quote_with_markers_is_found_word_for_word() -> None:
    assert ground("Metformin lowers vitamin B12 [3] in 12 patients of 30.", PAGE).status == "normalised"


def test_markers_that_only_the_answers_own_list_tells_are_left_out_too(tmp_path: Path) -> None:
    study = Study.create(tmp_path / "s.medreview")
    text = "Metformin (3) lowers vitamin B12 (3) in patients who take it."
    listed = json.dumps([f"https://{name}.org" for name in "abc"])
    build(study, lambda rows: rows.response("r1", text, cited=0, parser=None, listed=listed))
    extract_all(study)
    source = rows_of(study, "SELECT source_id FROM source WHERE url = 'https://c.org'")[0]["source_id"]
    snapshot = build(study, lambda rows: rows.snapshot(source, PAGE))
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

    def of_an_earlier_engine(connection: sqlite3.Connection) -> None:
        connection.execute("UPDATE evidence SET engine = 'rules-1', unsupported = 1")
        connection.execute("DELETE FROM verdict")
        connection.execute("DELETE FROM judgement")

    study.write(of_an_earlier_engine)
    pipeline.judge(study)
    [again] = rows_of(study, "SELECT snapshot_id, engine, unsupported FROM evidence")
    assert again == {"snapshot_id": snapshot, "engine": ENGINE, "unsupported": expected.unsupported}
