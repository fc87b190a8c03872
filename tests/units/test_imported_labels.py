"""Labels that people gave in another tool: stored once, in their own names, and never over what they did here."""

import json
from pathlib import Path

import pytest

from medreview.study import Study
from medreview.study.check import check
from medreview.study.events import NewEvent, Recorder
from medreview.units.new_units import ImportedLabel, add_labels
from medreview.units.stored import NewUnit, add_units

ITEM = NewUnit("qa", "How is warfarin monitored?", {"question": "How is warfarin monitored?"})
OTHER = NewUnit("qa", "How is heparin monitored?", {"question": "How is heparin monitored?"})


@pytest.fixture
def study(tmp_path: Path):
    with Study.create(tmp_path / "s.medreview") as made:
        made.write(lambda c: add_units(c, [ITEM, OTHER], "a.jsonl"))
        yield made


def said(study: Study) -> list[tuple[str, str, str, str]]:
    rows = study.reader.execute("SELECT reviewer, kind, block, payload FROM event ORDER BY seq")
    return [(row["reviewer"], row["kind"], row["block"], row["payload"]) for row in rows]


def test_labels_flags_and_notes_become_events_of_who_gave_them_and_once(study):
    labels = [
        ImportedLabel(ITEM.unit, "ann1", "relevance", "5", at="2025-03-01"),
        ImportedLabel(OTHER.unit, "ann2", "relevance", "3"),
        ImportedLabel(OTHER.unit, "ann1", "relevance", "4"),
        ImportedLabel(
            ITEM.unit, "ann2", "relevance", "2", ("dispute", "feedback"), "The INR, not the aPTT.", "", "number"
        ),
    ]
    assert study.write(lambda c: add_labels(c, labels)) == 4
    assert study.write(lambda c: add_labels(c, labels)) == 0
    rows = said(study)
    assert [(who, kind) for who, kind, _, _ in rows] == [
        *[("ann1", "decide")] * 2,
        ("ann2", "decide"),
        *(("ann2", kind) for kind in ("decide", "flag", "flag", "note", "reason")),
    ]
    assert {block for _, _, block, _ in rows} == {"imported"}
    assert json.loads(rows[0][3])["given_at"] == "2025-03-01"
    found = study.reader.execute(
        "SELECT reviewer, label, mode FROM reviewer_label WHERE unit = ? ORDER BY reviewer", (ITEM.unit,)
    )
    assert [tuple(row) for row in found] == [("ann1", "5", "assisted"), ("ann2", "2", "assisted")]
    assert check(study.reader) == []


def test_another_label_of_the_same_person_in_a_later_file_takes_the_place_of_the_one_before(study):
    for label in ("5", "4"):
        study.write(lambda c, label=label: add_labels(c, [ImportedLabel(ITEM.unit, "ann1", "relevance", label)]))
    assert [row[0] for row in study.reader.execute("SELECT label FROM decision_current")] == ["4"]


def test_what_somebody_did_in_the_workbench_is_not_replaced_by_a_file(study):
    recorder = Recorder("ann1")
    own = NewEvent("decide", ITEM.unit, {"axis": "relevance", "label": "1"})
    study.write(lambda c: recorder.append(c, own, block="qa", mode="blind"))
    given = ImportedLabel(ITEM.unit, "ann1", "relevance", "5", ("dispute",))
    study.write(lambda c: add_labels(c, [given]))
    assert [row[0] for row in study.reader.execute("SELECT label FROM decision_current")] == ["1"]
    assert [kind for _, kind, _, _ in said(study)] == ["decide", "flag"]


@pytest.mark.parametrize(
    ("faulty", "why"),
    [
        ({"axis": "relevance", "label": "6"}, "'6'"),
        ({"flags": ("wrong",)}, "'wrong'"),
        ({"reason": "because"}, "'because'"),
        ({"reviewer": " "}, "without the name"),
    ],
)
def test_what_is_no_label_of_this_program_is_refused_in_words(faulty, why):
    with pytest.raises(ValueError, match=why):
        ImportedLabel(**{"unit": ITEM.unit, "reviewer": "ann1", **faulty})
