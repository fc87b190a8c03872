"""What reviewers make of suggested facts, and which key facts are in force then."""

import json
import time
from dataclasses import replace
from typing import Any

import pytest

from medreview.exchange.exports.export import export
from medreview.exchange.files.columns import ExportFile
from medreview.exchange.imports.import_export import import_export
from medreview.judges.prompts import load_prompt
from medreview.judges.tasks.key_facts import CATEGORIES, Fact, KeyFacts, add_facts
from medreview.labels import CATEGORY
from medreview.llm.settings import JudgeSettings
from medreview.review.conflicts import adjudicate, load_conflict
from medreview.study import Study
from medreview.study.check import check
from medreview.study.events import NewEvent, Receipt, Recorder
from medreview.study.merge import merge
from medreview.study.unit_table import facts_made
from medreview.units.cases import NewCase, add_cases, suggested
from medreview.units.fact_vote import FactVotes
from medreview.units.stored import add_units
from medreview.units.suggestion import FactCounts, Suggestion, case_facts, fact_counts
from tests.support.study_builder import build

QUESTION = "Write the course of the patient with pneumonia."
CASE = NewCase("c1", "Pneumonia", QUESTION, "Amoxicillin was given for five days. X-ray in six weeks.", ())
UNITS = [
    suggested(CASE, text, category, "", "atlas-2")
    for text, category in (
        ("Amoxicillin was given.", "management"), ("An X-ray is due.", "follow_up"), ("It was viral.", "diagnosis"),
    )
]  # fmt: skip
FIRST, SECOND, THIRD = (one.unit for one in UNITS)


@pytest.fixture
def study(study: Study) -> Study:
    fill(study)
    return study


def fill(study: Study) -> None:
    study.write(lambda connection: add_cases(connection, [CASE], "c.jsonl"))
    study.write(lambda connection: add_units(connection, UNITS, "c.jsonl"))
    build(study, lambda rows: rows.response("r1", "Amoxicillin was given.", question=QUESTION))
    build(study, lambda rows: rows.response("r2", "She was cured.", question=QUESTION))
    build(study, lambda rows: rows.response("r3", "Aspirin.", question="Another question?"))


class Person:
    """A reviewer who labels suggestions, each act in a sitting of its own: no two people sit in one study at once."""

    def __init__(self, study: Study, name: str) -> None:
        self.study, self.name = study, name

    def does(self, *events: NewEvent) -> Receipt:
        recorder = Recorder(self.name)

        def write(connection: Any) -> Receipt:
            return [recorder.append(connection, event, block="suggestions", mode="blind") for event in events][-1]

        return self.study.write(write)

    def says(self, unit: str, label: str, **more: str) -> Receipt:
        return self.does(NewEvent("decide", unit, {"axis": "suggestion", "label": label, **more}))

    def takes_back(self, unit: str, receipt: Receipt) -> Receipt:
        return self.does(NewEvent("retract", unit, undoes_event=receipt.event_id))


def in_force(study: Study) -> list[tuple[str, str]]:
    rows = study.reader.execute("SELECT text, category FROM key_fact_in_force ORDER BY ordinal")
    return [tuple(row) for row in rows]


def asked(study: Study) -> set[tuple[str, str]]:
    task = KeyFacts(study, JudgeSettings("one", "m", "http://127.0.0.1:9"), load_prompt("key_fact_presence"))
    texts = dict(study.reader.execute("SELECT key_fact_id, text FROM key_fact").fetchall())
    return {(response, texts[fact]) for response, fact in task.waiting()}


def test_kept_and_edited_facts_and_own_ones_are_asked_of_every_response_to_the_case(study):
    ann = Person(study, "ann")
    assert (in_force(study), asked(study)) == ([], set())
    ann.says(FIRST, "kept")
    ann.says(SECOND, "edited", text="An X-ray is due in six weeks.", category="other")
    ann.says(THIRD, "discarded")
    ann.does(*Suggestion().added(study.reader, FIRST, " Five days were enough. ", "management"))
    assert in_force(study) == [
        ("Amoxicillin was given.", "management"), ("An X-ray is due in six weeks.", "other"),
        ("Five days were enough.", "management"),
    ]  # fmt: skip
    assert asked(study) == {(response, text) for response in ("r1", "r2") for text, _ in in_force(study)}
    counts = fact_counts(case_facts(study.reader))
    assert counts == FactCounts(suggested=3, open=0, kept=1, edited=1, discarded=1, own=1, conflicts=0)
    rows = study.reader.execute("SELECT added_by, suggestion FROM key_fact ORDER BY ordinal").fetchall()
    assert [tuple(row) for row in rows][:2] == [("ann", FIRST), ("ann", SECOND)]
    assert check(study.reader) == []


def test_what_is_discarded_edited_or_taken_back_since_is_not_asked_and_not_a_unit_of_votes(study):
    ann = Person(study, "ann")
    kept = ann.says(FIRST, "kept")
    ann.says(SECOND, "kept")
    assert {row[0] for row in study.reader.execute(f"SELECT text FROM ({FactVotes.rows})")} == {
        "Amoxicillin was given.", "An X-ray is due.",
    }  # fmt: skip
    ann.takes_back(FIRST, kept)
    ann.says(SECOND, "edited", text="An X-ray is due in six weeks.")
    assert in_force(study) == [("An X-ray is due in six weeks.", "follow_up")]
    added = Suggestion().added(study.reader, FIRST, "She smokes.", "other")
    events = [ann.does(event) for event in added]
    assert [fact.own for fact in case_facts(study.reader)] == [False, False, False, True]
    for event in reversed(events):
        ann.takes_back(added[0].unit, event)
    assert in_force(study) == [("An X-ray is due in six weeks.", "follow_up")]
    listed = [row[0] for row in study.reader.execute(f"SELECT unit FROM ({Suggestion.rows})")]
    assert listed == [FIRST, SECOND, THIRD]
    ann.does(*Suggestion().added(study.reader, FIRST, "She smokes.", "other"))
    assert in_force(study)[-1] == ("She smokes.", "other")


def test_the_newest_label_of_any_reviewer_counts_until_a_conflict_is_settled(study):
    ann, bob = Person(study, "ann"), Person(study, "bob")
    ann.says(FIRST, "kept")
    assert not any(fact.conflict for fact in case_facts(study.reader))
    bob.says(FIRST, "discarded")
    (first, *_) = case_facts(study.reader)
    assert (first.state, first.reviewer, first.conflict) == ("discarded", "bob", True)
    assert in_force(study) == []
    ann.says(SECOND, "edited", text="An X-ray is due in six weeks.")
    bob.says(SECOND, "edited", text="An X-ray is due.")
    bob.does(NewEvent("decide", SECOND, {"axis": "category", "label": "other"}))
    assert [fact.conflict for fact in case_facts(study.reader)] == [True, True, False]
    conflict = load_conflict(study.reader, FIRST, "suggestion")
    adjudicate(study, "zoe", conflict, "kept")
    first, second, _ = case_facts(study.reader)
    assert (first.state, first.reviewer, first.conflict) == ("kept", "zoe", False)
    assert (second.text, second.category, second.reviewer) == ("An X-ray is due.", "other", "bob")
    assert fact_counts(case_facts(study.reader)).conflicts == 1
    # A word that settles labels stands as long as they do.
    bob.says(FIRST, "edited", text="Amoxicillin was given for five days.")
    first, *_ = case_facts(study.reader)
    assert (first.state, first.reviewer, first.conflict) == ("edited", "bob", True)
    adjudicate(study, "zoe", load_conflict(study.reader, FIRST, "suggestion"), "edited")
    first, *_ = case_facts(study.reader)
    assert (first.text, first.reviewer, first.conflict) == ("Amoxicillin was given for five days.", "zoe", False)
    assert check(study.reader) == []


def test_a_fact_that_came_as_such_stays_whatever_becomes_of_a_suggestion_with_its_words(study):
    ann = Person(study, "ann")
    ann.says(FIRST, "kept")
    assert add_facts(study, QUESTION, [Fact("Amoxicillin was given.", "management")], "ann") == 0
    ann.says(FIRST, "discarded")
    assert in_force(study) == [("Amoxicillin was given.", "management")]
    assert tuple(label.level for label in CATEGORY) == CATEGORIES


@pytest.mark.parametrize(
    ("text", "category", "why"),
    [(" ", "other", "no words"), ("New.", "mood", "not a category"), ("It was viral.", "other", "already")],
)
def test_an_own_fact_needs_words_a_category_and_must_be_new(study, text, category, why):
    with pytest.raises(ValueError, match=why):
        Suggestion().added(study.reader, FIRST, text, category)


def test_an_event_whose_unit_is_not_that_of_its_words_or_case_is_refused(study):
    add, _ = Suggestion().added(study.reader, FIRST, "She smokes.", "other")
    ann = Person(study, "ann")
    with pytest.raises(ValueError, match="not the unit"):
        ann.does(replace(add, payload={**add.payload, "text": "He smokes."}))
    with pytest.raises(ValueError, match="not in this study"):
        ann.does(replace(add, payload={**add.payload, "case": "c0"}))


def test_what_events_will_make_is_known_before_they_come(study, tmp_path):
    ann = Person(study, "ann")
    add = Suggestion().added(study.reader, FIRST, "She smokes.", "other")
    edited = NewEvent("decide", add[0].unit, {"axis": "suggestion", "label": "edited", "text": "She smoked."})
    ann.does(*add, edited)
    ann.says(FIRST, "kept")
    events = [(row["kind"], row["unit"], json.loads(row["payload"]))
              for row in study.reader.execute("SELECT kind, unit, payload FROM event ORDER BY event_id")]  # fmt: skip
    with Study.create(tmp_path / "fresh.medreview") as fresh:
        fill(fresh)
        units, facts = facts_made(fresh.reader, events)
    assert units == {add[0].unit}
    assert facts == {row[0] for row in study.reader.execute("SELECT key_fact_id FROM key_fact")}


def test_the_table_of_facts_has_every_fact_as_it_stands(study):
    ann = Person(study, "ann")
    ann.says(SECOND, "edited", text="An X-ray is due in six weeks.")
    table: ExportFile = Suggestion.tables[0]
    names = [column.name for column in table.columns]
    rows = [dict(zip(names, row, strict=True)) for row in table.read(study.reader)]
    assert [(row["state"], row["text"], row["reviewer"]) for row in rows] == [
        ("open", "Amoxicillin was given.", None), ("edited", "An X-ray is due in six weeks.", "ann"),
        ("open", "It was viral.", None),
    ]  # fmt: skip


def next_millisecond() -> None:
    """Wait until the clock that events are numbered by shows another one."""
    now = time.time_ns() // 1_000_000
    while time.time_ns() // 1_000_000 == now:
        pass


def test_two_copies_come_to_the_same_facts_and_votes_whichever_is_merged_into_which(study, tmp_path):
    paths = [tmp_path / "ann.medreview", tmp_path / "bob.medreview"]
    for path in paths:
        study.reader.execute("VACUUM INTO ?", (str(path),))
    with Study.open(paths[0]) as one, Study.open(paths[1]) as two:
        ann, bob = Person(one, "ann"), Person(two, "bob")
        ann.does(*Suggestion().added(one.reader, FIRST, "She smokes.", "other"))
        bob.does(*Suggestion().added(two.reader, FIRST, "She drinks.", "other"))
        bob.says(FIRST, "kept")
        next_millisecond()  # within one, whose event comes later is left to chance
        ann.says(FIRST, "edited", text="Amoxicillin was given for five days.")
        (fact,) = two.reader.execute("SELECT key_fact_id FROM key_fact WHERE text = 'She drinks.'").fetchone()
        bob.does(NewEvent("decide", f"fact:r1:{fact}", {"axis": "presence", "label": "absent"}))
    with Study.open(paths[0]) as one:
        merged = merge(one, paths[1])
        assert (merged.added, merged.foreign) == (4, 0)
    with Study.open(paths[1]) as two:
        merge(two, paths[0])
    stand = []
    for path in paths:
        with Study.open(path, read_only=True) as opened:
            assert check(opened.reader) == []
            stand.append((case_facts(opened.reader), sorted(in_force(opened))))
            votes = opened.reader.execute("SELECT label FROM standing WHERE unit LIKE 'fact:%'").fetchall()
            assert [row[0] for row in votes] == ["absent"]
    assert stand[0] == stand[1]
    facts, force = stand[0]
    assert (facts[0].text, facts[0].own, facts[0].conflict) == ("Amoxicillin was given for five days.", False, True)
    assert [text for text, _ in force] == ["Amoxicillin was given for five days.", "She drinks.", "She smokes."]


def test_an_export_brings_cases_facts_and_what_became_of_them_into_a_new_study(study, tmp_path):
    ann = Person(study, "ann")
    ann.does(*Suggestion().added(study.reader, FIRST, "She smokes.", "other"))
    ann.says(FIRST, "edited", text="Amoxicillin was given for five days.")
    ann.says(SECOND, "kept")
    ann.says(SECOND, "discarded")
    export(study, tmp_path / "out")
    with Study.create(tmp_path / "fresh.medreview") as fresh:
        for _ in range(2):
            import_export(fresh, tmp_path / "out")
        assert case_facts(fresh.reader) == case_facts(study.reader)
        assert in_force(fresh) == in_force(study)
        assert [unit[0] for unit in fresh.reader.execute(f"SELECT unit FROM ({FactVotes.rows})")] == [
            unit[0] for unit in study.reader.execute(f"SELECT unit FROM ({FactVotes.rows})")
        ]
        assert check(fresh.reader) == []


def test_the_passage_that_a_model_quoted_stays_out_of_an_export_for_who_has_not_decided(study, tmp_path):
    quoted = suggested(CASE, "Five days are enough.", "management", "given for five days", "atlas-2")
    study.write(lambda connection: add_units(connection, [quoted], "c.jsonl"))
    for folder, told in (("before", 0), ("after", 1)):
        export(study, tmp_path / folder, blind_for="ann")
        values = (tmp_path / folder / "unit_values.csv").read_text(encoding="utf-8")
        assert values.count("given for five days") == told
        Person(study, "ann").says(quoted.unit, "kept")
