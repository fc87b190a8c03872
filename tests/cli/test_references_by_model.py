"""``medreview references STUDY --ask-model NAME``: a judge reads what the rules doubt."""

import json

import pytest

from medreview.study import Study
from tests.support.commands import own_settings
from tests.support.judge_endpoint import JudgeEndpoint, says
from tests.support.study_builder import rows_of

DOUBTED = "Heparin in stroke and what became of it. Test Neurol doi:10.5555/found.4"
TITLE = "Heparin in stroke and what became of it"
GOOD = {
    "authors": [], "title": TITLE, "container": "Test Neurol", "year": "", "volume": "", "issue": "", "pages": "",
    "publisher": "", "edition": "",
}  # fmt: skip


@pytest.fixture
def model(tmp_path):
    with JudgeEndpoint(says(json.dumps(GOOD), usage=None)) as endpoint:
        far = '[judges.far]\nmodel = "m"\nbase_url = "https://models.example/v1"\n'
        own_settings(tmp_path, endpoint.table("near", price_input=1.0, price_output=2.0) + far)
        yield endpoint


@pytest.fixture
def study(medreview):
    record = {"id": "a17", "response": "Heparin is safe [1].", "citations": [DOUBTED]}
    (medreview.folder / "answers.jsonl").write_text(json.dumps(record))
    (medreview.folder / "library.json").write_text(
        json.dumps([{"id": "h", "type": "article-journal", "title": TITLE, "DOI": "10.5555/found.4"}])
    )
    medreview("import", "s.medreview", "answers.jsonl")
    return "s.medreview"


def test_a_model_reads_what_the_rules_doubt_and_is_not_asked_twice(medreview, study, model):
    asked = ("references", study, "--library", "library.json", "--ask-model", "near")
    first = medreview(*asked)
    assert "near (m at 127.0.0.1" in first.stderr
    assert "1 reference, 1 call to pay" in first.stderr
    assert first.stderr.index("1 call to pay") < first.stderr.index("near: 1 unit, 0 abstained; 1 call")
    assert "1 read" in first.stderr
    assert "read no reference with doubt: the model is not asked" in medreview(*asked).stderr
    assert len(model.asked) == 1
    with Study.open(medreview.folder / study, read_only=True) as opened:
        (row,) = rows_of(
            opened,
            """SELECT json_extract(reading, '$.title') AS title, json_extract(reading, '$.read_by') AS read_by, rules
               FROM reference JOIN reference_checked USING (reference_id)""",
        )
    assert (row["title"], row["read_by"].split()[:2]) == (TITLE, ["near", "reference_parsing/1"])
    assert row["rules"].endswith(row["read_by"])
    medreview("export", study, "out")
    medreview("import", "again.medreview", "out")
    with Study.open(medreview.folder / "again.medreview", read_only=True) as opened:
        (again,) = rows_of(opened, "SELECT json_extract(reading, '$.read_by') AS read_by FROM reference_current")
    assert again["read_by"] == row["read_by"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("s.medreview", "--ask-model", "far", "--local-only"), "far (models.example)"),
        (("s.medreview", "--ask-model", "nobody"), "There is no judge 'nobody'"),
        (("s.medreview", "--local-only"), "goes with --ask-model"),
        (("answers.jsonl", "--offline", "--library", "library.json", "--ask-model", "near"), "is for a study"),
        (("--jsonl", "--ask-model", "near"), "is for a study"),
    ],
)
def test_mistakes_are_a_sentence_and_nothing_is_sent(medreview, study, model, arguments, words):
    assert words in medreview("references", *arguments, check=2).stderr
    assert model.asked == []
