"""The sample texts, and what the demo model says of them: every shade of questions and answers, without a server."""

from functools import partial
from pathlib import Path

from medreview import pipeline
from medreview.generators.answers import Answers
from medreview.generators.questions import Questions
from medreview.generators.source_texts import read_texts
from medreview.llm.settings import JudgeSettings
from medreview.stats.reports.study_support import response_report
from medreview.units.stored import add_passages
from tests.support.study_builder import rows_of

SAMPLE = Path(__file__).parents[2] / "sample_data"
WRITER = JudgeSettings("demo-writer", "demo-writer", "recorded:", role="model", recorded=SAMPLE / "recorded")


def test_questions_of_the_sample_texts_and_answers_to_them_in_every_shade(study):
    texts = read_texts(SAMPLE / "question_texts.jsonl").passages
    study.write(lambda connection: add_passages(connection, texts, "question_texts.jsonl"))
    asked = pipeline.generate(study, pipeline.Generating(Questions, WRITER))
    assert (asked.counts.items, asked.counts.made, asked.counts.nothing, asked.waiting) == (
        10,
        9,
        {"invalid": 1},
        0,
    )
    assert (asked.counts.attempts, asked.counts.retried) == (15, 5)
    assert asked.counts.codes == {
        "points_at_text": 2, "number_not_in_quote": 2, "quote_altered": 1, "answer_in_question": 1, "unparsable": 1,
    }  # fmt: skip

    answered = pipeline.generate(study, pipeline.Generating(Answers, WRITER))
    searched = pipeline.generate(study, pipeline.Generating(partial(Answers, web=True), WRITER))
    assert answered.counts.codes == {"empty": 3, "cut_off": 1}
    assert searched.counts.codes == {"no_list_and_no_address": 1}
    assert (answered.waiting, searched.waiting) == (0, 0)

    kinds = response_report(study.reader).by_model
    assert {model: (one.responses, one.empty, one.incomplete, one.sourceless) for model, one in kinds.items()} == {
        "demo-writer": (9, 1, 0, 1), "demo-writer (web)": (9, 0, 0, 2),
    }  # fmt: skip
    (prose,) = rows_of(study, "SELECT text FROM response WHERE text LIKE '%https://%'")
    assert prose["text"].startswith("The same dose of adrenaline")
    assert {row["origin"] for row in rows_of(study, "SELECT origin FROM response")} == {"reference"}
    pipeline.fetch(study, pipeline.PageProvider(SAMPLE / "pages"))
    lost = rows_of(
        study, "SELECT url FROM source LEFT JOIN snapshot_current USING (source_id) WHERE page_state <> 'ok'"
    )
    assert [row["url"] for row in lost] == ["https://www.hand-hygiene-alliance.example/spores"]
