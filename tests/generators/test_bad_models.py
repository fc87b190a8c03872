"""Every generator against models that misbehave in every known way: nothing of it becomes a product."""

import json
import shutil
from functools import cache
from itertools import count
from pathlib import Path

import pytest

from medreview import pipeline
from medreview.generators.registry import GENERATORS
from medreview.study import Study
from medreview.study.check import check
from tests.support.generator_samples import SAMPLES
from tests.support.judge_endpoint import JudgeEndpoint
from tests.support.misbehaving import COMMAND, LANGUAGES, MODES, ODD, PROSE, Misbehaving
from tests.support.study_builder import rows_of

MADE = ("unit", "response", "passage", "clinical_case", "gold", "reference_answer")
MARKS = (COMMAND, PROSE, *(sentence for sentences in LANGUAGES.values() for sentence in sentences))
SEVERAL = {name: sample.stages for name, sample in SAMPLES.items() if sample.stages}
"""Samples whose inputs take several questions, and from which of them on a model goes bad."""


def generated(
    study: Study, server: JudgeEndpoint, name: str, limit: int | None = None
) -> "pipeline.generating.Generated":
    settings = server.settings("writer", concurrency=1)
    return pipeline.generate(study, pipeline.Generating(SAMPLES[name].make, settings, settings), limit=limit)


def material(study: Study) -> dict[str, list[str]]:
    """Everything that may be a product, as texts."""
    return {table: [json.dumps(list(row), default=str, ensure_ascii=False)
                    for row in rows_of(study, f"SELECT * FROM {table}")] for table in MADE}  # fmt: skip


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory):
    """The studies of the samples, each made once."""

    @cache
    def made(name: str) -> Path:
        path = tmp_path_factory.mktemp("inputs") / "s.medreview"
        with Study.create(path) as study:
            SAMPLES[name].fill(study)
        return path

    return made


@pytest.fixture
def filled(inputs, tmp_path: Path):
    """A copy of the study of a sample, open."""
    numbers = count()
    return lambda name: Study.open(Path(shutil.copy(inputs(name), tmp_path / f"{next(numbers)}.medreview")))


def test_there_is_a_sample_of_every_generator():
    assert {name.partition(",")[0] for name in SAMPLES} == set(GENERATORS)


@pytest.mark.parametrize("name", SAMPLES)
def test_a_good_model_makes_something_of_every_input_at_the_first_attempt(filled, name):
    with filled(name) as study, JudgeEndpoint(Misbehaving(good=SAMPLES[name].good)) as server:
        counts = generated(study, server, name).counts

        assert (counts.items, counts.made, counts.nothing) == (SAMPLES[name].inputs, SAMPLES[name].inputs, {})
        assert (counts.attempts, counts.retried, counts.codes) == (len(server.asked), 0, {})
        assert counts.products or SAMPLES[name].reports
        assert generated(study, server, name).tally.calls == 0
        assert check(study.sealed()) == []


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", SAMPLES)
def test_of_what_a_bad_model_says_nothing_is_made_and_every_attempt_is_counted(filled, name, mode):
    sample = SAMPLES[name]
    model = Misbehaving(mode, sample.good)
    with filled(name) as study, JudgeEndpoint(model) as server:
        before = material(study)
        counts = generated(study, server, name).counts
        if model.behaved or mode in sample.harmless:
            assert counts.made, "it had nothing to misbehave with, and its answers were not taken"
            return

        if sample.keeps_invalid:
            assert rows_of(study, "SELECT 1 FROM response WHERE invalid = ''") == []
            assert counts.products == {"response": sample.inputs}
        else:
            assert material(study) == before
            assert (counts.made, counts.products, sum(counts.nothing.values())) == (0, {}, sample.inputs)
        tried = rows_of(study, "SELECT * FROM generation_attempt")
        assert len(tried) == counts.attempts == sample.attempts * sample.inputs
        assert all(row["status"] != "ok" and json.loads(row["codes"]) for row in tried)
        asked = rows_of(study, "SELECT tries FROM llm_call")
        assert len(asked) == counts.attempts
        assert len(server.asked) == sum(row["tries"] for row in asked) <= 2 * counts.attempts, "a repair turn each"
        again = generated(study, server, name)
        assert (again.tally.calls, again.waiting) == (0, 0)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", SEVERAL)
def test_a_model_that_goes_bad_between_two_questions_leaves_nothing_of_it_in_what_is_made(filled, name, mode):
    sample = SAMPLES[name]
    for first in SEVERAL[name]:
        model = Misbehaving(mode, sample.good, first)
        with filled(name) as study, JudgeEndpoint(model) as server:
            counts = generated(study, server, name, limit=1).counts

            assert counts.items == 1, counts
            made = "\n".join(text for texts in material(study).values() for text in texts)
            assert [mark for mark in MARKS if mark in made] == []
            tried = rows_of(study, "SELECT * FROM generation_attempt")
            assert all((row["status"] == "ok") == (row["codes"] == "[]") for row in tried)
            assert max(row["number"] for row in tried) <= sample.attempts
            assert len(server.asked) <= 2 * len(tried)


@pytest.mark.parametrize("name", SAMPLES)
def test_no_validator_breaks_on_values_that_nobody_thinks_of(filled, name):
    for mode in ODD:
        with filled(name) as study, JudgeEndpoint(Misbehaving(mode, SAMPLES[name].good)) as server:
            counts = generated(study, server, name).counts
            assert (counts.items, check(study.sealed())) == (SAMPLES[name].inputs, []), mode
