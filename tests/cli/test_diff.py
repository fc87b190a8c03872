"""The command ``diff`` and the options of ``fetch`` that bring it about, as a user gives them."""

import json

import pytest

PAGE = "<html><body><main><h1>Ramipril</h1><p>{}</p><p>{}</p></main></body></html>"
DOSE = "Adults with high blood pressure usually start with {} mg of ramipril once daily, taken with water."
REST = "It is not given in pregnancy, and kidney function and potassium are measured before and after the start."
URL = "https://heart.example/ramipril"


@pytest.fixture
def site(tmp_path):
    def put(dose):
        folder = tmp_path / "pages"
        folder.mkdir(exist_ok=True)
        (folder / "a.html").write_text(PAGE.format(DOSE.format(dose), REST))
        (folder / "manifest.jsonl").write_text(json.dumps({"url": URL, "file": "a.html"}))

    put("2.5")
    (tmp_path / "a.jsonl").write_text(json.dumps({"response": f"{DOSE.format('2.5')} See {URL}"}))
    return put


def test_from_a_changed_page_to_a_marked_difference(site, medreview):
    medreview("run", "s.medreview", "a.jsonl", "--pages", "pages")
    medreview("review", "s.medreview", "--plain", "--queue", "responses", input="1\nq\n")
    assert medreview("diff", "s.medreview").stdout == "No source has changed between its snapshots.\n"

    site("25")
    fetched = medreview("fetch", "s.medreview", "--refresh", "--pages", "pages")
    assert "of those known before, 1 changed" in fetched.stdout
    assert "medreview diff s.medreview" in fetched.stdout

    told = medreview("diff", "s.medreview").stdout
    assert "snapshot 1 of" in told
    assert "R01 S1  supported, by" in told
    assert "ALTERED: a number" in told
    assert "[-2.5-] {+25+} mg" in " ".join(told.split())
    change = json.loads(medreview("diff", "s.medreview", "heart.example", "--json").stdout)["changes"][0]
    assert (change["before"]["number"], change["after"]["number"]) == (1, 2)
    assert change["labels"][0]["passages"][0]["fate"] == "altered"
    whole = medreview("diff", "s.medreview", "--all").stdout
    assert f"-{DOSE.format('2.5')}" in whole
    assert f"+{DOSE.format('25')}" in whole


def test_asking_for_what_is_not_there(site, medreview):
    medreview("run", "s.medreview", "a.jsonl", "--pages", "pages")
    assert "No source of the study has 'nice.org'" in medreview("diff", "s.medreview", "nice.org", check=2).stderr
    assert "has no snapshot 9; there are 1" in medreview("diff", "s.medreview", "heart", "--from", "9", check=2).stderr
    assert "exclude each other" in medreview("fetch", "s.medreview", "--again", "--refresh", check=2).stderr


def test_hostile_text_in_a_difference_is_shown_as_marks(site, medreview):
    medreview("run", "s.medreview", "a.jsonl", "--pages", "pages")
    site("2.5 \x1b]0;owned\x07")
    medreview("fetch", "s.medreview", "--refresh", "--pages", "pages")
    for arguments in (("--all",), ("--json",), ()):
        assert "\x1b" not in medreview("diff", "s.medreview", *arguments).stdout
