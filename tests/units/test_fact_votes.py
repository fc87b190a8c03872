"""Key facts in responses: what the card and the documents are, and the jury's word under each rule for ties."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from medreview.judges.fact_votes import level_of
from medreview.judges.rollup import set_tie_rule
from medreview.judges.tasks.key_facts import Fact, add_facts
from medreview.study import Study
from medreview.study.ids import content_id, unit_id
from medreview.text import sha256
from medreview.units.cases import NewCase, NewNote, add_cases
from medreview.units.fact_vote import FactVotes
from tests.support.study_builder import StudyBuilder, build

KIND = FactVotes()
QUESTION = "Write the course of the patient with pneumonia."
TEXT = "Amoxicillin was given for five days."
FACT = "Amoxicillin was given."
UNIT = unit_id("fact", "r1", content_id("f", sha256(QUESTION), FACT))
NUMBERS = count()


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Study]:
    note = NewNote("hp", "2031-01-01", "ward", "Cough.")
    case = NewCase("c1", "Pneumonia", QUESTION, "The reference.", (note,))
    with Study.create(tmp_path / "s.medreview") as made:
        made.write(lambda connection: add_cases(connection, [case], "c.jsonl"))
        build(made, lambda rows: [rows.response("r1", TEXT, question=QUESTION), rows.response("r2", question="Else?")])
        add_facts(made, QUESTION, [Fact(FACT, "management"), Fact("It was viral.", "diagnosis")], "ann")
        add_facts(made, "Nobody asked?", [Fact("A fact.")], "ann")
        yield made


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
