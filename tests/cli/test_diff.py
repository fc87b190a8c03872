"""The command ``diff`` and the options of ``fetch`` that bring it about, as a user gives them."""

import json
import sqlite3
from io import BytesIO

import pytest

from medreview.sources.saved.pages_folder import PagesFolder
from medreview.sources.stage import fetch_saved
from medreview.study import Study
from tests.support.commands import own_settings
from tests.support.saved_pages import save_pages

PAGE = "<html><body><main><h1>Ramipril</h1><p>{}</p><p>{}</p></main></body></html>"
DOSE = "Adults with high blood pressure usually start with {} mg of ramipril once daily, taken with water."
REST = "It is not given in pregnancy, and kidney function and potassium are measured before and after the start."
URL = "https://heart.example/ramipril"


@pytest.fixture
def site(tmp_path):
    def put(dose):
        save_pages(tmp_path / "pages", {URL: PAGE.format(DOSE.format(dose), REST)})

    put("2.5")
    (tmp_path / "a.jsonl").write_text(json.dumps({"response": f"{DOSE.format('2.5')} See {URL}"}))
    return put


def test_from_a_changed_page_to_a_marked_difference(site, medreview):
    medreview("run", "s.medreview", "a.jsonl", "--pages", "pages")
    medreview("review", "s.medreview", "--plain", "--queue", "responses", input="1\nq\n")
    assert medreview("sources", "diff", "s.medreview").stdout == "No source has changed between its snapshots.\n"

    site("25")
    fetched = medreview("fetch", "s.medreview", "--refresh", "--pages", "pages")
    assert "of those known before, 1 changed" in fetched.stdout
    assert "medreview sources diff s.medreview" in fetched.stdout

    told = medreview("sources", "diff", "s.medreview").stdout
    assert "snapshot 1 of" in told
    assert "R01 S1  supported, by" in told
    assert "ALTERED: a number" in told
    assert "[-2.5-] {+25+} mg" in " ".join(told.split())
    change = json.loads(medreview("sources", "diff", "s.medreview", "heart.example", "--json").stdout)["changes"][0]
    assert (change["before"]["number"], change["after"]["number"]) == (1, 2)
    assert change["labels"][0]["passages"][0]["fate"] == "altered"
    whole = medreview("sources", "diff", "s.medreview", "--all").stdout
    assert f"-{DOSE.format('2.5')}" in whole
    assert f"+{DOSE.format('25')}" in whole


def test_asking_for_what_is_not_there(site, medreview):
    medreview("run", "s.medreview", "a.jsonl", "--pages", "pages")
    assert (
        "No source of the study has 'nice.org'"
        in medreview("sources", "diff", "s.medreview", "nice.org", check=2).stderr
    )
    assert (
        "has no snapshot 9; there are 1"
        in medreview("sources", "diff", "s.medreview", "heart", "--from", "9", check=2).stderr
    )
    assert "exclude each other" in medreview("fetch", "s.medreview", "--again", "--refresh", check=2).stderr


def test_hostile_text_in_a_difference_is_shown_as_marks(site, medreview):
    medreview("run", "s.medreview", "a.jsonl", "--pages", "pages")
    site("2.5 \x1b]0;owned\x07")
    medreview("fetch", "s.medreview", "--refresh", "--pages", "pages")
    for arguments in (("--all",), ("--json",), ()):
        assert "\x1b" not in medreview("sources", "diff", "s.medreview", *arguments).stdout


def verdicts(folder):
    with sqlite3.connect(folder / "s.medreview") as connection:
        return connection.execute("SELECT verdict, badges FROM verdict").fetchall()


def test_what_was_said_of_the_old_text_does_not_stand_after_a_refresh(site, medreview, tmp_path):
    medreview("run", "s.medreview", "a.jsonl", "--pages", "pages")
    assert verdicts(tmp_path) == [("supported", "")]

    site("25")
    told = medreview("fetch", "s.medreview", "--refresh", "--pages", "pages").stdout
    assert "medreview judge s.medreview" in told
    assert verdicts(tmp_path) == [(None, "")]
    medreview("judge", "s.medreview")
    assert verdicts(tmp_path)[0][0] != "supported"


def test_a_fetch_that_was_killed_before_it_rolled_up(site, medreview, tmp_path):
    medreview("run", "s.medreview", "a.jsonl", "--pages", "pages")
    site("25")
    with Study.open(tmp_path / "s.medreview") as study:
        fetch_saved(study, PagesFolder(tmp_path / "pages"), scope="all")  # as far as it came
    assert verdicts(tmp_path) == [("supported", "")]
    medreview("fetch", "s.medreview", "--refresh", "--pages", "pages")
    assert verdicts(tmp_path) == [(None, "")]


def test_a_folder_that_cannot_be_written_is_told_before_anything_is_fetched(site, medreview, tmp_path):
    medreview("run", "s.medreview", "a.jsonl", "--pages", "pages")
    (tmp_path / "file").write_text("x")
    site("25")
    asked = ("fetch", "s.medreview", "--refresh", "--pages", "pages", "--save-pages", "file")
    assert "that is a file, not a folder" in medreview(*asked, check=2).stderr
    assert medreview("sources", "diff", "s.medreview").stdout == "No source has changed between its snapshots.\n"


def test_whole_texts_where_one_of_them_is_too_long(site, medreview, tmp_path):
    other = "https://long.example/x"
    (tmp_path / "a.jsonl").write_text(json.dumps({"response": f"{DOSE.format('2.5')} See {other} and {URL}"}))

    def put(dose, line):
        site(dose)
        (tmp_path / "pages" / "long.txt").write_text("\n".join(f"{line} {n}" for n in range(10_001)))
        with (tmp_path / "pages" / "manifest.jsonl").open("a") as manifest:
            manifest.write("\n" + json.dumps({"url": other, "file": "long.txt"}))

    put("2.5", "A line with the number")
    medreview("run", "s.medreview", "a.jsonl", "--pages", "pages")
    put("25", "Another line with the number")
    medreview("fetch", "s.medreview", "--refresh", "--pages", "pages")

    done = medreview("sources", "diff", "s.medreview", "--all")
    assert f"+{DOSE.format('25')}" in done.stdout
    assert "too many lines to be shown whole (20,002)" in done.stderr
    assert "10,001 gone, 10,001 new" in medreview("sources", "diff", "s.medreview", "long.example").stdout
    medreview("sources", "diff", "s.medreview", "long.example", "--all", check=2)
    assert medreview("sources", "diff", "s.medreview", "heart", "--all").stderr == ""


def test_nothing_changed_is_said_of_whole_texts_too(site, medreview):
    medreview("run", "s.medreview", "a.jsonl", "--pages", "pages")
    assert (
        medreview("sources", "diff", "s.medreview", "--all").stdout == "No source has changed between its snapshots.\n"
    )


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ('contact = "Zo\u00eb"', "ASCII"),
        ('contact = "a\\nb"', "in one line"),
        ('[services]\ndoi = "https://"', "'doi' of the settings must be a web address"),
        ('[services]\ndoi = "https://exa mple.org"', "'doi' of the settings must be a web address"),
        ('[services]\ndoi = "https://example.org:port"', "'doi' of the settings must be a web address"),
    ],
)
def test_settings_that_cannot_be_used_are_one_sentence(site, medreview, tmp_path, settings, said):
    own_settings(tmp_path, settings)
    medreview("import", "s.medreview", "a.jsonl")
    assert said in medreview("fetch", "s.medreview", check=2).stderr


def test_an_archive_that_breaks_off_is_told_by_run_too(medreview, tmp_path):
    from warcio.statusandheaders import StatusAndHeaders
    from warcio.warcwriter import WARCWriter

    (tmp_path / "a.jsonl").write_text(json.dumps({"response": f"{DOSE.format('2.5')} See {URL}"}))
    with (tmp_path / "a.warc").open("wb") as file:
        writer = WARCWriter(file, gzip=False)
        for url in (URL, "https://heart.example/last"):
            page = BytesIO(PAGE.format(DOSE.format("2.5"), REST).encode())
            headers = StatusAndHeaders("200 OK", [("Content-Type", "text/html")], protocol="HTTP/1.1")
            writer.write_record(writer.create_warc_record(url, "response", payload=page, http_headers=headers))
    (tmp_path / "a.warc").write_bytes((tmp_path / "a.warc").read_bytes()[:-50])

    done = medreview("run", "s.medreview", "a.jsonl", "--pages", "a.warc")
    assert "a.warc breaks off" in done.stderr
