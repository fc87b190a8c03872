"""Unsupported statements revised or removed: which they are, what is made of good, bad and recorded models, figures."""

import json
import shutil
from functools import partial
from pathlib import Path

import pytest

from medreview import pipeline
from medreview.errors import UserError
from medreview.generators.cleanup import Cleanup, listed, unsupported
from medreview.llm.settings import JudgeSettings
from medreview.review.decision import decide_in_script
from medreview.review.queue import open_queue
from medreview.review.session import ReviewSession
from medreview.stats.reports.generated_items import cleanup_report
from medreview.study import Study
from medreview.units.stored import load_unit
from tests.support.judge_endpoint import NOT_ADDRESSED, JudgeEndpoint, says
from tests.support.unsupported_study import GOOD, ORIGINAL, PAGE, QUOTE, REMOVAL, SUPPORTS, fill

SAMPLE = Path(__file__).parents[2] / "sample_data"
RECORDED = JudgeSettings("demo-writer", "demo-writer", "recorded:", recorded=SAMPLE / "recorded")
DEMO_JUDGE = JudgeSettings("demo-judge", "demo-judge", "recorded:", recorded=SAMPLE / "recorded")


@pytest.fixture
def study(tmp_path: Path):
    with Study.create(tmp_path / "s.medreview", "sepsis") as made:
        fill(made)
        yield made


@pytest.fixture
def demo(tmp_path: Path, demo_file: Path):
    with Study.open(Path(shutil.copy(demo_file, tmp_path))) as opened:
        yield opened


def run(study: Study, writer: JudgeSettings, judge: JudgeSettings | None = None, statements: Path | None = None):
    return pipeline.generate(study, pipeline.Generating(partial(Cleanup, statements=statements), writer, judge))


def test_unsupported_is_what_the_verdict_says_with_the_first_page_that_can_be_read(study):
    (one,) = unsupported(study.reader)
    assert (one.statement_id, one.snapshot_id, one.name) == ("r1.1", "guide@1", "R01 S1")
    assert (one.text, one.url) == (ORIGINAL, "https://guide.example/")


def test_a_valid_revision_is_a_unit_with_its_statement_and_page_and_the_judges_word_on_it(study):
    with (
        JudgeEndpoint(says(json.dumps(GOOD))) as server,
        JudgeEndpoint(says(json.dumps(SUPPORTS), usage=None)) as other,
    ):
        done = run(study, server.settings("writer"), other.settings("checker", model="c"))
        (written,), (verified,) = server.prompts, other.prompts

    assert (done.counts.products, done.counts.attempts, done.waiting) == ({"revision": 1}, 2, 0)
    assert all(text in written for text in (PAGE, ORIGINAL))
    assert all(text in verified for text in (PAGE, GOOD["text"]))
    assert ORIGINAL not in verified
    unit = study.reader.execute("SELECT unit_id FROM unit").fetchone()[0]
    stored = load_unit(study.reader, unit)
    assert stored.content == {
        "original": ORIGINAL, "revised": GOOD["text"], "changed": GOOD["changed"], "quote": QUOTE, "passage": "",
        "url": "https://guide.example/", "statement": "r1.1", "response": "r1",
    }  # fmt: skip
    assert (stored.belongs_to, stored.model, stored.made_by["run"]) == ("r1", "writer", done.counts.run_id)
    opinion = study.reader.execute("SELECT * FROM opinion").fetchone()
    assert (opinion["unit"], opinion["judge"], opinion["model"]) == (unit, "checker", "c")
    assert (opinion["raw_label"], opinion["label"], opinion["quote"]) == ("supported", "supported", QUOTE)


def test_the_judges_word_and_the_quote_are_hidden_until_the_revision_is_decided(study):
    with (
        JudgeEndpoint(says(json.dumps(GOOD))) as server,
        JudgeEndpoint(says(json.dumps(SUPPORTS), usage=None)) as other,
    ):
        run(study, server.settings("writer"), other.settings("checker"))
    session = ReviewSession(study, "kb", open_queue(study, "revisions", "kb"), reveal="each")
    assert GOOD["text"] in repr(session.view)
    assert not any(hidden in repr(session.view) for hidden in ("checker", "The same amount.", GOOD["changed"]))
    assert session.machines.opinions == ()
    session.decide("supported")
    assert [opinion.judge for opinion in session.machines.opinions] == ["checker", "writer"]


def test_a_removal_is_judged_by_nobody(study):
    with JudgeEndpoint(says(json.dumps(REMOVAL))) as server, JudgeEndpoint() as other:
        done = run(study, server.settings("writer"), other.settings("checker"))
        assert other.asked == []
    assert done.counts.products == {"revision": 1}
    assert study.reader.execute("SELECT content ->> 'revised' FROM unit").fetchone()[0] == ""


@pytest.mark.parametrize(
    ("said", "label"),
    [
        (SUPPORTS, "supported"),
        ({**SUPPORTS, "quote": "give 30 mL/kg of albumin and whatever else there is at hand"}, None),
        (NOT_ADDRESSED, "not_supported"),
        ({**SUPPORTS, "label": "partial"}, "not_supported"),
    ],
    ids=["proven", "unproven", "not addressed", "partial"],
)
def test_support_by_the_judge_counts_with_a_proof_only(study, said, label):
    with JudgeEndpoint(says(json.dumps(GOOD))) as server, JudgeEndpoint(says(json.dumps(said), usage=None)) as other:
        run(study, server.settings("writer"), other.settings("checker"))
    (opinion,) = study.reader.execute("SELECT raw_label, label FROM opinion")
    assert tuple(opinion) == (said["label"], label)


BAD = {
    "an empty text": ("", "unparsable"),
    "prose": ("The statement should say 30 mL/kg.", "unparsable"),
    "wrong types": ({"quote": [QUOTE], "action": True, "text": 3, "changed": None}, "unparsable"),
    "nothing": ({**GOOD, "text": ""}, "no_text"),
    "the statement again": ({**GOOD, "text": ORIGINAL.upper()}, "unchanged"),
    "a quote that is not there": ({**GOOD, "quote": "Give 30 mL/kg of albumin to everybody at once."},
                                   "quote_not_grounded"),
    "ten times the length": ({**GOOD, "text": f"{GOOD['text']} " * 10}, "too_long"),
    "another language": ({**GOOD, "text": "Patienten mit septischem Schock sollen 30 mL/kg oder mehr bekommen."},
                         "other_language"),
    "another number": ({**GOOD, "text": GOOD["text"].replace("30", "40")}, "number_not_in_quote"),
    "a medicine of its own": ({**GOOD, "text": "Give 30 mL/kg or more and vasopressin, or norepinephrine."},
                              "drug_not_in_quote"),
    "an instruction of the page": ({**GOOD, "action": "remove"}, "removal_with_text"),
}  # fmt: skip


@pytest.mark.parametrize(("says_so", "code"), BAD.values(), ids=BAD)
def test_a_model_that_misbehaves_is_asked_three_times_and_makes_nothing(study, says_so, code):
    with (
        JudgeEndpoint(says(says_so if isinstance(says_so, str) else json.dumps(says_so))) as server,
        JudgeEndpoint() as other,
    ):
        done = run(study, server.settings("writer"), other.settings("checker"))
        assert other.asked == []

    assert (done.counts.made, done.counts.nothing, done.counts.attempts) == (0, {"invalid": 1}, 3)
    assert done.counts.codes[code] == 3
    assert study.reader.execute("SELECT count(*) FROM unit").fetchone()[0] == 0


def test_a_judge_that_gives_no_answer_of_use_leaves_the_revision_without_a_word(study):
    with JudgeEndpoint(says(json.dumps(GOOD))) as server, JudgeEndpoint(says("I would say so.", usage=None)) as other:
        done = run(study, server.settings("writer"), other.settings("checker"))
    assert (done.counts.products, done.counts.attempts) == ({"revision": 1}, 4)
    assert study.reader.execute("SELECT count(*) FROM opinion").fetchone()[0] == 0
    (report,) = study.reader.execute("SELECT report FROM generation")
    assert json.loads(report[0]) == {"action": "revise", "judged": "unparsable"}


def test_a_page_beyond_the_context_is_counted_and_not_cut(study):
    small = JudgeSettings("writer", "w", "http://localhost:1/v1", context_tokens=300)
    done = run(study, small)
    assert (done.counts.nothing, done.counts.attempts) == ({"over_context": 1}, 0)


def test_reviewers_labels_count_before_the_verdict_and_a_conflict_makes_it_neither(demo):
    by_verdict = {one.statement_id for one in unsupported(demo.reader)}
    one = sorted(by_verdict)[0]
    other = next(row[0] for row in demo.reader.execute(
        "SELECT v.statement_id FROM verdict AS v JOIN statement_standing USING (statement_id) WHERE v.supported = 1"
    ) if row[0] not in by_verdict)  # fmt: skip
    for reviewer, statement_id, label in (("kb", one, "supported"), ("kb", other, "partial")):
        decide_in_script(demo, reviewer, statement_id, label)
    assert {each.statement_id for each in unsupported(demo.reader)} == by_verdict - {one} | {other}
    decide_in_script(demo, "lm", other, "supported")
    assert {each.statement_id for each in unsupported(demo.reader)} == by_verdict - {one}


def test_a_file_lists_statements_by_line_or_with_a_page_and_what_it_cannot_name_is_left_out(study, tmp_path):
    plain, objects = tmp_path / "ids.txt", tmp_path / "pairs.jsonl"
    plain.write_text("r1.1\n\nnobody\n r1.1 \n")
    objects.write_text(
        '{"statement_id": "r1.1", "url": "https://other.example/"}\n{"statement_id": "r1.2"}\n{"url": "x"}\nnonsense\n'
        '{"statement_id": "r1.1", "url": "https://broken.example/"}\n'
    )
    found, bad = listed(study.reader, plain)
    assert ([one.snapshot_id for one in found], [one.line for one in bad]) == (["guide@1"], [3])
    found, bad = listed(study.reader, objects)
    assert [(one.statement_id, one.snapshot_id) for one in found] == [("r1.1", "other@1"), ("r1.2", "guide@1")]
    assert [one.line for one in bad] == [3, 4, 5]
    with pytest.raises(UserError, match="There is no file"):
        listed(study.reader, tmp_path / "nothing.txt")


def test_the_recorded_answers_to_the_planted_errors_and_the_figures_beside_the_papers(demo):
    done = run(demo, RECORDED, DEMO_JUDGE, SAMPLE / "unsupported.jsonl")

    assert (done.counts.items, done.counts.made, done.waiting) == (14, 13, 0)
    assert done.counts.nothing == {"invalid": 1}
    assert {"drug_not_in_quote", "unchanged", "quote_not_grounded", "unit_not_in_quote"} <= done.counts.codes.keys()
    (figures,) = cleanup_report(demo.reader)
    assert (figures.model, figures.statements, figures.removed.n) == ("demo-writer", 13, 13)
    assert figures.removed.value == pytest.approx(4 / 13)
    (judge,) = figures.raters
    assert (judge.by, judge.supported.n, judge.supported.value) == ("demo-judge", 9, pytest.approx(8 / 9))
    assert judge.together.value == pytest.approx(12 / 13)
    assert (round(judge.supported.low or 0, 3), judge.supported.method) == (0.565, "Wilson")


def test_reviewers_labels_give_their_own_shares_and_none_together_until_all_revisions_are_decided(demo):
    run(demo, RECORDED, DEMO_JUDGE, SAMPLE / "unsupported.jsonl")
    units = demo.reader.execute(
        "SELECT unit_id, content ->> 'revised' <> '' FROM unit WHERE kind = 'revision'"
    ).fetchall()
    revised, removed = ([unit for unit, is_revised in units if is_revised == which] for which in (1, 0))
    session = ReviewSession(demo, "kb", open_queue(demo, "revisions", "kb"))
    for unit, label in [*((unit, "supported") for unit in revised[:-1]), (removed[0], "removal_right")]:
        session.go(list(session.queue.units).index(unit))
        session.decide(label)

    reviewer = next(one for one in cleanup_report(demo.reader)[0].raters if not one.judge)
    assert (reviewer.by, reviewer.supported.n, reviewer.supported.dropped) == ("kb, blind", 8, 1)
    assert reviewer.together.value is None
    assert "1 of 9" in (reviewer.together.reason or "")
    assert reviewer.removal_right is not None
    assert (reviewer.removal_right.n, reviewer.removal_right.dropped) == (1, 3)
    session.go(list(session.queue.units).index(revised[-1]))
    session.decide("meaning_lost")
    reviewer = next(one for one in cleanup_report(demo.reader)[0].raters if not one.judge)
    assert reviewer.together.value == pytest.approx(12 / 13)
