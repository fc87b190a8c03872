"""The tasks other than source verification, each on a real server."""

import csv
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medreview import pipeline
from medreview.citations.stage import extract_all
from medreview.cli.reports.stats import flow_lines
from medreview.errors import UserError
from medreview.exchange.exports.export import export
from medreview.judges.tasks.hallucination import EXPERTS, Remarks, remarks_of, set_remarks
from medreview.judges.tasks.key_facts import Fact, add_facts
from medreview.judges.tasks.parsing import align
from medreview.judges.tasks.registry import NAMES, task_for
from medreview.judges.tasks.task import confidence_of
from medreview.labels import PAGE_STATES
from medreview.sources.reading.page_states import HOLDS_SOURCE
from medreview.statements.own_citations import own_citations
from medreview.stats.reports.review_progress import item_flow
from medreview.study import Study
from medreview.study.check import check
from medreview.study.events import NewEvent, Recorder
from medreview.study.study_acts import write_act
from medreview.text import sha256
from medreview.units.statement_view import load_statement_view
from tests.judges.renal_study import ANSWER, QUESTION, RENAL, STATEMENTS, VITAMIN, fill, part_of
from tests.support.bringing import write_lines
from tests.support.judge_endpoint import by_prompt, judge_with
from tests.support.study_builder import build, rows_of
from tests.support.workbench import pane_text, press, workbench

RESPONSE = (
    "**Iron overload** disease occurs in 28.4% of men and 1.2% of women.[1] Ask your doctor.\n"
    "It is treated by taking blood."
)
PARSED = [
    "Iron overload disease occurs in 28.4% of men",
    "Iron overload disease occurs in 1.2% of women.",
    "It is treated by taking blood.",
    "It is treated by taking blood.",
]


def test_statements_take_the_responses_own_words_where_they_stand_in_it():
    found = align(PARSED, RESPONSE)

    assert [text for text, span in found if span] == [
        "Iron overload** disease occurs in 28.4% of men",
        "It is treated by taking blood.",
    ]
    assert [text for text, span in found if span is None] == ["Iron overload disease occurs in 1.2% of women."]
    assert all(RESPONSE[slice(*span)] == text for text, span in found if span)


def test_of_two_places_the_one_after_the_statement_before_is_meant():
    response = "Take it once. Call us. Take it once."
    found = align(["Take it once.", "Call us.", "Take it once."], response)

    assert [span.start for _, span in found] == [0, 14, 23]


@given(st.lists(st.text(min_size=1, max_size=20), max_size=5), st.text(max_size=80))
def test_a_range_always_holds_the_statement(statements, response):
    for text, span in align(statements, response):
        assert span is None or response[slice(*span)] == text


def test_a_response_is_split_by_a_judge_once(tmp_path, serve):
    model = serve(lambda prompt: {"statements": PARSED, "left_out": ["Ask your doctor"]})
    with Study.create(tmp_path / "b.medreview") as study:
        fill(study, [("How common?", RESPONSE, None), ("Empty?", "Which document do you mean?", None)], {})
        settings = [model.settings()]
        judge_with(study, settings, task="statement_parsing", limit=1)

        (first, second) = rows_of(study, "SELECT parser, dropped FROM response ORDER BY ordinal")
        assert first["dropped"] == 1
        assert first["parser"].startswith("one statement_parsing/1 j")
        assert second["parser"] is None
        kept = rows_of(study, 'SELECT ordinal, "start" FROM statement ORDER BY ordinal')
        assert [row["ordinal"] for row in kept] == [1, 2, 3]
        assert [row["start"] is None for row in kept] == [False, True, False]
        assert check(study.reader) == []

        model.play(by_prompt(lambda prompt: {"statements": [], "left_out": ["Which document"]}))
        judge_with(study, settings, task="statement_parsing")
        assert rows_of(study, "SELECT count(*) AS n FROM statement") == [{"n": 3}]
        assert judge_with(study, settings, task="statement_parsing")[0].units == 0
        assert len(model.prompts) == 2


STATINS = (
    "Statins lower LDL cholesterol by 30% [1]. They are taken at night [2].\n\n"
    "1. https://a.example/statins\n2. https://b.example/night"
)
BY_MODEL = ["Statins lower LDL cholesterol by 30%", "Statins are taken at night.", "Statins cause myopathy."]


async def test_a_reworded_statement_has_the_citations_of_its_sentence_and_one_that_is_not_there_is_flagged(
    tmp_path, serve, capsys
):
    model = serve(lambda prompt: {"statements": BY_MODEL, "left_out": []})
    (tmp_path / "answers.jsonl").write_text(json.dumps({"id": "a", "question": "Statins?", "response": STATINS}))
    with Study.create(tmp_path / "a.medreview") as study:
        pipeline.bring_in(study, tmp_path / "answers.jsonl", {})
        extract_all(study)
        judge_with(study, [model.settings()], task="statement_parsing")
        pipeline.parse(study)
        ids = [row["statement_id"] for row in rows_of(study, "SELECT statement_id FROM statement ORDER BY ordinal")]
        assert [own_citations(study.reader, each).numbers for each in ids] == [(1,), (2,), ()]
        views = [load_statement_view(study.reader, each) for each in ids]
        assert [[STATINS[slice(*place)] for place in view.shown_at] for view in views] == [
            ["Statins lower LDL cholesterol by 30%"],
            ["They are taken at night [2]."],
            [],
        ]
        assert [view.beside for view in views][2] == "not in the answer"
        export(study, tmp_path / "out")
        with (tmp_path / "out" / "statements.csv").open(newline="", encoding="utf-8-sig") as file:
            assert [row["in_response"] for row in csv.DictReader(file)] == ["words", "reworded", "no"]
        assert list(flow_lines(item_flow(study.reader, {})))[1].endswith("; 1 not in the answer")
        assert check(study.reader) == []
        for size in ((80, 24), (160, 50)):
            app = workbench(study)
            async with app.run_test(size=size) as pilot:
                await press(pilot, "j", "j")
                assert "not in the answer" in pane_text(app, "statement")


def test_a_response_that_no_judge_could_split_is_left_to_the_rules(tmp_path, serve):
    with Study.create(tmp_path / "b.medreview") as study:
        fill(study, [("How common?", RESPONSE, None)], {})
        (tally,) = judge_with(study, [serve(lambda _: "Sure!").settings()], task="statement_parsing")
        assert (tally.units, tally.abstained, tally.outcomes) == (1, 1, {"unparsable": 1})

        assert pipeline.parse(study).statements == 3


def test_a_response_is_not_split_by_two_judges(study, serve):
    model = serve()

    with pytest.raises(UserError, match="name one judge"):
        judge_with(study, [model.settings("a"), model.settings("b")], task="statement_parsing")


def merged(*quotes, label="supported"):
    return lambda _: {"quotes": list(quotes), "reason": "Both.", "label": label, "confidence": 0.7}


def test_merged_sources_are_put_to_a_judge_for_what_was_not_supported(study, serve):
    pipeline.judge_by(study, pipeline.Judges([serve().settings()]))
    model = serve(merged("falls below 45", "Measure it when the feet are numb.", label="partial"))
    judge_with(study, [model.settings()], task="merged_verification")

    (row,) = rows_of(study, "SELECT * FROM merged_judgement")
    assert (row["statement_id"], row["verdict"], row["supported"]) == ("s3", "partial", 0)
    first, second = json.loads(row["quotes"])
    assert (first["snapshot"], second["snapshot"]) == ("p1", "p2")
    assert VITAMIN[slice(*second["spans"][0])] == second["quote"]
    (prompt,) = model.prompts
    sources = part_of(prompt, "sources")
    assert sources.startswith("Source 1:\n")
    assert RENAL in sources
    assert VITAMIN in sources
    assert judge_with(study, [model.settings()], task="merged_verification")[0].units == 0


@pytest.mark.parametrize("quotes", [(), ("falls below 45", "Metformin is safe for everybody who takes it.")])
def test_merged_support_needs_every_quote_to_be_there(study, serve, quotes):
    pipeline.judge_by(study, pipeline.Judges([serve().settings()]))
    judge_with(study, [serve(merged(*quotes)).settings()], task="merged_verification")

    (row,) = rows_of(study, "SELECT * FROM merged_judgement")
    assert (row["raw_label"], row["verdict"], row["supported"]) == ("supported", None, None)


def test_merged_sources_over_the_context_are_split(study, serve):
    pipeline.judge_by(study, pipeline.Judges([serve().settings()]))
    study.write(lambda db: db.execute("DROP TRIGGER snapshot_is_never_updated"))
    study.write(lambda db: db.execute("UPDATE snapshot SET text = text || ?", (" More of the same." * 300,)))
    model = serve(merged(label="not_addressed"))
    judge_with(study, [model.settings(context_tokens=4000)], task="merged_verification")

    assert len(model.prompts) >= 2
    assert "part 2 of" in model.prompts[1]
    assert rows_of(study, "SELECT verdict FROM merged_judgement") == [{"verdict": "not_addressed"}]


@pytest.mark.parametrize("state", sorted(set(PAGE_STATES) - HOLDS_SOURCE))
def test_a_page_that_is_not_the_source_is_not_judged(study, serve, state):
    other = ("p3", state, "Please prove that you are human before you read about metformin.")
    build(study, third_page(*other))
    model = serve()
    pipeline.judge_by(study, pipeline.Judges([model.settings()]))
    assert len(model.prompts) == 6
    assert not rows_of(study, "SELECT 1 FROM judgement WHERE snapshot_id = 'p3'")

    judge_with(study, [serve(merged()).settings()], task="merged_verification")
    assert [json.loads(row["snapshots"]) for row in rows_of(study, "SELECT snapshots FROM merged_judgement")] == [
        ["p1", "p2"]
    ]


@pytest.mark.parametrize("state", sorted(HOLDS_SOURCE))
def test_a_page_that_holds_a_part_of_its_source_is_judged(study, serve, state):
    build(study, third_page("p3", state, "Metformin is an old drug."))
    model = serve()
    judge_with(study, [model.settings()])

    assert len(model.prompts) == 9


def test_merged_sources_are_two_that_hold_a_source(study, serve):
    study.write(lambda db: db.execute("DROP TRIGGER snapshot_is_never_updated"))
    study.write(lambda db: db.execute("UPDATE snapshot SET page_state = 'soft_404' WHERE snapshot_id = 'p2'"))
    pipeline.judge_by(study, pipeline.Judges([serve().settings()]))

    assert judge_with(study, [serve().settings()], task="merged_verification")[0].units == 0


def third_page(snapshot_id, state, text):
    """A page more for the only response, in a state."""

    def add(rows):
        rows.page("u3", text, "https://page3.example/", snapshot_id=snapshot_id, page_state=state)
        rows.citation("r1", "u3")

    return add


def finding(found, kind, *spans):
    return {"spans": list(spans), "reason": "It must be stopped.", "found": found, "type": kind}


def test_hallucinations_are_located_in_the_response(study, serve):
    said = finding("yes", "fact", "any eGFR", "It may be stopped at once.")
    judge_with(study, [serve(lambda _: said).settings()], task="hallucination_detection")

    (row,) = rows_of(study, "SELECT * FROM hallucination_finding")
    assert (row["found"], row["type"], row["assisted"], row["assisted_by"]) == (1, "fact", 0, "[]")
    there, invented = json.loads(row["spans"])
    assert ANSWER[slice(*there["spans"][0])] == "any eGFR"
    assert (there["status"], invented["status"]) == ("exact", "absent")


@pytest.mark.parametrize(
    "said", [finding("yes", "none", "any eGFR"), finding("no", "fact"), finding("no", "none", "any eGFR")]
)
def test_an_answer_at_odds_with_itself_is_an_abstention(study, serve, said):
    (tally,) = judge_with(study, [serve(lambda _: said).settings()], task="hallucination_detection")

    (row,) = rows_of(study, "SELECT * FROM hallucination_finding")
    assert (row["found"], row["type"], tally.abstained) == (None, None, 1)
    assert row["error"].startswith("unparsable: found is ")


def remark(study, who, *events):
    """What a reviewer says; the ids of these events."""
    recorder = Recorder(who)
    return [
        study.write(lambda db, event=event: recorder.append(db, event, block="answers", mode="open")).event_id
        for event in events
    ]


def shown_as_an_experts(study, serve):
    """The remarks that a judge is shown as an expert's, a line each; none where it is not asked."""
    model = serve(lambda _: finding("yes", "fact", "any eGFR"))
    judge_with(study, [model.settings()], task="hallucination_assisted")
    return [line for prompt in model.prompts for line in part_of(prompt, "expert").split("\n")]


def test_an_assisted_finding_is_marked_and_says_by_whom(study, serve):
    assert shown_as_an_experts(study, serve) == []
    remark(
        study,
        "ann",
        NewEvent("note", "s3", {"text": "First thought."}),
        NewEvent("note", "s3", {"text": "Below 30 it must be stopped."}),
        NewEvent("decide", "s3", {"axis": "hallucination", "label": "fact"}),
        NewEvent("decide", "s2", {"axis": "evidence", "label": "supported"}),
    )
    assert shown_as_an_experts(study, serve) == [
        'On "It may be continued at any eGFR.": Below 30 it must be stopped.',
        'On "It may be continued at any eGFR.": hallucination, fact',
    ]
    (row,) = rows_of(study, "SELECT * FROM hallucination_finding")
    assert row["assisted"] == 1
    assert len(json.loads(row["assisted_by"])) == 2


SPAN = {"axis": "hallucination", "label": "fact", "target": "response"}
EGFR = {**SPAN, "start": 92, "end": 100, "exact": "any eGFR", "reason": "Not below 30."}


def test_a_deleted_span_is_no_remark(study, serve):
    span = SPAN | {"start": 0, "end": 1}
    spans = (NewEvent("span_add", "s3", span | {"exact": exact}) for exact in ("It may", "any eGFR"))
    deleted, _ = remark(study, "ann", *spans)
    remark(study, "ann", NewEvent("span_del", "s3", {"span": deleted, "exact": "It may"}))

    assert shown_as_an_experts(study, serve) == [
        'On "It may be continued at any eGFR.": marked as a hallucination: "any eGFR"'
    ]


def test_what_an_expert_says_of_a_whole_answer_is_told_to_the_judge_with_the_reasons_of_its_spans(study, serve):
    remark(
        study,
        "ann",
        NewEvent("decide", "answer:r1", {"axis": "hallucination", "label": "fact"}),
        NewEvent("span_add", "answer:r1", EGFR),
        NewEvent("note", "answer:r1", {"text": "The label says so."}),
    )
    assert shown_as_an_experts(study, serve) == [
        "On the whole answer: hallucination, fact",
        'On the whole answer: marked as a hallucination: "any eGFR" (Not below 30.)',
        "On the whole answer: The label says so.",
    ]


FACTS = [Fact("Metformin is not started below an eGFR of 30.", "management"), Fact("B12 is measured.", "follow_up")]


def test_key_facts_are_voted_on_one_by_one_for_presence_and_contradiction(study, serve):
    def answer(prompt):
        present = "not started" in part_of(prompt, "fact")
        quote = "Metformin should not be started below an eGFR of 30." if present else ""
        return {"quote": quote, "reason": "", "answer": "yes" if present else "no"}

    assert add_facts(study, QUESTION, FACTS, "ann") == 2
    assert add_facts(study, QUESTION, FACTS[1:], "ann") == 0
    assert add_facts(study, "Another question?", FACTS[:1], "ann") == 1
    settings = [serve(answer).settings("a"), serve(answer).settings("b")]
    judge_with(study, settings, task="key_fact_presence")
    judge_with(study, settings[:1], task="key_fact_contradiction")

    votes = rows_of(
        study,
        """SELECT judge, task, f.ordinal, answer, quote_start, quote_end FROM key_fact_vote
           JOIN key_fact AS f USING (key_fact_id) JOIN judge_run USING (judge_run_id)
           ORDER BY task, judge, f.ordinal""",
    )
    assert [(vote["judge"], vote["task"][9:], vote["answer"]) for vote in votes] == [
        ("a", "contradiction", 1), ("a", "contradiction", 0), ("a", "presence", 1), ("a", "presence", 0),
        ("b", "presence", 1), ("b", "presence", 0),
    ]  # fmt: skip
    assert ANSWER[votes[0]["quote_start"] : votes[0]["quote_end"]] == STATEMENTS["s1"]
    assert judge_with(study, settings, task="key_fact_presence")[0].units == 0


def test_a_fact_found_in_words_that_are_not_there_is_no_vote(study, serve):
    add_facts(study, QUESTION, FACTS[1:], "ann")
    said = {"quote": "Vitamin B12 is measured every year.", "reason": "", "answer": "yes"}
    judge_with(study, [serve(lambda _: said).settings()], task="key_fact_presence")

    (vote,) = rows_of(study, "SELECT * FROM key_fact_vote")
    assert (vote["raw_answer"], vote["answer"], vote["quote_status"]) == ("yes", None, "absent")


def test_a_category_that_is_none_is_refused(study):
    with pytest.raises(ValueError, match="no category of key facts: mood"):
        add_facts(study, "Why?", [Fact("A", "mood")], "ann")


@pytest.mark.parametrize(("said", "kept"), [(0, 0.0), (1, 1.0), (0.25, 0.25), (85, 0.85), (1.5, None), (-1, None),
                                            ("high", None), (True, None), (None, None), (400, None)])  # fmt: skip
def test_confidence_is_a_share_or_nothing(said, kept):
    assert confidence_of(said) == kept


@pytest.mark.parametrize("name", NAMES)
def test_every_task_finds_its_tables_in_a_new_study(tmp_path, serve, name):
    with Study.create(tmp_path / "new.medreview") as new:
        assert task_for(new, serve(lambda _: 500).settings(), name).waiting(again=True) == []


def test_key_facts_come_from_a_file_by_question_or_response(study, tmp_path):
    file = tmp_path / "facts.jsonl"
    told = [
        {"fact": FACTS[0].text, "category": "Management", "question": QUESTION},
        {"fact": FACTS[1].text, "category": "follow-up", "response": "r1"},
        {"fact": FACTS[1].text, "category": "follow-up", "response": "r1"},
        {"fact": "A", "category": "mood", "response": "r1"},
        {"fact": "A", "question": "Who asked?"},
        {"fact": "A"},
        {"fact": " ", "response": "r1"},
        {"fact": "A", "response": "r77"},
    ]
    file.write_text("\n".join(map(json.dumps, told)))
    done = pipeline.bring_facts(study, file, "ann")

    assert (done.added, done.known, done.other) == (4, 1, ["mood"])
    assert (done.waiting, done.waits_for) == (1, ["Who asked?"])
    assert [(record.line, record.reason.partition(":")[0]) for record in done.bad] == [
        (6, "names neither a question nor a case nor a response"), (7, "has no fact"),
        (8, "no response has the id 'r77'"),
    ]  # fmt: skip
    of = f"question_sha256 = '{sha256(QUESTION)}'"
    kept = rows_of(study, f"SELECT ordinal, category, added_by FROM key_fact WHERE {of} ORDER BY ordinal")
    assert kept == [
        {"ordinal": 1, "category": "management", "added_by": "ann"},
        {"ordinal": 2, "category": "follow_up", "added_by": "ann"},
        {"ordinal": 3, "category": "other", "added_by": "ann"},
    ]


def test_a_file_of_cases_is_no_file_of_facts(study, tmp_path):
    file = write_lines(tmp_path / "cases.jsonl", [{"unit": "case", "question": QUESTION, "key_facts": ["A"]}])
    with pytest.raises(UserError, match="holds cases"):
        pipeline.bring_facts(study, file, "ann")


@pytest.mark.parametrize("field", ["facts", "fact"])
def test_key_facts_in_lists_and_under_other_names(study, tmp_path, field):
    file = tmp_path / "facts.json"
    told = [{"qid": "r1", "must_have": [FACTS[0].text, {"fact": FACTS[1].text, "category": "Follow-up"}, 5]}]
    file.write_text(json.dumps(told))
    done = pipeline.bring_facts(study, file, "ann", {"must_have": field, "qid": "response"})

    assert (done.added, [record.reason for record in done.bad]) == (2, ["has a number as its fact, not text"])
    assert rows_of(study, "SELECT category FROM key_fact ORDER BY ordinal") == [
        {"category": "other"}, {"category": "follow_up"},
    ]  # fmt: skip


def test_a_page_that_speaks_to_judges_is_shown_as_such_to_the_reviewer(study):
    study.write(lambda db: db.execute("UPDATE snapshot SET instructions = 'as an AI' WHERE snapshot_id = 'p2'"))

    assert [source.state for source in load_statement_view(study.reader, "s1").sources] == ["ok", "instructions"]


def test_a_label_of_two_kinds_is_no_abstention(study, serve, tmp_path):
    schema = {
        "properties": {"quote": {"type": "string"}, "label": {"type": "string", "enum": ["found", "not found"]}},
        "required": ["quote", "label"],
    }
    head = '+++\ntask = "source_verification"\nversion = 2\nfields = ["source", "statement"]\n+++\n'
    text = f"{head}{{source}}\n{{statement}}\n```json schema\n{json.dumps(schema)}\n```\n"
    (tmp_path / "source_verification.md").write_text(text)
    model = serve(lambda prompt: {"quote": "", "label": "not found"})
    (tally,) = judge_with(study, [model.settings()], prompts=tmp_path)

    assert (tally.abstained, tally.outcomes) == (0, {"not found": 6})
    kept = rows_of(study, "SELECT DISTINCT raw_label, verdict, supported FROM judgement")
    assert kept == [{"raw_label": "not found", "verdict": None, "supported": 0}]


def remarked(study: Study) -> None:
    """Two laypeople, one by the file of the labels, one by the own background, and two experts remark on an answer."""
    lay: dict[str, object] = {"axis": "hallucination", "label": "none", "group": "layperson"}
    said: dict[str, list[tuple[str, dict[str, object]]]] = {
        "p7": [("decide", lay), ("note", {"text": "Sounds right to me.", "group": "layperson"})],
        "pat": [("note", {"text": "My doctor says so."})],
        "dr1": [("decide", {"axis": "hallucination", "label": "fact"}), ("span_add", EGFR)],
        "dr2": [("decide", {"axis": "hallucination", "label": "input"}), ("note", {"text": "It was asked about 25."})],
    }
    for who, acts in said.items():
        remark(study, who, *(NewEvent(kind, "answer:r1", payload) for kind, payload in acts))
    write_act(study, "pat", "background", {"role": "Patient", "years": None, "specialty": "", "words": ""})


@pytest.mark.parametrize(
    ("reviewers", "reasons_only", "shown"),
    [
        ((), False, {"hallucination, fact", 'marked as a hallucination: "any eGFR" (Not below 30.)',
                     "hallucination, input", "It was asked about 25."}),
        ((), True, {"Not below 30.", "It was asked about 25."}),
        (("dr2",), True, {"It was asked about 25."}),
        (("p7", "pat"), False, {"no hallucination", "Sounds right to me.", "My doctor says so."}),
    ],
)  # fmt: skip
def test_a_judge_is_shown_the_remarks_of_those_who_were_chosen_and_laypeople_are_no_experts(
    study, serve, reviewers, reasons_only, shown
):
    remarked(study)
    set_remarks(study, reviewers, reasons_only)
    told = shown_as_an_experts(study, serve)
    assert {line.removeprefix("On the whole answer: ") for line in told} == shown


def test_another_choice_of_remarks_is_another_run_and_is_asked(study, serve):
    remarked(study)
    model = serve(lambda _: finding("yes", "fact", "any eGFR"))
    for _ in range(2):
        judge_with(study, [model.settings()], task="hallucination_assisted")
    assert len(model.prompts) == 1
    set_remarks(study, ("dr1",), True)
    judge_with(study, [model.settings()], task="hallucination_assisted")
    assert part_of(model.prompts[1], "expert") == "On the whole answer: Not below 30."
    assert len(rows_of(study, "SELECT * FROM judge_run WHERE prompt_id GLOB 'hallucination_assisted*'")) == 2
    set_remarks(study, (EXPERTS,), False)
    assert remarks_of(study.reader) == Remarks()
    with pytest.raises(UserError, match="no reviewer 'dr9' in this study; there are dr1, dr2, p7, pat"):
        set_remarks(study, ("dr9",))
