"""Answers of models to QA items as a study keeps them: which run of a model counts, and how answers are read."""

import json

import pytest

from medreview import pipeline
from medreview.generators.qa_answers import QAAnswers, read_answer
from medreview.study import Study
from medreview.units.item_answers import item_answers
from tests.support.asked_items import Answering, Rule, fill
from tests.support.judge_endpoint import JudgeEndpoint


def test_a_run_with_other_parameters_counts_once_it_has_come_as_far(study: Study) -> None:
    fill(study, 7)
    with JudgeEndpoint(Answering({"m": Rule(right=1.0)})) as server:
        first, second = (server.settings("m", params={"temperature": heat}) for heat in (0.0, 1.0))
        pipeline.generate(study, pipeline.Generating(QAAnswers, first))
        (before,) = {one.run for one in item_answers(study.reader)}
        pipeline.generate(study, pipeline.Generating(QAAnswers, second), limit=3)
        assert {one.run for one in item_answers(study.reader)} == {before}
        pipeline.generate(study, pipeline.Generating(QAAnswers, second))
        (after,) = {one.run for one in item_answers(study.reader)}
    assert after != before
    assert len(item_answers(study.reader)) == 7


@pytest.mark.parametrize(
    ("status", "output", "answer", "code"),
    [
        ("unparsable", json.dumps({"answer": ["A", "C"]}), "A, C", ""),
        ("unparsable", json.dumps({"answer": True}), "True", ""),
        ("unparsable", json.dumps({"response": "B"}), "B", ""),
        ("unparsable", "The answer is B.", "The answer is B.", ""),
        ("refused", "I'm sorry, but I can't help.", "I'm sorry, but I can't help.", ""),
        ("truncated", '{"answer": "Vitamin K is gi', "Vitamin K is gi", "cut_off"),
        ("unparsable", "", "", ""),
    ],
)
def test_any_form_of_an_answer_is_an_answer(status: str, output: str, answer: str, code: str) -> None:
    assert read_answer(status, output) == {"answer": answer, "code": code}
