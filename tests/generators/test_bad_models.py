"""Every generator against models that misbehave in every known way: nothing of it becomes a product."""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

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
NO_ANSWER = ("nothing", "a refusal", "a refusal apart", "a filter", "wrong types")
"""Ways that the machinery turns away before any generator sees an answer, as with prose; tried at first questions."""


class Bench:
    """The study of a sample and a server, on which one model after the other generates.

    Each model has a name of its own: its run, its answers and its products are told from those of the others. What all
    of them share (the inputs, an open study, a server) is made once for all, which is most of what a run costs.
    """

    def __init__(self, study: Study, server: JudgeEndpoint, name: str) -> None:
        self.study, self.server, self.name = study, server, name

    def generated(self, model: Misbehaving, called: str, limit: int | None = None) -> "pipeline.asking.Generated":
        """What comes of it when this model is asked; the server forgets what was asked before."""
        self.server.received.clear()
        self.server.play(model)
        at_once = 1 if model.first > 1 else 4  # where the order of questions matters
        settings = self.server.settings(called, model=called, concurrency=at_once)
        return pipeline.generate(
            self.study, pipeline.Generating(SAMPLES[self.name].make, settings, settings), limit=limit
        )

    def rows(self, query: str) -> list[Any]:
        """Rows of the newest run: ``:run`` is its id, ``:model`` the name of its model."""
        run = "SELECT run_id AS run, model FROM generation_run ORDER BY ordinal DESC LIMIT 1"
        return self.study.reader.execute(query, dict(self.study.reader.execute(run).fetchone())).fetchall()


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
def bench(inputs, tmp_path: Path):
    """A bench with a copy of the study of a sample."""
    numbers = count()

    @contextmanager
    def made(name: str) -> Iterator[Bench]:
        path = Path(shutil.copy(inputs(name), tmp_path / f"{next(numbers)}.medreview"))
        with Study.open(path) as study, JudgeEndpoint() as server:
            yield Bench(study, server, name)

    return made


def test_there_is_a_sample_of_every_generator():
    assert {name.partition(",")[0] for name in SAMPLES} == set(GENERATORS)


@pytest.mark.parametrize("name", SAMPLES)
def test_a_good_model_makes_something_of_every_input_at_the_first_attempt(bench, name):
    sample = SAMPLES[name]
    with bench(name) as on:
        counts = on.generated(Misbehaving(good=sample.good), "m").counts

        assert (counts.items, counts.made, counts.nothing) == (sample.inputs, sample.inputs, {})
        assert (counts.attempts, counts.retried, counts.codes) == (len(on.server.asked), 0, {})
        assert counts.products or sample.reports
        assert on.generated(Misbehaving(good=sample.good), "m").tally.calls == 0
        assert check(on.study.sealed()) == []


@pytest.mark.parametrize("name", SAMPLES)
def test_of_what_a_bad_model_says_nothing_is_made_and_every_attempt_is_counted(bench, subtests, name):
    with bench(name) as on:
        for mode in MODES:
            with subtests.test(mode):
                _makes_nothing(on, mode)


def _makes_nothing(on: Bench, mode: str) -> None:
    sample = SAMPLES[on.name]
    model = Misbehaving(mode, sample.good)
    before = material(on.study)
    counts = on.generated(model, mode).counts
    if model.behaved or mode in sample.harmless:
        assert counts.made, "it had nothing to misbehave with, and its answers were not taken"
        return

    if sample.keeps_invalid:
        made = "generation_product JOIN response ON response_id = made WHERE run_id = :run"
        assert [row["invalid"] == "" for row in on.rows(f"SELECT invalid FROM {made}")] == [False] * sample.inputs
        assert counts.products == {"response": sample.inputs}
    else:
        assert material(on.study) == before
        assert (counts.made, counts.products, sum(counts.nothing.values())) == (0, {}, sample.inputs)
    tried = on.rows("SELECT * FROM generation_attempt WHERE run_id = :run")
    assert len(tried) == counts.attempts == sample.attempts * sample.inputs
    assert all(row["status"] != "ok" and json.loads(row["codes"]) for row in tried)
    asked = on.rows("SELECT tries FROM llm_call WHERE model = :model")
    assert len(asked) == counts.attempts
    assert len(on.server.asked) == sum(row["tries"] for row in asked) <= 2 * counts.attempts, "a repair turn each"
    again = on.generated(model, mode)
    assert (again.tally.calls, again.waiting, on.server.asked) == (0, 0, [])


@pytest.mark.parametrize(("name", "first"), [(name, first) for name, stages in SEVERAL.items() for first in stages])
def test_a_model_that_goes_bad_between_two_questions_leaves_nothing_of_it_in_what_is_made(bench, subtests, name, first):
    with bench(name) as on:
        for mode in (mode for mode in MODES if mode not in NO_ANSWER):
            with subtests.test(mode):
                counts = on.generated(Misbehaving(mode, SAMPLES[name].good, first), mode, limit=1).counts

                assert counts.items == 1, counts
                made = "\n".join(text for texts in material(on.study).values() for text in texts)
                assert [mark for mark in MARKS if mark in made] == []
                tried = on.rows("SELECT * FROM generation_attempt WHERE run_id = :run")
                assert all((row["status"] == "ok") == (row["codes"] == "[]") for row in tried)
                assert max(row["number"] for row in tried) <= SAMPLES[name].attempts
                assert len(on.server.asked) <= 2 * len(tried)


@pytest.mark.parametrize("name", SAMPLES)
def test_no_validator_breaks_on_values_that_nobody_thinks_of(bench, subtests, name):
    with bench(name) as on:
        for mode in ODD:
            with subtests.test(mode):
                counts = on.generated(Misbehaving(mode, SAMPLES[name].good), mode).counts
                assert (counts.items, check(on.study.sealed())) == (SAMPLES[name].inputs, [])
