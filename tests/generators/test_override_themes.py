"""Themes that a model finds in what a reviewer labels otherwise than the judges."""

import json
import shutil
from dataclasses import replace
from functools import partial
from importlib.resources import files
from pathlib import Path

import pytest

import medreview
from medreview import pipeline
from medreview.generators.themes import MOST, OverrideThemesGenerator
from medreview.judges.verdicts import refresh
from medreview.llm.settings import JudgeSettings
from medreview.review.audit import draw
from medreview.review.queue import open_queue
from medreview.review.session import ReviewSession
from medreview.stats.reports.overrides import override_themes
from medreview.study import Study
from tests.support.commands import own_settings
from tests.support.judge_endpoint import JudgeEndpoint
from tests.support.judge_endpoint import says as answers
from tests.support.override_study import BECAUSE, DOSES, NOTE, PAGE, STRENGTH, THEMES, WHO, do, fill, says
from tests.support.study_builder import StudyBuilder, build


@pytest.fixture
def study(study: Study) -> Study:
    fill(study)
    return study


def run(study: Study, settings: JudgeSettings, to: str = WHO, reviewer: str | None = None) -> pipeline.Generated:
    make = partial(OverrideThemesGenerator, to=(to,), reviewer=reviewer)
    return pipeline.generate(study, pipeline.Generating(make, settings))


def asked(study: Study, to: str = WHO, who: str | None = None) -> str:
    """What a model is sent, all prompts together."""
    with JudgeEndpoint(answers(json.dumps(THEMES))) as server:
        run(study, server.settings("writer"), to, who)
        return "\n".join(server.prompts)


def test_a_model_is_given_both_sides_words_and_its_themes_are_made_once(study):
    with JudgeEndpoint(answers(json.dumps({"themes": [STRENGTH, DOSES, {**DOSES, "statements": [3]}]}))) as server:
        done = run(study, server.settings("writer"))
        (prompt,) = server.prompts
        assert run(study, server.settings("writer")).tally.calls == 0
    assert "1. judges supported, reviewer contradicted (quantity): Metformin is started at 850 mg" in prompt
    assert f"500 mg once daily. | judges: {BECAUSE} | reviewer's note: {NOTE}" in prompt
    assert "Metformin is started at 500 mg twice daily." not in prompt, "on that one both sides are of one mind"
    assert WHO not in prompt
    assert (done.counts.made, done.counts.dropped) == (1, {"same_theme_twice": 1})
    found = override_themes(study.reader, WHO, (WHO,))
    assert (found.model, found.read, found.of, found.changed) == ("m", 5, 5, False)
    assert [(theme.title, [one.name for one in theme.statements]) for theme in found.themes] == [
        (STRENGTH["title"], ["R01 S2", "R01 S5"]), (DOSES["title"], ["R01 S1", "R01 S4"]),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "change",
    [
        lambda study: says(study, "r1.1", "partial", "number"),
        lambda study: says(study, "r1.1", "supported"),
        lambda study: says(study, "r1.6", "partial"),
        lambda study: says(study, "r1.3", "not_addressed", "topic"),
        lambda study: do(study, "note", "r1.2", {"text": "The page says may."}),
    ],
    ids=["label", "one less", "one more", "reason", "note"],
)
def test_whatever_changes_of_labels_reasons_and_notes_makes_the_themes_anew(study, change):
    with JudgeEndpoint(answers(json.dumps(THEMES))) as server:
        run(study, server.settings("writer"))
        change(study)
        old = override_themes(study.reader, WHO, (WHO,))
        assert (old.changed, old.read) == (True, 5)
        assert run(study, server.settings("writer")).tally.calls == 1
    assert not override_themes(study.reader, WHO, (WHO,)).changed


def test_a_verdict_that_is_another_now_makes_them_anew_and_takes_its_statement_out(study):
    assert asked(study)
    build(study, lambda rows: rows.judgement("second", "r1.1", "metformin@1", "contradicted"))
    build(study, lambda rows: rows.judgement("third", "r1.1", "metformin@1", "contradicted"))
    refresh(study)
    found = override_themes(study.reader, WHO, (WHO,))
    assert found.changed
    doses = next(theme for theme in found.themes if theme.title == DOSES["title"])
    assert [one.label is None for one in doses.statements] == [True, False]
    assert "850 mg" not in asked(study)


def test_nothing_that_is_held_back_enters_the_prompt_or_comes_from_the_themes(study):
    """Who is at the audit is told nothing of what waits, nor of what was decided blind before its block is shown."""
    draw(study, "ann", rate=1.0)
    says(study, "r1.1", "contradicted", who="ann")
    with JudgeEndpoint(answers(json.dumps(THEMES))) as server:
        done = run(study, server.settings("writer"), to="ann", reviewer=WHO)
    assert done.counts.nothing == {"too_few_statements": 1}, "ann has decided one of the five"

    session = ReviewSession(study, "bob", open_queue(study, "audit", "bob"))
    for _ in range(2):
        session.decide("contradicted")
        session.next()
    assert asked(study, to="bob", who="bob") == ""
    assert asked(study, to="carol", who="bob") == "", "bob would read in the themes how the judges erred"

    assert "850 mg" in asked(study, to="carol", who=WHO), "carol reviews nothing here"
    assert override_themes(study.reader, WHO, ("carol",), None)
    assert override_themes(study.reader, WHO, ("ann",), frozenset({"r1.1"})) is None


def test_a_script_is_told_no_more_than_the_reviewer_of_the_settings(study, tmp_path):
    draw(study, "ann", rate=1.0)
    says(study, "r1.1", "contradicted", who="ann")
    study.close()
    with JudgeEndpoint(answers(json.dumps(THEMES))) as server:
        for who, prompts in (("ann", 0), ("carol", 1)):
            settings = own_settings(tmp_path, f'reviewer = "{who}"\n')
            with medreview.open_study(study.path, settings=settings) as opened:
                opened.generate("override-themes", server.settings("writer"), reviewer=WHO)
            assert len(server.prompts) == prompts


def test_themes_reach_no_judges_prompt_and_nothing_is_made_to_be_reviewed(study):
    tables = ("unit", "response", "opinion", "gold", "judgement")

    def held() -> list[int]:
        return [study.reader.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables]

    before = held()
    with JudgeEndpoint(answers(json.dumps(THEMES))) as server:
        done = run(study, server.settings("writer"))
        assert (done.counts.products, held()) == ({}, before)
        server.received.clear()
        server.play(answers())
        pipeline.judge_by(study, pipeline.Judges([server.settings("other", model="other")]))
        assert len(server.prompts) >= 6
        told = "\n".join(server.prompts)
    for words in (DOSES["title"], STRENGTH["about"], NOTE):
        assert words not in told


def test_of_many_a_model_is_given_some_spread_over_all_and_of_those_what_fits(study):
    def rows(add: StudyBuilder) -> None:
        add.response("r2", cites=["metformin"], statements=[f"Number {n} is what it says." for n in range(300)])
        for n in range(1, 301):
            add.judgement("juror", f"r2.{n}", "metformin@1", "supported", PAGE[:44], reason=BECAUSE)

    build(study, rows)
    refresh(study)
    for n in range(1, 301):
        says(study, f"r2.{n}", "partial", who="ann")
    theme = {"statements": [1, 2], "title": "Numbers that say what each is", "about": "Each number is what it says."}
    with JudgeEndpoint(answers(json.dumps({"themes": [theme]}), usage=(9_000, 60))) as server:
        run(study, server.settings("writer"), reviewer="ann")
        found = override_themes(study.reader, "ann", (WHO,))
        assert (found.read, found.of) == (MOST, 300)
        assert "Number 0 " in server.prompts[0]
        assert "Number 297 " in server.prompts[0] or "Number 298 " in server.prompts[0]
        small = replace(server.settings("small"), context_tokens=8_000)
        run(study, small, reviewer="ann")
        assert 2 < server.prompts[1].count("reviewer partial") < MOST
        tiny = replace(server.settings("tiny"), context_tokens=600)
        assert run(study, tiny, reviewer="ann").counts.nothing == {"over_context": 1}


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({**DOSES, "statements": [1, 17]}, "unknown_statement"),
        ({**DOSES, "title": "Metformin is started at 850 mg twice daily"}, "copies_a_statement"),
        ({**DOSES, "about": "The dose of 17 mg is taken for the same."}, "number_not_in_statements"),
    ],
)
def test_a_theme_that_fails_a_rule_is_left_out_and_counted_by_words_for_statements(study, given, code):
    with JudgeEndpoint(answers(json.dumps({"themes": [STRENGTH, given]}))) as server:
        done = run(study, server.settings("writer"))
    assert done.counts.dropped[code] == 1
    assert [theme.title for theme in override_themes(study.reader, WHO, (WHO,)).themes] == [STRENGTH["title"]]


def test_the_demo_writers_answer_makes_themes_of_labels_on_the_sample_study(demo_file, tmp_path):
    labels = {(4, 3): ("partial", "stronger"), (9, 4): ("partial", "stronger"), (15, 7): ("contradicted", "number"),
              **{(14, number): ("partial", "other") for number in (1, 2, 3)}}  # fmt: skip
    recorded = Path(str(files("medreview.sample_data"))) / "recorded"
    path = Path(shutil.copy(demo_file, tmp_path / "demo.medreview"))
    with Study.open(path) as study:
        place = """SELECT s.statement_id FROM statement AS s JOIN response AS r USING (response_id)
                   WHERE r.ordinal = ? AND s.ordinal = ?"""
        for where, (label, reason) in labels.items():
            says(study, study.reader.execute(place, where).fetchone()[0], label, reason, "ann-1")
        done = run(study, JudgeSettings("demo", "demo-writer", "recorded:", recorded=recorded))
        assert (done.counts.made, done.counts.codes, done.counts.retried) == (1, {"no_theme": 1, "theme_of_one": 1}, 1)
        assert done.counts.dropped == {"unknown_statement": 1, "number_not_in_statements": 1}
        found = override_themes(study.reader, "ann-1", ("ann-1",))
        assert [[one.name for one in theme.statements] for theme in found.themes] == [
            ["R14 S1", "R14 S2", "R14 S3"], ["R04 S3", "R09 S4"],
        ]  # fmt: skip
