"""The task ``reference_parsing``: references that the rules doubt are read by a judge, in their own words."""

import json
from functools import partial
from itertools import count

import pytest

from medreview import pipeline
from medreview.errors import UserError
from medreview.references.model import ReferenceCheck, reference_of
from medreview.references.study_references import CheckedBy, store_check, waiting
from medreview.study import Study
from medreview.study.check import check_study
from tests.support.judge_endpoint import JudgeEndpoint, judge_with
from tests.support.misbehaving import MODES, Misbehaving
from tests.support.study_builder import build, rows_of

DOUBTED = "Heparin in stroke and what became of it. Test Neurol doi:10.5555/found.4"
SURE = 'Vale D. "Heparin, a plan for the ward." J Test Med. 2011;12:3-9. doi:10.5555/found.5'
GOOD = {
    "authors": [], "title": "Heparin in stroke and what became of it", "container": "Test Neurol", "year": "",
    "volume": "", "issue": "", "pages": "", "publisher": "", "edition": "",
}  # fmt: skip
TASK = "reference_parsing"


@pytest.fixture
def study(empty_study: Study) -> Study:
    listed = json.dumps([DOUBTED, SURE])
    build(empty_study, lambda to: to.response("r1", "Heparin is safe [1].", cited=0, parser=None, listed=listed))
    pipeline.find_references(empty_study)
    return empty_study


def readings(study: Study) -> dict[str, dict[str, object]]:
    rows = rows_of(study, "SELECT text, reading FROM reference_current ORDER BY ordinal")
    return {row["text"]: json.loads(row["reading"]) for row in rows}


def test_the_doubted_one_alone_is_asked_by_its_own_words(study: Study, serve) -> None:  # type: ignore[no-untyped-def]
    assert readings(study)[DOUBTED]["unsure"]
    sure = readings(study)[SURE]
    model: JudgeEndpoint = serve(lambda _: GOOD)
    judges = pipeline.Judges([model.settings()], TASK)
    (plan,) = pipeline.plan_for(study, judges)
    assert (plan.units, plan.estimate.calls) == (1, 1)
    (tally,) = pipeline.judge_by(study, judges).judges

    assert tally.outcomes == {"read": 1}
    (prompt,) = model.prompts
    assert DOUBTED in prompt
    assert "safe" not in prompt
    read = readings(study)[DOUBTED]
    assert (read["title"], read["container"]) == (GOOD["title"], GOOD["container"])
    assert str(read["read_by"]).startswith("one reference_parsing/1 j")
    assert "unsure" not in read
    assert readings(study)[SURE] == sure
    assert pipeline.judge_by(study, judges).judges[0].units == 0
    assert check_study(study).faults == []


def test_its_reading_outlives_the_rules_and_is_checked_anew(study: Study, serve) -> None:  # type: ignore[no-untyped-def]
    by, nothing = CheckedBy("rules-1", "", online=False), ReferenceCheck("not_found")

    def left() -> list[str]:
        found = waiting(study.reader, by)
        for reference_id, _ in found:
            study.write(partial(store_check, reference_id=reference_id, check=nothing, by=by))
        return [reference_of(json.loads(reading)).text for _, reading in found]

    assert (left(), left()) == ([DOUBTED, SURE], [])
    judge_with(study, [serve(lambda _: GOOD).settings()], task=TASK)
    read = readings(study)
    assert (left(), left()) == ([DOUBTED], [])

    study.write(lambda connection: connection.execute("UPDATE response SET references_by = NULL"))
    pipeline.find_references(study)
    assert readings(study) == read


def test_what_is_not_in_the_text_leaves_the_reading_of_the_rules(study: Study, serve) -> None:  # type: ignore[no-untyped-def]
    before = readings(study)
    model: JudgeEndpoint = serve(lambda _: {**GOOD, "year": "2019"})
    for _ in range(2):
        (tally,) = judge_with(study, [model.settings()], task=TASK)
        assert tally.outcomes == {"left to the rules": 1}
    assert readings(study) == before
    assert len(model.prompts) == 1, "the answer is in the cache"
    with pytest.raises(UserError, match="name one judge"):
        judge_with(study, [model.settings("a"), model.settings("b")], task=TASK)


def test_no_misbehaving_model_puts_a_word_into_a_reading(study: Study, serve) -> None:  # type: ignore[no-untyped-def]
    server: JudgeEndpoint = serve()
    before = readings(study)
    number = count()
    for mode in MODES:
        server.play(Misbehaving(mode, lambda _: GOOD))
        judge_with(study, [server.settings(f"m{next(number)}", concurrency=1)], task=TASK)
        for text, read in readings(study).items():
            if read == before[text]:
                continue
            for name in ("title", "container", "year", "volume", "issue", "pages", "publisher", "edition"):
                assert str(read.get(name, "")) in text, (mode, name)
            for author in read.get("authors", []):  # type: ignore[attr-defined]
                assert author["family"] in text, mode
        study.write(lambda connection: connection.execute("UPDATE response SET references_by = NULL"))
