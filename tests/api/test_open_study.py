"""Making, opening, preparing and keeping a study from Python."""

import asyncio
import json
import warnings

import pytest

import medreview
from tests.support.commands import own_settings
from tests.support.judge_endpoint import NOT_ADDRESSED, JudgeEndpoint, says

ANSWER = "Start with 850 mg of metformin twice daily. It is stopped below an eGFR of 30. https://example.org/metformin"
PAGE = "<h1>Metformin</h1><p>Start with 500 mg of metformin twice daily.</p><p>Stop it below an eGFR of 30.</p>"


@pytest.fixture
def inputs(tmp_path):
    """A file of one answer under another name, and the page that it cites."""
    (tmp_path / "answers.jsonl").write_text(json.dumps({"answer_text": ANSWER, "id": "a1", "model": "atlas-2"}) + "\n")
    pages = tmp_path / "pages"
    pages.mkdir()
    (pages / "metformin.html").write_text(PAGE)
    (pages / "manifest.jsonl").write_text('{"url": "https://example.org/metformin", "file": "metformin.html"}\n')


def test_a_study_is_made_once_and_opened_by_one_writer():
    with medreview.create_study("a.medreview", "First") as study:
        assert (study.title, study.writable, study.path.name) == ("First", True, "a.medreview")
        with pytest.raises(medreview.UserError, match="in this process already"):
            medreview.open_study("a.medreview")
        with medreview.open_study("a.medreview", read_only=True) as reading:
            assert reading.study_id == study.study_id
            assert repr(reading) == "<OpenStudy 'First' at a.medreview, read only>"
            with pytest.raises(medreview.UserError, match="for reading only"):
                reading.judge()
    with pytest.raises(medreview.UserError, match="exists already"):
        medreview.create_study("a.medreview")
    with pytest.raises(medreview.UserError, match="There is no study"):
        medreview.open_study("b.medreview")
    medreview.open_study("a.medreview").close()


@pytest.mark.usefixtures("inputs")
def test_the_stages_one_by_one_do_what_run_does():
    mapping = {"answer_text": "response"}
    with medreview.create_study("whole.medreview") as whole, medreview.create_study("steps.medreview") as steps:
        whole.run("answers.jsonl", pages="pages", mapping=mapping)
        assert steps.import_file("answers.jsonl", mapping).added == 1
        assert steps.fetch("pages").states == {"thin": 1}
        assert steps.parse().statements == 2
        assert steps.judge() == medreview.Judged(pairs=2, flagged=1)
        assert steps.import_file("answers.jsonl", mapping).known == 1

        same = [[(s.text, s.verdict.verdict, s.passages) for s in study.statements()] for study in (whole, steps)]
        assert same[0] == same[1]
        assert [verdict for _, verdict, _ in same[0]] == ["contradicted", "supported"]


@pytest.mark.usefixtures("inputs")
def test_long_work_tells_how_far_it_is():
    class Heard:
        def __init__(self):
            self.begun, self.steps = [], 0

        def begin(self, title, total):
            self.begun.append((title, total))

        def step(self, count=1):
            self.steps += count

    progress = Heard()
    with medreview.create_study("a.medreview", progress=progress) as study:
        study.run("answers.jsonl", pages="pages", mapping={"answer_text": "response"})

    assert ("pairs", 2) in progress.begun
    assert progress.steps >= sum(total for title, total in progress.begun if title in ("pages", "statements", "pairs"))


def test_models_are_asked_by_name_or_as_given_also_inside_an_event_loop(demo, tmp_path):
    with JudgeEndpoint(says(json.dumps(NOT_ADDRESSED), usage=None)) as endpoint:
        own_settings(tmp_path, endpoint.table("near"))

        assert demo.plan("near", limit=3)[0].estimate.calls == 3
        assert endpoint.asked == []
        assert demo.judge_by("near", limit=3).judges[0].calls == 3

        async def cell() -> medreview.JudgedBy:
            return demo.judge_by("near", endpoint.settings("given", model="other"), limit=4)

        near, given = asyncio.run(cell()).judges
        assert (near.calls, given.calls) == (4, 4)
        assert given.outcomes == {"not_addressed": 4}
    told = {row.judge for row in demo.judgements() if row.kind == "llm"}
    assert told == {"near", "given"}


def test_models_are_asked_about_a_part_of_the_study(demo, tmp_path):
    with JudgeEndpoint(says(json.dumps(NOT_ADDRESSED), usage=None)) as endpoint:
        judge = endpoint.settings("near")
        (every,), (cited,) = demo.plan(judge), demo.plan(judge, cited_only=True)
        assert 0 < cited.units < every.units

        drawn = demo.plan(judge, cited_only=True, only=("flagged",), limit=3, seed=1)[0].units
        done = demo.judge_by(judge, cited_only=True, only=("flagged",), limit=3, seed=1).judges[0]
        assert 1 <= done.units == drawn <= 3
    with pytest.raises(medreview.UserError, match="A filter cannot use 'colour'"):
        demo.plan(judge, where="colour=red")


def test_a_generator_writes_units_that_wait_for_a_reviewer(tmp_path):
    passages = tmp_path / "texts.jsonl"
    text = "Aspirin is stopped 7 days before an operation."
    passages.write_text(json.dumps({"unit": "question", "question": "Is it?", "passage": text}) + "\n")
    said = {"quote": text, "answer": "7 days before", "question": "When is aspirin stopped before an operation?"}
    with (
        medreview.create_study(tmp_path / "s.medreview") as study,
        JudgeEndpoint(says(json.dumps(said), usage=None)) as endpoint,
    ):
        study.import_file(passages)
        done = study.generate("questions", endpoint.settings("writer"))

        assert (done.counts.made, done.counts.products, done.waiting) == (1, {"question": 1}, 0)
        with pytest.raises(medreview.UserError, match=r"no generator 'poems'; there are: .*questions"):
            study.generate("poems", endpoint.settings("writer"))


def test_texts_that_leave_this_machine_are_announced_or_refused(demo, monkeypatch):
    monkeypatch.delenv("FAR_KEY", raising=False)
    far = medreview.JudgeSettings("far", "m", "https://models.example/v1", api_key_env="FAR_KEY")

    with pytest.raises(medreview.UserError, match=r"Not on this machine.*far \(models.example\)"):
        demo.judge_by(far, local_only=True)
    with (
        pytest.warns(UserWarning, match="far: m at models.example, outside this machine, with the key in") as told,
        pytest.raises(medreview.UserError, match="FAR_KEY"),
    ):
        demo.judge_by(far)
    assert told[0].filename == __file__
    with warnings.catch_warnings(action="error"):
        assert demo.plan(far, limit=1)[0].host == "models.example"


@pytest.mark.parametrize(
    ("judge", "sentence"),
    [
        (medreview.JudgeSettings("offline", "m", "http://localhost/v1"), "needs another name"),
        (medreview.JudgeSettings("a", "m", "localhost:8000"), "'base_url' must be an address"),
        (medreview.JudgeSettings("a", "m", "http://localhost/v1", params={"messages": []}), "'messages' cannot stand"),
        ("nobody", "There is no judge 'nobody'"),
    ],
)
def test_a_judge_that_cannot_be_asked_is_refused(sample, judge, sentence):
    with pytest.raises(medreview.UserError, match=sentence):
        sample.plan(judge)


def test_no_judge_and_two_judges_of_one_name_are_refused(sample):
    with pytest.raises(medreview.UserError, match="Name a judge"):
        sample.plan()
    one, other = (medreview.JudgeSettings("a", model, "http://localhost/v1") for model in ("m", "n"))

    with pytest.raises(medreview.UserError, match="Two judges have the name 'a'"):
        sample.plan(one, other)


def test_keeping_a_study(demo, tmp_path):
    assert demo.check() == []
    copy = demo.backup()
    assert copy.parent == demo.path.parent
    with medreview.open_study(copy) as theirs:
        theirs.decide(next(theirs.statements()), "partial", reviewer="ben")
    merged = demo.merge(copy)
    assert (merged.added, merged.known, merged.foreign) == (2, 0, 0)  # and that the judges were looked at
    assert next(demo.statements()).labels["ben"].label == "partial"

    written = demo.export(tmp_path / "tables")
    assert written.files["labels.csv"] == 1
    with pytest.raises(medreview.UserError, match="cannot be merged with itself"):
        demo.merge(demo.path)
