"""Themes that a model makes of what a system omits and contradicts."""

import json
from importlib.resources import files
from pathlib import Path

import pytest

from medreview import pipeline
from medreview.generators.themes import ThemesGenerator
from medreview.judges.rollup import set_tie_rule
from medreview.llm.settings import JudgeSettings
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.units.fact_report import FactReport, SystemThemes, fact_report
from medreview.study import Study
from tests.support.fact_study import FactStudy
from tests.support.judge_endpoint import JudgeEndpoint, says

DOSES = {"facts": [1, 3], "title": "Doses of new medicines", "about": "The dose of 5 mg is left out."}
AFTER = {"facts": [2, 4, 5], "title": "What is due after discharge", "about": "Dates of controls are missing."}


@pytest.fixture
def facts(study: Study) -> FactStudy:
    """Three cases; one system omits all but one fact, the other fails once."""
    made = FactStudy(study)
    for case in ("one", "two", "three"):
        made.case(case, ("Warfarin was begun at 5 mg.", "management"), ("An X-ray is due.", "follow_up"))
        made.votes("judge", made.text("atlas", case), "NN" if case != "three" else "YN", reason="Not in {failures}.")
        made.votes("judge", made.text("boreal", case), "YY" if case != "one" else "YN")
    return made


def run(facts: FactStudy, settings: JudgeSettings) -> pipeline.Generated:
    return pipeline.generate(facts.study, pipeline.Generating(ThemesGenerator, settings))


def report(facts: FactStudy) -> FactReport:
    return fact_report(facts.study.reader, resampling=Resampling(replicates=199))


def of(facts: FactStudy, system: str) -> SystemThemes:
    return next(themes for themes in report(facts).themes if themes.system == system)


def test_a_models_themes_stand_in_the_report_with_their_facts_until_something_is_voted_otherwise(facts):
    alone = {"facts": [2], "title": "Only this one", "about": ""}
    with JudgeEndpoint(says(json.dumps({"themes": [DOSES, AFTER, alone]}))) as server:
        done = run(facts, server.settings("writer"))
        (prompt,) = server.prompts
        assert run(facts, server.settings("writer")).tally.calls == 0
    assert "1. omitted (management): Warfarin was begun at 5 mg. | judges: Not in {failures}." in prompt
    assert (done.counts.made, done.counts.nothing) == (1, {"too_few_failures": 1})
    assert done.counts.dropped == {"theme_of_one": 1}
    facts_report, themes = report(facts), of(facts, "atlas")
    assert (themes.by, themes.dropped, themes.alone) == ("m", 0, 0)
    assert [(theme.title, theme.facts) for theme in themes.themes] == [
        ("What is due after discharge", 3), ("Doses of new medicines", 2),
    ]  # fmt: skip
    themed = dict(zip(facts_report.themes, facts_report.themed, strict=True))[themes]
    assert [[one.held.text.name for one in failed] for failed in themed] == [["R01", "R03", "R05"], ["R01", "R03"]]
    assert of(facts, "boreal").by == ""
    facts.votes("second", "atlas-one", "YY")
    set_tie_rule(facts.study, "supported")
    assert of(facts, "atlas").by == ""


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({**DOSES, "facts": [1, 17]}, "theme_of_one"),
        ({**DOSES, "facts": [0, -1]}, "theme_of_one"),
        ({**DOSES, "title": "Doses"}, "title_length"),
        ({**DOSES, "title": "A title " * 10}, "title_length"),
        ({**DOSES, "about": "Why " * 41}, "about_length"),
        ({**DOSES, "title": "Warfarin was begun at 5 mg"}, "copies_a_fact"),
        ({**DOSES, "about": "The dose of 17 mg is left out."}, "number_not_in_failures"),
        ({**AFTER, "about": "It is said otherwise."}, "same_theme_twice"),
    ],
)
def test_a_theme_that_fails_a_rule_is_left_out_and_counted(facts, given, code):
    with JudgeEndpoint(says(json.dumps({"themes": [AFTER, given]}))) as server:
        done = run(facts, server.settings("writer"))
    assert done.counts.dropped[code] == 1
    assert [theme.title for theme in of(facts, "atlas").themes] == [AFTER["title"]]


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ("", "unparsable"),
        ("The system often forgets doses.", "unparsable"),
        (json.dumps({"themes": [{**DOSES, "facts": ["one", "two"]}]}), "unparsable"),
        (json.dumps({"themes": []}), "no_theme"),
        (json.dumps({"themes": [{**DOSES, "facts": [1]}]}), "theme_of_one"),
    ],
)
def test_a_model_that_finds_none_leaves_the_themes_by_rule(facts, answer, code):
    with JudgeEndpoint(says(answer)) as server:
        done = run(facts, server.settings("writer"))
    assert done.counts.codes[code] == 3
    assert done.counts.nothing == {"invalid": 1, "too_few_failures": 1}
    assert of(facts, "atlas").by == ""
    assert of(facts, "atlas").themes


def test_the_demo_writers_answer_makes_themes_of_its_own_failures(study):
    recorded = Path(str(files("medreview.sample_data"))) / "recorded"
    system = "demo-writer (single prompt)"
    facts = FactStudy(study)
    for case in "abcd":
        facts.case(case, ("Lisinopril was stopped for 36 hours.", "management"), ("A CT is due.", "follow_up"))
        facts.votes("judge", facts.text(system, case), "NN")
    done = run(facts, JudgeSettings("demo", "demo-writer", "recorded:", recorded=recorded))
    assert (done.counts.made, done.counts.codes, done.counts.retried) == (1, {"no_theme": 1}, 1)
    assert done.counts.dropped == {"theme_of_one": 1, "unknown_fact": 1, "number_not_in_failures": 1}
    assert [(theme.title, theme.facts) for theme in of(facts, system).themes] == [
        ("What is to be tested or repeated after discharge", 4), ("Why and how a treatment was changed", 4),
    ]  # fmt: skip
