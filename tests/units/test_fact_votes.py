"""Key facts in responses: the card, the jury's word under each rule for ties, and a panel's labels from a file."""

import json
from itertools import count

import pytest

from medreview.judges.fact_votes import level_of
from medreview.judges.rollup import set_tie_rule
from medreview.judges.tasks.key_facts import Fact, add_facts
from medreview.study import Study
from medreview.study.check import check
from medreview.study.ids import content_id, unit_id
from medreview.text import sha256
from medreview.units.cases import NewCase, NewNote, add_cases
from medreview.units.fact_vote import FactVotes
from medreview.units.formats import FORMATS
from medreview.units.held_facts import held_facts
from medreview.units.unit_format import format_of
from tests.support.bringing import bring
from tests.support.fact_study import FactStudy
from tests.support.study_builder import StudyBuilder, build, rows_of

KIND = FactVotes()
QUESTION = "Write the course of the patient with pneumonia."
TEXT = "Amoxicillin was given for five days."
FACT = "Amoxicillin was given."
UNIT = unit_id("fact", "r1", content_id("f", sha256(QUESTION), FACT))
NUMBERS = count()


@pytest.fixture
def study(study: Study) -> Study:
    note = NewNote("hp", "2031-01-01", "ward", "Cough.")
    case = NewCase("c1", "Pneumonia", QUESTION, "The reference.", (note,))
    study.write(lambda connection: add_cases(connection, [case], "c.jsonl"))
    build(study, lambda rows: [rows.response("r1", TEXT, question=QUESTION), rows.response("r2", question="Else?")])
    add_facts(study, QUESTION, [Fact(FACT, "management"), Fact("It was viral.", "diagnosis")], "ann")
    add_facts(study, "Nobody asked?", [Fact("A fact.")], "ann")
    return study


def vote(study: Study, judge: str, answers: str, task: str = "presence") -> None:
    """``Y``, ``N``, ``-`` (an abstention for its quote) or ``!`` (no answer at all), one run after the other."""

    def add(rows: StudyBuilder) -> None:
        for answer in answers:
            run = rows.judge_run(judge, "llm", model=f"{judge}-model", prompt_id=f"{task} {next(NUMBERS)}")
            said = {"Y": 1, "N": 0}.get(answer)
            row = {"key_fact_vote_id": f"v{next(NUMBERS)}", "judge_run_id": run, "task": f"key_fact_{task}"}
            row |= {"key_fact_id": UNIT.split(":")[2], "response_id": "r1", "answer": said}
            row |= {"raw_answer": {"Y": "yes", "-": "yes", "N": "no", "!": ""}[answer], "reason": f"{judge}: {answer}"}
            row |= {"quote": "Amoxicillin was" if said else "not there" if answer == "-" else ""}
            row |= {"quote_status": "exact" if said else "absent" if answer == "-" else "none"}
            row |= {"quote_start": 0, "quote_end": 15} if said else {"quote_start": None, "quote_end": None}
            row |= {"raw_output": "", "error": "timeout: 30 s" if answer == "!" else ""}
            rows.add("key_fact_vote", **row)

    build(study, add)


def test_every_fact_in_force_is_a_unit_in_every_response_to_its_question(study):
    rows = study.reader.execute(f"SELECT unit, text, cluster, ordinal FROM ({KIND.rows})").fetchall()
    assert [(row["text"], row["cluster"], row["ordinal"]) for row in rows] == [(FACT, 1, 1), ("It was viral.", 1, 2)]
    view = KIND.load(study.reader, UNIT)
    assert view.name == "R01 F1"
    assert [(part.label, part.text) for part in view.parts] == [
        ("fact", FACT), ("category", "management"), ("asked", QUESTION),
    ]  # fmt: skip
    assert [document.text for document in view.documents] == [TEXT, "The reference.", "Cough."]
    assert KIND.cluster(study.reader, UNIT).startswith("c")
    with pytest.raises(KeyError):
        KIND.load(study.reader, unit_id("fact", "r9", "f0"))


def test_the_strip_says_both_questions_and_each_vote_has_its_reason_and_place(study):
    before = KIND.load(study.reader, UNIT)
    for number in range(7):
        vote(study, f"yes{number}", "Y")
    for number in range(3):
        vote(study, f"no{number}", "N")
    vote(study, "yes0", "N", task="contradiction")
    told = KIND.machines(study.reader, UNIT)
    assert told.words == "present YYYYYYY NNN 7-3 · contradicted N 0-1"
    assert (told.level, told.badges) == ("present", "jury split")
    first = told.opinions[0]
    assert (first.judge, first.model, first.said, first.label, first.reason) == (
        "yes0", "yes0-model", "present", "present", "yes0: Y",
    )  # fmt: skip
    (passage,) = first.passages
    ((start, end),) = passage.spans
    assert (passage.key, passage.status, TEXT[start:end]) == ("response", "exact", passage.quote)
    against = next(one for one in told.opinions if one.said == "not contradicted")
    assert (against.judge, against.label, against.counts) == ("yes0", None, True)
    assert len(told.marks) == 7
    assert KIND.load(study.reader, UNIT) == before


@pytest.mark.parametrize(
    ("rule", "level", "words"),
    [
        ("undecided", None, "tie: undecided"),
        ("supported", "present", "tie: counts as yes"),
        ("not_supported", "absent", "tie: counts as no"),
    ],
)
def test_an_even_jury_is_a_tie_that_is_named_whatever_the_rule_makes_of_it(study, rule, level, words):
    set_tie_rule(study, rule)
    vote(study, "one", "Y")
    vote(study, "two", "N")
    vote(study, "three", "-")
    told = KIND.machines(study.reader, UNIT)
    assert (told.words, told.level) == (f"present Y N 1-1, {words}, 1 abstained", level)
    assert told.badges == "jury tied · false quote"
    silent = told.opinions[-1]
    assert (silent.said, silent.label, silent.counts) == ("abstained (yes, quote absent)", None, False)


def test_a_judge_has_one_vote_its_newest_that_was_an_answer(study):
    vote(study, "one", "YN!")
    vote(study, "two", "!")
    told = KIND.machines(study.reader, UNIT)
    assert [(one.judge, one.said) for one in told.opinions] == [("one", "absent"), ("two", "abstained (timeout)")]
    assert told.words == "present N 0-1, 1 abstained"


def test_present_and_contradicted_may_both_be_true_and_each_judge_has_one_level(study):
    vote(study, "one", "Y")
    vote(study, "one", "Y", task="contradiction")
    vote(study, "two", "Y")
    vote(study, "three", "Y", task="contradiction")
    told = KIND.machines(study.reader, UNIT)
    assert told.level == "both"
    assert {key for key, _ in told.marks} == {"response"}
    ratings = list(KIND.machine_ratings(study.reader))
    assert [(one.rater, one.value) for one in ratings] == [
        ("one", "both"), ("two", "present"), ("three", "contradicted"),
    ]  # fmt: skip
    assert {(one.unit, one.cluster) for one in ratings} == {(UNIT, KIND.cluster(study.reader, UNIT))}


def test_levels_by_the_two_answers() -> None:
    answers = (True, False, None)
    assert {(present, against): level_of(present, against) for present in answers for against in answers} == {
        (True, True): "both", (True, False): "present", (True, None): "present",
        (False, True): "contradicted", (False, False): "absent", (False, None): "absent",
        (None, True): "contradicted", (None, False): None, (None, None): None,
    }  # fmt: skip


def test_nothing_is_said_where_nobody_was_asked(study):
    told = KIND.machines(study.reader, UNIT)
    assert (told.opinions, told.level, told.words, told.badges) == ((), None, "", "")


BEGUN = "Warfarin was begun at 5 mg."
SAID = {"reviewer": "ann", "response": "atlas-one", "fact": BEGUN, "label": "present"}


@pytest.fixture
def facts(empty_study: Study) -> Study:
    made = FactStudy(empty_study)
    made.case("one", (BEGUN, "management"), ("It was pneumonia.", "diagnosis"))
    made.text("atlas", "one")
    made.text("boreal", "one")
    return empty_study


def panel(facts: Study) -> list[tuple[str, str, str]]:
    first = held_facts(facts.reader).held[0]
    return [(vote.reviewer, vote.level, vote.mode) for vote in first.people]


def test_a_panel_comes_in_with_what_had_been_seen_and_once(facts):
    records = [
        {**SAID, "exposure": "blind", "at": "2031-05-01"},
        {**SAID, "reviewer": "bob", "label": "Present, contradicted", "note": "In two places.", "exposure": "blind"},
        {**SAID, "reviewer": "cyd", "label": "no", "fact": f" Warfarin was begun{chr(10)}at 5 mg. "},
    ]
    done = bring(facts, *records)
    assert (done.kind, done.labels, done.bad, done.unused) == ("fact", 3, [], [])
    assert panel(facts) == [("ann", "present", "blind"), ("bob", "both", "blind"), ("cyd", "absent", "assisted")]
    assert bring(facts, *records).labels == 0
    (note,) = rows_of(facts, "SELECT reviewer, json_extract(payload, '$.text') AS text FROM event WHERE kind = 'note'")
    assert (note["reviewer"], note["text"]) == ("bob", "In two places.")
    assert check(facts.reader) == []


@pytest.mark.parametrize(
    ("odd", "why"),
    [
        ({"label": "maybe"}, "has the label 'maybe'"),
        ({"fact": "It was a stroke."}, "not a key fact of the response's case: 'It was a stroke.'"),
        ({"response": "zeta"}, "names the response 'zeta', which is not there"),
        ({"response": "same"}, "names the response 'same', which are several"),
        ({"reviewer": " "}, "has no reviewer"),
        ({"label": None}, "has no label"),
        ({"exposure": "half"}, "has 'half' as its exposure"),
    ],
)
def test_what_is_no_label_of_this_study_is_named_with_its_line_and_the_rest_comes_in(facts, odd, why):
    facts.write(lambda connection: connection.execute("UPDATE response SET record_id = 'same'"))
    done = bring(facts, SAID, {**SAID, "reviewer": "bob", **odd})
    (bad,) = done.bad
    assert (bad.line, done.labels) == (2, 1)
    assert why in bad.reason
    assert [reviewer for reviewer, *_ in panel(facts)] == ["ann"]


def test_a_file_that_names_judges_is_not_taken_for_a_panel(tmp_path):
    path = tmp_path / "votes.jsonl"
    path.write_text(json.dumps(SAID))
    form = format_of(path, FORMATS.values(), {})
    assert form.name == "fact"
    path.write_text(json.dumps({**SAID, "judge": "one"}))
    assert format_of(path, FORMATS.values(), {}) is None
