"""Labels that a panel of people gave on key facts elsewhere, as they come in from a file."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from medreview.import_files import Imported, import_file
from medreview.progress import SILENT
from medreview.study import Study
from medreview.study.check import check
from medreview.units.formats import FORMATS
from medreview.units.held_facts import held_facts
from medreview.units.unit_format import format_of
from tests.support.fact_study import FactStudy
from tests.support.study_builder import rows_of

FACT = "Warfarin was begun at 5 mg."
SAID = {"reviewer": "ann", "response": "atlas-one", "fact": FACT, "label": "present"}


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Study]:
    with Study.create(tmp_path / "s.medreview") as made:
        facts = FactStudy(made)
        facts.case("one", (FACT, "management"), ("It was pneumonia.", "diagnosis"))
        facts.text("atlas", "one")
        facts.text("boreal", "one")
        yield made


def brought(study: Study, tmp_path: Path, *records: Any) -> Imported:
    path = tmp_path / "panel.jsonl"
    path.write_text("\n".join(json.dumps(record) for record in records))
    return import_file(study, path, {}, SILENT)


def panel(study: Study) -> list[tuple[str, str, str]]:
    first = held_facts(study.reader).held[0]
    return [(vote.reviewer, vote.level, vote.mode) for vote in first.people]


def test_a_panel_comes_in_with_what_had_been_seen_and_once(study, tmp_path):
    records = [
        {**SAID, "exposure": "blind", "at": "2031-05-01"},
        {**SAID, "reviewer": "bob", "label": "Present, contradicted", "note": "In two places.", "exposure": "blind"},
        {**SAID, "reviewer": "cyd", "label": "no", "fact": f" Warfarin was begun{chr(10)}at 5 mg. "},
    ]
    done = brought(study, tmp_path, *records)
    assert (done.kind, done.labels, done.bad, done.unused) == ("fact", 3, [], [])
    assert panel(study) == [("ann", "present", "blind"), ("bob", "both", "blind"), ("cyd", "absent", "assisted")]
    assert brought(study, tmp_path, *records).labels == 0
    (note,) = rows_of(study, "SELECT reviewer, json_extract(payload, '$.text') AS text FROM event WHERE kind = 'note'")
    assert (note["reviewer"], note["text"]) == ("bob", "In two places.")
    assert check(study.reader) == []


@pytest.mark.parametrize(
    ("odd", "why"),
    [
        ({"label": "maybe"}, "has the label 'maybe'"),
        ({"fact": "It was a stroke."}, "no key fact of the response's case: 'It was a stroke.'"),
        ({"response": "zeta"}, "names the response 'zeta', which is not there"),
        ({"response": "same"}, "names the response 'same', which are several"),
        ({"reviewer": " "}, "has no reviewer"),
        ({"label": None}, "has no label"),
        ({"exposure": "half"}, "has 'half' as its exposure"),
    ],
)
def test_what_is_no_label_of_this_study_is_named_with_its_line_and_the_rest_comes_in(study, tmp_path, odd, why):
    study.write(lambda connection: connection.execute("UPDATE response SET record_id = 'same'"))
    done = brought(study, tmp_path, SAID, {**SAID, "reviewer": "bob", **odd})
    (bad,) = done.bad
    assert (bad.line, done.labels) == (2, 1)
    assert why in bad.reason
    assert [reviewer for reviewer, *_ in panel(study)] == ["ann"]


def test_a_file_that_names_judges_is_not_taken_for_a_panel(tmp_path):
    path = tmp_path / "votes.jsonl"
    path.write_text(json.dumps(SAID))
    form = format_of(path, FORMATS.values(), {})
    assert form is not None
    assert form.name == "fact"
    path.write_text(json.dumps({**SAID, "judge": "one"}))
    assert format_of(path, FORMATS.values(), {}) is None
