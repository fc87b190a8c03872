"""Revised and removed statements: what differs in words, which labels fit, what stays hidden."""

import json
from pathlib import Path

import pytest

from medreview.errors import UserError
from medreview.import_files import Imported, import_file
from medreview.progress import SILENT
from medreview.review.queue import open_queue
from medreview.review.unit_session import UnitSession
from medreview.study import Study
from medreview.units.documents import changes
from medreview.units.revision import Revision
from tests.support.study_builder import build

SAMPLE = Path(__file__).parents[2] / "sample_data" / "revisions.jsonl"
KIND = Revision()


@pytest.fixture
def study(tmp_path):
    with Study.create(tmp_path / "s.medreview") as made:
        yield made


def brought(study: Study, *records: dict) -> Imported:
    path = study.path.parent / "revisions.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return import_file(study, path, {}, SILENT)


def units(study: Study) -> list[str]:
    return [row["unit"] for row in study.reader.execute(f"{KIND.rows} ORDER BY ordinal")]


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("Stop it 2 days before.", "Stop it 3 days before.", ["“2 days” became “3 days”"]),
        ("Give 50 mL/kg now.", "Give 30 mL/kg or more now.", ["“50 mL/kg” became “30 mL/kg or more”"]),
        ("It always helps.", "It helps.", ["“always” left out"]),
        ("It helps some.", "It helps some adults.", ["“some.” became “some adults.”"]),
        ("Give it at once, and then look again.", "Give it soon, and then look twice.",
         ["“at once,” became “soon,”", "“again.” became “twice.”"]),
        ("The  same\nwords.", "The same words.", []),
        ("", "New.", ["“New.” added"]),
    ],
)  # fmt: skip
def test_what_differs_is_said_in_words(before, after, said):
    assert [str(change) for change in changes(before, after)] == said


def test_the_sample_comes_in_and_both_wordings_stand_on_the_card(study):
    done = import_file(study, SAMPLE, {}, SILENT)
    assert (done.kind, done.added, done.gold, done.opinions, done.bad, done.odd) == ("revision", 6, 3, 5, [], [])
    first, removed = (KIND.load(study.reader, units(study)[number]) for number in (0, 3))
    assert [(part.label, part.main) for part in first.parts] == [
        ("original", True), ("revised", True), ("differs", True),
    ]  # fmt: skip
    assert [part.label for part in removed.parts] == ["original", "removed"]
    (table,) = KIND.tables
    assert {len(tuple(row)) for row in table.read(study.reader)} == {len(table.columns)}


def test_the_judgement_of_the_revised_text_its_quote_and_explanation_are_hidden_until_decided(study):
    import_file(study, SAMPLE, {}, SILENT)
    session = UnitSession(study, "kb", open_queue(study, "revisions", "kb"), reveal="each")
    session.go(list(session.queue.units).index(units(study)[0]))
    assert session.view is not None
    assert not any(hidden in repr(session.view) for hidden in ("juror-two", "The amount is"))
    assert {mark.kind for mark in session.source_highlights().marks} == {"lexical"}
    assert session.machines.opinions == ()
    session.decide("supported")
    assert [opinion.judge for opinion in session.machines.opinions] == ["juror-two", "boreal"]
    assert {mark.kind for mark in session.source_highlights().marks} == {"lexical", "quote"}


def test_a_label_of_removals_is_refused_for_a_revision_and_the_other_way_round(study):
    import_file(study, SAMPLE, {}, SILENT)
    session = UnitSession(study, "kb", open_queue(study, "revisions", "kb"))
    place = list(session.queue.units).index
    session.go(place(units(study)[0]))
    with pytest.raises(UserError, match="press 1, 2 or 3"):
        session.decide("removal_right")
    assert session.own.label is None
    session.go(place(units(study)[4]))
    with pytest.raises(UserError, match="press 4 or 5"):
        session.decide("supported")
    session.decide("removal_wrong")
    assert session.label_of(units(study)[4]) == "removal_wrong"


def test_a_statement_of_the_study_is_named_and_its_page_is_the_source(study):
    def material(rows):
        rows.page("renal", "Stop metformin below 30.")
        rows.response("r1", "Stop metformin below 45.", statements=("Stop metformin below 45.",), cites=("renal",))

    build(study, material)
    done = brought(study, {"statement_id": "r1.1", "original": "", "revised": "Stop metformin below 30.",
                           "url": "https://renal.example/"})  # fmt: skip
    assert (done.added, done.odd) == (1, [])
    (unit,) = units(study)
    view = KIND.load(study.reader, unit)
    assert {part.label: part.text for part in view.parts}["original"] == "Stop metformin below 45."
    assert (view.response_id, view.group, view.documents[0].snapshot_id) == ("r1", "R01", "renal@1")
    assert KIND.cluster(study.reader, unit) == "r1"


def test_records_that_neither_revise_nor_remove_are_left_out_and_labels_that_do_not_fit_are_dropped(study):
    good = {"original": "It helps all.", "revised": "It helps some.", "passage": "It helps some people."}
    done = brought(
        study,
        {**good, "labels": [{"annotator": "a", "label": "removal right"}, {"annotator": "b", "label": "supported"}]},
        {**good, "revised": ""},
        {**good, "action": "remove"},
        {**good, "original": " "},
        {**good, "gold": "removal_right", "original": "It helps most."},
    )
    assert [bad.line for bad in done.bad] == [2, 3, 4]
    assert (done.added, done.labels, done.gold) == (2, 1, 0)
    assert [(odd.line, "does not fit" in odd.reason) for odd in done.odd] == [(1, True), (5, True)]
