"""What looks like an identifier of a patient stops what goes to a model outside, until a person lets it go."""

import json

import pytest

from medreview.study import Study
from medreview.study.check import check_study
from tests.support.commands import own_settings

SETTINGS = """
[judges.outside]
model = "atlas-2"
base_url = "https://models.example/v1"

[judges.inside]
model = "cedar-1"
base_url = "http://127.0.0.1:9/v1"
"""
QUESTION = "Mrs Abernathy, born 3 May 1951, takes warfarin. May she take ibuprofen?"
ANSWER = "Ibuprofen raises the risk of bleeding with warfarin [1]. Call the helpline 212-555-0143."
PLACES = ("R01, question: name: Mrs [Abernathy]", "R01, question: date of birth: Mrs Abernathy, born [3 May 1951]")


@pytest.fixture
def patient(medreview, tmp_path):
    own_settings(tmp_path, SETTINGS)
    record = {"question": QUESTION, "response": ANSWER, "citations": ["https://a.example/p"]}
    (tmp_path / "a.jsonl").write_text(json.dumps(record))
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "p.html").write_text("<p>Ibuprofen raises the risk of bleeding with warfarin.</p>")
    of_page = {"url": "https://a.example/p", "file": "p.html"}
    (tmp_path / "pages" / "manifest.jsonl").write_text(json.dumps(of_page))
    medreview("run", "s.medreview", "a.jsonl", "--pages", "pages")
    return tmp_path / "s.medreview"


@pytest.mark.parametrize(
    "words",
    [
        ("judge", "--judge", "outside"),
        ("judge", "--judge", "inside", "--judge", "outside"),
        ("judge", "--judge", "outside", "--batch-out", "b.jsonl"),
        ("judge", "--judge", "outside", "--batch-submit"),
        ("generate", "cleanup", "--model", "outside"),
        ("generate", "cleanup", "--model", "inside", "--judge", "outside"),
        ("generate", "cleanup", "--model", "outside", "--batch-out", "b.jsonl"),
    ],
    ids=" ".join,
)
def test_nothing_is_sent_outside(medreview, patient, words):
    command, *more = words
    place = [more.pop(0)] if command == "generate" else []
    refused = medreview(command, *place, patient, *more, check=2)
    assert "Nothing was sent to models.example" in refused.stderr
    assert "name (1), date of birth (1)" in refused.stderr
    assert all(place in refused.stderr for place in PLACES)
    assert not (patient.parent / "b.jsonl").exists()
    with Study.open(patient, read_only=True) as study:
        assert study.reader.execute("SELECT count(*) FROM llm_sent").fetchone()[0] == 0


def test_a_model_on_this_machine_may_see_them(medreview, patient):
    medreview("judge", patient, "--judge", "inside", "--batch-out", "b.jsonl")
    assert (patient.parent / "b.jsonl").exists()


def test_a_person_lets_these_texts_go_and_no_later_one(medreview, patient):
    assert all(place in medreview("check", "--identifiers", patient, check=1).stdout for place in PLACES)
    told = medreview("check", "--identifiers", patient, "--sent-anyway", "--reviewer", "kb").stdout
    assert "Let go now: name (1), date of birth (1)." in told
    medreview("judge", patient, "--judge", "outside", "--batch-out", "b.jsonl")
    listed = json.loads(medreview("check", "--identifiers", patient, "--json").stdout)["identifiers"]
    assert [(one["found"], one["let_go"]) for one in listed] == [("Abernathy", True), ("3 May 1951", True)]

    later = {"question": "Is MRN 5512345 the right chart?", "response": ANSWER, "citations": ["https://a.example/p"]}
    (patient.parent / "later.jsonl").write_text(json.dumps(later))
    medreview("import", patient, "later.jsonl")
    refused = medreview("judge", patient, "--judge", "outside", "--batch-out", "c.jsonl", check=2).stderr
    assert "record number (1)" in refused
    assert "Abernathy" not in refused
    with Study.open(patient, read_only=True) as study:
        acts = study.reader.execute("SELECT reviewer, payload FROM event WHERE kind = 'sent_anyway'").fetchall()
        assert check_study(study).faults == []
    assert [act[0] for act in acts] == ["kb"]
    assert "Abernathy" not in acts[0][1]


def test_where_there_is_none_the_command_says_what_that_is_worth(medreview, demo):
    assert "does not prove anonymity" in medreview("check", "--identifiers", demo).stdout
